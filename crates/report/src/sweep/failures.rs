//! Why a run does not count.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use nearfar_sweep::Failure;

use super::held::no_cpusets;

/// A clause: "exit status 3: no room".
pub fn sentence(failure: &Failure) -> String {
    match failure {
        Failure::TimedOut => "it took too long, and was ended".to_owned(),
        Failure::Killed { signal, last_line } => {
            format!("killed by signal {signal}{}", last(last_line.as_ref()))
        }
        Failure::Exited { status, last_line } => {
            format!("exit status {status}{}", last(last_line.as_ref()))
        }
        Failure::NoFigure { metric, last_line } => {
            format!("it did not print what --metric {metric} looks for{}", last(last_line.as_ref()))
        }
        Failure::FigureOutOfRange { printed } => {
            format!(
                "it printed {printed}: figures are compared as ratios, and must lie between 1e-30 \
                 and 1e30"
            )
        }
        Failure::Hook { option, wait_status, last_line } => {
            format!(
                "{option} failed with {}{}",
                ExitStatus::from_raw(*wait_status),
                last(last_line.as_ref())
            )
        }
        Failure::Cpuset { why } => no_cpusets(why),
        Failure::NoThread { error } => {
            format!("a thread cannot be started: {error} (pids.max of the cgroup, ulimit -u)")
        }
        Failure::NotStarted { program, error } => format!("{program}: {error}"),
        Failure::NoProgram => "there is no program to run".to_owned(),
        Failure::Refused { error } => error.clone(),
        Failure::Sentence(sentence) => sentence.clone(),
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
            (Failure::Exited { status: 3, last_line: last_line.clone() }, "exit status 3: no room"),
            (Failure::Exited { status: 3, last_line: None }, "exit status 3"),
            (Failure::Killed { signal: 9, last_line: None }, "killed by signal 9"),
            (
                Failure::Hook { option: "--prepare".to_owned(), wait_status: 3 << 8, last_line },
                "--prepare failed with exit status: 3: no room",
            ),
            (
                Failure::Hook { option: "--cleanup".to_owned(), wait_status: 9, last_line: None },
                "--cleanup failed with signal: 9 (SIGKILL)",
            ),
            (
                Failure::NoFigure { metric: "n=n ([0-9]+)".to_owned(), last_line: None },
                "it did not print what --metric n=n ([0-9]+) looks for",
            ),
            (
                Failure::NotStarted { program: "x".to_owned(), error: "No such file".to_owned() },
                "x: No such file",
            ),
            (Failure::Sentence("as it was".to_owned()), "as it was"),
        ] {
            assert_eq!(sentence(&failure), expected);
        }
    }
}
