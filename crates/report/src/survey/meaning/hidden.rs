//! Hidden nodes, and interleaved lines.

use nearfar_survey::{Hidden, HiddenFinding, PageKind};

/// What they mean for placement.
pub(super) fn sentence(hidden: &Hidden) -> Option<String> {
    match hidden.finding {
        HiddenFinding::Found if hidden.several_nodes().is_some() => None,
        HiddenFinding::Found => Some(format!(
            "This machine hides {} nodes: {}. Remote memory has up to {:.2} times the local \
             latency. Placement \
             is impossible until the system shows the nodes: 'nearfar diagnose' finds out who \
             hides them.",
            hidden.pages.kinds.len(),
            sides(&hidden.pages.kinds),
            1.0 + hidden.pages.found.effect?
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

/// "CPUs 0-1 are near 50 % of the pages, CPUs 2-3 are near 50 % of the pages".
fn sides(kinds: &[PageKind]) -> String {
    let side = |kind: &PageKind| {
        let percent = 100.0 * kind.share;
        if kind.near_cpus.is_empty() {
            format!("no CPU is near {percent:.0} % of the pages")
        } else {
            format!("CPUs {} are near {percent:.0} % of the pages", kind.near_cpus)
        }
    };
    kinds.iter().map(side).collect::<Vec<_>>().join(", ")
}
