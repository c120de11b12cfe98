//! `nearfar gpu`: what copies between each node's memory and each GPU cost.

use std::time::Duration;

use anyhow::ensure;
use clap::{ArgGroup, Args, ValueEnum};
use nearfar_gpu_helper::GpuHelper;
use nearfar_model::Bytes;
use nearfar_probe::Work;
use nearfar_probe::gpu::{GpuInventory, InventoryError, MAX_COPY, read_inventory};
use nearfar_survey::measure::{GPU_BUDGET, GpuSettings};
use nearfar_view::terminal::exit::WrongUsage;

use super::effort;
use super::measuring::MeasuringOptions;
use super::ranged::from_to;
use super::selection::Selection;
use crate::progress::Bar;

/// Measure copies between every node's memory and every GPU.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar gpu                   all GPUs, from and to memory of all nodes
  nearfar gpu GPU1              one GPU, as 'nearfar devices' labels it
  nearfar gpu --together        all GPUs of a package at once, too
  nearfar gpu --size 64M        smaller copies, where a node has little memory
  nearfar gpu --json | jq '.gpu.verdicts'
  nearfar gpu -o gpu.json       keep the figures

Only the driver's library is needed: libcuda.so.1 or libamdhip64.so. nearfar places the memory, \
checks where it is, and registers it with the driver. Without --budget, each GPU takes 60 \
seconds.")]
pub(crate) struct GpuCommand {
    /// Labels (GPU0), PCI addresses or numbers of GPUs [default: all]
    #[arg(value_name = "GPU")]
    gpus: Vec<String>,
    /// Faster, less precise: 1 % standard error [default: 0.5 %]
    #[arg(long)]
    quick: bool,
    /// Slower, more precise: 0.25 % standard error
    #[arg(long)]
    thorough: bool,
    #[command(flatten)]
    selection: Selection,
    /// Bytes of a copy whose rate is measured; latency is that of 4 B, 4 KiB and 64 KiB
    #[arg(long, value_name = "BYTES", default_value = "256M")]
    size: Bytes,
    /// Copy with all GPUs of a package at once, beside each alone
    #[arg(long)]
    together: bool,
    /// Measure pinned memory only, not pageable memory
    #[arg(long)]
    pinned: bool,
    /// Do not copy from GPU to GPU
    #[arg(long)]
    no_peers: bool,
    /// The driver to use [default: cuda, or hip where there is no cuda]
    #[arg(long, value_name = "DRIVER")]
    driver: Option<DriverChoice>,
    /// Least length of a visit to a cell, in milliseconds
    #[arg(long, value_name = "MS", default_value = "20", value_parser = from_to(1u32, 10_000))]
    window: u32,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

/// A driver's interface.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DriverChoice {
    /// NVIDIA's: libcuda.so.1
    Cuda,
    /// AMD's: libamdhip64.so
    Hip,
}

impl DriverChoice {
    const fn name(self) -> &'static str {
        match self {
            Self::Cuda => "cuda",
            Self::Hip => "hip",
        }
    }
}

/// A driver that has not begun by then will not. Large machines take ten seconds.
const BEGINNING: Duration = Duration::from_secs(120);

impl GpuCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        ensure!(
            (Bytes::kib(128)..=MAX_COPY).contains(&self.size),
            WrongUsage(format!(
                "--size {} is not between {} and {MAX_COPY}",
                self.size,
                Bytes::kib(128)
            ))
        );
        let helper = GpuHelper::find()?;
        // From here on, Ctrl-C ends the measurement cleanly.
        let mut bar = Bar::new()?;
        let inventory = self.inventory(&helper, &bar)?;
        let mut scope =
            self.measuring.scope(effort::mode(self.quick, self.thorough), self.selection.wanted());
        let gpus = if self.gpus.is_empty() { inventory.gpus.len() } else { self.gpus.len() };
        let usual = GPU_BUDGET * u32::try_from(gpus).unwrap_or(u32::MAX);
        scope.budget = scope.budget.or(Some(usual));
        let settings = GpuSettings {
            inventory,
            helper: helper.origin().to_string(),
            wanted: self.gpus,
            size: self.size,
            window: Duration::from_millis(u64::from(self.window)),
            pageable: !self.pinned,
            together: self.together,
            peers: !self.no_peers,
        };
        let gpu_worker = move |_: &Work| helper.command(&["worker"]);
        self.measuring.deliver_with(&mut bar, scope, settings, &gpu_worker)
    }

    /// The driver's GPUs: at least one.
    fn inventory(&self, helper: &GpuHelper, bar: &Bar) -> anyhow::Result<GpuInventory> {
        let mut args = vec!["worker", "gpus"];
        args.extend(self.driver.map(DriverChoice::name));
        let command = helper.command(&args);
        let inventory = read_inventory(command, BEGINNING, &mut || !bar.is_interrupted())?;
        ensure!(
            !inventory.gpus.is_empty(),
            InventoryError::Driver(format!(
                "{} {} ({}) has no GPU",
                inventory.api.name(),
                inventory.version,
                inventory.library
            ))
        );
        Ok(inventory)
    }
}
