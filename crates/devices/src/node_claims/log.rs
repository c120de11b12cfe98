//! The kernel's log: the node of each root bus when it was found.

use nearfar_linux::LogEventKind;
use nearfar_machine::pci::PciHop;

use super::ClaimSubject;
use crate::context::DeviceContext;
use crate::document::{ClaimedNode, NodeClaim, NodeWitness};

/// The log's last line about the root bus.
pub(super) fn claim(context: &DeviceContext<'_>, of: ClaimSubject<'_>) -> NodeClaim {
    let claim = |claimed, source| NodeClaim { witness: NodeWitness::Log, claimed, source };
    let Some(PciHop::RootBus { domain, bus }) = of.path.hops().first() else {
        return claim(ClaimedNode::Silent, None);
    };
    let bus = format!("{domain:04x}:{bus:02x}");
    let found = context.log.events.iter().rev().find_map(|event| {
        let claimed = match &event.kind {
            LogEventKind::PciWithoutNode { bus: of } if *of == bus => ClaimedNode::NoNode,
            LogEventKind::PciBusNode { bus: of, node, .. } if *of == bus => {
                ClaimedNode::Node { node: *node }
            }
            _ => return None,
        };
        Some((claimed, event.line))
    });
    match found {
        Some((claimed, line)) => {
            let origin = context.log.origin.as_deref().unwrap_or("the log");
            claim(claimed, Some(format!("{origin}, line {line}")))
        }
        None if context.log.lines == 0 && !context.log.missing.is_empty() => {
            claim(ClaimedNode::NotReadable, None)
        }
        None => claim(ClaimedNode::Silent, None),
    }
}
