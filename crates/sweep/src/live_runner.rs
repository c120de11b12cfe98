//! Runs on this machine: hooks before and after each, and the supervisor.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::time::Instant;

use nearfar_machine::guard::RootedFiles;
use nearfar_machine::interrupts::InterruptTable;
use nearfar_machine::{AllowedResources, Source};
use nearfar_model::NodeSet;
use nearfar_process::launch::{LaunchError, MemoryChoice};

use crate::configuration::Configuration;
use crate::cpusets::{Bounds, Cpusets};
use crate::document::RunSettings;
use crate::error::SweepError;
use crate::hook::{self, HookResult};
use crate::interrupts::InterruptAxis;
use crate::placement::checked;
use crate::plan::{RunAttempt, Runner};
use crate::record::{RunEnd, RunFailure};
use crate::shortest::ShortestRuns;
use crate::supervise::{RunJob, Supervisor};
use crate::system::{SystemSetting, guarded};
use crate::template::{Placeholders, fill};

/// This machine.
pub struct LiveRunner<'a> {
    supervisor: Supervisor,
    settings: RunSettings,
    cpusets: Option<Cpusets>,
    interrupts: Option<InterruptAxis>,
    allowed: AllowedResources,
    is_stopped: &'a dyn Fn() -> bool,
    /// The placement within a cpuset, by configuration: computed once.
    held: BTreeMap<String, CpusetPlacement>,
    shortest: ShortestRuns,
    /// Configurations that looking at their pages slows: they are not looked at.
    unseen: BTreeSet<String>,
}

/// A placement within a cpuset.
#[derive(Clone)]
struct CpusetPlacement {
    /// Words of `nearfar run` that mean the same there: what is relative would count within the
    /// cpuset.
    words: Vec<String>,
    bounds: Bounds,
}

impl<'a> LiveRunner<'a> {
    /// A runner. Programs are placed by cpusets where those are given; `allowed` are all
    /// that runs could have.
    pub fn new(
        supervisor: Supervisor,
        settings: RunSettings,
        cpusets: Option<Cpusets>,
        interrupts: Option<InterruptAxis>,
        allowed: AllowedResources,
        is_stopped: &'a dyn Fn() -> bool,
    ) -> Self {
        Self {
            supervisor,
            settings,
            cpusets,
            interrupts,
            allowed,
            is_stopped,
            held: BTreeMap::new(),
            shortest: ShortestRuns::default(),
            unseen: BTreeSet::new(),
        }
    }
}

impl Runner for LiveRunner<'_> {
    fn run(&mut self, configuration: &Configuration) -> Result<RunAttempt, SweepError> {
        let looks = self.settings.looks_at_pages && !self.unseen.contains(&configuration.id);
        let attempt = self.run_once(configuration, looks)?;
        let RunAttempt::Ran(seen) = &attempt else { return Ok(attempt) };
        let Some(share) = seen.share_of_looks(self.allowed.cpus.len()) else { return Ok(attempt) };
        if seen.end != (RunEnd::Exited { code: 0 }) {
            return Ok(attempt);
        }
        // What it saw counts, and its time does not.
        let remote_share = seen.remote_share;
        self.unseen.insert(configuration.id.clone());
        Ok(match self.run_once(configuration, false)? {
            RunAttempt::Ran(mut again) => {
                (again.remote_share, again.slowed_by_looks) = (remote_share, Some(share));
                RunAttempt::Ran(again)
            }
            other => other,
        })
    }
}

