//! Streams of several CPUs, played against a busy host's clock, and what bandwidth and latency come
//! of it.
//!
//! The machine is two Xeons, 5000 times slower. GB/s are bytes per nanosecond of the machine.

use crate::*;

const SLOWDOWN: f64 = 5000.0;
const LATENCY_NS: [[f64; 2]; 2] = [[78.6, 144.1], [144.7, 78.5]];
const NODE_GB_S: f64 = 113.3;
const LINK_GB_S: f64 = 50.9;
const LINES: usize = 88;
const NODE_BYTES: u64 = 1 << 28;

/// What the emulator takes for an access of eight bytes, and for one that it asks the model about.
const EMULATED_NS: u64 = 60;
const FETCHED_NS: u64 = 800;

/// CPUs 0 and 1 in node 0, CPUs 2 and 3 in node 1.
fn xeon() -> Charges {
    let slow = |ns: f64| ns * SLOWDOWN;
    let link =
        |carries, carries_back| Link { carries, carries_back, service_ns: slow(64.0 / LINK_GB_S) };
    Charges {
        seed: 1,
        cache_lines: 256,
        groups: vec![0, 0, 1, 1],
        own_home: vec![Some(0), Some(1)],
        ranges: (0..2).map(|home| range(home as usize, home * NODE_BYTES)).collect(),
        latency_ns: LATENCY_NS.iter().map(|row| row.iter().copied().map(slow).collect()).collect(),
        home_service_ns: vec![Some(slow(64.0 / NODE_GB_S)); 2],
        links: vec![link(vec![(0, 1)], vec![(1, 0)]), link(vec![(1, 0)], vec![(0, 1)])],
        streams: Some(Streams { lines: LINES }),
        modified: None,
        devices: None,
        noise: Noise::default(),
    }
}

fn range(home: usize, start: u64) -> HomeRange {
    HomeRange { start, end: start + NODE_BYTES, homes: vec![home] }
}

/// An access to one line, in eight bytes or as one.
#[derive(Clone, Copy)]
enum Touch {
    Load,
    Store,
    PastCaches,
}

/// What a CPU does: each touch goes through a buffer of its own, that begins at an address.
/// `random`: in no order.
struct Program {
    cpu: usize,
    buffers: Vec<(Touch, u64)>,
    random: bool,
}

/// A program's buffers: 4 MiB apart, as allocators give them.
const BUFFER_LINES: u64 = 1 << 15;

fn stream(cpu: usize, home: u64, touches: &[Touch]) -> Program {
    let begins = |buffer: u64| home * NODE_BYTES + (4 * cpu as u64 + buffer) * (1 << 22);
    let buffers = touches.iter().zip(0..).map(|(&touch, buffer)| (touch, begins(buffer))).collect();
    Program { cpu, buffers, random: false }
}

fn chase(cpu: usize, home: u64) -> Program {
    Program { random: true, ..stream(cpu, home, &[Touch::Load]) }
}

/// Plays programs for some of the machine's milliseconds, on a host that now and then stops one for
/// a while. Returns lines per nanosecond of the machine that each went through, counting each of
/// its buffers.
fn play(charges: Charges, programs: &[Program]) -> (Vec<f64>, Ledger) {
    const MACHINE_NS: u64 = 400_000;
    let ends = MACHINE_NS * SLOWDOWN as u64;
    let model = Model::new(charges).unwrap();
    let mut cpus = model.cpus();
    let mut random = fastrand::Rng::with_seed(1);
    let mut ready: Vec<u64> = programs.iter().map(|_| 0).collect();
    let mut steps: Vec<u64> = programs.iter().map(|_| 0).collect();
    while let Some((index, now)) =
        ready.iter().copied().enumerate().min_by_key(|&(_, at)| at).filter(|&(_, at)| at < ends)
    {
        let Program { cpu, buffers, random: in_no_order } = &programs[index];
        let (touch, begins) = buffers[steps[index] as usize % buffers.len()];
        let line = match in_no_order {
            true => random.u64(0..BUFFER_LINES),
            false => steps[index] / buffers.len() as u64 % BUFFER_LINES,
        };
        steps[index] += 1;
        let address = begins + line * LINE_BYTES;
        let cpu = &mut cpus[*cpu];
        let wait = match touch {
            Touch::PastCaches => model.store_past_caches(cpu, address, || now, || Some(address)),
            Touch::Load | Touch::Store => {
                let access = Access { address, store: matches!(touch, Touch::Store) };
                model.access(cpu, access, || now, || Some(address))
            }
        };
        let stopped = if random.u32(0..20_000) == 0 { 4_000_000 } else { 0 };
        let overslept = wait.filter(|wait| wait.may_oversleep).map_or(0, |_| random.u64(0..60_000));
        ready[index] =
            wait.map_or(0, |wait| wait.until + overslept).max(now + FETCHED_NS + 7 * EMULATED_NS)
                + stopped;
        cpu.runs_block();
    }
    let per_ns = steps.iter().map(|&steps| steps as f64 / MACHINE_NS as f64).collect();
    (per_ns, model.ledger(1, cpus.iter()))
}

