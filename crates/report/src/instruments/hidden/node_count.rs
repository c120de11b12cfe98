//! The number of hidden nodes in words, exact or the least, and what it leaves open.

use nearfar_model::CpuSet;
use nearfar_survey::{HiddenPages, NodeCount, PageKind};

use nearfar_view::text::percent::percent;
use nearfar_view::text::{IN_A_TABLE, short_list};

/// "4 nodes", or "at least 2 nodes". The number of kinds is the least in documents without a count.
pub(crate) fn nodes(pages: &HiddenPages) -> String {
    match &pages.count {
        Some(NodeCount { nodes, is_exact: true, .. }) => format!("{nodes} nodes"),
        Some(NodeCount { nodes, .. }) => format!("at least {nodes} nodes"),
        None => format!("at least {} nodes", pages.kinds.len()),
    }
}

/// Whether the number and the effect are exact.
pub(crate) fn is_exact(pages: &HiddenPages) -> bool {
    pages.count.as_ref().is_some_and(|count| count.is_exact)
}

/// "CPUs 0-1 are near 50 % of the pages, CPUs 2-3 are near 50 % of the pages".
pub(crate) fn sides(pages: &HiddenPages) -> String {
    let no_cpu = if left_out(pages).is_some() { "no measured CPU is" } else { "no CPU is" };
    let is_open = pages
        .count
        .as_ref()
        .is_none_or(|count| !count.doubtful_cpus.is_empty() || !count.undetermined_cpus.is_empty());
    let side = |kind: &PageKind| {
        let percent = 100.0 * kind.share;
        if kind.near_cpus.is_empty() && is_open {
            format!("which CPUs are near {percent:.0} % of the pages is undetermined")
        } else if kind.near_cpus.is_empty() {
            format!("{no_cpu} near {percent:.0} % of the pages")
        } else {
            format!("CPUs {} are near {percent:.0} % of the pages", list(&kind.near_cpus))
        }
    };
    pages.kinds.iter().map(side).collect::<Vec<_>>().join(", ")
}

/// What the number leaves open: sentences about CPUs and memory, without their full stop.
pub(crate) fn open_points(pages: &HiddenPages) -> Vec<String> {
    let Some(count) = &pages.count else { return Vec::new() };
    let cpus = |cpus: &CpuSet| (!cpus.is_empty()).then(|| list(cpus));
    let far = cpus(&count.far_cpus)
        .map(|cpus| format!("CPUs {cpus} are near none of the pages that were seen"));
    let doubtful = cpus(&count.doubtful_cpus)
        .map(|cpus| format!("CPUs {cpus} are slow, or memory near them was not seen"));
    let undetermined = cpus(&count.undetermined_cpus)
        .map(|cpus| format!("Which pages CPUs {cpus} are near is undetermined"));
    let left_out = left_out(pages).map(|cpus| format!("CPUs {cpus} were not measured"));
    let unseen = count.unseen_bytes.zip(count.unseen_share).map(|([low, high], share)| {
        let percent = 100.0 * share;
        format!(
            "{percent:.0} % of the memory were not looked at: addresses {} to {}",
            super::gib(low),
            super::gib(high)
        )
    });
    let strays = (count.strays > 0)
        .then(|| format!("{} pages may be of a further node, which has too few", count.strays));
    let unknown = (pages.span_bytes.is_none() && count.is_exact).then(|| {
        "Nodes without CPUs may be missing: only root knows which memory was looked at".to_owned()
    });
    let close = (count.resolution > 0.0)
        .then(|| format!("Nodes less than {} apart may count as one", percent(count.resolution)));
    [far, doubtful, undetermined, left_out, unseen, strays, unknown, close]
        .into_iter()
        .flatten()
        .collect()
}

/// Online CPUs that the search left out.
fn left_out(pages: &HiddenPages) -> Option<String> {
    pages.left_out_cpus.as_ref().filter(|cpus| !cpus.is_empty()).map(list)
}

fn list(cpus: &CpuSet) -> String {
    short_list(cpus, IN_A_TABLE)
}
