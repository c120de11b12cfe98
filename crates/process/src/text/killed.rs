//! Processes that the kernel killed since nodes were full, in words.

use nearfar_machine::kernel_log::NodeBinding;
use nearfar_machine::{MachineError, Source};
use nearfar_model::Bytes;
use nearfar_view::terminal::printable;
use nearfar_view::terminal::screen::Screen;
use nearfar_view::text::{count, named_nodes, paragraph, sections, verb_of};

use crate::error::ProcessError;
use crate::killed::{KilledProcess, killed_of};

/// The error about a target without processes, with the reason if the kernel killed them.
pub fn explained(source: &Source, word: &str, error: ProcessError) -> ProcessError {
    let is_gone = match &error {
        ProcessError::NoName { hidden_by, .. } => hidden_by.is_none(),
        ProcessError::EmptyGroup { outside, .. } => *outside == 0,
        ProcessError::Machine(MachineError::NoSuchGroup { .. }) => true,
        // 'dd' is a part of kthreadd's name.
        ProcessError::KernelThread { name, .. } => name != word,
        _ => false,
    };
    let killed = if is_gone { killed_of(source, word, None) } else { Vec::new() };
    match clause(&killed) {
        Some(why) => ProcessError::Killed { word: word.to_owned(), why },
        None => error,
    }
}

/// The last one: "the kernel killed postgres (process 812) 3 minutes ago: node 0 was full while
/// 48 GiB were free on node 1; bound by its memory policy".
pub(crate) fn clause(killed: &[KilledProcess]) -> Option<String> {
    let last = killed.last()?;
    let ago = last.ago_s.map_or_else(String::new, |seconds| format!(" {} ago", age(seconds)));
    let (were, nodes) = (verb_of(last.nodes.len(), "were"), named_nodes(&last.nodes));
    let others = named_nodes(&last.other_nodes);
    let elsewhere = match last.free_elsewhere_bytes {
        Some(free) => format!(" while {} were free on {others}", Bytes(free)),
        None if last.other_nodes.is_empty() => String::new(),
        None => format!("; the log does not show what {others} had free{}", now(last)),
    };
    let often = match killed.len() {
        1 => String::new(),
        times => format!("; the last of {times} kills in the log"),
    };
    Some(format!(
        "the kernel killed {} (process {}){ago}: {nodes} {were} full{elsewhere}; bound by \
         {}{often}",
        printable::line(&last.name),
        last.pid,
        binding(last)
    ))
}

/// " (323 MiB available now)".
fn now(killed: &KilledProcess) -> String {
    let available = killed.available_elsewhere_bytes.map(Bytes);
    available.map_or_else(String::new, |bytes| format!(" ({bytes} available now)"))
}

fn binding(killed: &KilledProcess) -> String {
    let what = match killed.bound_by {
        NodeBinding::MemoryPolicy => "memory policy",
        NodeBinding::Cpuset => "cpuset",
    };
    match &killed.bound_program {
        Some(program) if *program == killed.name => format!("its {what}"),
        Some(program) => format!("the {what} of {}", printable::line(program)),
        None => format!("the {what} of a program"),
    }
}

/// "45 seconds", "3 minutes".
fn age(seconds: u64) -> String {
    let (number, unit) = match seconds {
        0..120 => (seconds, "second"),
        120..7200 => (seconds / 60, "minute"),
        7200..172_800 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    count(usize::try_from(number).unwrap_or(usize::MAX), unit)
}

/// A screen with the last kill before its details.
pub fn with_killed(screen: Screen, killed: &[KilledProcess]) -> Screen {
    let Some(clause) = clause(killed) else { return screen };
    let line = paragraph::of(&paragraph::sentence(&clause), "", "  ");
    Screen { rest: sections([line, screen.rest]), ..screen }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_one_unit() {
        let shown = [0, 1, 119, 180, 7199, 7200, 90_000, 172_800].map(age);
        let wanted = [
            "0 seconds",
            "1 second",
            "119 seconds",
            "3 minutes",
            "119 minutes",
            "2 hours",
            "25 hours",
            "2 days",
        ];
        assert_eq!(shown, wanted);
    }
}