/// GB/s that all programs go through together, in all of their buffers.
fn gb_s(programs: &[Program]) -> f64 {
    play(xeon(), programs).0.iter().sum::<f64>() * LINE_BYTES as f64
}

fn assert_near(figure: f64, expected: f64, tolerance: f64) {
    assert!(
        (figure / expected - 1.0).abs() <= tolerance,
        "{figure:.2} where {expected:.2} is expected"
    );
}

/// What one CPU's lines on their way come to.
fn one_cpu_gb_s(group: usize, home: usize) -> f64 {
    LINES as f64 * 64.0 / LATENCY_NS[group][home]
}

use Touch::{Load, PastCaches, Store};

#[test]
fn one_cpu_reads_what_it_has_on_its_way_per_latency() {
    assert_near(gb_s(&[stream(0, 0, &[Load])]), one_cpu_gb_s(0, 0), 0.04);
    assert_near(gb_s(&[stream(0, 1, &[Load])]), one_cpu_gb_s(0, 1), 0.04);
}

#[test]
fn all_cpus_of_a_node_read_what_its_memory_gives_and_others_what_the_link_does() {
    assert_near(gb_s(&[stream(0, 0, &[Load]), stream(1, 0, &[Load])]), NODE_GB_S, 0.04);
    assert_near(gb_s(&[stream(0, 1, &[Load]), stream(1, 1, &[Load])]), LINK_GB_S, 0.04);
    let all = [0, 1, 2, 3].map(|cpu| stream(cpu, cpu as u64 / 2, &[Load]));
    assert_near(gb_s(&all), 2.0 * NODE_GB_S, 0.04);
}

#[test]
fn what_is_written_passes_memory_twice_and_the_link_once_each_way() {
    assert_near(gb_s(&[stream(0, 0, &[Store]), stream(1, 0, &[Store])]), NODE_GB_S / 2.0, 0.04);
    assert_near(gb_s(&[stream(0, 1, &[Store]), stream(1, 1, &[Store])]), LINK_GB_S, 0.04);
}

#[test]
fn a_copy_passes_memory_three_times_and_a_triad_four_times() {
    let both = |touches: &[Touch]| [stream(0, 0, touches), stream(1, 0, touches)];
    assert_near(gb_s(&both(&[Load, Store])), NODE_GB_S * 2.0 / 3.0, 0.04);
    assert_near(gb_s(&both(&[Load, Load, Store])), NODE_GB_S * 3.0 / 4.0, 0.04);
}

#[test]
fn stores_past_the_caches_pass_memory_once() {
    assert_near(gb_s(&[stream(0, 0, &[PastCaches])]), one_cpu_gb_s(0, 0), 0.04);
    assert_near(gb_s(&[stream(0, 0, &[PastCaches]), stream(1, 0, &[PastCaches])]), NODE_GB_S, 0.04);
    assert_near(gb_s(&[stream(0, 1, &[PastCaches]), stream(1, 1, &[PastCaches])]), LINK_GB_S, 0.04);
}

#[test]
fn a_machine_without_streams_has_one_line_on_its_way_and_no_other_stores() {
    for touch in [Load, PastCaches] {
        let (lines, _) = play(Charges { streams: None, ..xeon() }, &[stream(0, 0, &[touch])]);
        assert_near(lines[0], 1.0 / LATENCY_NS[0][0], 0.01);
    }
}

/// The latency at which what is on its way comes to what memory gives: Little's law.
fn loaded_ns(streams: &[f64], chase_ns: f64, limit_gb_s: f64) -> f64 {
    let given = |queue: f64| -> f64 {
        let streamed: f64 = streams.iter().map(|ns| LINES as f64 * 64.0 / (ns + queue)).sum();
        streamed + 64.0 / (chase_ns + queue)
    };
    let queue =
        (0..100_000).map(|step| f64::from(step) * 0.01).find(|&queue| given(queue) <= limit_gb_s);
    chase_ns + queue.unwrap()
}

