//! What would help: a line for each cure, with its command.

use nearfar_explain::{Cure, CureKind, ExplainedProcess};

use super::range;
use crate::paragraph;
use crate::percent::share;

/// What helps, and what that means for the program.
pub(super) fn text(process: &ExplainedProcess) -> String {
    if process.cures.is_empty() {
        return String::new();
    }
    let mut text = "What helps\n".to_owned();
    for (at, cure) in process.cures.iter().enumerate() {
        text += &paragraph::of(&sentence(process, cure), &format!("  {}  ", at + 1), "     ");
    }
    if process.cures.iter().any(|cure| cure.saving.is_some()) {
        text += &paragraph::of(
            "That is so if it uses all its pages equally. A program that uses its remote pages \
             most gains more, one that waits little for memory less: 'nearfar explain --try' \
             measures it.",
            "  -  ",
            "     ",
        );
    }
    text
}

fn sentence(process: &ExplainedProcess, cure: &Cure) -> String {
    let pid = process.pid;
    let what = match &cure.kind {
        CureKind::MovePages { node } => {
            format!("Move its memory to node {node}: nearfar move {pid} --nodes {node}")
        }
        CureKind::MoveThreads { node, cpus } => {
            format!("Move its threads to node {node}: nearfar move {pid} --cpus {cpus}")
        }
        CureKind::Interleave { nodes } => format!(
            "Interleave its memory over the nodes of its threads, where it needs bandwidth: start \
             it with nearfar run --interleave {nodes}"
        ),
        CureKind::Balancing => "Let the kernel move pages to the threads that use them: sysctl -w \
             kernel.numa_balancing=1 (for all programs)"
            .to_owned(),
    };
    let Some(saving) = &cure.saving else { return format!("{what}.") };
    if saving.ci95[0] > 0.0 {
        format!(
            "{what}. An average access takes {} less time{}.",
            share(saving.value),
            range(saving)
        )
    } else {
        format!("{what}. That saves at most {} of an average access's time.", share(saving.ci95[1]))
    }
}
