//! How do other programs' figures compare with nearfar's, and how much does each vary? In each run,
//! every program and nearfar's corresponding instruments have one turn, in random order. All sweep
//! the same amount of memory for about the same time. Figures count bytes read and bytes written.
//!
//!     ./dev bench peers [RUNS] [SECONDS A TURN] [WORD ...]      10 runs, 6 s by
//! default; with words, only the rows whose title contains one
//!
//! A missing program is reported in its row. `NEARFAR_PEERS` names a folder to look for
//! programs in first.

mod ours;
mod pairs;
mod parse;
mod table;
mod theirs;

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use nearfar_machine::{Source, Topology};
use nearfar_model::{CpuId, CpuSet};
use nearfar_place::affinity;
use tempfile::TempDir;

use ours::Ours;
use pairs::{PeerComparison, pairs};
use table::Results;

/// Settings of all runs.
struct Bench {
    /// Those of the first one's node that share its last-level cache: a row of nearfar's.
    cpus: Vec<CpuId>,
    /// Measuring time of each program and of each of nearfar's kernels.
    seconds: f64,
    /// Memory that is swept, by all threads and arrays together.
    mib: u64,
    folder: TempDir,
}

/// A turn of a run.
#[derive(Clone)]
enum PeerTurn {
    /// All requested kernels, by number of CPUs.
    Bandwidths(Vec<(usize, Ours)>),
    /// Handoffs among this many CPUs.
    Handoffs(usize),
    /// The other program of a pair.
    Theirs { pair: usize, rounds: u64 },
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let numbers: Vec<f64> = args.iter().map_while(|arg| arg.parse().ok()).collect();
    let words = &args[numbers.len()..];
    let runs = numbers.first().map_or(10, |&runs| runs as usize);
    let bench = Bench::new(numbers.get(1).copied().unwrap_or(6.0));
    let mut pairs = pairs(bench.cpus.len());
    pairs.retain(|pair| {
        words.is_empty() || words.iter().any(|word| pair.title().contains(word.as_str()))
    });
    let mut results: Vec<Results> =
        pairs.iter().map(|_| Results { figures: Vec::new(), failure: None }).collect();
    let mut turns = bench.turns(&pairs, &mut results);
    let mut random = Rng::with_seed(1);
    for run in 1..=runs {
        random.shuffle(&mut turns);
        let mut ours = BTreeMap::new();
        let mut theirs = vec![None; pairs.len()];
        for turn in &turns {
            match turn {
                PeerTurn::Bandwidths(wanted) => {
                    eprint!("\rrun {run} of {runs}: {:<60}", "nearfar bandwidth");
                    match ours::bandwidths(&bench, wanted) {
                        Ok(figures) => ours.extend(figures),
                        Err(why) => eprintln!("\nnearfar: {why}"),
                    }
                }
                &PeerTurn::Handoffs(threads) => {
                    eprint!("\rrun {run} of {runs}: {:<60}", "nearfar core-to-core");
                    match ours::handoffs(&bench, threads) {
                        Ok(figure) => {
                            ours.extend(figure.map(|figure| ((threads, Ours::Handoff), figure)));
                        }
                        Err(why) => eprintln!("\nnearfar: {why}"),
                    }
                }
                &PeerTurn::Theirs { pair: index, rounds } => {
                    let pair = &pairs[index];
                    eprint!("\rrun {run} of {runs}: {:<60}", pair.title());
                    let figure = pair.theirs.figure(&bench, pair.threads, rounds);
                    theirs[index] = figure.map_err(|why| results[index].failure = Some(why)).ok();
                }
            }
        }
        for ((pair, result), theirs) in pairs.iter().zip(&mut results).zip(theirs) {
            let ours = ours.get(&(pair.threads, pair.ours)).copied();
            result.figures.extend(ours.zip(theirs));
        }
    }
    eprintln!("\r{:<80}", "");
    table::print(&pairs, &results);
    println!("{} MiB swept in all; turns of {} s.", bench.mib, bench.seconds);
}

impl Bench {
    fn new(seconds: f64) -> Self {
        let topology = Topology::read(&Source::live()).expect("this machine");
        let may = affinity().expect("this thread's CPUs");
        let node_parts = |group: CpuSet| {
            topology
                .nodes
                .iter()
                .map(move |node| node.cpus.intersection(&group))
                .collect::<Vec<_>>()
        };
        let groups = topology
            .last_level_groups()
            .into_iter()
            .flat_map(node_parts)
            .map(|group| group.intersection(&may));
        let group = groups.into_iter().find(|group| !group.is_empty()).unwrap_or(may);
        let largest = topology.caches.iter().filter_map(|cache| cache.size).max();
        // Four times the largest cache, as nearfar does; a number that halves, by 2 CPUs and 2
        // arrays.
        let mib = largest
            .map_or(512, |cache| (4 * cache.0).div_ceil(1 << 20))
            .max(512)
            .next_multiple_of(4);
        Self {
            cpus: group.iter().collect(),
            seconds,
            mib,
            folder: tempfile::tempdir().expect("a temporary folder"),
        }
    }

    fn nth(&self, index: usize) -> String {
        self.cpus[index].to_string()
    }

    /// The first CPUs, as a list.
    fn first(&self, count: usize) -> String {
        self.cpus.iter().take(count).copied().collect::<CpuSet>().to_string()
    }

    /// The turns of every installed program and of the corresponding instruments.
    fn turns(&self, pairs: &[PeerComparison], results: &mut [Results]) -> Vec<PeerTurn> {
        let mut turns = Vec::new();
        let mut wanted = BTreeSet::new();
        for (index, (pair, result)) in pairs.iter().zip(results).enumerate() {
            eprint!("\rtrying {:<60}", pair.title());
            match pair.theirs.rounds(self, pair.threads) {
                Err(why) => result.failure = Some(why),
                Ok(rounds) => {
                    turns.push(PeerTurn::Theirs { pair: index, rounds });
                    wanted.insert((pair.threads, pair.ours));
                }
            }
        }
        let (handoffs, bandwidths): (Vec<_>, Vec<_>) =
            wanted.into_iter().partition(|(_, ours)| *ours == Ours::Handoff);
        turns.extend(handoffs.into_iter().map(|(threads, _)| PeerTurn::Handoffs(threads)));
        if !bandwidths.is_empty() {
            turns.push(PeerTurn::Bandwidths(bandwidths));
        }
        turns
    }
}
