//! What the reader of a device tree says (drivers/of/of_numa.c).

use nearfar_model::NodeId;

use crate::log::event::EventKind;
use crate::log::scan::Scan;

pub(super) fn event(text: &str) -> Option<EventKind> {
    let scan = Scan(text).words("OF: NUMA: ")?;
    if scan.0.starts_with("parsing numa-distance-map-v1") {
        return Some(EventKind::TreeDistances);
    }
    let faulty = ["bad property in memory node", "No distance-matrix property", "Invalid distance-matrix"];
    let too_large = scan.0.starts_with("Node id ") && scan.0.contains("exceeds maximum");
    if too_large || faulty.iter().any(|words| scan.0.starts_with(words)) {
        return Some(EventKind::TreePropertyInvalid);
    }
    let (from, rest) = scan.words("Invalid distance[node")?.small()?;
    let (to, rest) = rest.words(" -> node")?.small()?;
    let (distance, _) = rest.words("] = ")?.number()?;
    Some(EventKind::TreeDistanceInvalid { from: NodeId(from), to: NodeId(to), distance })
}
