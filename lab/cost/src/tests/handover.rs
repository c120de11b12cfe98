//! Two CPUs hand a line to and fro by compare-and-swap, played against a busy host's clock.

use crate::*;

const SLOWDOWN: f64 = 3000.0;
const NS: [[f64; 2]; 2] = [[50.0, 113.9], [120.1, 51.0]];
const AT_READER_NS: f64 = 64.0;
const ELSEWHERE_NS: f64 = 30.0;
const HOME_BYTES: u64 = 1 << 20;

/// CPUs 0 and 1 in one group, CPU 2 in the other; three homes, the last one no group's own.
fn machine() -> Charges {
    let slow = |ns: f64| ns * SLOWDOWN;
    let modified = ModifiedLines {
        ns: NS.iter().map(|row| row.iter().copied().map(slow).collect()).collect(),
        homed_at_reader_extra_ns: slow(AT_READER_NS),
        homed_elsewhere_extra_ns: slow(ELSEWHERE_NS),
    };
    let range = |home: u64| HomeRange {
        start: home * HOME_BYTES,
        end: (home + 1) * HOME_BYTES,
        homes: vec![home as usize],
    };
    Charges {
        seed: 1,
        cache_lines: 16,
        groups: vec![0, 0, 1],
        own_home: vec![Some(0), Some(1)],
        ranges: (0..3).map(range).collect(),
        latency_ns: vec![vec![slow(90.0); 3]; 2],
        home_service_ns: vec![None; 3],
        links: Vec::new(),
        streams: None,
        modified: Some(modified),
        devices: None,
        noise: Noise::default(),
    }
}

/// The mean round trip in nanoseconds of the machine. Each CPU tries to make the number even or odd
/// until it may, and tries again at once.
fn round_trip_ns(cpus: [usize; 2], home: u64) -> f64 {
    const TRIPS: u64 = 2000;
    let model = Model::new(machine()).unwrap();
    let mut all = model.cpus();
    let mut random = fastrand::Rng::with_seed(1);
    let (mut number, mut ready, mut began) = (0, [0, 500], 0);
    while number < 2 * TRIPS {
        let turn = usize::from(ready[1] < ready[0]);
        let now = ready[turn];
        if number % 2 == turn as u64 {
            number += 1;
        }
        let access = Access { address: home * HOME_BYTES, store: true };
        let cpu = &mut all[cpus[turn]];
        (0..3).for_each(|_| cpu.runs_block());
        let wait = model.access(cpu, access, || now, || Some(home * HOME_BYTES));
        let late = random.u64(500..20_000) + if random.u32(0..100) == 0 { 2_000_000 } else { 0 };
        ready[turn] = wait.map_or(now, |wait| wait.until).max(now) + late;
        if number == 20 {
            began = now;
        }
    }
    (ready[0].min(ready[1]) - began) as f64 / (TRIPS - 10) as f64 / SLOWDOWN
}

fn assert_near(figure: f64, expected: f64) {
    assert!((figure / expected - 1.0).abs() <= 0.03, "{figure:.1} where {expected:.1} is expected");
}

#[test]
fn a_round_trip_is_both_handovers_wherever_the_line_is_at_home() {
    assert_near(round_trip_ns([0, 1], 0), NS[0][0] * 2.0);
    assert_near(round_trip_ns([0, 2], 0), NS[0][1] + AT_READER_NS + NS[1][0]);
    assert_near(round_trip_ns([0, 2], 1), NS[0][1] + NS[1][0] + AT_READER_NS);
    assert_near(round_trip_ns([2, 0], 2), NS[0][1] + NS[1][0] + 2.0 * ELSEWHERE_NS);
    assert_near(round_trip_ns([0, 1], 1), NS[0][0] * 2.0 + 2.0 * ELSEWHERE_NS);
}
