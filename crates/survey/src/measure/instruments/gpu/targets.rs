//! The GPUs to measure: those of the driver, with what the kernel has of them.

use std::collections::BTreeMap;

use nearfar_devices::{Device, DevicesDocument};
use nearfar_machine::Topology;
use nearfar_model::CpuSet;
use nearfar_probe::gpu::{GpuIdentity, GpuTarget};

use super::GpuSettings;
use super::no_such_gpu::NoSuchGpu;
use crate::GpuFacts;
use crate::measure::Session;

/// The GPUs, for workers and for the document.
pub(super) struct Targets {
    pub(super) probed: Vec<GpuTarget>,
    pub(super) facts: Vec<GpuFacts>,
}

impl Targets {
    pub(super) fn find(settings: &GpuSettings, session: &Session) -> Result<Self, NoSuchGpu> {
        let devices = nearfar_diagnose::usual_devices(&session.witnesses, &session.source);
        let gpus = &settings.inventory.gpus;
        let labels = labels(gpus, devices.as_ref());
        let facts = gpus.iter().zip(&labels).map(|(gpu, label)| {
            let device = devices.as_ref().and_then(|devices| device_of(devices, gpu));
            // A node without CPUs is near those that the device is near.
            let near = device.and_then(|device| device.cpus.as_ref());
            let package = near.and_then(|cpus| package_with(&session.topology, cpus));
            GpuFacts {
                label: label.clone(),
                index: gpu.index,
                name: gpu.name.clone(),
                address: gpu.address.clone(),
                memory_bytes: gpu.memory_bytes,
                is_mig: gpu.is_mig,
                kernel_node: device.and_then(|device| device.node.sysfs_node()),
                driver_node: gpu.claimed_node,
                package,
            }
        });
        let all: Vec<GpuFacts> = facts.collect();
        let chosen = chosen(&all, &settings.wanted)?;
        let probed = chosen.iter().map(|gpu| GpuTarget {
            index: gpu.index,
            address: gpu.address.clone(),
            label: gpu.label.clone(),
        });
        Ok(Self { probed: probed.collect(), facts: chosen })
    }

    /// The GPUs of each package, where it has several. GPUs of unknown packages are one group.
    pub(super) fn by_package(&self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<Option<u32>, Vec<usize>> = BTreeMap::new();
        for (index, gpu) in self.facts.iter().enumerate() {
            groups.entry(gpu.package).or_default().push(index);
        }
        groups.into_values().filter(|group| group.len() > 1).collect()
    }
}

/// Index of the package that has all these CPUs.
fn package_with(topology: &Topology, cpus: &CpuSet) -> Option<u32> {
    let index = topology
        .packages()
        .iter()
        .position(|package| cpus.difference(&package.cpus).is_empty())
        .filter(|_| !cpus.is_empty())?;
    u32::try_from(index).ok()
}

/// All GPUs, or those with these names, in the order of the driver.
fn chosen(all: &[GpuFacts], wanted: &[String]) -> Result<Vec<GpuFacts>, NoSuchGpu> {
    let is_it = |gpu: &GpuFacts, name: &str| {
        let number = name.strip_prefix("gpu:").unwrap_or(name);
        let short = gpu.address.as_deref().map(|address| address.trim_start_matches("0000:"));
        gpu.label.eq_ignore_ascii_case(name)
            || gpu.label.trim_start_matches("GPU") == number
            || gpu.address.as_deref() == Some(name)
            || short == Some(name)
    };
    for name in wanted {
        if !all.iter().any(|gpu| is_it(gpu, name)) {
            let known = all.iter().map(|gpu| gpu.label.clone()).collect();
            return Err(NoSuchGpu { name: name.clone(), known });
        }
    }
    let is_wanted =
        |gpu: &&GpuFacts| wanted.is_empty() || wanted.iter().any(|name| is_it(gpu, name));
    Ok(all.iter().filter(is_wanted).cloned().collect())
}

/// The labels of `nearfar devices`. Slices of one GPU have a number of their own: "GPU0.1". GPUs
/// that the kernel does not list have their address, or the driver's number.
fn labels(gpus: &[GpuIdentity], devices: Option<&DevicesDocument>) -> Vec<String> {
    let mut labels: Vec<String> = Vec::new();
    for gpu in gpus {
        let device = devices.and_then(|devices| device_of(devices, gpu));
        let label = match (device, &gpu.address) {
            (Some(device), _) => device.label.clone(),
            (None, Some(address)) => address.clone(),
            (None, None) => format!("#{}", gpu.index),
        };
        let is_shared = gpus.iter().filter(|other| other.address == gpu.address).count() > 1;
        let slice = |label: &String| {
            let mut numbers = (0..).map(|number| format!("{label}.{number}"));
            numbers.find(|number| !labels.contains(number))
        };
        let own = if is_shared && gpu.address.is_some() { slice(&label) } else { None };
        labels.push(own.unwrap_or(label));
    }
    labels
}

fn device_of<'d>(devices: &'d DevicesDocument, gpu: &GpuIdentity) -> Option<&'d Device> {
    let address = gpu.address.as_ref()?;
    devices.devices.iter().find(|device| device.address.as_ref() == Some(address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(index: usize, address: Option<&str>) -> GpuIdentity {
        GpuIdentity {
            index,
            name: "Lab".to_owned(),
            address: address.map(str::to_owned),
            memory_bytes: 1 << 30,
            claimed_node: None,
            is_mig: false,
        }
    }

    fn facts(label: &str, address: &str, package: Option<u32>) -> GpuFacts {
        let address = Some(address.to_owned());
        GpuFacts { label: label.to_owned(), address, package, ..GpuFacts::default() }
    }

    #[test]
    fn slices_have_labels_of_their_own() {
        let gpus = [
            identity(0, Some("0000:3b:00.0")),
            identity(1, Some("0000:3b:00.0")),
            identity(2, Some("0000:5e:00.0")),
            identity(3, None),
        ];
        assert_eq!(labels(&gpus, None), ["0000:3b:00.0.0", "0000:3b:00.0.1", "0000:5e:00.0", "#3"]);
    }

    #[test]
    fn gpus_are_chosen_by_label_number_or_address() {
        let all = [facts("GPU0", "0000:3b:00.0", None), facts("GPU1", "0000:5e:00.0", None)];
        let label = |wanted: &[&str]| -> Result<Vec<String>, NoSuchGpu> {
            let wanted: Vec<String> = wanted.iter().map(|name| (*name).to_owned()).collect();
            Ok(chosen(&all, &wanted)?.into_iter().map(|gpu| gpu.label).collect())
        };
        assert_eq!(label(&[]).unwrap(), ["GPU0", "GPU1"]);
        for name in ["1", "gpu:1", "gpu1", "0000:5e:00.0", "5e:00.0"] {
            assert_eq!(label(&[name]).unwrap(), ["GPU1"], "{name}");
        }
        let error = label(&["0", "7"]).unwrap_err().to_string();
        assert_eq!(error, "there is no GPU '7': the driver has GPU0, GPU1");
    }

    #[test]
    fn packages_with_several_gpus_are_groups() {
        let facts = [Some(0), Some(1), Some(0), None].map(|package| facts("GPU", "a", package));
        let targets = Targets { probed: vec![], facts: facts.to_vec() };
        assert_eq!(targets.by_package(), [vec![0, 2]]);
    }
}
