//! What memory costs on this machine, by the newest kept survey.

use nearfar_live::explain::{AccessCosts, SurveyUsed};
use nearfar_machine::Topology;
use nearfar_machine::process::NodeSummaries;
use nearfar_model::NodeId;
use nearfar_survey::{Store, Survey};

/// What is known of memory here.
pub(super) struct KnownCosts {
    /// Latencies between nodes.
    pub(super) costs: AccessCosts,
    /// The survey that has them.
    pub(super) survey: SurveyUsed,
    /// The machine's short name.
    pub(super) machine: String,
}

/// `None` without a survey of this machine.
pub(super) fn find(topology: &Topology, nodes: &NodeSummaries) -> Option<KnownCosts> {
    let ids: Vec<NodeId> = nodes.nodes.iter().map(|node| node.id).collect();
    let of = |survey: &Survey| {
        let pairs = ids.iter().flat_map(|cpus| ids.iter().map(move |memory| (*cpus, *memory)));
        AccessCosts::new(pairs.filter_map(|(cpus, memory)| {
            let latency = survey.node_latency(cpus, memory)?;
            Some(((cpus, memory), latency.median, latency.ci95))
        }))
    };
    let (path, survey) = Store::newest_of(topology, |survey| of(survey).cover(nodes))?;
    let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    let used = SurveyUsed { file, started: survey.provenance.started.clone() };
    let machine = survey.machine.short_name();
    Some(KnownCosts { costs: of(&survey), survey: used, machine })
}
