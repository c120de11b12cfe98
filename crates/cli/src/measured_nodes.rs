//! The nearest nodes of devices, by the newest kept measurement of this machine.

use nearfar_devices::MeasuredNode;
use nearfar_infer::NearestVerdict;
use nearfar_machine::{PciAddress, Source, Topology};
use nearfar_model::NodeId;
use nearfar_survey::{Store, Survey};

/// The names of kept measurements of GPUs begin so: others need not be read.
pub(crate) const GPU_PREFIX: &str = "gpu-";

/// The nearest nodes of this machine's GPUs; empty without a measurement of these nodes.
pub(crate) fn measured_nodes(source: &Source) -> Vec<MeasuredNode> {
    // A measurement of other nodes, as before a change of NPS or SNC, is of another machine.
    let is_of = |survey: &Survey| {
        let devices = survey.devices.as_ref();
        let nodes = Topology::read(source).map(|topology| topology.online_nodes());
        nodes.is_ok_and(|nodes| devices.is_some_and(|devices| devices.nodes == nodes))
    };
    let newest = Store::from_user().and_then(|store| store.newest(GPU_PREFIX, is_of));
    let Ok(Some((path, survey))) = newest else { return Vec::new() };
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
