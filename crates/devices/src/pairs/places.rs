//! Where `nvidia-smi` has GPUs, against sysfs.

use nearfar_model::{CpuSet, NodeSet};

use crate::context::DeviceContext;
use crate::document::{Device, DeviceFinding, SmiColumn};
use crate::smi_matrix::{SmiMatrix, SmiPlace};

/// Columns that differ from sysfs. What `nvidia-smi` does not name (N/A) contradicts nothing.
pub(super) fn differing(
    smi: &SmiMatrix,
    devices: &[&Device],
    context: &DeviceContext<'_>,
) -> Vec<DeviceFinding> {
    let mut findings = Vec::new();
    for (row, by_smi) in smi.rows.iter().zip(&smi.places) {
        let Some(device) = smi.place(row, devices).map(|place| devices[place]) else { continue };
        let columns = [
            (SmiColumn::CpuAffinity, cpus(by_smi, device, context)),
            (SmiColumn::NumaAffinity, nodes(by_smi, device, context)),
            (SmiColumn::GpuNumaId, memory(by_smi, context)),
        ];
        findings.extend(columns.into_iter().filter_map(|(column, difference)| {
            let (by_witness, by_sysfs) = difference?;
            let device = device.label.clone();
            Some(DeviceFinding::SmiPlaceDiffers { device, column, by_witness, by_sysfs })
        }));
    }
    findings
}

/// What each of the two has.
type Difference = (String, Option<String>);

fn cpus(by_smi: &SmiPlace, device: &Device, context: &DeviceContext<'_>) -> Option<Difference> {
    let by_smi = by_smi.cpus.as_ref()?;
    // Without CPUs at the node, it has those of another one.
    let cpus = context.cpus(device.node.sysfs_node()?);
    // Lists of drivers may have CPUs that are offline.
    let online: CpuSet = context.nodes().flat_map(|node| node.cpus.iter()).collect();
    let differ = !cpus.is_empty() && by_smi.intersection(&online) != cpus;
    differ.then(|| (by_smi.to_string(), Some(cpus.to_string())))
}

fn nodes(by_smi: &SmiPlace, device: &Device, context: &DeviceContext<'_>) -> Option<Difference> {
    let by_smi = by_smi.nodes.as_ref()?;
    let Some(node) = device.node.sysfs_node() else {
        // All nodes are no claim.
        let differ = by_smi.len() == 1 && context.nodes().count() > 1;
        return differ.then(|| (by_smi.to_string(), None));
    };
    let differ = !context.cpus(node).is_empty() && *by_smi != NodeSet::from_iter([node]);
    differ.then(|| (by_smi.to_string(), Some(node.to_string())))
}

/// Memory of a GPU is a node without CPUs.
fn memory(by_smi: &SmiPlace, context: &DeviceContext<'_>) -> Option<Difference> {
    let by_smi = by_smi.memory?;
    context.topology?;
    let without_cpus = context.nodes().filter(|node| node.cpus.is_empty()).map(|node| node.id);
    let without_cpus: NodeSet = without_cpus.collect();
    let by_sysfs = (!without_cpus.is_empty()).then(|| without_cpus.to_string());
    (!without_cpus.contains(by_smi)).then(|| (by_smi.to_string(), by_sysfs))
}
