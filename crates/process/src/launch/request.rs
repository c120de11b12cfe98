//! A command line whose words are in order: what to do, and the steps to it. What its lists name is
//! decided by [`check`](Request::check), on a machine.

use std::ffi::OsString;

use nearfar_devices::MeasuredNode;
use nearfar_machine::RangeRule;

use crate::launch::as_system::System;
use crate::launch::error::LaunchError;
use crate::launch::options::{Dialect, OptionName};
use crate::launch::order;
use crate::launch::words::{self, OptionStep, OptionValue, ParsedWords};

/// A command line, read.
#[derive(Clone, Debug, PartialEq)]
pub struct LaunchRequest {
    /// What to do once the placement is made.
    pub task: LaunchTask,
    /// Whether the answer shall be JSON.
    pub json: bool,
    /// Devices whose nearest node was measured; the caller adds them for `--near`.
    pub measured: Vec<MeasuredNode>,
    pub(crate) steps: Vec<OptionStep>,
    /// What a range in a list may name.
    pub(crate) ranges: RangeRule,
}

/// What a command line is for.
#[derive(Clone, Debug, PartialEq)]
pub enum LaunchTask {
    /// Become this program.
    Run(Vec<OsString>),
    /// Start this program and look where its pages are.
    Watch(Vec<OsString>),
    /// Explain what this program would get (no program: any).
    Explain(Vec<OsString>),
    /// Translate the placement for another system.
    Translate(System, Vec<OsString>),
    /// Set or show the policy of shared memory.
    SharedMemory,
    /// Show the weights of nodes.
    ShowWeights,
    /// Set the weights, and no more.
    SetWeights,
    /// Show what the placement is.
    Show,
    /// Show the machine.
    Hardware {
        /// CPUs as ranges.
        compress: bool,
    },
    /// Print the version.
    Version,
    /// Print help.
    Help,
}

impl LaunchRequest {
    /// Reads the words behind the command's name.
    pub fn parse(words: Vec<OsString>, dialect: Dialect) -> Result<Self, LaunchError> {
        let ParsedWords { mut steps, command } = words::read(words, dialect)?;
        order::attach_by_id(&mut steps, command.is_empty());
        order::check(&steps)?;
        if dialect == Dialect::Run {
            order::one_question(&steps, &command)?;
        }
        let json = order::asked(&steps, OptionName::Json);
        let task = task(&steps, command)?;
        if json && matches!(task, LaunchTask::Run(_) | LaunchTask::SetWeights) {
            order::json_of_nothing()?;
        }
        let ranges = match dialect {
            Dialect::Run => RangeRule::LeaveOut,
            Dialect::Numactl => RangeRule::Numactl,
        };
        Ok(Self { task, json, steps, measured: Vec::new(), ranges })
    }

    /// Whether devices decide about the placement.
    pub fn is_near_devices(&self) -> bool {
        order::asked(&self.steps, OptionName::Near)
    }
}

