//! Lines that devices share although they offer messages.

use nearfar_machine::PciAddress;
use nearfar_machine::interrupts::{InterruptSetup, MessageSupport};

use crate::irq::Span;
use crate::irq::document::{Irq, IrqDevice, IrqFinding};
use crate::irq::grouping::Grouping;

/// The findings about the lines of a device.
pub(super) fn all(
    device: &IrqDevice,
    setup: &InterruptSetup,
    grouping: &Grouping<'_>,
    span: Span,
) -> Vec<IrqFinding> {
    let is_active = |irq: &&Irq| irq.count.is_some_and(|count| span.is_active(count));
    let finding = |irq: &Irq| {
        let functions = setup.vectors.get(&irq.number)?.functions.as_slice();
        if functions.len() < 2 {
            return None;
        }
        let with = |wanted: &[MessageSupport]| -> Vec<PciAddress> {
            let has = |one: &&PciAddress| {
                setup.support.get(one).is_some_and(|support| wanted.contains(support))
            };
            functions.iter().filter(has).copied().collect()
        };
        let offer = with(&[MessageSupport::Msi, MessageSupport::MsiX]);
        let (interrupt, devices) = (irq.number, grouping.labels(functions));
        if !offer.is_empty() {
            let offer_messages = grouping.labels(&offer);
            return Some(IrqFinding::IrqLineShared { interrupt, devices, offer_messages });
        }
        let is_unknown = !with(&[MessageSupport::NotReadable]).is_empty();
        is_unknown.then_some(IrqFinding::IrqLineSharedUnknown { interrupt, devices })
    };
    device.interrupts.iter().filter(is_active).filter_map(finding).collect()
}
