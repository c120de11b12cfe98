//! Figures for Prometheus: counters of nodes, and what a kept survey found, in the text format
//! 0.0.4. Its readers are Prometheus and node_exporter's textfile collector.

mod exposition;
mod nodes;
mod survey;

use std::collections::BTreeMap;

use nearfar_machine::{MachineCounters, MemoryActivity, MemoryTraffic};
use nearfar_model::NodeId;
use nearfar_survey::Survey;

use exposition::{Exposition, Kind};

/// What is exported.
#[derive(Clone, Copy, Debug)]
pub struct Metrics<'m> {
    /// nearfar's version.
    pub version: &'m str,
    /// Counters of nodes.
    pub counters: &'m MachineCounters,
    /// Counters of the machine.
    pub activity: &'m MemoryActivity,
    /// Traffic of nodes; empty where it is not counted.
    pub traffic: &'m BTreeMap<NodeId, MemoryTraffic>,
    /// The newest kept survey of the machine.
    pub survey: Option<&'m Survey>,
}

/// All metrics. What is not counted or not measured is absent.
pub fn text(metrics: Metrics<'_>) -> String {
    let mut out = Exposition::default();
    let build = [(vec![("version", metrics.version.to_owned())], 1.0)];
    out.family("nearfar_build_info", Kind::Gauge, "Version of nearfar.", build);
    nodes::add(&mut out, metrics);
    if let Some(survey) = metrics.survey {
        survey::add(&mut out, survey);
    }
    out.into_text()
}

#[cfg(test)]
mod tests;
