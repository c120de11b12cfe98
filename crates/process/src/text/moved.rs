//! The result of `nearfar move`.

use nearfar_model::{Bytes, NodeSet};
use nearfar_view::terminal::printable;
use nearfar_view::text::{count, named_nodes};

use crate::moving::{
    FuturePagesCause, GroupWrites, MoveDocument, PagesResult, ProcessMove, ThreadsMoved,
};

/// A paragraph for each process: threads, pages that moved, pages that did not and why, next pages.
/// A sentence about next pages is not repeated for the children.
pub fn text(moved: &MoveDocument) -> String {
    let mut lines: Vec<String> = moved.group.iter().flat_map(group).collect();
    let mut shown = String::new();
    for process in &moved.processes {
        lines.push(format!("{} (process {})", process.name, process.pid));
        lines.extend(process.threads.as_ref().map(threads));
        let nodes = moved.nodes.as_ref();
        lines.extend(
            process.pages.iter().zip(nodes).flat_map(|(pages, nodes)| outcome(pages, nodes)),
        );
        lines.extend(future(process, &mut shown));
    }
    if moved.ended > 0 {
        lines.push(format!("{} ended meanwhile", count(moved.ended, "process")));
    }
    if moved.outside > 0 {
        let outside = count(moved.outside, "process");
        lines.push(format!("{outside} outside of this PID namespace cannot be moved"));
    }
    lines.iter().map(|line| printable::line(line).into_owned() + "\n").collect()
}

fn group(group: &GroupWrites) -> Vec<String> {
    let mut lines = vec![format!("{} {}", group.interface, group.folder)];
    for write in &group.writes {
        let file = write.file.rsplit('/').next().unwrap_or(&write.file);
        lines.push(match &write.why {
            None => format!("  {file}: now {}", write.value),
            Some(why) => format!("  {file}: cannot be set to {} ({why})", write.value),
        });
    }
    lines.extend(group.why.iter().map(|why| format!("  its limits are unchanged: {why}")));
    lines
}

fn threads(threads: &ThreadsMoved) -> String {
    let bound = match &threads.cpus {
        Some(cpus) => format!("  {} bound to CPUs {cpus}", count(threads.bound, "thread")),
        None => "  no thread bound".to_owned(),
    };
    match threads.refused.first() {
        None => bound,
        Some(first) => format!("{bound}, {} could not be: {}", threads.refused.len(), first.why),
    }
}

fn outcome(pages: &PagesResult, nodes: &NodeSet) -> Vec<String> {
    match pages {
        PagesResult::Refused { why } => vec![format!("  no page moved: {why}")],
        PagesResult::Done(pages) => {
            let on = pages.after.on_any(nodes);
            let all = pages.after.total();
            let mut lines = vec![format!(
                "  {} moved: {on} of its {all} are on {}",
                pages.moved(nodes),
                named_nodes(nodes)
            )];
            lines.extend(
                pages
                    .stayed
                    .iter()
                    .map(|stayed| format!("  {} stayed: {}", stayed.bytes, stayed.why)),
            );
            if pages.elsewhere == Bytes(0) {
                lines.truncate(1);
            }
            lines
        }
    }
}

fn future(process: &ProcessMove, shown: &mut String) -> Option<String> {
    let future = process.future.as_ref()?;
    if future.text == *shown {
        return None;
    }
    shown.clone_from(&future.text);
    let sign = if future.cause == FuturePagesCause::Unchanged {
        "  next pages, "
    } else {
        "  next pages come from "
    };
    Some(format!("{sign}{}", future.text))
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;

    use super::*;
    use crate::moving::{MoveDestination, MoveTarget, move_running};

    #[test]
    fn a_move_without_changes_shows_the_state() {
        let source = Source::live();
        let nodes = nearfar_machine::process::NodeSummaries::read(&source).ids();
        let wanted = MoveDestination { cpus: None, nodes: Some(nodes) };
        let moved =
            move_running(&source, &MoveTarget::Process(std::process::id()), &wanted).unwrap();
        let shown = text(&moved);
        assert!(
            shown.contains(&format!("(process {})\n  0 B moved: ", std::process::id())),
            "{shown}"
        );
        assert!(
            shown.contains("next pages come from the node of the CPU that touches them"),
            "{shown}"
        );
    }
}
