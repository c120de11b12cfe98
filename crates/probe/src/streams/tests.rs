//! Every kernel, with all available instruction sets, compared with its documentation.

use fastrand::Rng;
use proptest::prelude::*;

use super::*;
use crate::probes::arch::LINE;
use crate::streams::loops::{LINES_PER_TURN, SCALAR, STREAMS, WRITTEN};
use crate::streams::spacing::StreamSpacing;

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub(super) struct Line([u64; 8]);

fn lines(turns: usize) -> Vec<Line> {
    let mut lines = vec![Line([0; 8]); turns * LINES_PER_TURN];
    StreamMemory::from_lines(&mut lines).fill(&mut Rng::with_seed(turns as u64));
    lines
}

/// The memory after a whole round, and the exclusive or of what was read.
fn expected(kernel: Kernel, before: &[Line]) -> (Vec<Line>, u64) {
    let StreamSpacing { per_turn, far, turns } =
        StreamSpacing::new(size_of_val(before), kernel.arrays());
    let length = turns as usize * per_turn / LINE;
    let start = |array: usize, stream: usize| (array * STREAMS + stream) * far / LINE;
    let mut after = before.to_vec();
    let mut sum = 0;
    for stream in 0..STREAMS {
        let [to, from, also] = [0, 1, 2].map(|array| start(array, stream));
        let written = to..to + length;
        // Groups of lines begin with each stream.
        let mut flip_every = |group| {
            after[written.clone()]
                .iter_mut()
                .step_by(group)
                .flat_map(|line| &mut line.0)
                .for_each(|word| *word = !*word);
        };
        match kernel {
            Kernel::Read => {}
            Kernel::Write | Kernel::NtWrite => after[written.clone()].fill(Line([WRITTEN; 8])),
            Kernel::Copy | Kernel::NtCopy => after.copy_within(from..from + length, to),
            Kernel::Triad => (0..length).for_each(|line| {
                let value = |word| {
                    f64::from_bits(before[from + line].0[word])
                        + f64::from_bits(SCALAR) * f64::from_bits(before[also + line].0[word])
                };
                after[to + line] = Line(std::array::from_fn(|word| value(word).to_bits()));
            }),
            Kernel::Mix31 => flip_every(3),
            Kernel::Mix21 => flip_every(2),
            Kernel::Mix11 => flip_every(1),
        }
        sum = before[written].iter().flat_map(|line| line.0).fold(sum, |sum, word| sum ^ word);
    }
    let sums = matches!(kernel, Kernel::Read | Kernel::Mix31 | Kernel::Mix21 | Kernel::Mix11);
    (after, if sums { sum } else { 0 })
}

fn isas_here() -> impl Iterator<Item = Isa> {
    Isa::ALL.into_iter().filter(|isa| isa.is_available())
}

#[test]
fn a_round_touches_each_line_as_documented() {
    for isa in isas_here() {
        for kernel in Kernel::ALL {
            let before = lines(37);
            let mut memory = before.clone();
            let sum = StreamSweep::new(kernel, isa, StreamMemory::from_lines(&mut memory), 0)
                .unwrap()
                .advance(37, 0);
            let (after, read) = expected(kernel, &before);
            assert!(memory == after, "{kernel:?} {isa:?}");
            assert_eq!(sum, read, "{kernel:?} {isa:?}: each line is read once");
        }
    }
}

#[test]
fn nothing_beyond_the_memory_is_touched() {
    for isa in isas_here() {
        for kernel in Kernel::ALL {
            // A memory of four turns and some lines, within a larger one.
            let before = lines(8);
            let mut memory = before.clone();
            let borrowed = 2 * LINES_PER_TURN..6 * LINES_PER_TURN + 5;
            StreamSweep::new(
                kernel,
                isa,
                StreamMemory::from_lines(&mut memory[borrowed.clone()]),
                3,
            )
            .unwrap()
            .advance(9, 1);
            assert!(memory[..borrowed.start] == before[..borrowed.start], "{kernel:?} {isa:?}");
            assert!(memory[borrowed.end - 5..] == before[borrowed.end - 5..], "{kernel:?} {isa:?}");
        }
    }
}

