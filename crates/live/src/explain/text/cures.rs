//! What may help: a line for each cure, with its command. No order, and none is recommended: only
//! a trial measures what a cure does.

use nearfar_view::text::paragraph;

use super::bounds;
use crate::explain::{Cure, CureKind, ExplainedProcess};

/// What may help, and how to learn whether it does.
pub(super) fn text(process: &ExplainedProcess) -> String {
    if process.cures.is_empty() {
        return String::new();
    }
    let mut text = "What may help (in no order)\n".to_owned();
    for cure in &process.cures {
        text += &paragraph::of(&sentence(process, cure), "  -  ", "     ");
    }
    text += &paragraph::of(&deciding(process), "  =  ", "     ");
    text
}

/// What decides between them.
fn deciding(process: &ExplainedProcess) -> String {
    let pid = process.pid;
    let tries = process.cures.iter().any(|cure| cure.kind.page_nodes().is_some());
    let trial = if tries {
        format!("'nearfar explain {pid} --response' measures its cost, '--try' a move.")
    } else {
        "Only a measurement of the program decides.".to_owned()
    };
    if process.cures.iter().all(|cure| cure.change.is_none()) {
        return trial;
    }
    let located = match (process.all_pages_located, process.pages_located) {
        (true, _) => String::new(),
        (false, 1) => " for the page that was located".to_owned(),
        (false, pages) => format!(" for the {pages} pages that were located"),
    };
    format!(
        "These are bounds{located}: no kernel records which pages it uses. A program that waits \
         little for memory changes less. {trial}"
    )
}

fn sentence(process: &ExplainedProcess, cure: &Cure) -> String {
    let pid = process.pid;
    let what = match &cure.kind {
        CureKind::MovePages { node } => {
            format!("Move its memory to node {node}: 'nearfar move {pid} --nodes {node}'")
        }
        CureKind::MoveThreads { node, cpus } => {
            format!("Move its threads to node {node}: 'nearfar move {pid} --cpus {cpus}'")
        }
        CureKind::Interleave { nodes } => format!(
            "Interleave its memory over the nodes of its threads, where it needs bandwidth: start \
             it with 'nearfar run --interleave {nodes} PROGRAM'"
        ),
        CureKind::Balancing => {
            "Let the kernel move pages to the threads that use them: 'sysctl -w \
             kernel.numa_balancing=1' (for all programs)"
                .to_owned()
        }
    };
    let Some(change) = &cure.change else {
        return match cure.kind {
            CureKind::Balancing => {
                format!("{what}. The kernel decides which, and that takes page faults.")
            }
            _ => format!("{what}. What that does is unknown without a survey."),
        };
    };
    let worst = match change.most.change {
        _ if cure.is_always_faster() => " It is faster, whichever pages it uses.",
        most if most > 0.0 => " It may be slower.",
        _ => "",
    };
    format!("{what}. {}{worst}", bounds::change(process, change))
}
