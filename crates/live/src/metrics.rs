//! Figures of nodes and of the machine for Prometheus, as they are declared in `columns`.

use nearfar_view::text::exposition::{Exposition, Kind, Labels};

use crate::columns::add_metrics;
use crate::columns::machine::MachineRates;
use crate::columns::nodes::NodeRow;
pub use crate::columns::targets::add_targets;
use crate::reading::{MachineReading, NodeReading};

/// Adds the metrics. What is not counted is absent.
pub fn add(out: &mut Exposition, reading: &MachineReading) {
    let label = |node: &NodeReading| vec![("node", node.counters.node.to_string())];
    let nodes: Vec<(Labels, &NodeReading)> =
        reading.nodes.iter().map(|node| (label(node), node)).collect();
    add_metrics::<NodeRow>(out, &nodes);
    add_metrics::<MachineRates>(out, &[(Labels::new(), reading)]);
    let of_gpu = |node: &NodeReading| {
        let gpu = ("gpu", node.counters.gpu?.to_string());
        Some((label(node).into_iter().chain([gpu]).collect(), 1.0))
    };
    let help = "Memory of a GPU.";
    let gpus = reading.nodes.iter().filter_map(of_gpu);
    out.family("nearfar_node_gpu_info", Kind::Gauge, help, gpus);
}

#[cfg(test)]
mod tests {
    use nearfar_machine::Source;
    use nearfar_machine::pmu::{DramTraffic, Fills, LatencySum, SampledLatency};
    use nearfar_machine::process::NodeSummaries;
    use nearfar_model::Bytes;

    use super::*;
    use crate::NodeReader;

    fn exported() -> String {
        let node = "/sys/devices/system/node/node1";
        let source = Source::from_files([
            (format!("{node}/meminfo"), "Node 1 MemTotal: 20 kB\nNode 1 MemFree: 4 kB\n"),
            (
                "/proc/zoneinfo".to_owned(),
                "Node 1, zone Normal\n nr_inactive_file 2\n pages free 1\n managed 5\n",
            ),
            (format!("{node}/numastat"), "numa_hit 7\nnuma_miss 2\n"),
            (format!("{node}/hugepages/hugepages-2048kB/nr_hugepages"), "3"),
            (format!("{node}/hugepages/hugepages-2048kB/free_hugepages"), "1"),
            ("/proc/vmstat".to_owned(), "pgmigrate_success 5\nnuma_hint_faults 9\n"),
            ("/proc/self/numa_maps".to_owned(), "1000 default N0=1 kernelpagesize_kB=4\n"),
            (
                "/proc/pressure/memory".to_owned(),
                "some avg10=2.00 total=1\nfull avg10=0.00 total=1\n",
            ),
        ]);
        let mut reading = NodeReader::new(&source, &NodeSummaries::default()).read(&source, 0.0);
        let node = &mut reading.nodes[0];
        node.traffic.local = Some(6);
        node.fills = Some(Fills { local: 3, remote: 1, ..Fills::default() });
        node.dram = Some(DramTraffic { read: Bytes(640), written: Bytes(64) });
        let far = LatencySum { ns: 440, requests: 2 };
        node.latency = Some(SampledLatency { far, ..SampledLatency::default() });
        let mut out = Exposition::default();
        add(&mut out, &reading);
        out.into_text()
    }

    #[test]
    fn nodes_have_counters_and_sizes_in_bytes() {
        let text = exported();
        for line in [
            "# HELP nearfar_node_memory_free_bytes Free memory of the node (MemFree).",
            "# TYPE nearfar_node_memory_free_bytes gauge",
            "nearfar_node_memory_free_bytes{node=\"1\"} 4096",
            "nearfar_node_memory_available_bytes{node=\"1\"} 12288",
            "# TYPE nearfar_node_miss_pages_total counter",
            "nearfar_node_miss_pages_total{node=\"1\"} 2",
            "nearfar_node_huge_pages_free_bytes{node=\"1\",page_bytes=\"2097152\"} 2097152",
            "nearfar_node_local_traffic_bytes_total{node=\"1\"} 6",
            "nearfar_node_remote_fills_total{node=\"1\"} 1",
            "nearfar_node_dram_read_bytes_total{node=\"1\"} 640",
            "nearfar_node_far_memory_latency_seconds_sum{node=\"1\"} 0.00000044",
            "nearfar_node_far_memory_latency_seconds_count{node=\"1\"} 2",
            "nearfar_migrated_bytes_total 20480",
            "nearfar_memory_wait_some_ratio 0.02",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
        for absent in ["nearfar_node_memory_used", "nearfar_balanced", "node_traffic"] {
            assert!(!text.contains(absent), "{absent} in\n{text}");
        }
    }

    #[test]
    fn a_node_of_a_gpu_is_named_and_has_nothing_available() {
        let node = "/sys/devices/system/node/node1";
        let gpu = "/proc/driver/nvidia/gpus/0009:01:00.0/numa_status";
        let zones = "Node 1, zone Movable\n pages free 1\n managed 5\n";
        let source = Source::from_files([
            (format!("{node}/meminfo"), "Node 1 MemTotal: 20 kB\nNode 1 MemFree: 4 kB\n"),
            ("/proc/zoneinfo".to_owned(), zones),
            (gpu.to_owned(), "Node:      1\nStatus:    online\n"),
        ]);
        let nodes = NodeSummaries::default();
        let reading = NodeReader::new(&source, &nodes).read(&source, 0.0);
        let mut out = Exposition::default();
        add(&mut out, &reading);
        let text = out.into_text();
        let line = "nearfar_node_gpu_info{node=\"1\",gpu=\"0009:01:00.0\"} 1\n";
        assert!(text.contains(line) && !text.contains("memory_available"), "{text}");
        let mut table = crate::NodeTable::new(&nodes);
        table.read(reading);
        assert_eq!(table.rows()[0].gpu.as_deref(), Some("0009:01:00.0"));
    }

    #[test]
    fn families_stand_together_and_have_help() {
        let text = exported();
        let mut seen = std::collections::HashSet::new();
        let mut family = "";
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').unwrap();
                assert!(seen.insert(name) && help.ends_with('.'), "{line}");
                family = name;
            } else if !line.starts_with('#') {
                let name = line.split(['{', ' ']).next().unwrap();
                assert_eq!(name.trim_end_matches("_sum").trim_end_matches("_count"), family);
            }
        }
    }
}