#[test]
fn streams_with_gaps_touch_each_line_once() {
    // In pages, in 16 KiB and in 64 KiB, by the number of arrays; not whole turns.
    for length in [1 << 20, 4 << 20, 13 << 20].map(|bytes: usize| bytes / LINE + 7) {
        let before = lines(length / LINES_PER_TURN + 2);
        let borrowed = 5..5 + length;
        for (kernel, isa) in
            Kernel::ALL.into_iter().flat_map(|kernel| isas_here().map(move |isa| (kernel, isa)))
        {
            let StreamSpacing { per_turn, far, turns } =
                StreamSpacing::new(length * LINE, kernel.arrays());
            let side_by_side = length * LINE / (STREAMS * kernel.arrays()) / per_turn * per_turn;
            assert_ne!(far, side_by_side, "streams do not follow one another as they come");
            let mut memory = before.clone();
            let read = StreamSweep::new(
                kernel,
                isa,
                StreamMemory::from_lines(&mut memory[borrowed.clone()]),
                turns - 3,
            )
            .unwrap()
            .advance(turns, 0);
            let (after, sum) = expected(kernel, &before[borrowed.clone()]);
            assert!(memory[borrowed.clone()] == after, "{kernel:?} {isa:?} of {length} lines");
            assert_eq!(read, sum, "{kernel:?} {isa:?} of {length} lines");
            assert!(
                memory[..borrowed.start] == before[..borrowed.start]
                    && memory[borrowed.end..] == before[borrowed.end..]
            );
        }
    }
}

proptest! {
    #[test]
    fn splitting_a_round_does_not_matter(
        begin in 0u64..40,
        cuts in prop::collection::vec((1u64..20, 0u64..50), 0..6),
        kernel in 0usize..9,
        turns in 1usize..40,
    ) {
        let kernel = Kernel::ALL[kernel];
        let before = lines(turns);
        let (after, read) = expected(kernel, &before);
        for isa in isas_here() {
            let mut memory = before.clone();
            let all = StreamMemory::from_lines(&mut memory);
            let mut sweep = StreamSweep::new(kernel, isa, all, begin).unwrap();
            let (mut left, mut sum) = (turns as u64, 0);
            for &(cut, pause) in &cuts {
                sum ^= sweep.advance(cut.min(left), pause);
                left -= cut.min(left);
            }
            sum ^= sweep.advance(left, 0);
            prop_assert_eq!(sweep.at, begin % turns as u64, "it is back where it began");
            prop_assert!(memory == after, "{:?} {:?}", kernel, isa);
            prop_assert_eq!(sum, read);
        }
    }
}

#[test]
fn small_memory_and_missing_sets_are_refused() {
    let mut memory = lines(1);
    let short = StreamSweep::new(
        Kernel::Read,
        Isa::Portable,
        StreamMemory::from_lines(&mut memory[..23]),
        0,
    )
    .err()
    .unwrap();
    assert_eq!(
        short.to_string(),
        "1472 bytes are too few to stream through: at least 1536 are needed"
    );
    let foreign = if cfg!(target_arch = "aarch64") { Isa::Sse2 } else { Isa::Neon };
    assert!(
        StreamSweep::new(Kernel::Read, foreign, StreamMemory::from_lines(&mut memory), 0).is_err()
    );
}

#[test]
#[ignore = "long: compares times"]
fn a_longer_pause_takes_longer() {
    let mut memory = lines(4);
    let mut sweep =
        StreamSweep::new(Kernel::Read, Isa::best(), StreamMemory::from_lines(&mut memory), 0)
            .unwrap();
    let mut time = |pause| {
        let mut once = || {
            let start = std::time::Instant::now();
            sweep.advance(64, pause);
            start.elapsed()
        };
        (0..20).map(|_| once()).min().unwrap()
    };
    let times = [0, 1000, 4000, 16_000].map(&mut time);
    assert!(times.is_sorted() && times[3] > times[1] * 4, "{times:?}");
}
