//! Latencies of nodes, by the newest kept survey of this machine.

use nearfar_live::NodeLatencies;
use nearfar_machine::Topology;
use nearfar_machine::process::NodeSummaries;
use nearfar_model::NodeId;
use nearfar_survey::{Store, Survey};

/// `None` without a survey that has them.
pub(super) fn newest(topology: &Topology, nodes: &NodeSummaries) -> Option<NodeLatencies> {
    let of = |survey: &Survey| {
        let ids: Vec<NodeId> = nodes.ids().iter().collect();
        let pairs = ids.iter().flat_map(|cpus| ids.iter().map(move |memory| (*cpus, *memory)));
        let known = pairs.filter_map(|(cpus, memory)| {
            Some(((cpus, memory), survey.node_latency(cpus, memory)?.median))
        });
        NodeLatencies::new(survey.provenance.started.clone(), known)
    };
    let (_, survey) = Store::newest_of(topology, |survey| of(survey).is_some())?;
    of(&survey)
}
