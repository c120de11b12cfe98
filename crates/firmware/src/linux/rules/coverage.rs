//! RAM without a node: with more than 1 MiB on x86, or any on Arm, the kernel drops all nodes.

use super::MemoryBlock;
use super::PredictionDraft;
use super::evidence::{bare, doubt};
use super::message;
use super::ram::UsableRam;
use crate::linux::prediction_input::{Architecture, PredictionInput};
use crate::linux::{CauseEffect, KernelCause};

/// Uncovered RAM that x86 tolerates.
const TOLERATED: u64 = 1 << 20;

/// Fails with the cause if nodes do not cover RAM.
pub(super) fn check(
    input: &PredictionInput<'_>,
    ram: &UsableRam,
    blocks: &[MemoryBlock],
    draft: &mut PredictionDraft,
) -> Result<(), Box<KernelCause>> {
    let Some(known) = &ram.ranges else {
        draft.undecided("whether nodes cover all RAM: the memory map is unknown");
        return Ok(());
    };
    let missing = uncovered(known, blocks);
    let bytes: u64 = missing.iter().map(|(start, end)| end - start).sum();
    let Some(&(start, end)) = missing.first() else { return Ok(()) };
    let counts_missing = input.kernel >= super::COUNTS_UNCOVERED;
    let refused = match input.architecture {
        Architecture::X86 if counts_missing => bytes > TOLERATED,
        Architecture::X86 => bytes >= TOLERATED,
        _ => true,
    };
    if !refused {
        draft.doubt([doubt("ram-hole-forgiven", tolerated(bytes, (start, end)), None)]);
        return Ok(());
    }
    let what = format!(
        "no entry covers {} of {} MiB of RAM; the first uncovered range is {}",
        message::mib(bytes),
        message::mib(ram.bytes()),
        message::range(start, end)
    );
    let cause = bare("ram-not-covered", CauseEffect::Numa, what, source(input)).with_versions(
        "Linux 6.1 to 6.7 log 'nodes only cover', later ones 'no nodes coverage for'; early \
         releases of 6.8 and 6.9 do not check. Arm tolerates no gap; before 6.12 it logs \
         'invalid memblk node'",
    );
    Err(Box::new(cause.with_message(message_text(input, ram, bytes, (start, end)))))
}

/// As seen in QEMU: Linux 6.1 accepts half a MiB of uncovered RAM, sets up an invalid node for it,
/// and crashes in `free_area_init`.
fn tolerated(bytes: u64, first: (u64, u64)) -> String {
    format!(
        "no entry covers {} KiB of RAM (first {}), less than the kernel checks for: it continues \
         and may crash at boot",
        bytes >> 10,
        message::range(first.0, first.1)
    )
}

fn source(input: &PredictionInput<'_>) -> &'static str {
    match input.architecture {
        Architecture::X86 if input.kernel < super::COUNTS_UNCOVERED => {
            "arch/x86/mm/numa.c: numa_meminfo_cover_memory"
        }
        Architecture::X86 => "mm/memblock.c: memblock_validate_numa_coverage",
        _ if input.kernel < super::COMMON_RANGES => "drivers/base/arch_numa.c: numa_register_nodes",
        _ => "mm/memblock.c: memblock_validate_numa_coverage",
    }
}

fn message_text(
    input: &PredictionInput<'_>,
    ram: &UsableRam,
    missing: u64,
    first: (u64, u64),
) -> String {
    let total = ram.bytes();
    let x86 = input.architecture == Architecture::X86;
    if x86 && input.kernel < super::COUNTS_UNCOVERED {
        let (covered, total) = (message::mib(total - missing), message::mib(total));
        return format!("NUMA: nodes only cover {covered}MB of your {total}MB e820 RAM. Not used.");
    }
    if !x86 && input.kernel < super::COMMON_RANGES {
        let range = message::long_range(first.0, first.1);
        return format!("NUMA: Warning: invalid memblk node {} {range}", input.max_nodes);
    }
    format!(
        "NUMA: no nodes coverage for {}MB of {}MB RAM",
        message::mib(missing),
        message::mib(total)
    )
}

/// RAM without blocks. All ranges are half-open.
fn uncovered(ram: &[(u64, u64)], blocks: &[MemoryBlock]) -> Vec<(u64, u64)> {
    let mut sorted: Vec<(u64, u64)> = blocks.iter().map(|block| (block.start, block.end)).collect();
    sorted.sort_unstable();
    let mut missing = Vec::new();
    let mut next = 0;
    for &(start, end) in ram {
        let mut at = start;
        // RAM and blocks both ascend: skip blocks that end before this range, unless a longer one
        // came before.
        while next < sorted.len() && sorted[next].1 <= start {
            next += 1;
        }
        for &(from, to) in &sorted[next..] {
            if from >= end {
                break;
            }
            if from > at {
                missing.push((at, from));
            }
            at = at.max(to);
        }
        if at < end {
            missing.push((at, end));
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use nearfar_model::NodeId;

    use super::super::BlockSource;
    use super::*;

    fn block(start: u64, end: u64) -> MemoryBlock {
        let (hot_pluggable, non_volatile) = (false, false);
        MemoryBlock {
            node: NodeId(0),
            start,
            end,
            hot_pluggable,
            non_volatile,
            place: BlockSource::AcpiEntry(0, 0),
        }
    }

    #[test]
    fn uncovered_ram_is_found_around_and_between_blocks() {
        let ram = [(10, 20), (30, 60), (70, 80)];
        let left = |blocks: &[MemoryBlock]| uncovered(&ram, blocks);
        assert_eq!(left(&[]), ram);
        assert_eq!(left(&[block(0, 100)]), []);
        assert_eq!(
            left(&[block(50, 75), block(0, 15), block(35, 40)]),
            [(15, 20), (30, 35), (40, 50), (75, 80)]
        );
        assert_eq!(left(&[block(0, 75), block(5, 12)]), [(75, 80)]);
    }
}
