//! Levels of all pairs, and second witnesses of them.

mod places;

use std::collections::BTreeMap;

use nearfar_machine::inventory::KfdNode;
use nearfar_machine::pci::PciPath;
use nearfar_machine::{DeviceKind, Inventory, PciAddress};

use crate::context::DeviceContext;
use crate::document::{Device, DeviceFinding, LevelMatrix};
use crate::level::Level;
use crate::smi_matrix::{SmiMatrix, shown_gpus};

/// The matrix of the labelled devices, and the pairs for which a witness has another level.
pub(crate) fn matrix(
    inventory: &Inventory,
    context: &DeviceContext<'_>,
    devices: &[Device],
    smi: Option<&SmiMatrix>,
) -> (LevelMatrix, Vec<DeviceFinding>) {
    let mut shown: Vec<usize> =
        (0..devices.len()).filter(|&index| is_shown(&devices[index])).collect();
    shown.sort_by_key(|&index| devices[index].kind);
    let paths: Vec<PciPath> = shown
        .iter()
        .map(|&index| {
            let address = inventory.devices[index].address;
            let function = address.and_then(|address| inventory.function(address));
            function.map(|function| function.path.clone()).unwrap_or_default()
        })
        .collect();
    let only_node = context.only_node();
    let node = |index: usize| only_node.or(devices[shown[index]].node.node);
    let level = |a: usize, b: usize| match a == b {
        true => Level::Same,
        false => Level::between((&paths[a], node(a)), (&paths[b], node(b))),
    };
    let all = 0..shown.len();
    let mut levels: Vec<Vec<Level>> =
        all.clone().map(|a| all.clone().map(|b| level(a, b)).collect()).collect();
    let labels: Vec<String> = shown.iter().map(|&index| devices[index].label.clone()).collect();
    let mut witnesses = Vec::new();
    let mut findings = Vec::new();
    if !inventory.kfd.is_empty() {
        witnesses.push("amdkfd".to_owned());
        let addresses = shown.iter().map(|&index| inventory.devices[index].address);
        let places: BTreeMap<PciAddress, usize> =
            addresses.zip(all).filter_map(|(address, place)| Some((address?, place))).collect();
        for (a, b, level) in xgmi_pairs(&inventory.kfd, &places) {
            levels[a][b] = level;
        }
    }
    if let Some(smi) = smi {
        let of: Vec<&Device> = shown.iter().map(|&index| &devices[index]).collect();
        let (file_gpus, gpus) = (smi.gpus(), shown_gpus(&of).count());
        if file_gpus == gpus {
            witnesses.push("nvidia-smi".to_owned());
            findings = join_smi(smi, &of, &labels, &mut levels);
            findings.extend(places::differing(smi, &of, context));
        } else if !inventory.functions.is_empty() {
            // Another machine's; in a container some GPUs: which ones is unknown.
            findings.push(DeviceFinding::SmiNotCompared { file_gpus, gpus });
        }
    }
    let cpus = shown.iter().map(|&index| devices[index].cpus.clone()).collect();
    (LevelMatrix { labels, levels, cpus, witnesses }, findings)
}

/// Screens' controllers take part in no transfers.
fn is_shown(device: &Device) -> bool {
    device.kind.is_usual() && device.kind != DeviceKind::Display
}

/// Pairs of GPUs with an XGMI link. What the end itself has comes after what the other end has.
fn xgmi_pairs(kfd: &[KfdNode], places: &BTreeMap<PciAddress, usize>) -> Vec<(usize, usize, Level)> {
    let place = |id: u32| places.get(&kfd.iter().find(|node| node.id == id)?.address?).copied();
    let (mut back, mut forth) = (Vec::new(), Vec::new());
    for node in kfd {
        for link in node.links.iter().filter(|link| link.is_xgmi) {
            if let (Some(from), Some(to)) = (place(node.id), place(link.to)) {
                // Partitions of one GPU have one address.
                if from == to {
                    continue;
                }
                let level = Level::from_xgmi(link);
                back.push((to, from, level));
                forth.push((from, to, level));
            }
        }
    }
    back.extend(forth);
    back
}

/// Takes NVLinks from `nvidia-smi`, and compares its other levels.
fn join_smi(
    smi: &SmiMatrix,
    devices: &[&Device],
    labels: &[String],
    levels: &mut [Vec<Level>],
) -> Vec<DeviceFinding> {
    let places: Vec<Option<usize>> = smi.rows.iter().map(|row| smi.place(row, devices)).collect();
    let mut findings = Vec::new();
    for (row, cells) in smi.levels.iter().enumerate() {
        for (column, by_witness) in cells.iter().enumerate() {
            let (Some(a), Some(b)) = (places[row], places.get(column).copied().flatten()) else {
                continue;
            };
            if a == b {
                continue;
            }
            let by_path = levels[a][b];
            match by_witness {
                Some(Level::NvLink(_)) => levels[a][b] = by_witness.unwrap_or(by_path),
                // A level that is not of paths, or an unknown one, contradicts no path.
                Some(level)
                    if a < b
                        && *level != by_path
                        && level.is_of_paths()
                        && by_path.is_of_paths() =>
                {
                    findings.push(DeviceFinding::PairDisagrees {
                        witness: "nvidia-smi".to_owned(),
                        pair: [labels[a].clone(), labels[b].clone()],
                        by_path,
                        by_witness: *level,
                    });
                }
                _ => {}
            }
        }
    }
    findings
}