#[test]
fn a_chase_waits_behind_what_others_have_on_their_way() {
    let victim_ns = |programs: &[Program]| {
        let (_, ledger) = play(xeon(), programs);
        ledger.fetched.iter().find(|charged| charged.cpu == 0).unwrap().median_ns().unwrap()
            / SLOWDOWN
    };
    assert_near(victim_ns(&[chase(0, 0), stream(1, 0, &[Load])]), LATENCY_NS[0][0], 0.06);
    let node = [chase(0, 0), stream(1, 0, &[Load]), stream(2, 0, &[Load]), stream(3, 0, &[Load])];
    // The other node's CPUs wait at the link, so that theirs is what the link gives.
    let local = loaded_ns(&[LATENCY_NS[0][0]], LATENCY_NS[0][0], NODE_GB_S - LINK_GB_S);
    assert_near(victim_ns(&node), local, 0.15);
    let link = [chase(0, 1), stream(1, 1, &[Load])];
    let expected =
        loaded_ns(&[LATENCY_NS[0][1]], LATENCY_NS[0][1], LINK_GB_S).max(LATENCY_NS[0][1]);
    assert_near(victim_ns(&link), expected, 0.1);
}

#[test]
fn interleaved_pages_get_what_both_memories_give() {
    let ranges = (0..1 << 15).map(|page| HomeRange {
        start: page * 4096,
        end: (page + 1) * 4096,
        homes: vec![page as usize % 2],
    });
    let slow_memory = vec![Some(64.0 / 40.0 * SLOWDOWN); 2];
    let charges = Charges {
        ranges: ranges.collect(),
        links: Vec::new(),
        home_service_ns: slow_memory,
        ..xeon()
    };
    let (lines, ledger) = play(charges, &[0, 1, 2].map(|cpu| stream(cpu, 0, &[Load])));
    assert_near(lines.iter().sum::<f64>() * 64.0, 80.0, 0.04);
    assert_eq!(ledger.streamed.len(), 6);
}

#[test]
fn the_ledger_counts_streams_and_writes() {
    let (lines, ledger) =
        play(xeon(), &[stream(0, 0, &[Load, Store]), stream(2, 0, &[PastCaches])]);
    let streamed = |cpu: usize| ledger.streamed.iter().find(|moved| moved.cpu == cpu);
    let moved = streamed(0).unwrap();
    assert_eq!((moved.home, moved.bytes), (0, moved.lines * 64));
    assert_near(moved.lines as f64, lines[0] * 400_000.0, 0.001);
    assert_near(moved.bytes as f64 / moved.total_ns as f64 * SLOWDOWN, lines[0] * 64.0, 0.01);
    assert_eq!(streamed(2), None);
    let written: Vec<(usize, usize)> =
        ledger.written.iter().map(|moved| (moved.cpu, moved.home)).collect();
    assert_eq!(written, [(0, 0), (2, 0)]);
    assert_near(ledger.written[0].lines as f64, lines[0] * 400_000.0 / 2.0, 0.01);
    assert_near(ledger.written[1].lines as f64, lines[1] * 400_000.0, 0.01);
}

#[test]
fn the_best_weights_of_a_fast_and_a_slow_memory_are_those_of_their_bandwidths() {
    const SLOW_GB_S: f64 = 25.0;
    let slow = |ns: f64| ns * SLOWDOWN;
    let gb_s = |weight: u64| {
        let home = |page: u64| usize::from(page % (weight + 1) == weight);
        let range = |page: u64| HomeRange {
            start: page << 12,
            end: (page + 1) << 12,
            homes: vec![home(page)],
        };
        let charges = Charges {
            ranges: (0..1 << 14).map(range).collect(),
            latency_ns: vec![vec![slow(78.6), slow(250.0)]; 2],
            home_service_ns: vec![Some(slow(64.0 / NODE_GB_S)), Some(slow(64.0 / SLOW_GB_S))],
            links: Vec::new(),
            streams: Some(Streams { lines: 384 }),
            ..xeon()
        };
        play(charges, &[0, 1].map(|cpu| stream(cpu, 0, &[Load]))).0.iter().sum::<f64>() * 64.0
    };
    let expected = |weight: u64| (NODE_GB_S / weight as f64).min(SLOW_GB_S) * (weight + 1) as f64;
    let rates: Vec<(u64, f64)> = (1..=8).map(|weight| (weight, gb_s(weight))).collect();
    for &(weight, rate) in rates.iter().filter(|(weight, _)| [1, 2, 3, 5, 7].contains(weight)) {
        assert_near(rate, expected(weight), 0.06);
    }
    let (best, _) = rates.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    assert!([4, 5].contains(&best), "{best} to 1");
}
