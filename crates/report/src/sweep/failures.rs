//! Why a run does not count.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use nearfar_sweep::Failure;

use super::held::no_cpusets;

/// A clause: "exit status 3: no room".
pub fn sentence(failure: &Failure) -> String {
    match failure {
        Failure::TimedOut => "it took too long, and was ended".to_owned(),
        Failure::Killed { signal, said } => {
            format!("killed by signal {signal}{}", last(said.as_ref()))
        }
        Failure::Exited { status, said } => format!("exit status {status}{}", last(said.as_ref())),
        Failure::NoFigure { metric, said } => {
            format!("it did not print what --metric {metric} looks for{}", last(said.as_ref()))
        }
        Failure::FigureOutOfRange { printed } => {
            format!(
                "it printed {printed}: figures are compared as ratios, and must lie between 1e-30 \
                 and 1e30"
            )
        }
        Failure::Hook { option, wait_status, said } => {
            format!(
                "{option} failed with {}{}",
                ExitStatus::from_raw(*wait_status),
                last(said.as_ref())
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

fn last(said: Option<&String>) -> String {
    said.map_or_else(String::new, |line| format!(": {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_how_it_ended_and_its_last_words() {
        let said = Some("no room".to_owned());
        for (failure, expected) in [
            (Failure::Exited { status: 3, said: said.clone() }, "exit status 3: no room"),
            (Failure::Exited { status: 3, said: None }, "exit status 3"),
            (Failure::Killed { signal: 9, said: None }, "killed by signal 9"),
            (
                Failure::Hook { option: "--prepare".to_owned(), wait_status: 3 << 8, said },
                "--prepare failed with exit status: 3: no room",
            ),
            (
                Failure::Hook { option: "--cleanup".to_owned(), wait_status: 9, said: None },
                "--cleanup failed with signal: 9 (SIGKILL)",
            ),
            (
                Failure::NoFigure { metric: "n=n ([0-9]+)".to_owned(), said: None },
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
