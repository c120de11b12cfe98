//! The order of numactl's options, and which of them exclude each other.
//!
//! Its order carries meaning: `--all` changes the lists that follow, `--length` the segment that
//! follows, and a policy applies to the segment before it. What would be misread is refused.

use std::ffi::OsString;

use crate::launch::error::LaunchError;
use crate::launch::options::{OptionName, spelled};
use crate::launch::words::{OptionStep, OptionValue};

impl OptionName {
    /// Whether it is a memory policy.
    pub(crate) fn is_policy(self) -> bool {
        match self {
            Self::Interleave | Self::WeightedInterleave | Self::Preferred | Self::PreferredMany => {
                true
            }
            _ => matches!(self, Self::Membind | Self::Localalloc | Self::Default),
        }
    }

    fn binds_cpus(self) -> bool {
        matches!(self, Self::CpuNodeBind | Self::CpuBind | Self::PhysCpuBind | Self::Near)
    }

    /// Whether it describes the segment or file that follows.
    fn describes_segment(self) -> bool {
        matches!(self, Self::Length | Self::Offset | Self::ShmMode | Self::Huge)
    }

    /// Whether it needs a segment or file before it.
    fn needs_segment(self) -> bool {
        matches!(self, Self::Touch | Self::Verify | Self::Dump | Self::DumpNodes)
    }

    /// Whether it explains a program's placement, or watches it.
    fn describes_program(self) -> bool {
        matches!(self, Self::Explain | Self::As | Self::Watch)
    }
}

impl OptionStep {
    /// Whether it names shared memory to work on.
    pub(crate) fn attaches(&self) -> bool {
        matches!(self.given, OptionValue::Path(_) | OptionValue::SegmentId(_))
    }

    /// Whether it asks which weights there are.
    pub(crate) fn shows_weights(&self) -> bool {
        self.word == OptionName::Weights && self.given == OptionValue::Nothing
    }

    /// Whether it asks for an answer that stands alone.
    fn is_question(&self) -> bool {
        matches!(self.word, OptionName::Show | OptionName::Hardware)
            || self.shows_weights()
            || self.word.describes_program()
    }
}

/// Takes `--shmid` for the id of a segment where nothing else names one and no program follows:
/// what numactl's manual promises. Before `--shm` it stays a part of the key.
pub(crate) fn attach_by_id(steps: &mut [OptionStep], alone: bool) {
    if !alone || steps.iter().any(OptionStep::attaches) {
        return;
    }
    for OptionStep { given, .. } in steps.iter_mut().rev() {
        if let OptionValue::KeyNumber(id) = *given {
            *given = OptionValue::SegmentId(id);
            return;
        }
    }
}

/// Whether this option was written.
pub(crate) fn asked(steps: &[OptionStep], word: OptionName) -> bool {
    steps.iter().any(|step| step.word == word)
}

/// The first option of a kind.
fn first(steps: &[OptionStep], is_of_kind: impl Fn(OptionName) -> bool) -> Option<OptionName> {
    steps.iter().map(|step| step.word).find(|&word| is_of_kind(word))
}

/// Refuses the first step that stands where it may not.
pub(crate) fn check(steps: &[OptionStep]) -> Result<(), LaunchError> {
    if asked(steps, OptionName::NearAnyway) && !asked(steps, OptionName::Near) {
        return refused(OptionName::NearAnyway, "goes with --near");
    }
    steps.iter().enumerate().try_for_each(|(at, step)| admit(&steps[..at], step))
}

fn admit(before: &[OptionStep], step: &OptionStep) -> Result<(), LaunchError> {
    let word = step.word;
    let attached = before.iter().any(OptionStep::attaches);
    let policy = first(before, OptionName::is_policy);
    near_alone(before, word)?;
    match word {
        _ if word.describes_segment() && attached => {
            refused(word, "must stand before --shm or --file: it applies to what they create")
        }
        _ if word.needs_segment() && !attached => {
            refused(word, "must stand behind --shm or --file: it works on that")
        }
        OptionName::All if before.iter().any(|step| matches!(step.given, OptionValue::List(_))) => {
            refused(word, "must stand before every list of nodes or CPUs")
        }
        OptionName::Verify if policy.is_none() => {
            refused(word, "needs a policy before it, to hold the pages against")
        }
        _ if word.binds_cpus() && attached => {
            refused(word, "is for programs: CPUs cannot be bound for shared memory")
        }
        _ if word.binds_cpus() => {
            first(before, OptionName::describes_segment).map_or(Ok(()), |option| {
                let option = spelled(option);
                refused(
                    word,
                    &format!("is for programs: CPUs cannot be bound for shared memory ({option})"),
                )
            })
        }
        _ if word.is_policy() => policy.map_or(Ok(()), |first| {
            Err(LaunchError::ConflictingPolicies { first: spelled(first), second: spelled(word) })
        }),
        _ if step.attaches() && first(before, OptionName::binds_cpus).is_some() => refused(
            word,
            "is shared memory, for which CPUs cannot be bound: leave --cpunodebind, --physcpubind \
             or --near out",
        ),
        _ if step.attaches() => policy.map_or(Ok(()), |policy| {
            refused(
                word,
                &format!("must stand before the policy ({}), which is set on it", spelled(policy)),
            )
        }),
        _ => Ok(()),
    }
}