impl LiveRunner<'_> {
    fn run_once(
        &mut self,
        configuration: &Configuration,
        looks_at_pages: bool,
    ) -> Result<RunAttempt, SweepError> {
        let system = guarded(&configuration.system, self.interrupts.as_ref());
        if let Err(refused) = system.set(&RootedFiles::live(), &Source::live()) {
            return Ok(RunAttempt::Refused(RunFailure::refused(refused)));
        }
        if let Some(instead) =
            self.hook("--prepare", self.settings.prepare.as_ref(), configuration)?
        {
            return Ok(instead);
        }
        let kept = configuration.successes().map(|run| run.wall_s);
        let job = RunJob {
            command: configuration.command.clone(),
            environment: configuration.environment.clone(),
            words: configuration.words.clone(),
            timeout_s: self.settings.timeout_s,
            looks_at_pages,
            expected_s: self.shortest.expected(&configuration.id, kept),
            outside: None,
        };
        let attempt = self.counted_attempt(job, configuration)?;
        match &attempt {
            RunAttempt::Ran(ran) if ran.end == (RunEnd::Exited { code: 0 }) => {
                self.shortest.learn(&configuration.id, ran.wall_s);
            }
            _ => {}
        }
        let instead = self.hook("--cleanup", self.settings.cleanup.as_ref(), configuration)?;
        Ok(instead.unwrap_or(attempt))
    }

    /// Runs a hook, if there is one. A failed hook gives the result of the run.
    fn hook(
        &self,
        option: &str,
        line: Option<&String>,
        configuration: &Configuration,
    ) -> Result<Option<RunAttempt>, SweepError> {
        let Some(line) = line else { return Ok(None) };
        let Configuration { jobs, cpus, nodes, environment, .. } = configuration;
        let line = fill(line, &Placeholders { jobs: *jobs, cpus, nodes });
        let done = hook::run(&line, environment, self.is_stopped)
            .map_err(|error| io::Error::other(format!("{option}: sh: {error}")))?;
        Ok(match done {
            HookResult::Succeeded => None,
            HookResult::Stopped => Some(RunAttempt::Interrupted),
            HookResult::Failed { status, last_line } => {
                let wait_status = status.into_raw();
                Some(RunAttempt::Refused(RunFailure::Hook {
                    option: option.to_owned(),
                    wait_status,
                    last_line,
                }))
            }
        })
    }

    /// Runs it, and counts the interrupts of the sweep's device meanwhile.
    fn counted_attempt(
        &mut self,
        job: RunJob,
        configuration: &Configuration,
    ) -> Result<RunAttempt, SweepError> {
        let Some(value) = configuration.system.get(&SystemSetting::Irq) else {
            return self.attempt(job, configuration);
        };
        let (source, begun) = (Source::live(), Instant::now());
        let earlier = InterruptTable::read(&source).ok();
        let mut attempt = self.attempt(job, configuration)?;
        if let (RunAttempt::Ran(record), Some(axis), Some(earlier)) =
            (&mut attempt, &self.interrupts, earlier)
        {
            let seconds = begun.elapsed().as_secs_f64();
            record.interrupts = InterruptTable::read(&source).ok().and_then(|now| {
                axis.counted(value, [&earlier, &now], seconds, &RootedFiles::live())
            });
        }
        Ok(attempt)
    }

    /// Runs it, in its cpuset where there are any.
    fn attempt(
        &mut self,
        job: RunJob,
        configuration: &Configuration,
    ) -> Result<RunAttempt, SweepError> {
        if self.cpusets.is_none() {
            return self.supervisor.run(&job, None, self.is_stopped);
        }
        let CpusetPlacement { words, bounds } = match self.held(configuration) {
            Ok(held) => held,
            Err(error) => return Ok(RunAttempt::Refused(RunFailure::refused(error))),
        };
        let outside = self.cpusets.as_ref().map(Cpusets::outside);
        match self.cpusets.as_mut().map(|cpusets| cpusets.cpuset_thread(&bounds)).transpose() {
            Ok(cpuset_thread) => self.supervisor.run(
                &RunJob { words, outside, ..job },
                cpuset_thread,
                self.is_stopped,
            ),
            Err(why) => Ok(RunAttempt::Refused(RunFailure::Cpuset { why })),
        }
    }

    fn held(&mut self, configuration: &Configuration) -> Result<CpusetPlacement, LaunchError> {
        if let Some(known) = self.held.get(&configuration.id) {
            return Ok(known.clone());
        }
        let held = held_on(&Source::live(), configuration, &self.allowed.nodes)?;
        self.held.insert(configuration.id.clone(), held.clone());
        Ok(held)
    }
}

