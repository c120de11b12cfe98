//! A made-up machine, and programs whose costs are known.

use std::time::Duration;

use fastrand::Rng;
use nearfar_machine::{Allocations, Source, Topology};
use nearfar_sweep::{
    Answers, Axes, Configuration, ConfigurationResult, Limits, Objective, ProgramOutput,
    RequestedAxes, ResourceUsage, RunAttempt, RunEnd, RunRecord, RunSettings, Runner, SCHEMA,
    Sweep, SweepError, SweepMachine, SweepPlacement, SweepStopReason, SystemSetting,
    configurations, sweep,
};

/// Two nodes of two CPUs, the second twice as far.
pub(crate) fn machine() -> (Source, Topology) {
    let node = "/sys/devices/system/node";
    let cpu = "/sys/devices/system/cpu";
    let mut files = vec![
        (format!("{node}/online"), "0-1".to_owned()),
        (format!("{node}/has_memory"), "0-1".to_owned()),
        (format!("{node}/has_cpu"), "0-1".to_owned()),
        (format!("{cpu}/online"), "0-3".to_owned()),
        (format!("{cpu}/possible"), "0-3".to_owned()),
        (format!("{cpu}/present"), "0-3".to_owned()),
    ];
    for (id, cpus, distances) in [(0, "0-1", "10 21"), (1, "2-3", "21 10")] {
        files.push((format!("{node}/node{id}/cpulist"), cpus.to_owned()));
        files.push((format!("{node}/node{id}/distance"), distances.to_owned()));
        let memory = format!("Node {id} MemTotal: 1048576 kB\nNode {id} MemFree: 1000000 kB\n");
        files.push((format!("{node}/node{id}/meminfo"), memory));
    }
    for id in 0..4 {
        files.push((format!("{cpu}/cpu{id}/topology/core_id"), (id % 2).to_string()));
        files.push((format!("{cpu}/cpu{id}/topology/physical_package_id"), (id / 2).to_string()));
        files.push((format!("{cpu}/cpu{id}/topology/thread_siblings_list"), id.to_string()));
    }
    let source = Source::from_files(files);
    let topology = Topology::read(&source).unwrap();
    (source, topology)
}

pub(crate) fn document(placements: &[&str], jobs: &[usize], command: &str, seed: u64) -> Sweep {
    switching(placements, jobs, command, seed, Vec::new())
}

pub(crate) fn switching(
    placements: &[&str],
    jobs: &[usize],
    command: &str,
    seed: u64,
    switches: Vec<(SystemSetting, Vec<String>)>,
) -> Sweep {
    let (source, topology) = machine();
    let named = RequestedAxes {
        placements: placements.iter().map(|name| name.parse::<SweepPlacement>().unwrap()).collect(),
        jobs: jobs.to_vec(),
        variables: Vec::new(),
        switches,
        command: command.split(' ').map(str::to_owned).collect(),
    };
    let (all, unavailable) = configurations(&named, &source, &topology).unwrap();
    Sweep {
        schema: SCHEMA.to_owned(),
        version: "0".to_owned(),
        started: String::new(),
        machine: SweepMachine::default(),
        axes: Axes { jobs: named.jobs, ..Axes::default() },
        objective: Objective::wall(),
        command: named.command,
        settings: RunSettings::default(),
        enforcement: None,
        interrupts: None,
        doses: None,
        recipe: None,
        limits: Limits::default(),
        seed,
        stopped: None,
        unavailable,
        configurations: all.into_iter().map(ConfigurationResult::new).collect(),
        answers: Answers::default(),
    }
}

/// What a run of a configuration takes, and the share of its pages that are remote.
pub(crate) type Cost = fn(&Configuration, &mut Rng) -> Result<(f64, f64), i32>;

pub(crate) struct Replay {
    pub(crate) rng: Rng,
    pub(crate) cost: Cost,
    pub(crate) spread: f64,
    pub(crate) now: Duration,
}

impl Runner for Replay {
    fn run(&mut self, configuration: &Configuration) -> Result<RunAttempt, SweepError> {
        let normal = (-2.0 * (1.0 - self.rng.f64()).ln()).sqrt()
            * (std::f64::consts::TAU * self.rng.f64()).cos();
        let (end, (seconds, remote)) = match (self.cost)(configuration, &mut self.rng) {
            Ok(cost) => (RunEnd::Exited { code: 0 }, cost),
            Err(code) => (RunEnd::Exited { code }, (0.1, 0.0)),
        };
        // The machine becomes slower by a tenth in the course of an hour.
        let drift = 1.0 + 0.1 * self.now.as_secs_f64() / 3600.0;
        let wall_s = seconds * drift * (self.spread * normal).exp();
        self.now += Duration::from_secs_f64(wall_s);
        Ok(RunAttempt::Ran(Box::new(RunRecord {
            wall_s,
            used: ResourceUsage::default(),
            allocations: Allocations::default(),
            remote_share: Some(remote),
            looked_s: 0.0,
            slowed_by_looks: None,
            interrupts: None,
            end,
            left_behind: 0,
            printed: ProgramOutput::default(),
        })))
    }
}

pub(crate) fn swept(
    mut document: Sweep,
    cost: Cost,
    spread: f64,
    limits: &Limits,
) -> (Sweep, SweepStopReason) {
    let mut replay =
        Replay { rng: Rng::with_seed(document.seed), cost, spread, now: Duration::ZERO };
    let clock = || Duration::ZERO;
    let stop =
        sweep(&mut document, &mut replay, None, limits, &clock, &mut |_, _| Ok(true)).unwrap();
    (document, stop)
}

pub(crate) const TEN: Limits = Limits { fewest: 10, most: 10, precision: 0.0, budget_s: None };

/// Memory-bound: slower by the factor by which its memory is farther.
pub(crate) fn memory_bound(configuration: &Configuration, _: &mut Rng) -> Result<(f64, f64), i32> {
    Ok(match configuration.placement.as_str() {
        "local:0" | "preferred:0" => (10.0, 0.0),
        "interleave" => (13.0, 0.5),
        "remote:0/1" => (16.0, 1.0),
        _ => (10.0, 0.0),
    })
}
