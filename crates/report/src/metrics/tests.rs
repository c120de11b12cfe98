use nearfar_machine::Source;

use super::*;

fn machine() -> Source {
    let node = "/sys/devices/system/node/node1";
    Source::from_files([
        (format!("{node}/meminfo"), "Node 1 MemTotal: 8 kB\nNode 1 MemFree: 4 kB\n"),
        (format!("{node}/numastat"), "numa_hit 7\nnuma_miss 2\n"),
        (format!("{node}/hugepages/hugepages-2048kB/nr_hugepages"), "3"),
        (format!("{node}/hugepages/hugepages-2048kB/free_hugepages"), "1"),
        ("/proc/vmstat".to_owned(), "pgmigrate_success 5\nnuma_hint_faults 9\n"),
        ("/proc/self/numa_maps".to_owned(), "1000 default N0=1 kernelpagesize_kB=4\n"),
        ("/proc/pressure/memory".to_owned(), "some avg10=2.00 total=1\nfull avg10=0.00 total=1\n"),
    ])
}

fn exported(survey: Option<&Survey>) -> String {
    let source = machine();
    let traffic = MemoryTraffic { local: Some(6), total: None };
    text(Metrics {
        version: "0.1.0",
        counters: &MachineCounters::read(&source),
        activity: &MemoryActivity::read(&source),
        traffic: &[(NodeId(1), traffic)].into(),
        survey,
    })
}

#[test]
fn nodes_have_counters_and_sizes_in_bytes() {
    let text = exported(None);
    for line in [
        "nearfar_build_info{version=\"0.1.0\"} 1",
        "# TYPE nearfar_node_memory_free_bytes gauge",
        "nearfar_node_memory_free_bytes{node=\"1\"} 4096",
        "# TYPE nearfar_node_miss_pages_total counter",
        "nearfar_node_miss_pages_total{node=\"1\"} 2",
        "nearfar_node_huge_pages_free_bytes{node=\"1\",page_bytes=\"2097152\"} 2097152",
        "nearfar_node_local_traffic_bytes_total{node=\"1\"} 6",
        "nearfar_migrated_bytes_total 20480",
        "nearfar_memory_waiting_ratio{tasks=\"some\"} 0.02",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
    }
    for absent in ["nearfar_node_memory_used", "nearfar_balanced", "node_traffic", "survey"] {
        assert!(!text.contains(absent), "{absent} in\n{text}");
    }
}

#[test]
fn a_survey_has_figures_with_bounds_and_a_verdict() {
    let sketch = include_str!("../../../survey/src/sketch.json");
    let survey: Survey = serde_json::from_str(sketch).unwrap();
    let text = exported(Some(&survey));
    for start in [
        "nearfar_survey_info{started=",
        "nearfar_survey_latency_seconds{from=\"0\",to=\"1\"} 0.000000165",
        "nearfar_survey_latency_seconds_lower{from=\"0\",to=\"1\"} 0.000000163",
        "nearfar_survey_latency_seconds_upper{from=\"0\",to=\"1\"} 0.000000167",
        "nearfar_verdict{numa=\"yes\"} ",
        "nearfar_verdict{numa=\"undetermined\"} ",
    ] {
        assert!(text.lines().any(|line| line.starts_with(start)), "{start} in\n{text}");
    }
}

#[test]
fn families_stand_together_and_have_help() {
    let text = exported(None);
    let mut seen = std::collections::HashSet::new();
    let mut family = "";
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap();
            assert!(seen.insert(name) && help.ends_with('.'), "{line}");
            family = name;
        } else if !line.starts_with('#') {
            assert_eq!(line.split(['{', ' ']).next(), Some(family));
        }
    }
}

#[test]
fn the_dashboard_asks_for_metrics_that_exist() {
    let dashboard = include_str!("../../../../docs/grafana.json");
    let sources =
        [include_str!("nodes.rs"), include_str!("survey.rs"), include_str!("../metrics.rs")];
    let starts = dashboard.match_indices("nearfar_").map(|(at, _)| &dashboard[at..]);
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let names: Vec<&str> =
        starts.map(|rest| rest.split(|letter| !is_name(letter)).next().unwrap()).collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        // The ends of intervals have names that are made.
        let name = name.trim_end_matches("_lower").trim_end_matches("_upper");
        assert!(sources.iter().any(|source| source.contains(name)), "{name}");
    }
    assert!(serde_json::from_str::<serde_json::Value>(dashboard).is_ok());
}
