//! The speed and width of a PCIe link.

use serde::Serialize;

use crate::attribute::Attributes;
use crate::source::{FileContents, trimmed_text};

/// A PCIe link as its lower end reports it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PciLink {
    /// What it runs at. Idle devices may lower the speed to save power.
    pub now: LinkState,
    /// What this end supports.
    pub max: LinkState,
}

/// Speed and width; `None` if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LinkState {
    /// Transfers of each lane in GT/s: 2.5, 5, 8, 16, 32, 64.
    pub gt_s: Option<f64>,
    /// Lanes.
    pub lanes: Option<u32>,
}

/// The link above a function; `None` where the kernel reports none.
pub(super) fn read(read: &Attributes<'_>, folder: &str) -> Option<PciLink> {
    // The kernel shows all four files or none (`pcie_dev_attrs` in drivers/pci/pci-sysfs.c).
    let first = format!("{folder}/current_link_speed");
    let current_speed = match read.source.contents(&first) {
        FileContents::Bytes(bytes) => speed(&trimmed_text(&bytes)),
        FileContents::Absent => return None,
        FileContents::Denied => {
            read.denied(&first);
            None
        }
    };
    // 0 without a link; 63 and 255 where the registers answer nothing.
    let lanes = |which: &str| {
        let width = read.text(&format!("{folder}/{which}_link_width"))?;
        width.parse().ok().filter(|lanes| (1..=32).contains(lanes))
    };
    let max_speed = read.text(&format!("{folder}/max_link_speed")).as_deref().and_then(speed);
    let link = PciLink {
        now: LinkState { gt_s: current_speed, lanes: lanes("current") },
        max: LinkState { gt_s: max_speed, lanes: lanes("max") },
    };
    let is_known = |state: LinkState| state.gt_s.is_some() || state.lanes.is_some();
    (is_known(link.now) || is_known(link.max)).then_some(link)
}

/// "8.0 GT/s PCIe", before Linux 5.7 "8 GT/s"; "Unknown" without a link.
fn speed(text: &str) -> Option<f64> {
    let number = text.split_once("GT/s")?.0.trim().parse::<f64>().ok()?;
    (number.is_finite() && number > 0.0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    #[test]
    fn speeds_of_all_kernels_are_read() {
        assert_eq!(speed("16.0 GT/s PCIe"), Some(16.0));
        assert_eq!(speed("2.5 GT/s"), Some(2.5));
        assert_eq!(speed("8 GT/s"), Some(8.0));
        assert_eq!(
            (speed("Unknown"), speed("Unknown speed"), speed("-1 GT/s")),
            (None, None, None)
        );
    }

    #[test]
    fn dead_registers_are_no_link() {
        let source = Source::from_files([
            ("/d/current_link_width", "63"),
            ("/d/max_link_width", "255"),
            ("/d/current_link_speed", "Unknown"),
        ]);
        assert_eq!(super::read(&Attributes::new(&source), "/d"), None);
    }
}