/// The first of these that was asked for: questions about the machine before programs, words before
/// deeds.
fn task(steps: &[OptionStep], command: Vec<OsString>) -> Result<LaunchTask, LaunchError> {
    let asked = |word| order::asked(steps, word);
    if asked(OptionName::Help) {
        return Ok(LaunchTask::Help);
    }
    match steps
        .iter()
        .map(|step| step.word)
        .find(|word| matches!(word, OptionName::Version | OptionName::Show | OptionName::Hardware))
    {
        Some(OptionName::Version) => return Ok(LaunchTask::Version),
        Some(OptionName::Show) => return Ok(LaunchTask::Show),
        Some(_) => return Ok(LaunchTask::Hardware { compress: asked(OptionName::CpuCompress) }),
        None => {}
    }
    if steps.iter().any(OptionStep::shows_weights) {
        return Ok(LaunchTask::ShowWeights);
    }
    if steps.iter().any(OptionStep::attaches) {
        return order::shared_memory_alone(steps, &command).map(|()| LaunchTask::SharedMemory);
    }
    if let Some(system) = steps
        .iter()
        .find_map(|step| if let OptionValue::System(it) = step.given { Some(it) } else { None })
    {
        order::something_to_translate(steps)?;
        return Ok(LaunchTask::Translate(system, command));
    }
    if asked(OptionName::Explain) {
        return Ok(LaunchTask::Explain(command));
    }
    order::no_shared_memory(steps)?;
    match command.is_empty() {
        true if asked(OptionName::Weights) => Ok(LaunchTask::SetWeights),
        true => Err(LaunchError::NothingToRun),
        false if asked(OptionName::Watch) => Ok(LaunchTask::Watch(command)),
        false => Ok(LaunchTask::Run(command)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn parse(line: &str, dialect: Dialect) -> Result<LaunchRequest, LaunchError> {
        LaunchRequest::parse(line.split_whitespace().map(OsString::from).collect(), dialect)
    }

    fn task_of(line: &str) -> LaunchTask {
        parse(line, Dialect::Run).unwrap().task
    }

    fn refusal(line: &str) -> String {
        parse(line, Dialect::Numactl).unwrap_err().to_string()
    }

    #[test]
    fn each_line_has_one_task() {
        assert_eq!(task_of("-m 0 ls"), LaunchTask::Run(vec!["ls".into()]));
        assert_eq!(task_of("--watch -m 0 ls"), LaunchTask::Watch(vec!["ls".into()]));
        assert_eq!(task_of("-m 0 --explain"), LaunchTask::Explain(vec![]));
        assert_eq!(task_of("-m 0 -s"), LaunchTask::Show);
        assert_eq!(task_of("-H --cpu-compress"), LaunchTask::Hardware { compress: true });
        assert_eq!(task_of("--weights"), LaunchTask::ShowWeights);
        assert_eq!(task_of("--weights 0=1"), LaunchTask::SetWeights);
        assert_eq!(task_of("--weights 0=1 -w 0,1 ls"), LaunchTask::Run(vec!["ls".into()]));
        assert_eq!(task_of("--as docker -m 0"), LaunchTask::Translate(System::Docker, vec![]));
        assert_eq!(task_of("--file /dev/shm/x -m 0"), LaunchTask::SharedMemory);
        assert_eq!(task_of("--help -m"), LaunchTask::Help);
        assert_eq!(task_of("-H --help"), LaunchTask::Help);
    }

    #[test]
    fn numactl_answers_the_first_question() {
        let task_of = |line: &str| parse(line, Dialect::Numactl).unwrap().task;
        assert_eq!(
            (task_of("-H -s"), task_of("-s -H")),
            (LaunchTask::Hardware { compress: false }, LaunchTask::Show)
        );
        assert_eq!(task_of("-H --version"), LaunchTask::Hardware { compress: false });
        assert_eq!(task_of("-H ls"), LaunchTask::Hardware { compress: false });
    }

    #[test]
    fn no_option_is_ignored() {
        for (line, rule) in [
            ("--explain --as docker -m 0", "--as and --explain answer each by itself"),
            ("--watch --explain -m 0 ls", "--explain and --watch answer each by itself"),
            ("-H -s", "--show and --hardware answer each by itself"),
            ("--weights --as docker -m 0", "--as and --weights answer"),
            ("-s ls", "--show starts no program ('ls')"),
            ("--weights ls", "--weights starts no program ('ls')"),
            ("--cpu-compress -m 0 ls", "--cpu-compress goes with --hardware"),
            ("--as systemd ls", "--as translates a placement, and none is given"),
        ] {
            let refusal = parse(line, Dialect::Run).unwrap_err();
            assert!(
                refusal.is_usage() && refusal.to_string().starts_with(rule),
                "{line}: {refusal}"
            );
        }
        assert!(parse("-s -s", Dialect::Run).is_ok());
    }

    #[test]
    fn empty_requests_are_refused() {
        assert!(matches!(parse("-m 0", Dialect::Run), Err(LaunchError::NothingToRun)));
        assert!(matches!(parse("", Dialect::Numactl), Err(LaunchError::NothingToRun)));
    }

    #[test]
    fn two_policies_conflict() {
        assert!(
            refusal("-m 0 -i 1 ls").starts_with("Conflicting policies: --membind and --interleave")
        );
        assert!(refusal("-l -l ls").starts_with("Conflicting policies"));
    }

    #[test]
    fn membind_and_balancing_go_together_in_either_order() {
        assert!(parse("-m 0,1 -b ls", Dialect::Numactl).is_ok());
        assert!(parse("-b -m 0,1 ls", Dialect::Numactl).is_ok());
    }

    #[test]
    fn the_order_of_numactl_holds() {
        for (line, rule) in [
            ("-N 0 -a ls", "--all must stand before every list"),
            ("-m 0 --file x", "--file must stand before the policy"),
            ("--file x --length 4k -m 0", "--length must stand before --shm or --file"),
            ("--shm k --huge -m 0", "--huge must stand before --shm or --file"),
            ("--touch --file x -m 0", "--touch must stand behind --shm or --file"),
            ("--verify -m 0 ls", "--verify must stand behind --shm or --file"),
            ("--file x --verify -m 0", "--verify needs a policy before it"),
            ("--dump ls", "--dump must stand behind --shm or --file"),
            ("-N 0 --file x -m 0", "CPUs cannot be bound"),
            ("--file x -C 0", "CPUs cannot be bound"),
            ("--length 4k -N 0 ls", "CPUs cannot be bound"),
            ("--length 4k -m 0 ls", "--length is for shared memory"),
            ("--file x -m 0 ls", "shared memory takes no program"),
        ] {
            let refusal = refusal(line);
            assert!(refusal.contains(rule) && !refusal.contains('\n'), "{line}: {refusal}");
        }
        assert!(
            parse(
                "--length 4k --offset 0 --file x --strict -m 0 --touch --verify --dump",
                Dialect::Numactl
            )
            .is_ok()
        );
        assert!(parse("--file x --dump --dump-nodes", Dialect::Numactl).is_ok());
    }

    #[test]
    fn segments_are_found_by_id() {
        assert_eq!(task_of("-I 5 --dump"), LaunchTask::SharedMemory);
        assert_eq!(task_of("-I 5 --shm k --dump"), LaunchTask::SharedMemory);
        assert_eq!(task_of("-I 5 -m 0 ls"), LaunchTask::Run(vec!["ls".into()]));
        assert!(parse("-I 5 -I 6 --dump", Dialect::Run).is_ok());
    }
}
