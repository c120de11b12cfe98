//! The order that numactl's options stand in, and which of them exclude each other.
//!
//! Its order carries meaning: `--all` changes the lists that follow, `--length` the segment that follows, and a policy applies to
//! the segment before it. What would be misread is refused.

use std::ffi::OsString;

use crate::error::LaunchError;
use crate::options::{Word, spelled};
use crate::words::Step;

impl Step {
    /// Whether it names shared memory to work on.
    pub(crate) fn attaches(&self) -> bool {
        matches!(self, Self::Key(_) | Self::File(_) | Self::Id(_))
    }

    /// The option, where it speaks of the segment or file that follows.
    fn of_segment(&self) -> Option<Word> {
        match self {
            Self::Length(_) => Some(Word::Length),
            Self::Offset(_) => Some(Word::Offset),
            Self::Mode(_) => Some(Word::ShmMode),
            Self::Huge => Some(Word::Huge),
            _ => None,
        }
    }

    /// The option, where it needs a segment or file before it.
    fn on_segment(&self) -> Option<Word> {
        match self {
            Self::Touch => Some(Word::Touch),
            Self::Verify => Some(Word::Verify),
            Self::Dump => Some(Word::Dump),
            Self::DumpNodes => Some(Word::DumpNodes),
            _ => None,
        }
    }

    /// The option, where it says what a program would get, or watches it.
    fn of_program(&self) -> Option<Word> {
        match self {
            Self::Explain => Some(Word::Explain),
            Self::As(_) => Some(Word::As),
            Self::Watch => Some(Word::Watch),
            _ => None,
        }
    }

    /// The option, where it asks for an answer that stands alone.
    fn question(&self) -> Option<Word> {
        match self {
            Self::Show => Some(Word::Show),
            Self::Hardware => Some(Word::Hardware),
            Self::Weights(None) => Some(Word::Weights),
            other => other.of_program(),
        }
    }

    fn has_list(&self) -> bool {
        matches!(self, Self::Policy { list: Some(_), .. } | Self::CpusOfNodes { .. } | Self::Cpus { .. })
    }
}

/// Takes `--shmid` for the id of a segment where nothing else names one and no program follows: what numactl's manual
/// promises. Before `--shm` it stays a part of the key.
pub(crate) fn attach_by_id(steps: &mut [Step], alone: bool) {
    if !alone || steps.iter().any(Step::attaches) {
        return;
    }
    let last =
        steps.iter_mut().rev().find_map(|step| if let Step::ShmId(id) = step { Some((*id, step)) } else { None });
    if let Some((id, step)) = last {
        *step = Step::Id(id);
    }
}

/// What stood before a step.
#[derive(Default)]
struct Before {
    list: bool,
    cpus: bool,
    attached: bool,
    policy: Option<Word>,
    of_segment: Option<Word>,
}

/// Refuses the first step that stands where it may not.
pub(crate) fn check(steps: &[Step]) -> Result<(), LaunchError> {
    let mut before = Before::default();
    for step in steps {
        before.admits(step)?;
        before.note(step);
    }
    Ok(())
}

impl Before {
    fn admits(&self, step: &Step) -> Result<(), LaunchError> {
        if let (Some(word), true) = (step.of_segment(), self.attached) {
            return refused(word, "must stand before --shm or --file: it says how that is made");
        }
        if let (Some(word), false) = (step.on_segment(), self.attached) {
            return refused(word, "must stand behind --shm or --file: it works on that");
        }
        match step {
            Step::All if self.list => refused(Word::All, "must stand before every list of nodes or CPUs"),
            Step::Verify if self.policy.is_none() => {
                refused(Word::Verify, "needs a policy before it, to hold the pages against")
            }
            Step::CpusOfNodes { word, .. } => self.admits_cpus(*word),
            Step::Cpus { .. } => self.admits_cpus(Word::PhysCpuBind),
            Step::Policy { word, .. } => match self.policy {
                Some(first) => Err(LaunchError::ConflictingPolicies { first: spelled(first), second: spelled(*word) }),
                None => Ok(()),
            },
            Step::Key(_) => self.admits_shared_memory(Word::Shm),
            Step::File(_) => self.admits_shared_memory(Word::File),
            Step::Id(_) => self.admits_shared_memory(Word::ShmId),
            _ => Ok(()),
        }
    }

