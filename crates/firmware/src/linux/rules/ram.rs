//! RAM as the kernel uses it.

use super::PredictionDraft;
use crate::linux::prediction_input::{Architecture, PredictionInput};

/// The ranges of RAM.
#[derive(Debug)]
pub(super) struct UsableRam {
    /// Half-open, ascending; `None` without a memory map.
    pub(super) ranges: Option<Vec<(u64, u64)>>,
}

impl UsableRam {
    pub(super) fn new(input: &PredictionInput<'_>, draft: &mut PredictionDraft) -> Self {
        let x86 = input.architecture == Architecture::X86;
        let line = &input.command_line;
        let Some(map) = input.memory_map else { return Self { ranges: None } };
        let mut ranges = map.ram(x86);
        if let Some(limit) = line.memory_limit_bytes.filter(|_| x86) {
            ranges = ranges.into_iter().map(|(start, end)| (start, end.min(limit))).collect();
            ranges.retain(|(start, end)| start < end);
        }
        if line.map_changed || line.memory_limit_bytes.is_some() && !x86 {
            draft.undecided(
                "memmap= or mem= changes the memory map: RAM may differ from the assumption here",
            );
        }
        Self { ranges: (!ranges.is_empty()).then_some(ranges) }
    }

    /// The end of the last range.
    pub(super) fn end(&self) -> u64 {
        self.ranges.as_ref().and_then(|ranges| ranges.last()).map_or(0, |(_, end)| *end)
    }

    /// Total size in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.ranges.iter().flatten().map(|(start, end)| end - start).sum()
    }

    /// RAM within a range, in bytes.
    pub(super) fn within(&self, from: u64, to: u64) -> Option<u64> {
        let ranges = self.ranges.as_ref()?;
        Some(ranges.iter().map(|&(start, end)| end.min(to).saturating_sub(start.max(from))).sum())
    }
}
