//! The kernel's log: the node of each root bus when it was found.

use std::collections::BTreeMap;

use nearfar_firmware::linux::{KernelLog, LogEventKind};
use nearfar_machine::pci::PciHop;

use super::ClaimSubject;
use crate::context::DeviceContext;
use crate::document::{ClaimedNode, NodeClaim, NodeWitness};

/// The log's last line about each root bus: its claim and number.
pub(super) struct RootBusLog(BTreeMap<String, (ClaimedNode, usize)>);

impl RootBusLog {
    pub(super) fn new(log: &KernelLog) -> Self {
        let lines = log.events.iter().filter_map(|event| {
            let (bus, claimed) = match &event.kind {
                LogEventKind::PciWithoutNode { bus } => (bus, ClaimedNode::NoNode),
                LogEventKind::PciBusNode { bus, node, .. } => {
                    (bus, ClaimedNode::Node { node: *node })
                }
                _ => return None,
            };
            Some((bus.clone(), (claimed, event.line)))
        });
        Self(lines.collect())
    }

    pub(super) fn claim(&self, context: &DeviceContext<'_>, of: ClaimSubject<'_>) -> NodeClaim {
        let claim = |claimed, source| NodeClaim { witness: NodeWitness::Log, claimed, source };
        let Some(PciHop::RootBus { domain, bus }) = of.path.hops().first() else {
            return claim(ClaimedNode::Silent, None);
        };
        match self.0.get(&format!("{domain:04x}:{bus:02x}")) {
            Some((claimed, line)) => {
                let origin = context.log.origin.as_deref().unwrap_or("the log");
                claim(*claimed, Some(format!("{origin}, line {line}")))
            }
            None if context.log.lines == 0 && !context.log.missing.is_empty() => {
                claim(ClaimedNode::NotReadable, None)
            }
            None => claim(ClaimedNode::Silent, None),
        }
    }
}