    fn admits_cpus(&self, word: Word) -> Result<(), LaunchError> {
        match (self.attached, self.of_segment) {
            (true, _) => refused(word, "is for programs: CPUs cannot be bound for shared memory"),
            (_, Some(option)) => {
                refused(word, &format!("is for programs: CPUs cannot be bound for shared memory ({})", spelled(option)))
            }
            _ => Ok(()),
        }
    }

    fn admits_shared_memory(&self, word: Word) -> Result<(), LaunchError> {
        if self.cpus {
            return refused(
                word,
                "is shared memory, for which CPUs cannot be bound: leave --cpunodebind or --physcpubind out",
            );
        }
        match self.policy {
            Some(policy) => {
                refused(word, &format!("must stand before the policy ({}), which is set on it", spelled(policy)))
            }
            None => Ok(()),
        }
    }

    fn note(&mut self, step: &Step) {
        self.list |= step.has_list();
        self.cpus |= matches!(step, Step::CpusOfNodes { .. } | Step::Cpus { .. });
        self.attached |= step.attaches();
        self.of_segment = self.of_segment.or(step.of_segment());
        if let Step::Policy { word, .. } = step {
            self.policy = Some(*word);
        }
    }
}

/// Shared memory keeps its policy by itself: a program behind it is a mistake, and so is what tells of a program.
pub(crate) fn shared_memory_alone(steps: &[Step], command: &[OsString]) -> Result<(), LaunchError> {
    if let Some(word) = steps.iter().find_map(Step::of_program) {
        return refused(word, "is for programs: leave it out, or leave --shm or --file out");
    }
    let Some(program) = command.first() else { return Ok(()) };
    let option = if steps.iter().any(|step| matches!(step, Step::File(_))) { Word::File } else { Word::Shm };
    let program = program.to_string_lossy();
    refused(option, &format!("sets the policy of shared memory, and shared memory takes no program ('{program}')"))
}

/// A program's output is its own, and setting weights tells nothing.
pub(crate) fn json_of_what_tells(json: bool) -> Result<(), LaunchError> {
    if json {
        refused(Word::Json, "goes with what tells something: --show, --explain, --watch, --dump, ...")
    } else {
        Ok(())
    }
}

/// Of questions one is answered, so several are refused, and so is a program that would not be started. (Under numactl's name the first
/// question is answered and the rest passed over, as there.)
pub(crate) fn one_question(steps: &[Step], command: &[OsString]) -> Result<(), LaunchError> {
    let mut questions = steps.iter().filter_map(Step::question);
    let first = questions.next();
    if let (Some(first), Some(other)) = (first, questions.find(|question| Some(*question) != first)) {
        return refused(other, &format!("and {} answer each by itself: ask for one of them", spelled(first)));
    }
    if let (Some(word @ (Word::Show | Word::Hardware | Word::Weights)), Some(program)) = (first, command.first()) {
        let program = program.to_string_lossy();
        return refused(word, &format!("starts no program ('{program}'): leave one of them out"));
    }
    if steps.contains(&Step::CpuCompress) && !steps.contains(&Step::Hardware) {
        return refused(Word::CpuCompress, "goes with --hardware");
    }
    Ok(())
}

/// A placement in another system's words needs one.
pub(crate) fn something_to_translate(steps: &[Step]) -> Result<(), LaunchError> {
    let places = |step: &Step| matches!(step, Step::Policy { .. } | Step::CpusOfNodes { .. } | Step::Cpus { .. });
    match steps.iter().any(places) {
        true => Ok(()),
        false => {
            refused(Word::As, "says a placement in a system's words, and none is given: name CPUs, or a memory policy")
        }
    }
}

/// Options for shared memory say nothing about a program.
pub(crate) fn no_shared_memory(steps: &[Step]) -> Result<(), LaunchError> {
    match steps.iter().find_map(Step::of_segment) {
        Some(word) => refused(word, "is for shared memory: give --shm or --file behind it"),
        None => Ok(()),
    }
}

fn refused(word: Word, rule: &str) -> Result<(), LaunchError> {
    Err(LaunchError::Order { option: spelled(word), rule: rule.to_owned() })
}
