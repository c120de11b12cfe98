//! The arguments of `nearfar-gpu`.

use std::ffi::OsString;

use thiserror::Error;

use crate::VERSION;
use crate::worker_task::WorkerTask;

/// What these arguments request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HelperCall {
    /// The version alone, which is this one if a caller named its own.
    Version,
    Help,
    Task(WorkerTask),
}

/// Why arguments are refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum ArgumentError {
    /// A user started it.
    #[error(
        "nearfar {VERSION} starts this program to load a GPU driver's library; run 'nearfar gpu' \
         instead"
    )]
    StartedByHand,
    /// The program that started it has another version.
    #[error(
        "this nearfar-gpu is {VERSION}, and the nearfar that started it is {caller}: install both \
         from one release"
    )]
    OtherVersion { caller: String },
    /// Arguments that no nearfar of this version gives.
    #[error("unknown arguments {0}; nearfar-gpu --help has the known ones")]
    Unknown(String),
}

impl HelperCall {
    /// Parses arguments, without the program's name.
    pub(crate) fn parse(args: &[OsString]) -> Result<Self, ArgumentError> {
        let words: Vec<_> = args.iter().map(|arg| arg.to_string_lossy()).collect();
        let words: Vec<_> = words.iter().map(AsRef::as_ref).collect();
        match words[..] {
            [] => Err(ArgumentError::StartedByHand),
            ["--version"] | ["--for", VERSION] => Ok(Self::Version),
            ["--help" | "-h"] => Ok(Self::Help),
            ["--for", VERSION, ..] => {
                let task = WorkerTask::parse(args[2..].iter().cloned());
                task.map(Self::Task).ok_or_else(|| ArgumentError::Unknown(quoted(&words[2..])))
            }
            ["--for", caller, ..] => Err(ArgumentError::OtherVersion { caller: caller.to_owned() }),
            _ => Err(ArgumentError::Unknown(quoted(&words))),
        }
    }
}

/// What the program prints as its version, and where a caller only checks it.
pub(crate) fn version_line() -> String {
    format!("nearfar-gpu {VERSION}\n")
}

/// What the program prints as its help.
pub(crate) fn help() -> String {
    format!(
        "nearfar-gpu {VERSION}: loads the library of a GPU driver for nearfar, which is static.

usage: nearfar-gpu --for VERSION worker                  measure: a job on standard input
       nearfar-gpu --for VERSION worker gpus [cuda|hip]  list the GPUs of a driver
       nearfar-gpu --for VERSION                         check that both programs have one version
       nearfar-gpu --version | --help

nearfar starts it: 'nearfar gpu' measures GPUs. It is embedded in nearfar, or a file beside it, or
the file that NEARFAR_GPU_HELPER names.
"
    )
}

fn quoted(words: &[&str]) -> String {
    format!("'{}'", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(args: &[&str]) -> Result<HelperCall, ArgumentError> {
        HelperCall::parse(&args.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_task_needs_the_version_of_the_caller() {
        let task = HelperCall::Task(WorkerTask::MeasureBatch);
        assert_eq!(parse(&["--for", VERSION, "worker"]), Ok(task));
        assert_eq!(parse(&["--for", VERSION]), Ok(HelperCall::Version));
        assert_eq!(parse(&["worker"]), Err(ArgumentError::Unknown("'worker'".into())));
        for words in [&["--for", "0.0.9"][..], &["--for", "0.0.9", "worker"]] {
            let error = parse(words).unwrap_err();
            assert_eq!(error, ArgumentError::OtherVersion { caller: "0.0.9".into() });
            let text = error.to_string();
            assert!(text.contains("0.0.9") && text.contains(VERSION), "{text}");
        }
    }

    #[test]
    fn what_a_user_gives_by_hand() {
        assert_eq!(parse(&[]), Err(ArgumentError::StartedByHand));
        assert_eq!(parse(&["--version"]), Ok(HelperCall::Version));
        assert_eq!(parse(&["-h"]), Ok(HelperCall::Help));
        let unknown = |words: &[&str]| parse(words).unwrap_err().to_string();
        assert!(unknown(&["gpu"]).starts_with("unknown arguments 'gpu'"));
        assert!(unknown(&["--for"]).starts_with("unknown arguments '--for'"));
        let extra = unknown(&["--for", VERSION, "worker", "extra"]);
        assert!(extra.starts_with("unknown arguments 'worker extra'"), "{extra}");
    }
}
