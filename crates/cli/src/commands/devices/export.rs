//! `nearfar devices --as`: the machine's devices in the files of other programs.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use nearfar_devices::{Device, DevicesDocument};
use nearfar_diagnose::Witnesses;
use nearfar_machine::{CpuFamily, Inventory, InventoryScope, NearDevice, Source};
use nearfar_process::launch::text::translation;
use nearfar_report::export::nccl::{self, NcclFlavour, NcclInput};
use nearfar_report::export::{has_bandwidth, kubernetes};
use nearfar_survey::Survey;
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;

use crate::commands::exported::{ExportFile, not_here};
use crate::input;

const SYSTEMS: [&str; 3] = ["nccl", "rccl", "kubernetes"];

/// What to export, and where to.
#[derive(Debug, Args)]
pub(super) struct ExportOptions {
    /// Print a file of another program: a topology for nccl or rccl, node affinity for kubernetes
    /// [default: a table]
    #[arg(long = "as", value_name = "SYSTEM", value_parser = system,
        conflicts_with_all = ["all", "matrix", "json", "csv"])]
    pub(super) system: Option<ExportSystem>,
    /// Survey of this machine: its bandwidths become comments in a topology of nccl or rccl
    /// [default: no comments]
    #[arg(long, value_name = "FILE", requires = "system")]
    survey: Option<PathBuf>,
    /// Device for kubernetes, as 'nearfar run --near' takes it; repeat for several [default: GPUs,
    /// accelerators and network cards]
    #[arg(long, value_name = "NAME", requires = "system")]
    device: Vec<String>,
    #[command(flatten)]
    file: ExportFile,
}

/// A program that reads the export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExportSystem {
    Nccl(NcclFlavour),
    Kubernetes,
}

fn system(name: &str) -> Result<ExportSystem, String> {
    match name {
        "nccl" => Ok(ExportSystem::Nccl(NcclFlavour::Nccl)),
        "rccl" => Ok(ExportSystem::Nccl(NcclFlavour::Rccl)),
        "kubernetes" => Ok(ExportSystem::Kubernetes),
        other => Err(not_here(other, &SYSTEMS)),
    }
}

impl ExportOptions {
    /// Makes the export and writes it.
    pub(super) fn run(
        &self,
        system: ExportSystem,
        source: &Source,
        witnesses: &Witnesses,
        document: &DevicesDocument,
    ) -> anyhow::Result<()> {
        let cpu = CpuFamily::read(source);
        let text = match system {
            ExportSystem::Nccl(flavour) => {
                if !self.device.is_empty() {
                    let why = "--device is for --as kubernetes: a topology has all devices";
                    return Err(WrongUsage(why.to_owned()).into());
                }
                let survey = match &self.survey {
                    Some(file) => Some(survey_of(file, source, witnesses)?),
                    None => None,
                };
                let input = NcclInput {
                    document,
                    inventory: &Inventory::read(source, InventoryScope::All),
                    topology: witnesses.topology.as_ref(),
                    cpu: cpu.as_ref(),
                    survey: survey.as_ref(),
                };
                let cards = nccl::cards_without_node(&input);
                if !cards.is_empty() {
                    let warning = nccl::without_node_warning(&cards, flavour);
                    output::aside(&format!("nearfar: {warning}"));
                }
                nccl::text(&input, flavour).with_context(|| {
                    format!(
                        "{} has no GPU and no network card on PCI: its topology is empty",
                        source.origin()
                    )
                })?
            }
            ExportSystem::Kubernetes => {
                if self.survey.is_some() {
                    let why = "--survey is for --as nccl and rccl: labels have no measurements";
                    return Err(WrongUsage(why.to_owned()).into());
                }
                let devices = chosen(document, source, &self.device)?;
                translation::text(&kubernetes::translation(document, &devices, cpu.as_ref()))
            }
        };
        let documents: Vec<PathBuf> = self.survey.iter().cloned().collect();
        self.file.write(&text, &documents)
    }
}

/// The survey, if it is one of this machine and has bandwidths.
fn survey_of(file: &Path, source: &Source, witnesses: &Witnesses) -> anyhow::Result<Survey> {
    let survey = input::read(file, nearfar_survey::read)?;
    let topology = witnesses
        .topology
        .as_ref()
        .with_context(|| format!("{} has no CPUs in /sys to compare", source.origin()))?;
    if !survey.is_of(topology) {
        bail!(
            "{} describes another machine, or other nodes of it: {} (CPUs: {}, nodes: {}); here is \
             {} (CPUs: {}, nodes: {})",
            file.display(),
            survey.machine.model,
            survey.machine.cpus,
            survey.machine.nodes,
            topology.identity.model.as_deref().unwrap_or("unknown"),
            topology.online().len(),
            topology.online_nodes().len()
        );
    }
    if !has_bandwidth(&survey) {
        bail!(
            "{} has no bandwidth from CPUs to nodes: 'nearfar bandwidth -o FILE' measures it",
            file.display()
        );
    }
    Ok(survey)
}

/// The devices with these names, as `run --near` reads them; without names, the usual ones.
fn chosen<'a>(
    document: &'a DevicesDocument,
    source: &Source,
    names: &[String],
) -> Result<Vec<&'a Device>, WrongUsage> {
    if names.is_empty() {
        return Ok(document.devices.iter().filter(|device| kubernetes::is_usual(device)).collect());
    }
    let mut chosen: Vec<&Device> = Vec::new();
    for name in names {
        let words = NearDevice::find_all(name, source);
        let words = words.map_err(|why| WrongUsage(format!("--device: {why}")))?;
        for word in words.iter().flat_map(|word| &word.hardware) {
            let device = document.device_of(word.address, &word.name).ok_or_else(|| {
                WrongUsage(format!("--device: 'nearfar devices' does not list {}", word.name))
            })?;
            if !chosen.iter().any(|other| other.label == device.label) {
                chosen.push(device);
            }
        }
    }
    Ok(chosen)
}
