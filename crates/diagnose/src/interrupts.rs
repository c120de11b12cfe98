//! Interrupts of the usual devices, for surveys.

use nearfar_devices::DevicesDocument;
use nearfar_devices::irq::{Earlier, IrqDocument, IrqInput, assess};
use nearfar_machine::interrupts::InterruptSnapshot;

use crate::witnesses::Witnesses;

/// Who served interrupts since the witnesses were read, in a bounded size: `later` is a snapshot,
/// and the seconds until then. Without it, counts are since boot. `None` if the counters of the
/// witnesses were not readable.
pub fn interrupts(
    witnesses: &Witnesses,
    devices: &DevicesDocument,
    later: Option<(&InterruptSnapshot, f64)>,
) -> Option<IrqDocument> {
    let first = witnesses.interrupts.as_ref()?;
    let now = later.map_or(first, |(now, _)| now);
    let earlier = later.map(|(_, seconds)| Earlier { snapshot: first, seconds: Some(seconds) });
    Some(assessed(witnesses, devices, now, earlier).into_folded())
}

pub(crate) fn assessed(
    witnesses: &Witnesses,
    devices: &DevicesDocument,
    now: &InterruptSnapshot,
    earlier: Option<Earlier<'_>>,
) -> IrqDocument {
    let (topology, setup) = (witnesses.topology.as_ref(), Some(&witnesses.irq_setup));
    assess(IrqInput { devices, topology, setup, now, earlier, only: &[] })
}
