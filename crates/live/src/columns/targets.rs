//! The metrics of services.

use nearfar_machine::Source;
use nearfar_model::NodeId;
use nearfar_view::text::exposition::{Exposition, Kind, Labels};

use crate::targets::{TargetReader, TargetReading};

/// Reads services that are due, and adds their metrics.
pub fn add_targets(out: &mut Exposition, reader: &mut TargetReader, source: &Source) {
    let readings = reader.read(source);
    let label = |word: &str| vec![("target", word.to_owned())];
    let known = || readings.iter().filter_map(|(word, age, it)| Some((label(word), *age, (*it)?)));
    let mut single = |name: &str, help: &str, value: fn(f64, &TargetReading) -> Option<f64>| {
        let samples = known().filter_map(|(labels, age, it)| Some((labels, value(age, it)?)));
        out.family(&format!("nearfar_target_{name}"), Kind::Gauge, help, samples);
    };
    let help = "Processes of the service; 0 while it does not run.";
    single("processes", help, |_, it| Some(it.processes as f64));
    let help = "Processes of the service that cannot be read: its other figures lack them.";
    single("unreadable_processes", help, |_, it| Some(it.unreadable as f64));
    let help = "Share of the service's memory that is on other nodes than its threads.";
    single("remote_ratio", help, |_, it| it.remote_share);
    let help = "Age of the service's figures: they are read the less often, the more that costs.";
    single("age_seconds", help, |age, _| Some(age));
    let mut by_node = |name: &str, help: &str, values: fn(&TargetReading) -> Vec<(NodeId, f64)>| {
        let samples = known().flat_map(|(labels, _, it)| {
            let with_node = move |(node, value): (NodeId, f64)| {
                let node = ("node", node.to_string());
                (labels.iter().cloned().chain([node]).collect(), value)
            };
            values(it).into_iter().map(with_node).collect::<Vec<(Labels, f64)>>()
        });
        out.family(&format!("nearfar_target_{name}"), Kind::Gauge, help, samples);
    };
    let help = "Memory of the service on the node, each page once; what fork shares in part only.";
    by_node("memory_bytes", help, |it| {
        it.memory.iter().map(|(node, bytes)| (*node, bytes.0 as f64)).collect()
    });
    let help = "Threads of the service on CPUs of the node.";
    by_node("threads", help, |it| {
        it.threads.iter().map(|(node, threads)| (*node, *threads as f64)).collect()
    });
}
