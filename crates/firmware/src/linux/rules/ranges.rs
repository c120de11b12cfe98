//! Memory ranges: cut to RAM, checked for overlaps, joined.
//!
//! Source: `numa_cleanup_meminfo` (arch/x86/mm/numa.c up to Linux 6.11, mm/numa_memblks.c since).
//! Before 6.12 Arm had no such rule: the later of two entries wins.

use crate::TableFile;

use super::MemoryBlock;
use super::PredictionDraft;
use super::evidence::{bare, doubt};
use super::ram::UsableRam;
use super::{coverage, message};
use crate::linux::prediction::NumaOutcome;
use crate::linux::prediction_input::{Architecture, PredictionInput};
use crate::linux::{CauseEffect, KernelCause};

/// Maximum number of comparisons: real machines need about 100,000.
const MAX_STEPS: usize = 50_000_000;

/// The ranges as the kernel uses them, unless it drops all nodes for them. Doubts about dropped
/// ranges are discarded.
pub(super) fn covering(
    input: &PredictionInput<'_>,
    ram: &UsableRam,
    file: Option<&TableFile>,
    claimed: &[MemoryBlock],
    draft: &mut PredictionDraft,
) -> Result<Vec<MemoryBlock>, NumaOutcome> {
    let mut notes = PredictionDraft::default();
    let cleaned = clean(input, ram, file, claimed, &mut notes);
    let covering = cleaned
        .and_then(|blocks| coverage::check(input, ram, &blocks, &mut notes).map(|()| blocks));
    let blocks = covering.map_err(|cause| {
        draft.cause(*cause);
        NumaOutcome::Refused
    })?;
    draft.doubt(notes.doubts);
    notes.undecided.into_iter().for_each(|what| draft.undecided(what));
    Ok(blocks)
}

/// Cuts, compares and joins ranges. Fails with the cause if ranges of two nodes overlap.
fn clean(
    input: &PredictionInput<'_>,
    ram: &UsableRam,
    file: Option<&TableFile>,
    claimed: &[MemoryBlock],
    draft: &mut PredictionDraft,
) -> Result<Vec<MemoryBlock>, Box<KernelCause>> {
    let mut blocks: Vec<MemoryBlock> =
        claimed.iter().filter_map(|block| cut(input, ram, block)).collect();
    let common = input.architecture == Architecture::X86 || input.kernel >= super::COMMON_RANGES;
    if !common {
        later_wins(&blocks, file, draft);
        return Ok(blocks);
    }
    let mut steps = 0;
    let mut i = 0;
    while i < blocks.len() {
        let mut j = i + 1;
        while j < blocks.len() {
            steps += 1;
            compare(&blocks[i], &blocks[j], ram, file, draft)?;
            let joined = (blocks[i].node == blocks[j].node && steps < MAX_STEPS)
                .then(|| join(&blocks, i, j, &mut steps))
                .flatten();
            match joined {
                Some((start, end)) => {
                    (blocks[i].start, blocks[i].end) = (start, end);
                    blocks.remove(j);
                }
                None => j += 1,
            }
        }
        i += 1;
    }
    if steps >= MAX_STEPS {
        draft.undecided("too many ranges to join all of them");
    }
    Ok(blocks)
}

/// The part of a range that is kept: ranges without RAM are dropped, and ranges end at the last
/// RAM.
fn cut(input: &PredictionInput<'_>, ram: &UsableRam, block: &MemoryBlock) -> Option<MemoryBlock> {
    let Some(known) = &ram.ranges else { return Some(block.clone()) };
    let touches = known.iter().any(|&(start, end)| block.start < end && start < block.end);
    let low = match known.first() {
        Some((start, _)) if input.kernel >= super::COMMON_RANGES => *start,
        _ => 0,
    };
    let (start, end) = (block.start.max(low), block.end.min(ram.end()));
    (touches && start < end).then(|| MemoryBlock { start, end, ..block.clone() })
}

fn compare(
    one: &MemoryBlock,
    other: &MemoryBlock,
    ram: &UsableRam,
    file: Option<&TableFile>,
    draft: &mut PredictionDraft,
) -> Result<(), Box<KernelCause>> {
    if one.end <= other.start || one.start >= other.end {
        return Ok(());
    }
    let (here, there) =
        (message::range(one.start, one.end), message::range(other.start, other.end));
    let shown = || [one, other].into_iter().filter_map(|block| block.place.evidence(file));
    if one.node == other.node {
        let what = format!(
            "node {} has {here} and {there}, which overlap; the kernel joins them",
            one.node
        );
        draft.doubt([doubt("node-overlaps-itself", what, shown())]);
        return Ok(());
    }
    let what =
        format!("node {} has {here} and node {} has {there}: they overlap", one.node, other.node);
    let source = "mm/numa_memblks.c (before 6.12 arch/x86/mm/numa.c): numa_cleanup_meminfo";
    let mut cause = bare("nodes-overlap", CauseEffect::Numa, what, source)
        .with_versions("Arm before Linux 6.12 silently uses the later entry")
        .with_evidence(shown());
    // Without a memory map it is unknown where the kernel cuts.
    if ram.ranges.is_some() {
        cause = cause.with_message(format!(
            "node {} {here} overlaps with node {} {there}",
            one.node, other.node
        ));
    }
    Err(Box::new(cause))
}

/// Both blocks as one, including the gap, if no other node has memory in it.
fn join(blocks: &[MemoryBlock], i: usize, j: usize, steps: &mut usize) -> Option<(u64, u64)> {
    let (start, end) = (blocks[i].start.min(blocks[j].start), blocks[i].end.max(blocks[j].end));
    let foreign = |block: &MemoryBlock| {
        block.node != blocks[i].node && start < block.end && end > block.start
    };
    *steps += blocks.len();
    (!blocks.iter().any(foreign)).then_some((start, end))
}

/// Arm before Linux 6.12: no message, and the later entry wins.
fn later_wins(blocks: &[MemoryBlock], file: Option<&TableFile>, draft: &mut PredictionDraft) {
    let mut sorted: Vec<&MemoryBlock> = blocks.iter().collect();
    sorted.sort_by_key(|block| block.start);
    let clash =
        sorted.windows(2).find(|pair| pair[0].end > pair[1].start && pair[0].node != pair[1].node);
    if let Some([one, other]) = clash {
        let (here, there) =
            (message::range(one.start, one.end), message::range(other.start, other.end));
        let what = format!(
            "node {} has {here} and node {} has {there}: they overlap, and this kernel gives the \
             overlap to the later entry",
            one.node, other.node
        );
        let shown = [one, other].into_iter().filter_map(|block| block.place.evidence(file));
        draft.doubt([doubt("nodes-overlap-unnoticed", what, shown)]);
    }
}
