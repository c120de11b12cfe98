//! Why a log is not joined with a machine.

use crate::LogDifference;

/// The difference, as the end of a sentence.
pub fn difference(difference: &LogDifference) -> String {
    match difference {
        LogDifference::Release { log, machine } => {
            format!("it is of Linux {log}, and the machine runs {machine}")
        }
        LogDifference::Architecture { log, machine } => {
            format!("it is of {log}, and the machine is {machine}")
        }
        LogDifference::Model { log, machine } => {
            format!("it is of \"{log}\", and the machine is \"{machine}\"")
        }
        LogDifference::CommandLine => "the options of the two kernels differ".to_owned(),
        LogDifference::Hypervisor { log } => {
            format!("it is of a guest of {log}, and the machine is none")
        }
        LogDifference::Nodes { log, machine } => {
            format!("it has memory on nodes {log}, and the machine has nodes {machine}")
        }
        LogDifference::NoRelease => "it does not name its kernel".to_owned(),
    }
}