/// Refuses `--near` beside an option that chooses CPUs or memory: it chooses both.
fn near_alone(before: &[OptionStep], word: OptionName) -> Result<(), LaunchError> {
    let chooses = |word: OptionName| word.binds_cpus() || word.is_policy();
    let is_near = |word: OptionName| word == OptionName::Near;
    let other = match word {
        OptionName::Near if asked(before, OptionName::Near) => {
            return refused(word, "stands once: separate several devices by commas");
        }
        OptionName::Near => first(before, chooses),
        _ if chooses(word) && first(before, is_near).is_some() => Some(word),
        _ => None,
    };
    other.map_or(Ok(()), |other| {
        refused(
            OptionName::Near,
            &format!(
                "chooses CPUs and memory: leave {} out, or give -N and -m the device in numactl's \
                 form (-N netdev:eth0 -m same)",
                spelled(other)
            ),
        )
    })
}

/// Shared memory keeps its policy by itself: a program behind it is a mistake, and so is an option
/// about a program.
pub(crate) fn shared_memory_alone(
    steps: &[OptionStep],
    command: &[OsString],
) -> Result<(), LaunchError> {
    if let Some(word) = first(steps, OptionName::describes_program) {
        return refused(word, "is for programs: leave it out, or leave --shm or --file out");
    }
    let Some(program) = command.first() else { return Ok(()) };
    let option = if asked(steps, OptionName::File) { OptionName::File } else { OptionName::Shm };
    let program = program.to_string_lossy();
    refused(
        option,
        &format!(
            "sets the policy of shared memory, and shared memory takes no program ('{program}')"
        ),
    )
}

/// A program's output is its own, and setting weights prints nothing.
pub(crate) fn json_of_nothing() -> Result<(), LaunchError> {
    refused(
        OptionName::Json,
        "needs an option that prints a result: --show, --explain, --watch, --dump, ...",
    )
}

/// Of questions one is answered, so several are refused, and so is a program that would not be
/// started. (Under numactl's name the first question is answered and the rest passed over, as
/// there.)
pub(crate) fn one_question(steps: &[OptionStep], command: &[OsString]) -> Result<(), LaunchError> {
    let mut questions = steps.iter().filter(|step| step.is_question()).map(|step| step.word);
    let first = questions.next();
    if let (Some(first), Some(other)) = (first, questions.find(|question| Some(*question) != first))
    {
        return refused(
            other,
            &format!("and {} answer each by itself: ask for one of them", spelled(first)),
        );
    }
    if let (
        Some(word @ (OptionName::Show | OptionName::Hardware | OptionName::Weights)),
        Some(program),
    ) = (first, command.first())
    {
        let program = program.to_string_lossy();
        return refused(word, &format!("starts no program ('{program}'): leave one of them out"));
    }
    if asked(steps, OptionName::CpuCompress) && !asked(steps, OptionName::Hardware) {
        return refused(OptionName::CpuCompress, "goes with --hardware");
    }
    Ok(())
}

/// A placement in another system's words needs one.
pub(crate) fn something_to_translate(steps: &[OptionStep]) -> Result<(), LaunchError> {
    if first(steps, |word| word.is_policy() || word.binds_cpus()).is_some() {
        return Ok(());
    }
    refused(
        OptionName::As,
        "translates a placement, and none is given: name CPUs, or a memory policy",
    )
}

/// Options for shared memory do not apply to a program.
pub(crate) fn no_shared_memory(steps: &[OptionStep]) -> Result<(), LaunchError> {
    match first(steps, OptionName::describes_segment) {
        Some(word) => refused(word, "is for shared memory: give --shm or --file behind it"),
        None => Ok(()),
    }
}

fn refused(word: OptionName, rule: &str) -> Result<(), LaunchError> {
    Err(LaunchError::Order { option: spelled(word), rule: rule.to_owned() })
}
