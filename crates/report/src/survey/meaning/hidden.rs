//! Hidden nodes, and interleaved lines.

use nearfar_survey::{Hidden, HiddenFinding};

use crate::instruments::hidden::node_count::{is_exact, nodes, open_points, sides};

/// What they mean for placement.
pub(super) fn sentence(hidden: &Hidden) -> Option<String> {
    match hidden.finding {
        HiddenFinding::Found if hidden.several_nodes().is_some() => None,
        HiddenFinding::Found => Some(format!(
            "This machine hides {}: {}. {}{} Placement is impossible until the system shows the \
             nodes: 'nearfar diagnose' finds out who hides them.",
            nodes(&hidden.pages),
            sides(&hidden.pages),
            open(hidden),
            effect(hidden)?
        )),
        HiddenFinding::Interleaved => Some(format!(
            "Lines are interleaved over nodes, or over dies of one (kinds {:.0} % apart). \
             Placement gains nothing unless the firmware setup (\"node interleaving\", SNC, NPS) \
             changes that.",
            100.0 * hidden.lines.found.effect?
        )),
        _ => None,
    }
}

/// What the number leaves open, each with its full stop.
fn open(hidden: &Hidden) -> String {
    open_points(&hidden.pages).iter().map(|point| format!("{point}. ")).collect()
}

/// Remote memory against local; the least, where memory was not seen. Where no CPU is near a kind,
/// no memory is called local.
fn effect(hidden: &Hidden) -> Option<String> {
    let times = 1.0 + hidden.pages.found.effect?;
    let has_local = hidden.pages.kinds.iter().any(|kind| !kind.near_cpus.is_empty());
    Some(match (has_local, is_exact(&hidden.pages)) {
        (true, true) => format!("Remote memory has up to {times:.2} times the local latency."),
        (true, false) => {
            format!("The slowest remote memory has at least {times:.2} times the local latency.")
        }
        (false, _) => {
            format!("The slowest pages have at least {times:.2} times the latency of the fastest.")
        }
    })
}
