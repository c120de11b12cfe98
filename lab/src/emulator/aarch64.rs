//! A board of the lab: QEMU's `virt` with a device tree.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::device_tree::DeviceTreeBlob;
use super::{EmulatorError, Words, in_a_value, numa_tree};
use crate::machine::{Describes, LabMachine};

/// Its memory is one block, whatever the nodes: the tree alone speaks of them.
pub(super) fn arguments(
    machine: &LabMachine,
    qemu: &Path,
    scratch: &Path,
) -> Result<Vec<OsString>, EmulatorError> {
    let mut words = board(machine, "");
    if machine.description.firmware.describes == Describes::Nodes {
        words.option("-dtb", tree_with_nodes(machine, qemu, scratch)?);
    }
    Ok(words.0)
}

fn board(machine: &LabMachine, more: &str) -> Words {
    let (cpus, packages) = (machine.cpus(), machine.description.packages);
    let mut words = Words::default();
    words.option("-M", format!("virt,acpi=off,gic-version=3{more}"));
    words.option("-cpu", "cortex-a53");
    words.option("-smp", format!("{cpus},sockets={packages},cores={},threads=1", cpus / packages));
    words.option("-m", format!("{}M", machine.memory().0 >> 20));
    words
}

/// The tree that QEMU makes for this board, with nodes in it.
fn tree_with_nodes(
    machine: &LabMachine,
    qemu: &Path,
    scratch: &Path,
) -> Result<PathBuf, EmulatorError> {
    let plain = scratch.join("board.dtb");
    let blob = dump(machine, qemu, &plain)?;
    let mut tree = DeviceTreeBlob::parse(&blob)
        .map_err(|why| EmulatorError::DeviceTree { file: plain, why })?;
    numa_tree::describe_nodes(machine, &mut tree);
    let file = scratch.join("nodes.dtb");
    fs::write(&file, tree.to_bytes())
        .map_err(|cause| EmulatorError::Write { file: file.clone(), cause })?;
    Ok(file)
}

fn dump(machine: &LabMachine, qemu: &Path, file: &Path) -> Result<Vec<u8>, EmulatorError> {
    let words = board(machine, &format!(",dumpdtb={}", in_a_value(file).to_string_lossy()));
    let output = Command::new(qemu)
        .args(words.0)
        .args(["-nographic", "-nodefaults"])
        .stdin(Stdio::null())
        .output();
    let output = output.map_err(|cause| EmulatorError::Start { qemu: qemu.to_owned(), cause })?;
    fs::read(file).map_err(|cause| {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let stderr = stderr.lines().last().map_or_else(|| cause.to_string(), str::to_owned);
        EmulatorError::NoDeviceTree { qemu: qemu.to_owned(), file: file.to_owned(), stderr }
    })
}
