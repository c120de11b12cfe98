//! Which probe, and how large: options that measuring commands share.

use clap::{Args, ValueEnum};
use nearfar_model::Bytes;
use nearfar_probe::{PageSize, ProbeKind, ProbeSpec};
use nearfar_terminal::exit::WrongUsage;

use super::ranged::from_to;

/// A probe and its sizes.
#[derive(Clone, Debug, Args)]
pub(super) struct ProbeOptions {
    /// The timed loop: dependent loads through one flushed 2 MiB page (page), through a large
    /// buffer (chase), the classical sweep of stores (store-sweep), stores to one CPU's buffer
    /// from every CPU (core-walk), or a chase that also writes (rmw).
    #[arg(long, default_value = "page")]
    probe: Probe,
    /// Pages under the memory: 2 MiB (huge) or the base size (4k).
    #[arg(long, value_name = "SIZE")]
    pages: Option<Pages>,
    /// Memory of one sample (chase, store-sweep, core-walk, rmw): 256M, 1G.
    #[arg(long, value_name = "BYTES")]
    size: Option<Bytes>,
    /// Passes of one sample over the memory (store-sweep).
    #[arg(long, value_name = "N", value_parser = from_to(1u64, 1_000_000))]
    passes: Option<u64>,
    /// Accesses of one sample (chase, core-walk, rmw).
    #[arg(long, value_name = "N", value_parser = from_to(1u64, 1_000_000_000_000))]
    accesses: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Probe {
    Page,
    Chase,
    StoreSweep,
    CoreWalk,
    Rmw,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Pages {
    Huge,
    #[value(name = "4k", alias = "base")]
    Base,
}

/// Buffers smaller than this fit in the nearest cache and measure nothing of memory.
const SMALLEST: Bytes = Bytes::kib(64);
/// Stores go to one byte in each line of this size.
const LINE: u64 = 64;

impl ProbeOptions {
    /// The probe as asked for, with defaults filled in.
    pub(super) fn spec(&self) -> Result<ProbeSpec, WrongUsage> {
        let pages = match self.pages {
            Some(Pages::Base) => PageSize::Base,
            Some(Pages::Huge) | None => PageSize::Huge,
        };
        let mut spec = match self.probe {
            Probe::Page => ProbeSpec::page(),
            Probe::Chase => ProbeSpec::chase(pages),
            Probe::StoreSweep => ProbeSpec::store_sweep(),
            Probe::CoreWalk => ProbeSpec::core_walk(),
            Probe::Rmw => ProbeSpec::rmw(),
        };
        spec.pages = pages;
        self.resize(&mut spec)?;
        spec.check().map_err(|error| WrongUsage(error.to_string()))?;
        Ok(spec)
    }

    fn resize(&self, spec: &mut ProbeSpec) -> Result<(), WrongUsage> {
        let fits = |option: &str, kinds: &[ProbeKind]| match kinds.contains(&spec.kind) {
            true => Ok(()),
            false => {
                Err(WrongUsage(format!("{option} does not go with the {} probe", spec.kind.name())))
            }
        };
        use ProbeKind::{Chase, CoreWalk, Rmw, StoreSweep};
        if let Some(size) = self.size {
            fits("--size", &[Chase, StoreSweep, CoreWalk, Rmw])?;
            if size < SMALLEST {
                return Err(WrongUsage(format!("--size {size} is too small: at least {SMALLEST}")));
            }
            // A sweep keeps its number of passes.
            let passes = spec.accesses * LINE / spec.size.0.max(1);
            spec.size = size;
            if spec.kind == StoreSweep {
                spec.accesses = passes * (size.0 / LINE);
            }
        }
        if let Some(passes) = self.passes {
            fits("--passes", &[StoreSweep])?;
            spec.accesses = passes.saturating_mul(spec.size.0 / LINE);
        }
        if let Some(accesses) = self.accesses {
            fits("--accesses", &[Chase, CoreWalk, Rmw])?;
            spec.accesses = accesses;
        }
        Ok(())
    }
}
