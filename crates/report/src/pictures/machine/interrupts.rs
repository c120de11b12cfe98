//! Interrupts of a plan: how often, and whether CPUs near the device served them.

use std::collections::BTreeMap;

use nearfar_devices::irq::{IrqDevice, IrqDocument};
use nearfar_model::NodeId;
use nearfar_survey::Survey;
use nearfar_view::draw::PlanInterrupts;

use nearfar_devices::irq::text::rate;

/// Above this share, most interrupts are far.
const HALF: f64 = 0.5;
/// Smaller shares round to nothing, and larger ones to all.
const NOTHING: f64 = 0.005;

/// The interrupts of a survey.
pub(super) struct Interrupts<'s> {
    document: Option<&'s IrqDocument>,
    by_label: BTreeMap<&'s str, &'s IrqDevice>,
}

/// The interrupts of a device.
#[derive(Clone, Copy)]
pub(super) struct DeviceInterrupts<'s> {
    document: &'s IrqDocument,
    device: &'s IrqDevice,
}

/// How many interrupts, and how many of them are far or of unknown devices.
#[derive(Clone, Copy)]
struct Served {
    count: u64,
    far: Option<u64>,
    unknown: u64,
}

impl<'s> Interrupts<'s> {
    pub(super) fn from_survey(survey: &'s Survey) -> Self {
        let document = survey.interrupts.as_ref();
        let devices = document.into_iter().flat_map(|document| &document.devices);
        let by_label = devices.map(|device| (device.label.as_str(), device)).collect();
        Self { document, by_label }
    }

    /// Those of the device with this label.
    pub(super) fn for_device(&self, label: &str) -> Option<DeviceInterrupts<'s>> {
        let (document, device) = self.document.zip(self.by_label.get(label).copied())?;
        Some(DeviceInterrupts { document, device })
    }

    /// Those that the CPUs of a node served.
    pub(super) fn for_node(&self, node: NodeId) -> Option<PlanInterrupts> {
        let document = self.document?;
        let total = document.totals.iter().find(|total| total.node == node)?;
        let served = Served { count: total.count, far: Some(total.far), unknown: total.unknown };
        let PlanInterrupts { text, is_far } = served.written(document, "")?;
        Some(PlanInterrupts { text: format!("interrupts {text}"), is_far })
    }

    /// What the figures mean; nothing if all devices are idle.
    pub(super) fn sentence(&self) -> Option<String> {
        let document = self.document?;
        document.devices.iter().find(|device| !document.is_idle(device.count))?;
        let when = match document.seconds {
            Some(_) => "a second while measuring",
            None => "since boot",
        };
        let near = match document.nodes.len() > 1 {
            true => ", and whether CPUs near it served them",
            false => "",
        };
        Some(format!("Beside a device: its interrupts {when}{near}."))
    }
}

/// Those of several devices together; nothing if they are idle or unknown.
pub(super) fn together<'s>(
    all: impl Iterator<Item = DeviceInterrupts<'s>>,
) -> Option<PlanInterrupts> {
    let (mut sum, mut document) = (Served { count: 0, far: Some(0), unknown: 0 }, None);
    for one in all {
        document = Some(one.document);
        sum.count = sum.count.saturating_add(one.device.count);
        sum.far = sum.far.zip(one.device.far).map(|(far, more)| far.saturating_add(more));
    }
    // Without a unit, a number beside a device could be anything.
    sum.written(document?, " irqs")
}

impl Served {
    /// A rate, else a count with this unit; then the place.
    fn written(self, document: &IrqDocument, unit: &str) -> Option<PlanInterrupts> {
        let Self { count, far, unknown } = self;
        if document.is_idle(count) {
            return None;
        }
        let number = match document.seconds {
            Some(seconds) => format!("{}/s", rate::short(count as f64 / seconds)),
            None => rate::short(count as f64) + unit,
        };
        let share = far.filter(|_| document.nodes.len() > 1).map(|far| far as f64 / count as f64);
        let place = match share {
            None => String::new(),
            Some(share) if share > 1.0 - NOTHING => " far".to_owned(),
            Some(share) if share >= NOTHING => format!(", {:.0} % far", 100.0 * share),
            Some(_) if unknown == 0 => " near".to_owned(),
            Some(_) => String::new(),
        };
        let is_far = share.is_some_and(|share| share > HALF);
        Some(PlanInterrupts { text: number + &place, is_far })
    }
}
