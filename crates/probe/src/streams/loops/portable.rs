//! Any processor: volatile accesses to words. Non-temporal stores are plain ones here.

use super::{EVERY_BIT, Loop, LoopRange, SCALAR, STREAMS, WRITTEN};
use crate::probes::arch::{LINE, loop_down};
use crate::streams::Kernel;

const WORDS: usize = LINE / size_of::<u64>();
type Line = [u64; WORDS];

pub(super) fn find(kernel: Kernel) -> Loop {
    match kernel {
        Kernel::Read => read,
        Kernel::Write | Kernel::NtWrite => write,
        Kernel::Copy | Kernel::NtCopy => copy,
        Kernel::Triad => triad,
        Kernel::Mix31 => mix::<3, 2>,
        Kernel::Mix21 => mix::<2, 3>,
        Kernel::Mix11 => mix::<1, 6>,
    }
}

/// Visits each stream `steps` times per turn, `lines` further each time.
fn walk(range: &LoopRange, steps: usize, lines: usize, mut visit: impl FnMut(*mut Line)) {
    let mut at = range.start;
    for _ in 0..range.turns {
        for _ in 0..steps {
            (0..STREAMS).for_each(|stream| visit(at.wrapping_add(stream * range.far).cast()));
            at = at.wrapping_add(lines * LINE);
        }
        loop_down(std::ptr::null_mut(), range.pause);
    }
}

/// Loads a line.
///
/// # Safety
/// It may be read, and is aligned.
unsafe fn load(line: *const Line) -> Line {
    let words: *const u64 = line.cast();
    // SAFETY: as the caller vouches for.
    std::array::from_fn(|word| unsafe { words.add(word).read_volatile() })
}

/// Stores a line.
///
/// # Safety
/// It may be written, and is aligned.
unsafe fn store(line: *mut Line, values: Line) {
    let words: *mut u64 = line.cast();
    for (word, value) in values.into_iter().enumerate() {
        // SAFETY: as the caller vouches for.
        unsafe { words.add(word).write_volatile(value) };
    }
}

fn add_to(sum: &mut Line, line: Line) {
    sum.iter_mut().zip(line).for_each(|(sum, word)| *sum ^= word);
}

unsafe fn read(range: &LoopRange) -> Line {
    let mut sum = Line::default();
    // SAFETY: the caller vouches for every line of the streams.
    walk(range, 6, 1, |line| add_to(&mut sum, unsafe { load(line) }));
    sum
}

unsafe fn write(range: &LoopRange) -> Line {
    // SAFETY: as in `read`.
    walk(range, 6, 1, |line| unsafe { store(line, [WRITTEN; WORDS]) });
    Line::default()
}

unsafe fn copy(range: &LoopRange) -> Line {
    let array = STREAMS * range.far;
    // SAFETY: as in `read`, for both arrays.
    walk(range, 3, 1, |to| unsafe { store(to, load(to.wrapping_byte_add(array))) });
    Line::default()
}

unsafe fn triad(range: &LoopRange) -> Line {
    let array = STREAMS * range.far;
    let scalar = f64::from_bits(SCALAR);
    walk(range, 2, 1, |to| {
        // SAFETY: as in `read`, for all three arrays.
        let (from, also) =
            unsafe { (load(to.wrapping_byte_add(array)), load(to.wrapping_byte_add(2 * array))) };
        let value = |word: usize| {
            (f64::from_bits(from[word]) + scalar * f64::from_bits(also[word])).to_bits()
        };
        // SAFETY: as above.
        unsafe { store(to, std::array::from_fn(value)) };
    });
    Line::default()
}

/// Of every `LINES` lines read, the first is changed.
unsafe fn mix<const LINES: usize, const STEPS: usize>(range: &LoopRange) -> Line {
    let mut sum = Line::default();
    walk(range, STEPS, LINES, |first| {
        // SAFETY: as in `read`.
        let line = unsafe { load(first) };
        add_to(&mut sum, line);
        // SAFETY: as in `read`.
        unsafe { store(first, line.map(|word| word ^ EVERY_BIT)) };
        for other in 1..LINES {
            // SAFETY: as in `read`: the group lies within its stream.
            add_to(&mut sum, unsafe { load(first.wrapping_add(other)) });
        }
    });
    sum
}
