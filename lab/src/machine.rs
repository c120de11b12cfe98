//! Machines of the lab, each described by a file that a person can read (`lab/machines/*.toml`).
//!
//! A description defines what a machine *is* (nodes, CPUs, what memory truly costs) and, under
//! `[firmware]`, what its firmware *claims*: the two may differ, and that is what the lab is for.
//! [`LabMachine::load`] reads one and refuses it when it contradicts itself;
//! [`LabMachine::charges`] is its truth for the plugin; `emulator` makes QEMU's arguments of it.

mod arch;
mod builtin;
mod charges;
mod contradictions;
mod costs;
mod description;
mod device_identity;
mod device_truth;
mod devices;
mod disk_costs;
mod error;
mod interrupts;
mod node;
mod pci_tree;
mod per_node;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

use nearfar_model::{Bytes, CpuId, NodeId};

pub(crate) use arch::Arch;
pub(crate) use description::{Describes, Description, InterleaveDescription};
pub(crate) use device_identity::{mac, serial};
pub(crate) use device_truth::{DeviceTruth, PairTruth};
pub(crate) use devices::DeviceKind;
pub(crate) use disk_costs::{DISK_BYTES, disk_socket};
pub(crate) use error::LabMachineError;
pub(crate) use node::NodeDescription;
pub(crate) use pci_tree::{Below, PciTree};

/// Numbers by row and column.
pub(crate) type NumberMatrix = Vec<Vec<f64>>;

/// A described machine that does not contradict itself.
#[derive(Clone, Debug)]
pub(crate) struct LabMachine {
    /// What it is called.
    pub(crate) name: String,
    /// The description as it was written.
    pub(crate) text: String,
    folder: PathBuf,
    pub(crate) description: Description,
}

impl LabMachine {
    /// Reads a machine of the lab by its name, or a description of one's own by a path that ends in
    /// `.toml`.
    pub(crate) fn load(name_or_path: &str) -> Result<Self, LabMachineError> {
        if !name_or_path.ends_with(".toml") {
            let text = builtin::text(name_or_path)
                .ok_or_else(|| LabMachineError::unknown(name_or_path))?;
            return Self::parse(name_or_path, &format!("lab/machines/{name_or_path}.toml"), text);
        }
        let path = Path::new(name_or_path);
        let read = |cause| LabMachineError::Read { path: path.to_owned(), cause };
        let text = fs::read_to_string(path).map_err(read)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut machine = Self::parse(&name, name_or_path, &text)?;
        machine.folder = path.parent().unwrap_or(Path::new("")).to_owned();
        // Tables to inject are files beside the description; machines of the lab have none.
        let missing = machine.tables().into_iter().find(|table| !table.is_file());
        missing.map_or(Ok(machine), |table| {
            Err(LabMachineError::NoTable { file: name_or_path.to_owned(), table })
        })
    }

    /// Reads a description's text. `file` is what errors call it.
    pub(crate) fn parse(name: &str, file: &str, text: &str) -> Result<Self, LabMachineError> {
        let description =
            toml::from_str(text).map_err(|error| LabMachineError::syntax(file, text, &error))?;
        Self { name: name.to_owned(), text: text.to_owned(), folder: PathBuf::new(), description }
            .checked(file)
    }

    /// Refuses a machine that contradicts itself. `file` is what errors call it.
    fn checked(self, file: &str) -> Result<Self, LabMachineError> {
        let wrong = contradictions::of(&self.description);
        if wrong.is_empty() {
            Ok(self)
        } else {
            Err(LabMachineError::Contradictions { file: file.to_owned(), wrong })
        }
    }

    /// The same machine at another pace.
    pub(crate) fn slowed_to(mut self, slowdown: f64) -> Result<Self, LabMachineError> {
        self.description.slowdown = slowdown;
        self.checked("--slowdown")
    }

    /// The names of the lab's own machines.
    pub(crate) fn builtin() -> Vec<&'static str> {
        builtin::names()
    }

    /// What its CPUs speak.
    pub(crate) fn arch(&self) -> Arch {
        self.description.arch
    }

    /// Its true nodes, by rising id.
    pub(crate) fn nodes(&self) -> &[NodeDescription] {
        &self.description.nodes
    }

    /// Nodes with CPUs: the rows of its costs.
    pub(crate) fn cpu_nodes(&self) -> impl Iterator<Item = &NodeDescription> {
        self.description.cpu_nodes()
    }

    /// Nodes with memory: the columns of its costs.
    pub(crate) fn memory_nodes(&self) -> impl Iterator<Item = &NodeDescription> {
        self.description.memory_nodes()
    }

    /// The row of a node's CPUs.
    fn group_of(&self, id: NodeId) -> Option<usize> {
        self.cpu_nodes().position(|node| node.id == id)
    }

    /// The column of a node's memory.
    fn home_of(&self, id: NodeId) -> Option<usize> {
        self.memory_nodes().position(|node| node.id == id)
    }

    /// How many CPUs it has; they are numbered from 0.
    pub(crate) fn cpus(&self) -> usize {
        self.nodes().iter().map(|node| node.cpus.len()).sum()
    }

    /// All of its memory.
    pub(crate) fn memory(&self) -> Bytes {
        self.nodes().iter().filter_map(|node| node.memory).sum()
    }

    /// The node of a CPU.
    pub(crate) fn node_of(&self, cpu: CpuId) -> Option<NodeId> {
        self.nodes().iter().find(|node| node.cpus.contains(cpu)).map(|node| node.id)
    }

    /// Whether the kernel learns which memory is whose: firmware describes nodes, and no kernel
    /// argument has it look away.
    pub(crate) fn shows_nodes(&self) -> bool {
        let Description { firmware, kernel_args, .. } = &self.description;
        firmware.describes == Describes::Nodes
            && !kernel_args.split_whitespace().any(|word| word == "numa=off")
    }

    /// How many of its nodes each package holds, each with as many CPUs. 1 where that does not come
    /// out even: then nothing defines how packages are divided.
    pub(crate) fn nodes_per_package(&self) -> usize {
        let packages = self.description.packages;
        let mut cpus = self.cpu_nodes().map(|node| node.cpus.len());
        let first = cpus.next().unwrap_or(0);
        let alike = cpus.all(|next| next == first)
            && self.cpu_nodes().all(|node| node.cpus.runs().len() == 1);
        let nodes = self.cpu_nodes().count();
        if alike && nodes % packages == 0 { nodes / packages } else { 1 }
    }

    /// Its devices, as a guest must show them.
    pub(crate) fn devices(&self) -> Vec<DeviceTruth<'_>> {
        device_truth::devices(&self.description)
    }

    /// How far each two of its devices are apart.
    pub(crate) fn device_pairs(&self) -> Vec<PairTruth> {
        device_truth::pairs(&self.description)
    }

    /// The ACPI tables to inject.
    pub(crate) fn tables(&self) -> Vec<PathBuf> {
        self.description.firmware.tables.iter().map(|table| self.folder.join(table)).collect()
    }
}
