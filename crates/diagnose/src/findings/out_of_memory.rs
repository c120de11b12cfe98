//! Programs that the kernel killed since an allocation could use some nodes only, and these were
//! full.

use nearfar_firmware::linux::log::node_kills;

use super::FindingInput;
use crate::document::{DiagnosisFinding, FindingDetail};
use crate::{codes, evidence};

const CODE: &str = "out-of-memory-on-node";

/// The last one that the log has: programs that come and go are killed again and again.
pub(super) fn on_a_node(seen: FindingInput<'_>) -> Option<DiagnosisFinding> {
    let log = &seen.witnesses.log;
    let mut kills = node_kills(log);
    let last = kills.pop()?;
    let event = &log.events[last.event];
    let times = 1 + kills.iter().filter(|one| one.is_bound_as(&last)).count();
    let detail = FindingDetail::OutOfMemoryOnNode {
        program: last.program,
        pid: last.pid,
        bound_program: last.bound_program,
        bound_by: last.bound_by,
        nodes: last.nodes,
        other_nodes: last.other_nodes,
        free_elsewhere_bytes: last.free_elsewhere_bytes,
        times,
    };
    let finding = DiagnosisFinding::new(CODE, codes::severity(CODE))
        .with_detail(detail)
        .shown_by(evidence::event(seen.witnesses, event));
    Some(DiagnosisFinding { advice: codes::advice(CODE, seen.facts), ..finding })
}
