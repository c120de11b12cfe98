//! Every kernel, with all instructions that are here, against what it is said to do.

use fastrand::Rng;
use proptest::prelude::*;

use super::*;
use crate::streams::loops::{LINES_PER_TURN, SCALAR, WRITTEN};

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(64))]
pub(super) struct Line([u64; 8]);

fn lines(turns: usize) -> Vec<Line> {
    let mut lines = vec![Line([0; 8]); turns * LINES_PER_TURN];
    Stretch::of_lines(&mut lines).fill(&mut Rng::with_seed(turns as u64));
    lines
}

/// What memory must look like after a whole round, and the exclusive or of what was read.
fn expected(kernel: Kernel, before: &[Line]) -> (Vec<Line>, u64) {
    let mut after = before.to_vec();
    let array = before.len() / kernel.arrays();
    // Streams are quarters, and groups of lines begin with each of them.
    let flip_every = |after: &mut Vec<Line>, group| {
        for stream in after.chunks_mut(before.len() / 4) {
            stream.iter_mut().step_by(group).for_each(|line| line.0.iter_mut().for_each(|word| *word = !*word));
        }
    };
    match kernel {
        Kernel::Read => {}
        Kernel::Write | Kernel::NtWrite => after.fill(Line([WRITTEN; 8])),
        Kernel::Copy | Kernel::NtCopy => after.copy_within(array.., 0),
        Kernel::Triad => {
            let value = |from, also| (f64::from_bits(from) + f64::from_bits(SCALAR) * f64::from_bits(also)).to_bits();
            for line in 0..array {
                let (from, also) = (before[array + line].0, before[2 * array + line].0);
                after[line] = Line(std::array::from_fn(|word| value(from[word], also[word])));
            }
        }
        Kernel::Mix31 => flip_every(&mut after, 3),
        Kernel::Mix21 => flip_every(&mut after, 2),
        Kernel::Mix11 => flip_every(&mut after, 1),
    }
    let sums = matches!(kernel, Kernel::Read | Kernel::Mix31 | Kernel::Mix21 | Kernel::Mix11);
    let sum = before.iter().flat_map(|line| line.0).fold(0, |sum, word| sum ^ word);
    (after, if sums { sum } else { 0 })
}

fn isas_here() -> impl Iterator<Item = Isa> {
    Isa::ALL.into_iter().filter(|isa| isa.is_here())
}

#[test]
fn a_round_touches_each_line_exactly_as_said() {
    for isa in isas_here() {
        for kernel in Kernel::ALL {
            let before = lines(37);
            let mut memory = before.clone();
            let sum = Sweep::new(kernel, isa, Stretch::of_lines(&mut memory), 0).unwrap().advance(37, 0);
            let (after, read) = expected(kernel, &before);
            assert!(memory == after, "{kernel:?} {isa:?}");
            assert_eq!(sum, read, "{kernel:?} {isa:?}: each line is read once");
        }
    }
}

#[test]
fn nothing_beyond_the_memory_lent_is_touched() {
    for isa in isas_here() {
        for kernel in Kernel::ALL {
            // A memory of four turns and some lines, within a larger one.
            let before = lines(8);
            let mut memory = before.clone();
            let lent = 2 * LINES_PER_TURN..6 * LINES_PER_TURN + 5;
            Sweep::new(kernel, isa, Stretch::of_lines(&mut memory[lent.clone()]), 3).unwrap().advance(9, 1);
            assert!(memory[..lent.start] == before[..lent.start], "{kernel:?} {isa:?}");
            assert!(memory[lent.end - 5..] == before[lent.end - 5..], "{kernel:?} {isa:?}");
        }
    }
}

proptest! {
    #[test]
    fn it_does_not_matter_how_a_round_is_cut_nor_where_it_begins(
        begin in 0u64..40, cuts in prop::collection::vec((1u64..20, 0u64..50), 0..6), kernel in 0usize..9, turns in 1usize..40,
    ) {
        let kernel = Kernel::ALL[kernel];
        let before = lines(turns);
        let (after, read) = expected(kernel, &before);
        for isa in isas_here() {
            let mut memory = before.clone();
            let mut sweep = Sweep::new(kernel, isa, Stretch::of_lines(&mut memory), begin).unwrap();
            let (mut left, mut sum) = (turns as u64, 0);
            for &(cut, pause) in &cuts {
                sum ^= sweep.advance(cut.min(left), pause);
                left -= cut.min(left);
            }
            sum ^= sweep.advance(left, 0);
            prop_assert_eq!(sweep.at(), begin % turns as u64, "it is back where it began");
            prop_assert!(memory == after, "{:?} {:?}", kernel, isa);
            prop_assert_eq!(sum, read);
        }
    }
}

#[test]
fn memory_of_less_than_a_turn_and_missing_instructions_are_refused() {
    let mut memory = lines(1);
    let short = Sweep::new(Kernel::Read, Isa::Portable, Stretch::of_lines(&mut memory[..23]), 0).err().unwrap();
    assert_eq!(short.to_string(), "1472 bytes cannot be streamed through: it takes 1536 or more");
    let foreign = if cfg!(target_arch = "aarch64") { Isa::Sse2 } else { Isa::Neon };
    assert!(Sweep::new(Kernel::Read, foreign, Stretch::of_lines(&mut memory), 0).is_err());
}

#[test]
fn a_longer_pause_takes_longer() {
    let mut memory = lines(4);
    let mut sweep = Sweep::new(Kernel::Read, Isa::best(), Stretch::of_lines(&mut memory), 0).unwrap();
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
