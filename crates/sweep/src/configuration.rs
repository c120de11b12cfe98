//! One way to run the command.

mod extent;

use nearfar_machine::{Source, Topology};
use nearfar_model::{CpuSet, NodeSet, shell_word};
use serde::{Deserialize, Serialize};

use crate::axes::{Variable, combinations};
use crate::error::SweepError;
use crate::placement::{PlacementRefusal, SweepPlacement, Unavailable};
use crate::record::SweepRun;
use crate::system::{SystemSetting, SystemValues};
use crate::template::{Placeholders, fill};

/// The placement of a recipe with one instance on each node.
pub(crate) const PER_NODE: &str = "per-node";

/// The axes and the command of a sweep.
#[derive(Clone, Debug)]
pub struct RequestedAxes {
    /// The placements; the first is the reference.
    pub placements: Vec<SweepPlacement>,
    /// Numbers of jobs; empty: one for each CPU of the placement.
    pub jobs: Vec<usize>,
    /// Environment variables.
    pub variables: Vec<Variable>,
    /// Settings of the machine, and what they are set to.
    pub switches: Vec<(SystemSetting, Vec<String>)>,
    /// The command with its placeholders.
    pub command: Vec<String>,
}

/// One way to run the command, and its runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Configuration {
    /// Its unique name.
    pub id: String,
    /// Its placement.
    pub placement: String,
    /// The same as words of `nearfar run`.
    pub words: Vec<String>,
    /// How many jobs.
    pub jobs: usize,
    /// Environment variables that are set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub environment: Vec<(String, String)>,
    /// Settings of the machine during its runs.
    #[serde(default, skip_serializing_if = "SystemValues::is_empty")]
    pub system: SystemValues,
    /// The CPUs that it may run on.
    #[schemars(with = "String")]
    pub cpus: CpuSet,
    /// The nodes that its memory comes from.
    #[schemars(with = "String")]
    pub nodes: NodeSet,
    /// The command, filled in.
    pub command: Vec<String>,
    /// Its runs, in their order.
    pub runs: Vec<SweepRun>,
}

/// All combinations that are available on this machine, and the unavailable placements. An error
/// if none is left, or if there are too many.
pub fn configurations(
    named: &RequestedAxes,
    source: &Source,
    topology: &Topology,
) -> Result<(Vec<Configuration>, Vec<Unavailable>), SweepError> {
    extent::check(named)?;
    let (mut all, mut unavailable) = (Vec::<Configuration>::new(), Vec::<Unavailable>::new());
    let switches = named.switches.iter().map(|(switch, values)| (switch, values.as_slice()));
    for system in combinations(switches).into_iter().map(SystemValues::from_iter) {
        let seen = seen_under(&system, topology);
        for placement in &named.placements {
            for jobs in jobs_of(named, placement, source, &seen) {
                match for_placement(named, placement, jobs, &system, source, &seen) {
                    Ok(more) => all.extend(more),
                    Err(why) => {
                        let gone = Unavailable { placement: placement.to_string(), why };
                        if !unavailable.contains(&gone) {
                            unavailable.push(gone);
                        }
                    }
                }
            }
        }
    }
    let mut known = std::collections::BTreeSet::new();
    all.retain(|one| known.insert(one.id.clone()));
    if all.is_empty() { Err(SweepError::NothingToRun(unavailable)) } else { Ok((all, unavailable)) }
}

/// The machine without its siblings where hardware threads are switched off: choosing CPUs that are
/// not there then is useless.
fn seen_under(system: &SystemValues, topology: &Topology) -> Topology {
    let mut seen = topology.clone();
    if system.get(&SystemSetting::Smt).is_some_and(|value| value == "off") {
        let first: CpuSet = topology.cores().iter().filter_map(|core| core.cpus.first()).collect();
        seen.allowed.cpus = seen.allowed.cpus.intersection(&first);
    }
    seen
}

