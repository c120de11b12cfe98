//! Hidden nodes: CPUs, memory, and the number of rounds.

mod design;
mod memory_budget;
mod search_run;

use std::rc::Rc;
use std::time::Duration;

use nearfar_machine::{Source, Topology, memory_limits};
use nearfar_model::{Bytes, CpuSet, DistanceMatrix, Instrument, NodeId, NodeSet};
use nearfar_probe::hidden::HUGE_PAGE;
use nearfar_probe::{Layout, LayoutRequest, ProbeSpec, RowKind};

use crate::measure::run::seed_of_turn;
use crate::measure::{
    Effort, Experiment, ExperimentRun, MeasureError, NewExperiment, RunSummary, Scope, Session,
    Settings, Turn,
};
use crate::{FirstLook, Hidden, Instruments, Mode};
use design::Pace;
use memory_budget::{MemoryBudget, SHARE};
use search_run::{SearchArea, SearchRun};

/// Settings of the search for hidden nodes.
#[derive(Clone, Copy, Debug, Default)]
pub struct HiddenSettings {
    /// The fraction of free memory to hold. By default a quarter, and more if that is inconclusive.
    pub share: Option<f64>,
}

impl Settings for HiddenSettings {
    fn experiment(self, session: &Session, scope: &Scope) -> NewExperiment {
        let mut layout = Layout::new(&session.topology, &scope.wanted, &ProbeSpec::page())?;
        let one = within(&session.topology, &layout, scope.wanted.rows);
        // Nodes that the user selects are searched together.
        if let Some(wanted) = one.filter(|_| scope.wanted.nodes.is_none()) {
            layout = Layout::new(&session.topology, &wanted, &ProbeSpec::page())?;
        }
        let budget = MemoryBudget::new(&session.topology, &layout, memory_limits(&session.source));
        let options = scope.options(HUGE_PAGE, ProbeSpec::page().accesses);
        Ok(Box::new(HiddenNodes {
            mode: scope.mode,
            run: ExperimentRun::new(Instrument::Hidden, options, session.seed),
            area: SearchArea {
                layout,
                budget,
                online: session.topology.online(),
                memory: match &session.witnesses.memory_map {
                    Some(map) => map.ram_ranges(),
                    None => Vec::new(),
                },
                share: self.share.unwrap_or(SHARE),
            },
            source: session.source.clone(),
            may_hold_more: self.share.is_none(),
            search_run: None,
            first_look: None,
            replaced: RunSummary::default(),
            assessment: Assessment::default(),
        }))
    }
}

/// The limit on further turns of one process each.
const MAX_TURNS: u32 = 12;
/// Fewer processes show nothing.
const MIN_PROCESSES: u32 = 2;

/// Hidden nodes of one machine.
struct HiddenNodes {
    mode: Mode,
    /// The options; the searches have the results.
    run: ExperimentRun,
    area: SearchArea,
    source: Rc<Source>,
    /// Whether the user left open how much may be held.
    may_hold_more: bool,
    search_run: Option<SearchRun>,
    /// The result of a search in less memory, if a second one replaced it.
    first_look: Option<FirstLook>,
    /// The sums of the search that is not in the document.
    replaced: RunSummary,
    /// The assessment after its last turn.
    assessment: Assessment,
}

/// The precision of a result, and what may improve it.
#[derive(Debug, Default)]
struct Assessment {
    worst: Option<f64>,
    kinds: usize,
    needs_processes: bool,
    /// Memory to search once more, and what the document then keeps of this search.
    needs_memory: Option<(SearchArea, FirstLook)>,
}

impl HiddenNodes {
    /// The mode of the first turn.
    fn mode_of(&self, effort: Effort) -> Mode {
        match effort {
            Effort::Minimal => Mode::Quick,
            Effort::Full => self.mode,
        }
    }

    fn assess(&mut self) -> Result<(), MeasureError> {
        let Some(search_run) = &self.search_run else { return Ok(()) };
        let hidden = Hidden::from_run(&search_run.recorded(None), self.run.seed)?;
        let errors: Option<Vec<f64>> = hidden.matrix.cells.iter().map(|cell| cell.se).collect();
        let first = hidden.asks_for_more_memory().filter(|_| self.may_hold_more);
        let larger = first.map(|first| -> Result<_, MeasureError> {
            let area = self.area.with_more_memory(&self.source, Bytes(first.held_bytes))?;
            Ok(area.map(|area| (area, first)))
        });
        self.assessment = Assessment {
            worst: errors.and_then(|errors| errors.into_iter().reduce(f64::max)),
            kinds: hidden.pages.kinds.len(),
            needs_processes: hidden.asks_for_more_processes(),
            needs_memory: larger.transpose()?.flatten(),
        };
        Ok(())
    }

