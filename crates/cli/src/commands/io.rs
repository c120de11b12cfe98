//! `nearfar io`: what a disk costs from each node.

mod interrupts;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::ensure;
use clap::{ArgGroup, Args, ValueEnum};
use nearfar_model::Bytes;
use nearfar_probe::io::{
    AccessPattern, IoOperation, IoWorkload, MIN_BYTES, TargetFile, check_new, folder_of,
};
use nearfar_survey::measure::{
    IO_BUDGET, IoRequestedTarget, IoSettings, MadeFile, MadeFileError, MeasureError, SettingsError,
};
use nearfar_view::owned_files::{Folder, PathRefusal};
use nearfar_view::terminal::exit::WrongUsage;

use super::effort;
use super::measuring::MeasuringOptions;
use super::ranged::from_to;
use super::selection::Selection;
use crate::output_path::OutputPath;
use crate::progress::Bar;
use interrupts::IrqPlan;

/// Measure what a disk costs from each node.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("effort").args(["quick", "thorough"]), after_help = "\
Examples:
  nearfar io /data/db.bin                  the disk of a file, from all nodes
  nearfar io /dev/nvme0n1 /dev/nvme1n1     two disks, as root; only read
  nearfar io --irq near,far /dev/sda       interrupts near and far, too
  nearfar io --depth 8 --size 16K FILE     one kind of access
  nearfar io --write /data/new             make a file, read and overwrite it
  nearfar io --json FILE | jq '.io.latency.factors'

Reads bypass the page cache. Latency is of 4 KiB, one at a time; throughput of 128 KiB, 32 in \
flight. Without --budget, each target takes 60 seconds.")]
pub(crate) struct IoCommand {
    /// Files of at least 256 MiB, or disks; only read [default: the file of --write]
    #[arg(value_name = "TARGET", required_unless_present = "write")]
    targets: Vec<PathBuf>,
    /// Faster, less precise: 1 % standard error [default: 0.5 %]
    #[arg(long)]
    quick: bool,
    /// Slower, more precise: 0.25 % standard error
    #[arg(long)]
    thorough: bool,
    #[command(flatten)]
    selection: Selection,
    /// Accesses in flight [default: 1 for latency and 32 for throughput]
    #[arg(long, value_name = "N", value_parser = from_to(1u32, 1024))]
    depth: Option<u32>,
    /// Bytes of an access, e.g. 16K [default: 4K for latency and 128K for throughput]
    #[arg(long, value_name = "BYTES")]
    size: Option<Bytes>,
    /// Order of accesses
    #[arg(long, value_name = "ORDER", default_value = "random")]
    pattern: PatternChoice,
    /// Set the disks' interrupts near and far, in turn, and restore them; as root [default: none]
    #[arg(long, value_name = "PLACES", value_delimiter = ',', num_args = 1)]
    irq: Vec<IrqChoice>,
    /// Make FILE, read and overwrite it, and remove it; never replaces a file [default: no writes]
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Size of the file that --write makes
    #[arg(long, value_name = "BYTES", default_value = "1G", requires = "write")]
    file_size: Bytes,
    /// Keep the file that --write made
    #[arg(long, requires = "write")]
    keep: bool,
    /// Time of one measurement from one node, in milliseconds; twice as long for throughput
    #[arg(long, value_name = "MS", default_value = "50", value_parser = from_to(1u32, 10_000))]
    window: u32,
    #[command(flatten)]
    measuring: MeasuringOptions,
}

/// The order of accesses.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum PatternChoice {
    /// Blocks anywhere
    Random,
    /// One block after another
    Sequential,
}

/// Where interrupts are set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum IrqChoice {
    /// CPUs of the disk's node
    Near,
    /// CPUs of the farthest node
    Far,
}

impl IrqChoice {
    const fn name(self) -> &'static str {
        match self {
            Self::Near => "near",
            Self::Far => "far",
        }
    }
}

