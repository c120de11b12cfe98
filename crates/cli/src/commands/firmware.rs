//! `nearfar firmware`: the firmware's tables.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use nearfar_firmware::text as firmware;
use nearfar_firmware::{Firmware as Tables, FirmwareItem};
use nearfar_machine::physical_map::PhysicalMap;
use nearfar_machine::text::physical_map;
use nearfar_machine::{FirmwareDocument, Source, firmware_tables, kernel_log};
use nearfar_view::terminal::output;
use nearfar_view::terminal::screen::{self, Screen};

use crate::{input, sent};

/// Show the firmware's tables about memory, CPUs and distances.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar firmware                    list of tables
  nearfar firmware srat               each proximity domain's CPUs and addresses
  nearfar firmware slit               distances that firmware claims
  nearfar firmware hmat               latencies, bandwidths; as Linux reads them
  nearfar firmware madt               CPUs; also pptt, msct, cedt, crat, cdit
  nearfar firmware dsdt               domains that devices claim; also ssdt
  nearfar firmware smbios             memory modules by slot and channel
  nearfar firmware device-tree        numa-node-id and distance-map
  nearfar firmware map                addresses by domain, node and memory block
  nearfar firmware srat --tables DIR  tables of acpidump or acpixtract
  nearfar firmware --root box.tar.gz  a machine captured by 'nearfar capture'
  nearfar firmware srat --json | jq '.tables[0].decoded.entries[]'

On most machines only root may read the tables. Without root, 'nearfar firmware' lists them.")]
pub(crate) struct FirmwareCommand {
    /// Table: srat, slit, hmat, madt, pptt, msct, cedt, crat, cdit, dsdt, ssdt, smbios,
    /// device-tree, map, or any other ACPI signature, in any case [default: list the tables]
    table: Option<FirmwareItem>,
    /// Firmware tables: one table, a folder, acpidump's text, a .dtb, or an SMBIOS dump [default:
    /// the machine's]
    #[arg(long, value_name = "PATH", conflicts_with = "root")]
    tables: Option<PathBuf>,
    /// Read a captured machine: a folder or archive (.tar, .tar.gz, .tar.bz2, .tar.xz), or a file
    /// of what its programs printed (acpidump, dmesg); several with --root again [default: this
    /// machine]
    #[arg(long, value_name = "PATH")]
    root: Vec<PathBuf>,
    /// Print JSON (nearfar.firmware/1).
    #[arg(long)]
    json: bool,
}

impl FirmwareCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let source = match self.tables {
            Some(_) => None,
            None => Some(sent::source(&self.root)?),
        };
        let tables = match (&self.tables, &source) {
            (Some(path), _) => input::read(path, firmware_tables::open)?,
            (None, Some(source)) => firmware_tables::read(source),
            (None, None) => Tables::default(),
        };
        match &self.table {
            None if tables.is_empty() && source.as_ref().is_some_and(Source::is_sent) => bail!(
                "{} has no firmware tables: give what 'sudo acpidump' printed on that machine",
                tables.origin
            ),
            None => self.print(&FirmwareDocument::new(&tables), || firmware::list(&tables)),
            Some(FirmwareItem::Table(name)) => {
                let named = FirmwareItem::tables(name, &tables)?;
                self.print(&FirmwareDocument::from_tables(&tables, &named), || {
                    firmware::tables(&named, &tables)
                })
            }
            Some(FirmwareItem::Smbios) => {
                let part = FirmwareItem::smbios(&tables)?;
                self.print(&FirmwareDocument::from_smbios(&tables, part), || firmware::smbios(part))
            }
            Some(FirmwareItem::DeviceTree) => {
                let part = FirmwareItem::device_tree(&tables)?;
                self.print(&FirmwareDocument::from_device_tree(&tables, part), || {
                    firmware::device_tree(part)
                })
            }
            Some(FirmwareItem::Map) => {
                let log = source.as_ref().map(kernel_log::read).unwrap_or_default();
                let map = PhysicalMap::read(&tables, source.as_ref(), &log);
                self.print(&FirmwareDocument::from_map(&tables, &map), || physical_map(&map))
            }
        }
    }

    fn print(
        &self,
        document: &FirmwareDocument<'_>,
        text: impl FnOnce() -> Screen,
    ) -> anyhow::Result<()> {
        Ok(if self.json { output::json(document) } else { screen::print(&text()) }?)
    }
}