    /// Searches more memory, if that may resolve an inconclusive first search or show more nodes.
    /// The document then has this search instead of the first, unless it shows fewer.
    fn repeat_search(
        &mut self,
        turn: &mut Turn<'_>,
        mode: Mode,
        seed: u64,
    ) -> Result<(), MeasureError> {
        let Some((area, first)) = self.assessment.needs_memory.take() else { return Ok(()) };
        self.may_hold_more = false;
        let second = area.search(turn, mode, seed)?;
        let kinds = Hidden::from_run(&second.recorded(None), self.run.seed)?.pages.kinds.len();
        if !second.has_figures_of(MIN_PROCESSES) || kinds < self.assessment.kinds {
            self.replaced = RunSummary::from_outcomes(&second.outcome);
            return Ok(());
        }
        self.replaced = self.done();
        (self.search_run, self.first_look, self.area) = (Some(second), Some(first), area);
        self.assess()
    }
}

impl Experiment for HiddenNodes {
    fn run(&self) -> &ExperimentRun {
        &self.run
    }

    fn expected(&self, effort: Effort) -> Duration {
        let mode = self.mode_of(effort);
        self.area.expected_time(mode, Pace::usual(mode).processes())
    }

    fn begin(&mut self, turn: &mut Turn<'_>, effort: Effort) -> Result<(), MeasureError> {
        let mode = self.mode_of(effort);
        self.search_run = Some(self.area.search(turn, mode, self.run.seed)?);
        self.assess()?;
        match effort {
            Effort::Full => self.repeat_search(turn, mode, seed_of_turn(self.run.seed, 0)),
            // The budget decides whether there is time for a second search.
            Effort::Minimal => Ok(()),
        }
    }

    fn next_turn_cost(&self) -> Option<Duration> {
        if let Some((area, _)) = &self.assessment.needs_memory {
            return Some(area.expected_time(Mode::Quick, Pace::usual(Mode::Quick).processes()));
        }
        let search_run = self.search_run.as_ref().filter(|search_run| {
            search_run.has_figures_of(1) && self.run.refinements < MAX_TURNS
        })?;
        Some(search_run.process(self.mode))
    }

    fn refine(&mut self, turn: &mut Turn<'_>) -> Result<(), MeasureError> {
        let (_, seed) = self.run.refine();
        if self.assessment.needs_memory.is_some() {
            return self.repeat_search(turn, Mode::Quick, seed);
        }
        self.search_run.as_mut().map_or(Ok(()), |search_run| search_run.visit(turn, 1, seed))?;
        self.assess()
    }

    fn worst_error(&self) -> Option<f64> {
        self.assessment.worst
    }

    fn is_searching(&self) -> bool {
        self.assessment.needs_processes || self.assessment.needs_memory.is_some()
    }

    fn done(&self) -> RunSummary {
        let last = self.search_run.as_ref().map_or_else(RunSummary::default, |search_run| {
            RunSummary::from_outcomes(&search_run.outcome)
        });
        RunSummary {
            rounds: last.rounds + self.replaced.rounds,
            processes: last.processes + self.replaced.processes,
            ..last
        }
    }

    fn record_into<'e>(&'e self, document: &mut Instruments<'e>) {
        if let Some(search_run) = &self.search_run {
            let run = search_run.recorded(self.first_look.as_ref());
            document.add(Instrument::Hidden, search_run.outcome.as_ref()).hidden =
                Some(Hidden::new(&run));
        }
    }
}

/// Whether the system shows one memory, or several at equal reported distances: only there does a
/// plain survey search for hidden nodes.
pub(crate) fn shows_one_memory(topology: &Topology) -> bool {
    let nodes: Vec<NodeId> =
        topology.nodes.iter().filter(|node| node.has_memory()).map(|node| node.id).collect();
    is_one(topology, &nodes)
}

