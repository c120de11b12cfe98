//! Nodes that the system does not show, and lines that are interleaved.

use nearfar_survey::{Hidden, HiddenFinding, PageKind};

/// What they mean for somebody who places programs.
pub(super) fn sentence(hidden: &Hidden) -> Option<String> {
    match hidden.finding {
        HiddenFinding::Found if hidden.several_nodes().is_some() => None,
        HiddenFinding::Found => Some(format!(
            "This machine hides {} nodes: {}, and the other's memory costs up to {:.2} times as \
             much. Programs cannot be placed until the system shows them: 'nearfar diagnose' says \
             who withholds them.",
            hidden.pages.kinds.len(),
            sides(&hidden.pages.kinds),
            1.0 + hidden.pages.found.effect?
        )),
        HiddenFinding::Interleaved => Some(format!(
            "Neighbouring lines are dealt out in turns to nodes, or to dies of one (kinds {:.0} % \
             apart): placing programs gains nothing until the firmware's setup (\"node \
             interleaving\", SNC, NPS) keeps them together.",
            100.0 * hidden.lines.found.effect?
        )),
        _ => None,
    }
}

/// "CPUs 0-1 are near to 50 % of the pages, CPUs 2-3 to 50 %".
fn sides(kinds: &[PageKind]) -> String {
    let side = |kind: &PageKind| match kind.near_cpus.is_empty() {
        true => format!("no CPU is near to {:.0} % of the pages", 100.0 * kind.share),
        false => {
            format!("CPUs {} are near to {:.0} % of the pages", kind.near_cpus, 100.0 * kind.share)
        }
    };
    kinds.iter().map(side).collect::<Vec<_>>().join(", ")
}