/// Without `--jobs` as many as the placement has CPUs.
fn jobs_of(
    named: &RequestedAxes,
    placement: &SweepPlacement,
    source: &Source,
    topology: &Topology,
) -> Vec<usize> {
    if !named.jobs.is_empty() {
        return named.jobs.clone();
    }
    let all = topology.allowed.cpus.len();
    let own = placement.on(source, topology, all).map_or(all, |placed| placed.cpus.len());
    vec![if placement.goes_by_jobs() { (all / 2).max(1) } else { own }]
}

fn for_placement(
    named: &RequestedAxes,
    placement: &SweepPlacement,
    jobs: usize,
    system: &SystemValues,
    source: &Source,
    topology: &Topology,
) -> Result<Vec<Configuration>, PlacementRefusal> {
    let placed = placement.on(source, topology, jobs)?;
    let filling = Placeholders { jobs, cpus: &placed.cpus, nodes: &placed.nodes };
    let command: Vec<String> = named.command.iter().map(|word| fill(word, &filling)).collect();
    let configuration = |environment: Vec<(String, String)>| {
        let unnamed = Configuration {
            id: String::new(),
            placement: placement.to_string(),
            words: placed.words.clone(),
            jobs,
            environment,
            system: system.clone(),
            cpus: placed.cpus.clone(),
            nodes: placed.nodes.clone(),
            command: command.clone(),
            runs: Vec::new(),
        };
        Configuration { id: unnamed.name((named.jobs.len() > 1).then_some(jobs)), ..unnamed }
    };
    let variables =
        named.variables.iter().map(|variable| (&variable.name, variable.values.as_slice()));
    Ok(combinations(variables).into_iter().map(configuration).collect())
}

impl Configuration {
    /// The name of its curve over jobs: all but the jobs.
    pub fn curve(&self) -> String {
        self.name(None)
    }

    /// What distinguishes it from the others, with the number of jobs where that does, too.
    pub(crate) fn name(&self, jobs: Option<usize>) -> String {
        let jobs = jobs.map(|jobs| format!("jobs={jobs}"));
        let variables = self.environment.iter().map(|(name, value)| format!("{name}={value}"));
        let switches =
            self.system.iter().map(|(switch, value)| format!("{}={value}", switch.name()));
        let words =
            [self.placement.clone()].into_iter().chain(jobs).chain(variables).chain(switches);
        words.collect::<Vec<_>>().join(" ")
    }

    /// The runs that count.
    pub fn successes(&self) -> impl Iterator<Item = &SweepRun> {
        self.runs.iter().filter(|run| run.failed.is_none())
    }

    /// The runs that failed.
    pub fn failures(&self) -> impl Iterator<Item = &SweepRun> {
        self.runs.iter().filter(|run| run.failed.is_some())
    }

    /// The shell line that runs the command under this configuration.
    pub fn run_line(&self) -> String {
        if self.placement == PER_NODE {
            return self.lines_of_nodes();
        }
        let mut line = self.environment_words();
        if !self.words.is_empty() {
            line.extend(["nearfar", "run"].map(str::to_owned));
            line.extend(self.words.iter().cloned().chain(["--".to_owned()]));
        }
        line.extend_from_slice(&self.command);
        joined(&line)
    }

    fn lines_of_nodes(&self) -> String {
        let nodes: Vec<String> = self.nodes.iter().map(|node| node.to_string()).collect();
        format!(
            "for node in {}; do nearfar run -N $node -m $node -- {} & done; wait",
            nodes.join(" "),
            self.command_line()
        )
    }

    /// The same without the placement.
    pub fn command_line(&self) -> String {
        joined(&[self.environment_words(), self.command.clone()].concat())
    }

    fn environment_words(&self) -> Vec<String> {
        if self.environment.is_empty() {
            return Vec::new();
        }
        let variables = self.environment.iter().map(|(name, value)| format!("{name}={value}"));
        std::iter::once("env".to_owned()).chain(variables).collect()
    }
}

fn joined(words: &[String]) -> String {
    words.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
}
