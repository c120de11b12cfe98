//! What memory of each node costs the CPUs of each node: from a survey.

use std::collections::BTreeMap;

use nearfar_model::NodeId;

use crate::document::SurveyBasis;

/// Latencies from CPUs of a node to memory of a node, and the survey that measured them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NodeLatencies {
    started: String,
    ns: BTreeMap<(NodeId, NodeId), f64>,
}

impl NodeLatencies {
    /// `started` is the survey's time; latencies are of (node of the CPUs, node of the memory).
    /// `None` if no latency is local, or none is remote.
    pub fn new(
        started: String,
        latencies: impl IntoIterator<Item = ((NodeId, NodeId), f64)>,
    ) -> Option<Self> {
        let is_sound = |one: &((NodeId, NodeId), f64)| one.1.is_finite() && one.1 > 0.0;
        let all = Self { started, ns: latencies.into_iter().filter(is_sound).collect() };
        all.largest_ratio().map(|_| all)
    }

    /// Remote over local latency.
    pub(crate) fn ratio(&self, cpus: NodeId, memory: NodeId) -> Option<f64> {
        Some(self.ns.get(&(cpus, memory))? / self.ns.get(&(cpus, cpus))?)
    }

    fn largest_ratio(&self) -> Option<f64> {
        let remote = self.ns.keys().filter(|(cpus, memory)| cpus != memory);
        remote.filter_map(|&(cpus, memory)| self.ratio(cpus, memory)).reduce(f64::max)
    }

    /// Which survey it is.
    pub fn basis(&self) -> Option<SurveyBasis> {
        let remote_ratio = self.largest_ratio()?;
        Some(SurveyBasis { started: self.started.clone(), remote_ratio })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_ratio_is_the_basis() {
        let at = |cpus, memory, ns| ((NodeId(cpus), NodeId(memory)), ns);
        let cells = [at(0, 0, 100.0), at(0, 1, 180.0), at(1, 1, 110.0), at(1, 0, f64::NAN)];
        let all = NodeLatencies::new("2026-11-20".to_owned(), cells).unwrap();
        assert_eq!(all.basis().unwrap().remote_ratio, 1.8);
        assert_eq!(all.ratio(NodeId(1), NodeId(0)), None);
        assert_eq!(NodeLatencies::new(String::new(), [at(0, 0, 100.0)]), None);
    }
}
