//! `nearfar devices`: where devices are.

mod export;
mod nvidia_smi;

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use nearfar_devices::text as devices;
use nearfar_devices::{DevicesDocument, MAX_IN_A_MATRIX, SmiMatrix, wanted_names};
use nearfar_diagnose::Witnesses;
use nearfar_machine::{Inventory, InventoryScope, PciNames, Source};
use nearfar_view::terminal::{output, screen};

use super::verbose::VerboseOption;
use crate::input;
use crate::interrupts::selection;
use crate::measured_nodes::measured_nodes;
use crate::sent;
use export::ExportOptions;

/// Show the node, path and link of each device.
///
/// Lists network cards, disks, GPUs, accelerators, USB controllers and CXL memory. Needs neither
/// root nor drivers; root adds what firmware's tables claim.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar devices                        this machine
  nearfar devices eth0                   one device: its node, and who names it
  nearfar devices --matrix               levels of pairs, as nvidia-smi does
  nearfar devices --root machine.tar.gz  a captured machine
  nearfar devices --as nccl -o topo.xml  a topology file for NCCL
  nearfar devices --as kubernetes        node affinity and the kubelet's policy
  nearfar devices --json | jq -r '.devices[] | [.label, .node.node] | @tsv'

Levels: PIX one switch, PXB several, PHB one root bus, NODE one node, SYS different nodes. \
docs/devices/devices.md explains all columns and findings.")]
pub(crate) struct DevicesCommand {
    /// Show only these devices: their node, path, and who names the node: eth0, NIC0, GPU0,
    /// 0000:3b:00.0, /dev/sda, a file on a disk [default: all]
    #[arg(value_name = "NAME", conflicts_with_all = ["all", "matrix", "system"])]
    names: Vec<String>,
    /// Read a captured machine: a folder, an archive (.tar, .tar.gz, .tar.bz2, .tar.xz), XML of
    /// lstopo or NCCL, or a file of what its programs printed; several with --root again [default:
    /// this machine]
    #[arg(long, value_name = "PATH")]
    root: Vec<PathBuf>,
    /// List every PCI function: bridges, virtual functions, parts of the chipset
    #[arg(long, conflicts_with = "matrix")]
    all: bool,
    /// Print the level of each pair, separated by tabs
    #[arg(long)]
    matrix: bool,
    /// Compare with saved output of 'nvidia-smi topo -m'; needs --matrix [default: run it if it is
    /// installed]
    #[arg(long, value_name = "FILE", requires = "matrix")]
    nvidia_smi: Option<PathBuf>,
    /// Print JSON (nearfar.devices/1)
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV: a line for each device, or the matrix
    #[arg(long)]
    csv: bool,
    #[command(flatten)]
    verbose: VerboseOption,
    #[command(flatten)]
    export: ExportOptions,
}

impl DevicesCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        self.verbose.obey();
        let (source, smi) = sent::source_and_matrix(&self.root)?;
        let mut witnesses = Witnesses::with_devices(&source, self.scope());
        if source.is_live() {
            witnesses.measured = measured_nodes(&source);
        }
        let mut document = self.document(&source, &witnesses, smi)?;
        self.select(&source, &mut document)?;
        if let Some(system) = self.export.system {
            return self.export.run(system, &source, &witnesses, &document);
        }
        if self.matrix && document.matrix.is_none() {
            bail!(
                "{} devices are too many for a matrix ({MAX_IN_A_MATRIX} at most): \
                 --json has the path of each",
                document.devices.len()
            );
        }
        let printed = match (self.json, self.csv, self.matrix) {
            (true, ..) => return Ok(output::json(&document)?),
            (_, true, true) => devices::matrix_csv(&document),
            (_, true, false) => devices::csv(&document),
            (_, _, true) => devices::matrix(&document),
            (..) if self.names.is_empty() => return Ok(screen::print(&devices::text(&document))?),
            (..) => return Ok(screen::print(&devices::one_device(&document))?),
        };
        Ok(output::data(&printed)?)
    }

    /// Keeps the devices that the user names.
    fn select(&self, source: &Source, document: &mut DevicesDocument) -> anyhow::Result<()> {
        if self.names.is_empty() {
            return Ok(());
        }
        let mut labels: Vec<String> = Vec::new();
        for word in &self.names {
            let devices = selection::devices(source, document, word)?;
            labels.extend(devices.into_iter().map(|device| device.label.clone()));
        }
        let is_named = |label: &String| labels.contains(label);
        document.devices.retain(|device| is_named(&device.label));
        document.findings.retain(|finding| finding.devices().iter().any(is_named));
        document.matrix = None;
        Ok(())
    }

    /// A name may be of any function.
    fn scope(&self) -> InventoryScope {
        if self.all || !self.names.is_empty() { InventoryScope::All } else { InventoryScope::Usual }
    }

    fn document(
        &self,
        source: &Source,
        witnesses: &Witnesses,
        smi: Option<Result<SmiMatrix, String>>,
    ) -> anyhow::Result<DevicesDocument> {
        let scope = self.scope();
        let read;
        let inventory = match &witnesses.inventory {
            Some(inventory) => inventory,
            None => {
                read = Inventory::read(source, scope);
                &read
            }
        };
        if witnesses.topology.is_none() && inventory.functions.is_empty() {
            bail!("{} has neither CPUs nor PCI devices in /sys", source.origin());
        }
        let names = PciNames::read(source, &wanted_names(inventory));
        let smi = self.second_witness(source)?.or(smi.filter(|_| self.matrix));
        Ok(nearfar_diagnose::devices(witnesses, inventory, scope, &names, smi.as_ref()))
    }

    /// What nvidia-smi reports: from a file, else by running it on the live machine.
    fn second_witness(&self, source: &Source) -> anyhow::Result<Option<Result<SmiMatrix, String>>> {
        if let Some(file) = &self.nvidia_smi {
            return Ok(Some(Ok(saved(file)?)));
        }
        if !self.matrix || !source.is_live() {
            return Ok(None);
        }
        let output = nvidia_smi::topology();
        Ok(output.map(|output| {
            SmiMatrix::parse(&output?).map_err(|why| format!("its output is no matrix: {why}"))
        }))
    }
}

fn saved(file: &Path) -> anyhow::Result<SmiMatrix> {
    let bytes = input::bytes(file).with_context(|| format!("cannot read {}", file.display()))?;
    SmiMatrix::parse(&String::from_utf8_lossy(&bytes))
        .with_context(|| format!("{} is no matrix of nvidia-smi", file.display()))
}