fn is_one(topology: &Topology, nodes: &[NodeId]) -> bool {
    nodes.len() <= 1
        || topology.distances.as_ref().is_some_and(|claimed| are_equally_far(claimed, nodes))
}

fn are_equally_far(claimed: &DistanceMatrix, nodes: &[NodeId]) -> bool {
    let mut far =
        nodes.iter().flat_map(|&from| nodes.iter().map(move |&to| claimed.between(from, to)));
    let first = far.next().flatten();
    far.all(|distance| distance == first)
}

/// If the system shows different memories, their pages differ without any hidden node. Then the
/// largest is searched, from its own CPUs. `None` if everything laid out is one memory, or if no
/// node has both CPUs and memory.
fn within(topology: &Topology, layout: &Layout, rows: RowKind) -> Option<LayoutRequest> {
    let mut nodes: Vec<NodeId> = layout
        .measurable_columns()
        .filter_map(|column| layout.columns[column].memory.node)
        .collect();
    nodes.dedup();
    if is_one(topology, &nodes) {
        return None;
    }
    let usable = layout.rows.iter().fold(CpuSet::new(), |all, row| all.union(&row.cpus));
    let own = nodes.into_iter().filter_map(|id| {
        let node = topology.node(id)?;
        let cpus = node.cpus.intersection(&usable);
        Some((node.memory?.total, id, cpus)).filter(|(.., cpus)| !cpus.is_empty())
    });
    let (_, node, cpus) =
        own.reduce(|largest, other| if other.0 > largest.0 { other } else { largest })?;
    Some(LayoutRequest { rows, cpus: Some(cpus), nodes: Some(NodeSet::from_id(node)) })
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;
    use nearfar_probe::ProbeSpec;

    use super::*;

    /// Three nodes: 64, 128 and 256 MiB, the last without CPUs, at these distances.
    fn machine(distances: [&str; 3]) -> Topology {
        let mut files = vec![
            ("/sys/devices/system/cpu/online".to_owned(), "0-3".to_owned()),
            ("/sys/devices/system/cpu/present".to_owned(), "0-3".to_owned()),
            ("/sys/devices/system/node/online".to_owned(), "0-2".to_owned()),
        ];
        for (node, (cpus, distances)) in ["0-1", "2-3", ""].into_iter().zip(distances).enumerate() {
            let folder = format!("/sys/devices/system/node/node{node}");
            let kib = 65_536 << node;
            let memory = format!("Node {node} MemTotal: {kib} kB\nNode {node} MemFree: {kib} kB\n");
            files.push((format!("{folder}/cpulist"), cpus.to_owned()));
            files.push((format!("{folder}/meminfo"), memory));
            files.push((format!("{folder}/distance"), distances.to_owned()));
        }
        Topology::read(&Source::from_files(files)).unwrap()
    }

    fn wanted_within(topology: &Topology, wanted: &LayoutRequest) -> Option<(String, String)> {
        let layout = Layout::new(topology, wanted, &ProbeSpec::page()).unwrap();
        let within = within(topology, &layout, RowKind::Auto)?;
        Some((within.cpus.unwrap().to_string(), within.nodes.unwrap().to_string()))
    }

    #[test]
    fn among_different_nodes_the_largest_is_searched() {
        let apart = machine(["10 21 31", "21 10 31", "31 31 10"]);
        assert!(!shows_one_memory(&apart));
        assert_eq!(
            wanted_within(&apart, &LayoutRequest::default()),
            Some(("2-3".to_owned(), "1".to_owned()))
        );
        let some =
            LayoutRequest { cpus: CpuSet::parse_list("0,1").ok(), ..LayoutRequest::default() };
        assert_eq!(wanted_within(&apart, &some), Some(("0-1".to_owned(), "0".to_owned())));
    }

    #[test]
    fn equally_distant_nodes_are_one_memory() {
        let alike = machine(["10 10 10"; 3]);
        assert!(shows_one_memory(&alike));
        assert_eq!(wanted_within(&alike, &LayoutRequest::default()), None);
        let one =
            LayoutRequest { nodes: Some(NodeSet::from_id(NodeId(0))), ..LayoutRequest::default() };
        assert_eq!(wanted_within(&machine(["10 21 31", "21 10 31", "31 31 10"]), &one), None);
    }
}