/// The CPUs, and the nodes of a policy that binds: preferring and interleaving
/// policies leave others open.
fn held_on(
    source: &Source,
    configuration: &Configuration,
    nodes: &NodeSet,
) -> Result<CpusetPlacement, LaunchError> {
    let placement = checked(&configuration.words, source)?.placement;
    let bound = placement.memory.as_ref().and_then(MemoryChoice::bound).unwrap_or(nodes);
    let bounds = Bounds { cpus: configuration.cpus.clone(), nodes: bound.clone() };
    Ok(CpusetPlacement { words: placement.words(), bounds })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use nearfar_machine::Allocations;
    use nearfar_model::NodeId;

    use super::*;
    use crate::configuration::{RequestedAxes, configurations};
    use crate::record::{ProgramOutput, ResourceUsage, RunRecord};

    fn two_nodes() -> Source {
        let node = "/sys/devices/system/node";
        Source::from_files([
            (format!("{node}/online"), "0-1"),
            (format!("{node}/has_memory"), "0-1"),
            (format!("{node}/has_cpu"), "0-1"),
            (format!("{node}/node0/cpulist"), "0-1"),
            (format!("{node}/node1/cpulist"), "2-3"),
            ("/sys/devices/system/cpu/online".to_owned(), "0-3"),
        ])
    }

    #[test]
    fn cpusets_have_cpus_and_bound_nodes() {
        let source = two_nodes();
        let topology = nearfar_machine::Topology::read(&source).unwrap();
        let placements = ["-N 1 -m 0", "-N +1 -p 0", "-C +3", "-i all", "unbound"];
        let named = RequestedAxes {
            placements: placements.iter().map(|text| text.parse().unwrap()).collect(),
            jobs: Vec::new(),
            variables: Vec::new(),
            switches: Vec::new(),
            command: vec!["true".to_owned()],
        };
        let (all, _) = configurations(&named, &source, &topology).unwrap();
        let nodes = NodeSet::from_id(NodeId(0)).union(&NodeSet::from_id(NodeId(1)));
        let found: Vec<String> = all
            .iter()
            .map(|one| held_on(&source, one, &nodes).unwrap())
            .map(|held| {
                format!("{} | {} | {}", held.bounds.cpus, held.bounds.nodes, held.words.join(" "))
            })
            .collect();
        let expected = [
            "2-3 | 0 | --physcpubind=2-3 --membind=0",
            "2-3 | 0-1 | --physcpubind=2-3 --preferred=0",
            "3 | 0-1 | --physcpubind=3",
            "0-3 | 0-1 | --interleave=0-1",
            "0-3 | 0-1 | ",
        ];
        assert_eq!(found, expected);
    }

    /// A supervisor whose program is slower where its pages are looked at.
    const SUPERVISOR: &str = r#"
        read -r job
        case $job in
            *'"looks_at_pages":true'*) printf %s "$1" ;;
            *) printf %s "$2" ;;
        esac"#;

    fn answer(wall_s: f64, looked_s: f64) -> OsString {
        let ran = RunRecord {
            wall_s,
            used: ResourceUsage { user_s: 1e3, ..ResourceUsage::default() },
            allocations: Allocations::default(),
            remote_share: (looked_s > 0.0).then_some(0.5),
            looked_s,
            slowed_by_looks: None,
            interrupts: None,
            end: RunEnd::Exited { code: 0 },
            left_behind: 0,
            printed: ProgramOutput::default(),
        };
        serde_json::to_string(&Ok::<_, RunFailure>(ran)).unwrap().into()
    }

    #[test]
    fn a_run_that_looking_slows_is_repeated_without_and_later_ones_have_none() {
        let source = two_nodes();
        let topology = nearfar_machine::Topology::read(&source).unwrap();
        let named = RequestedAxes {
            placements: vec!["unbound".parse().unwrap()],
            jobs: Vec::new(),
            variables: Vec::new(),
            switches: Vec::new(),
            command: vec!["true".to_owned()],
        };
        let (all, _) = configurations(&named, &source, &topology).unwrap();
        let arguments =
            ["-c".into(), SUPERVISOR.into(), "sh".into(), answer(2.0, 1.0), answer(1.0, 0.0)];
        let supervisor = Supervisor { program: "sh".into(), arguments: arguments.to_vec() };
        let settings = RunSettings { looks_at_pages: true, ..RunSettings::default() };
        let stopped = || false;
        let mut runner =
            LiveRunner::new(supervisor, settings, None, None, topology.allowed, &stopped);
        let mut run = || match runner.run(&all[0]).unwrap() {
            RunAttempt::Ran(ran) => (ran.wall_s, ran.remote_share, ran.slowed_by_looks),
            other => panic!("{other:?}"),
        };
        assert_eq!(run(), (1.0, Some(0.5), Some(0.5)));
        assert_eq!(run(), (1.0, None, None));
    }
}