impl IoCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        if let Some(path) = &self.write {
            OutputPath::from(path.clone().into_os_string())
                .only_file("--write", "it makes a file to measure")?;
        }
        let workloads = self.workloads()?;
        let mut scope =
            self.measuring.scope(effort::mode(self.quick, self.thorough), self.selection.wanted());
        let targets = self.targets.len() + usize::from(self.write.is_some());
        let usual = IO_BUDGET * u32::try_from(targets).unwrap_or(u32::MAX);
        scope.budget = scope.budget.or(Some(usual));
        let irq_plan = self.irq_plan()?;
        self.check_before_writing(&workloads)?;
        // From here on, Ctrl-C ends the measurement cleanly, and the made file goes away.
        let mut bar = Bar::new()?;
        let made = self.make_file(&bar)?;
        let paths: Vec<PathBuf> = self.targets.iter().chain(&self.write).cloned().collect();
        let request = |(index, path): (usize, PathBuf)| IoRequestedTarget {
            path,
            is_made: index >= self.targets.len(),
            interrupt_places: irq_plan.as_ref().map(|plan| plan.places(index)).unwrap_or_default(),
            interrupts_why: irq_plan.as_ref().and_then(|plan| plan.why_not(index)),
        };
        let settings = IoSettings {
            targets: paths.into_iter().enumerate().map(request).collect(),
            workloads,
            window: Duration::from_millis(u64::from(self.window)),
            made: made.as_ref().map(|made| (made.identity(), made.opened_by().to_owned())),
        };
        let _held = irq_plan.as_ref().map(IrqPlan::hold).transpose()?;
        let delivered = self.measuring.deliver_on(&mut bar, scope, settings);
        drop(made);
        delivered
    }

    fn irq_plan(&self) -> anyhow::Result<Option<IrqPlan>> {
        // The file is not made yet: its folder is on the same disks.
        let folder = self.write.as_deref().map(|path| folder_of(path).to_owned());
        let paths: Vec<PathBuf> = self.targets.iter().cloned().chain(folder).collect();
        let mut places = self.irq.clone();
        places.sort_unstable();
        places.dedup();
        let names: Vec<String> = places.iter().map(|place| place.name().to_owned()).collect();
        (!names.is_empty()).then(|| IrqPlan::new(&paths, &names)).transpose()
    }

    /// Making a file takes seconds, and disk: what fails anyway fails before.
    fn check_before_writing(&self, workloads: &[IoWorkload]) -> anyhow::Result<()> {
        let Some(path) = &self.write else { return Ok(()) };
        ensure!(
            self.file_size >= MIN_BYTES,
            WrongUsage(format!(
                "--file-size {} is too small: at least {MIN_BYTES}",
                self.file_size
            ))
        );
        if let Some(large) = workloads.iter().find(|workload| workload.footprint() > self.file_size)
        {
            return Err(MeasureError::from(SettingsError::AccessesTooLarge {
                depth: large.depth,
                size: large.size,
                footprint: large.footprint(),
                what: path.display().to_string(),
                most: self.file_size,
            })
            .into());
        }
        ensure!(path.symlink_metadata().is_err(), MadeFileError::Exists(path.clone()));
        refuse_link(path)?;
        check_new(path).map_err(MeasureError::from)?;
        let files = self
            .targets
            .iter()
            .map(|target| TargetFile::check(target))
            .collect::<Result<Vec<_>, _>>();
        let files = files.map_err(MeasureError::from)?;
        let names = files.iter().map(|file| (file.path.as_path(), file.identity));
        TargetFile::refuse_same(&names.collect::<Vec<_>>()).map_err(MeasureError::from)?;
        Ok(())
    }

    fn make_file(&self, bar: &Bar) -> anyhow::Result<Option<MadeFile>> {
        let Some(path) = &self.write else { return Ok(None) };
        Ok(Some(MadeFile::create(path, self.file_size, self.keep, &|| bar.is_interrupted())?))
    }

    /// One kind of access if one was named, else latency and throughput.
    fn workloads(&self) -> Result<Vec<IoWorkload>, WrongUsage> {
        let pattern = match self.pattern {
            PatternChoice::Random => AccessPattern::Random,
            PatternChoice::Sequential => AccessPattern::Sequential,
        };
        let workload =
            |depth, size| IoWorkload { operation: IoOperation::Read, depth, size, pattern };
        let (small, large) = (Bytes::kib(4), Bytes::kib(128));
        let workloads = match (self.depth, self.size) {
            (None, None) => vec![workload(1, small), workload(32, large)],
            (None, Some(size)) => vec![workload(1, size), workload(32, size)],
            (Some(1), size) => vec![workload(1, size.unwrap_or(small))],
            (Some(depth), size) => vec![workload(depth, size.unwrap_or(large))],
        };
        match workloads.iter().find_map(IoWorkload::why_not) {
            Some(why) => Err(WrongUsage(why)),
            None => Ok(workloads),
        }
    }
}

/// Where the kernel protects links, opening the folder would fail without naming the link.
fn refuse_link(path: &Path) -> Result<(), MadeFileError> {
    match Folder::for_file(path) {
        Err(error) if is_refusal(&error) => {
            Err(MadeFileError::Failed { path: path.to_owned(), error })
        }
        _ => Ok(()),
    }
}

fn is_refusal(error: &std::io::Error) -> bool {
    matches!(error.get_ref(), Some(inner) if inner.is::<PathRefusal>())
}
