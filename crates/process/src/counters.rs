//! Counters and processes' memory by node, as one document: what numastat shows.
//!
//! Sizes are in bytes and events in pages, as the kernel counts them. Nothing is rounded here.

use nearfar_machine::{
    CounterValues, HugePool, MachineCounters, MachineError, NodeCounters, PciAddress, Source,
};
use nearfar_model::{Bytes, NodeId};
use serde::Serialize;

use crate::numastat::ProcessUse;

/// The document's name and number.
pub const COUNTERS_SCHEMA: &str = "nearfar.numastat/1";

/// The counters of a machine, and the memory of selected processes.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Counters {
    /// [`COUNTERS_SCHEMA`].
    pub schema: &'static str,
    /// The base page size: the unit of allocations and events.
    pub page_size_bytes: Option<Bytes>,
    /// The huge page size that meminfo counts; `None` if the kernel has none.
    pub default_huge_page_bytes: Option<Bytes>,
    /// Why a field above is absent.
    pub why: Option<String>,
    /// Always null: allocations and events are counted since boot.
    pub duration_s: Option<f64>,
    /// The online nodes, ascending.
    pub nodes: Vec<NodeFigures>,
    /// The selected processes, ascending.
    pub processes: Vec<ProcessUse>,
}

/// The counters of one node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct NodeFigures {
    /// The node.
    pub node: NodeId,
    /// Allocations by intended and actual node: `numa_hit`, `numa_miss` and so on.
    pub allocations_pages: Option<CounterValues>,
    /// Memory use, with meminfo's names; `HugePages_*` are of the default size.
    pub memory_bytes: Option<CounterValues>,
    /// Pages promoted to and demoted from this node, if the kernel counts them (since Linux 6.1).
    pub migrations_pages: Option<CounterValues>,
    /// Pools of huge pages of all sizes, in pages of each size.
    pub huge_pages: Vec<HugePool>,
    /// Why a field above is absent.
    pub why: Option<String>,
    /// The GPU whose memory it is.
    pub gpu: Option<PciAddress>,
}

impl Counters {
    /// Reads the counters of all nodes, since boot, without processes.
    pub fn read(source: &Source) -> Result<Self, MachineError> {
        let MachineCounters { page_sizes, nodes } = MachineCounters::read(source);
        if nodes.is_empty() {
            return Err(MachineError::NoNodes { origin: source.origin().to_owned() });
        }
        let absent = [
            (
                page_sizes.base.is_none(),
                "neither numa_maps nor the size of transparent huge pages shows the base page size",
            ),
            (page_sizes.default_huge.is_none(), "meminfo has no huge page size"),
        ];
        Ok(Self {
            schema: COUNTERS_SCHEMA,
            page_size_bytes: page_sizes.base,
            default_huge_page_bytes: page_sizes.default_huge,
            why: why(&absent),
            duration_s: None,
            nodes: nodes.into_iter().map(NodeFigures::from_counters).collect(),
            processes: Vec::new(),
        })
    }
}

impl NodeFigures {
    fn from_counters(counters: NodeCounters) -> Self {
        let NodeCounters { node, allocations, memory, events, pools, gpu, .. } = counters;
        let migrations =
            events.as_ref().map(migrations).filter(|figures| figures.iter().next().is_some());
        let absent = [
            (allocations.is_none(), "its numastat cannot be read"),
            (memory.is_none(), "its meminfo cannot be read"),
            (events.is_none(), "its vmstat cannot be read"),
            (
                events.is_some() && migrations.is_none(),
                "this kernel does not count promotions by node",
            ),
        ];
        Self {
            node,
            allocations_pages: allocations,
            memory_bytes: memory,
            migrations_pages: migrations,
            huge_pages: pools,
            why: why(&absent),
            gpu,
        }
    }
}

/// The reasons for absent fields, in a line.
fn why(absent: &[(bool, &str)]) -> Option<String> {
    let reasons: Vec<&str> =
        absent.iter().filter(|(absent, _)| *absent).map(|(_, why)| *why).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

fn migrations(events: &CounterValues) -> CounterValues {
    let moved = |name: &str| name.starts_with("pgpromote") || name.starts_with("pgdemote");
    events.iter().filter(|(name, _)| moved(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hits: u64, promoted: u64) -> Counters {
        let node = "/sys/devices/system/node/node3";
        let source = Source::from_files([
            (format!("{node}/numastat"), format!("numa_hit {hits}\n")),
            (format!("{node}/vmstat"), format!("nr_free_pages 5\npgpromote_success {promoted}\n")),
        ]);
        Counters::read(&source).unwrap()
    }

    #[test]
    fn the_document_gives_reasons_for_absent_fields() {
        let json = serde_json::to_value(at(5, 1)).unwrap();
        assert_eq!(json["schema"], "nearfar.numastat/1");
        assert_eq!(json["page_size_bytes"], serde_json::Value::Null);
        assert!(json["why"].as_str().unwrap().contains("numa_maps"));
        assert_eq!(json["nodes"][0]["node"], 3);
        assert_eq!(json["nodes"][0]["allocations_pages"]["numa_hit"], 5);
        assert_eq!(
            json["nodes"][0]["migrations_pages"],
            serde_json::json!({ "pgpromote_success": 1 })
        );
        assert_eq!(json["nodes"][0]["why"], "its meminfo cannot be read");
    }

    #[test]
    fn a_machine_without_nodes_is_an_error() {
        let error = Counters::read(&Source::from_files([("/sys/x", "")])).unwrap_err().to_string();
        assert!(error.contains("not NUMA aware"), "{error}");
    }
}
