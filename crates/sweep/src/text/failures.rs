//! Why a run does not count.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use crate::RunFailure;

use super::held::no_cpusets;

/// A clause: "exit status 3: no room".
pub fn sentence(failure: &RunFailure) -> String {
    match failure {
        RunFailure::TimedOut => "it took too long, and was ended".to_owned(),
        RunFailure::Killed { signal, last_line } => {
            format!("killed by signal {signal}{}", last(last_line.as_ref()))
        }
        RunFailure::Exited { status, last_line } => {
            format!("exit status {status}{}", last(last_line.as_ref()))
        }
        RunFailure::NoFigure { metric, last_line } => {
            format!("it did not print what --metric {metric} looks for{}", last(last_line.as_ref()))
        }
        RunFailure::FigureOutOfRange { printed } => {
            format!(
                "it printed {printed}: figures are compared as ratios, and must lie between 1e-30 \
                 and 1e30"
            )
        }
        RunFailure::Hook { option, wait_status, last_line } => {
            format!(
                "{option} failed with {}{}",
                ExitStatus::from_raw(*wait_status),
                last(last_line.as_ref())
            )
        }
        RunFailure::Cpuset { why } => no_cpusets(why),
        RunFailure::NoThread { error } => {
            format!("a thread cannot be started: {error} (pids.max of the cgroup, ulimit -u)")
        }
        RunFailure::NotStarted { program, error } => format!("{program}: {error}"),
        RunFailure::NoProgram => "there is no program to run".to_owned(),
        RunFailure::Refused { error } => error.clone(),
    }
}

fn last(last_line: Option<&String>) -> String {
    last_line.map_or_else(String::new, |line| format!(": {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_have_status_and_last_line() {
        let last_line = Some("no room".to_owned());
        for (failure, expected) in [
            (
                RunFailure::Exited { status: 3, last_line: last_line.clone() },
                "exit status 3: no room",
            ),
            (RunFailure::Exited { status: 3, last_line: None }, "exit status 3"),
            (RunFailure::Killed { signal: 9, last_line: None }, "killed by signal 9"),
            (
                RunFailure::Hook { option: "--prepare".to_owned(), wait_status: 3 << 8, last_line },
                "--prepare failed with exit status: 3: no room",
            ),
            (
                RunFailure::Hook {
                    option: "--cleanup".to_owned(),
                    wait_status: 9,
                    last_line: None,
                },
                "--cleanup failed with signal: 9 (SIGKILL)",
            ),
            (
                RunFailure::NoFigure { metric: "n=n ([0-9]+)".to_owned(), last_line: None },
                "it did not print what --metric n=n ([0-9]+) looks for",
            ),
            (
                RunFailure::NotStarted {
                    program: "x".to_owned(),
                    error: "No such file".to_owned(),
                },
                "x: No such file",
            ),
        ] {
            assert_eq!(sentence(&failure), expected);
        }
    }
}
