//! Each architecture's loops on the same small memories.

use super::*;

/// Four lines in a ring, out of order.
fn ring() -> Vec<[u64; 8]> {
    let mut lines = vec![[0u64; 8]; 4];
    let base = lines.as_ptr() as u64;
    for (from, to) in [(0, 2), (2, 1), (1, 3), (3, 0)] {
        lines[from][0] = base + to * LINE as u64;
    }
    lines
}

macro_rules! check_twin {
    ($name:ident, $twin:ident) => {
        mod $name {
            use super::*;

            #[test]
            fn a_walk_follows_its_pointers() {
                let lines = ring();
                // SAFETY: the ring's pointers stay within it.
                let end = unsafe { $twin::walk(lines[2].as_ptr().cast(), 3) };
                // 48 loads round a ring of 4 end at the start.
                assert_eq!(end, lines[2].as_ptr().cast());
            }

            #[test]
            fn an_incrementing_walk_counts_every_visit() {
                let mut lines = ring();
                // SAFETY: the ring's pointers stay within it, and its words may be written.
                unsafe { $twin::walk_increment(lines.as_mut_ptr().cast(), 2) };
                let counts: Vec<u64> = lines.iter().map(|line| line[1]).collect();
                assert_eq!(counts, [8, 8, 8, 8]);
                assert!(lines.iter().all(|line| line[2..].iter().all(|&word| word == 0)));
            }

            #[test]
            fn stores_hit_one_byte_of_each_line_downwards() {
                let mut bytes = vec![0u8; 6 * LINE];
                let top = bytes.as_mut_ptr().wrapping_add(4 * LINE);
                // SAFETY: three lines downwards from the fifth lie within.
                unsafe { $twin::store_down(top, 3) };
                $twin::loop_down(top, 3);
                let written: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at] != 0).collect();
                assert_eq!(written, [2 * LINE, 3 * LINE, 4 * LINE]);
            }

            #[test]
            fn flushing_keeps_every_byte() {
                let bytes: Vec<u8> = (0..=255).cycle().take(4096).collect();
                // SAFETY: the vector is mapped.
                unsafe { $twin::Flusher::new().flush(bytes.as_ptr(), bytes.len()) };
                // SAFETY: the vector is mapped.
                unsafe { $twin::Flusher::new().reload(bytes.as_ptr().wrapping_add(2048), 3) };
                assert!(bytes.iter().zip((0..=255).cycle()).all(|(&is, was)| is == was));
            }
        }
    };
}

check_twin!(for_this_machine, twin);
check_twin!(of_any_machine, portable);

#[test]
#[ignore = "long: compares times"]
fn twice_the_additions_take_about_twice_as_long() {
    let fastest = |turns| {
        let once = || {
            let start = std::time::Instant::now();
            add_chain(turns);
            start.elapsed().as_secs_f64()
        };
        (0..20).map(|_| once()).fold(f64::INFINITY, f64::min)
    };
    // A busy machine, or a rising clock, may disturb a try.
    let ratios: Vec<f64> = (0..50).map(|_| fastest(8192) / fastest(4096)).collect();
    assert!(ratios.iter().any(|ratio| (1.8..2.2).contains(ratio)), "{ratios:?}");
}
