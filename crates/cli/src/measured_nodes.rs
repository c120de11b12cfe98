//! The nearest nodes of devices, by the newest kept measurement of this machine.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use nearfar_devices::MeasuredNode;
use nearfar_infer::NearestVerdict;
use nearfar_machine::{PciAddress, Source, Topology};
use nearfar_model::NodeId;
use nearfar_survey::{Store, Survey};

/// The names of kept measurements of GPUs begin so: others need not be read.
pub(crate) const GPU_PREFIX: &str = "gpu-";

/// The nearest nodes of this machine's GPUs; empty without a measurement of these nodes.
pub(crate) fn measured_nodes(source: &Source) -> Vec<MeasuredNode> {
    let Some((path, survey)) = newest() else { return Vec::new() };
    // Other nodes, as after a change of NPS or SNC: the measurement was of another machine.
    let nodes = Topology::read(source).map(|topology| topology.online_nodes());
    let measured = survey.devices.as_ref().map(|devices| &devices.nodes);
    if nodes.as_ref().ok() != measured {
        return Vec::new();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let verdicts = survey.gpu.iter().flat_map(|gpu| &gpu.verdicts);
    let decided = verdicts.filter(|verdict| verdict.nearest.verdict == NearestVerdict::Nearest);
    let node = |verdict: &nearfar_survey::GpuNearest| {
        Some(MeasuredNode {
            address: PciAddress::parse(verdict.address.as_deref()?).ok()?,
            nodes: verdict.nearest.nodes.iter().map(|&node| NodeId(node)).collect(),
            source: format!("{name}, {}", survey.provenance.started),
        })
    };
    decided.filter_map(node).collect()
}

/// The newest one that can be read. A damaged one is none: nothing else depends on it.
fn newest() -> Option<(PathBuf, Survey)> {
    let store = Store::of_user().ok()?;
    let entries = fs::read_dir(store.folder()).ok()?.flatten();
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(GPU_PREFIX))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort();
    files.into_iter().rev().find_map(|(_, path)| {
        let survey = nearfar_survey::read_entry(&path).ok()?;
        Some((path, survey))
    })
}
