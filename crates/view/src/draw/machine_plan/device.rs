//! Devices of a plan, below the buses and switches that connect them.

use super::PlanInterrupts;

/// The kind of a device: shape and colour of its box. Its label names the kind, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeviceShape {
    /// GPUs and accelerators: square corners.
    Processor,
    /// Network cards: round ends.
    Network,
    /// Disks: round corners.
    Disk,
    /// CXL memory: square corners.
    Memory,
    /// Anything else, several to a line, without boxes.
    #[default]
    Small,
}

/// A device, or several equal ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanDevice {
    /// Its shape.
    pub shape: DeviceShape,
    /// "GPU0", "DISK0-7".
    pub label: String,
    /// The kernel's names, and what else identifies it: "mlx5_0", "nvme0-nvme7".
    pub names: String,
    /// The link: "x16 32 GT/s".
    pub link: String,
    /// Whether the link is narrower than both ends support. The link's text states it, too.
    pub is_narrow: bool,
    /// Its interrupts, if it is active.
    pub interrupts: Option<PlanInterrupts>,
}

/// What connects devices: a root bus, a switch, a bridge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DeviceBranch {
    /// "pci0000:20", "switch 0000:21:00.0"; empty where it is unknown.
    pub name: String,
    /// Devices right below it.
    pub devices: Vec<PlanDevice>,
    /// Switches and bridges below it.
    pub branches: Vec<DeviceBranch>,
}

impl PlanDevice {
    /// "GPU0 card0".
    pub(super) fn title(&self) -> String {
        joined([&self.label, &self.names], " ")
    }

    /// "x8 of 16 (narrow)".
    pub(super) fn link_text(&self) -> String {
        let narrow = if self.is_narrow { " (narrow)" } else { "" };
        format!("{}{narrow}", self.link)
    }

    pub(super) fn interrupts_text(&self) -> &str {
        self.interrupts.as_ref().map_or("", |interrupts| &interrupts.text)
    }
}

impl DeviceBranch {
    /// Devices that are listed one after another.
    pub(super) fn small(&self) -> String {
        let small = self.devices.iter().filter(|device| device.shape == DeviceShape::Small);
        small.map(PlanDevice::title).collect::<Vec<_>>().join(", ")
    }

    /// Devices with a box.
    pub(super) fn boxed(&self) -> impl Iterator<Item = &PlanDevice> {
        self.devices.iter().filter(|device| device.shape != DeviceShape::Small)
    }

    /// Lines that its parts take.
    pub(super) fn lines(&self) -> usize {
        let small = usize::from(!self.small().is_empty());
        let own = usize::from(!self.name.is_empty()) + self.boxed().count() + small;
        own + self.branches.iter().map(Self::lines).sum::<usize>()
    }

    /// Its devices and those below it, each with the names of all branches above.
    pub(super) fn listed<'b>(&'b self, above: &str) -> Vec<(String, &'b PlanDevice)> {
        let here = joined([above, &self.name], ", ");
        let mut listed: Vec<(String, &PlanDevice)> =
            self.devices.iter().map(|device| (here.clone(), device)).collect();
        listed.extend(self.branches.iter().flat_map(|branch| branch.listed(&here)));
        listed
    }
}

/// The labels of all devices.
pub(super) fn labels(branches: &[DeviceBranch]) -> String {
    let all = branches.iter().flat_map(|branch| branch.listed(""));
    all.map(|(_, device)| device.label.clone()).collect::<Vec<_>>().join(", ")
}

fn joined<const N: usize>(parts: [&str; N], between: &str) -> String {
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(between)
}
