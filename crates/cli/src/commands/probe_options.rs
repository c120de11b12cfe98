//! Which probe, and how large: options that measuring commands share.

use clap::{Args, ValueEnum};
use nearfar_model::Bytes;
use nearfar_probe::{PageSize, ProbeKind, ProbeSpec};
use nearfar_view::terminal::exit::WrongUsage;

use super::ranged::from_to;

/// A probe and its sizes.
#[derive(Clone, Debug, Args)]
pub(super) struct ProbeOptions {
    /// Timed access loop
    #[arg(long, default_value = "page")]
    probe: ProbeOption,
    /// Page size under the buffer [default: huge]
    #[arg(long, value_name = "SIZE")]
    pages: Option<PageChoice>,
    /// Buffer of one sample, e.g. 1G; not for page [default: 256M, core-walk 16M]
    #[arg(long, value_name = "BYTES")]
    size: Option<Bytes>,
    /// Passes over the buffer in one sample of store-sweep [default: 16]
    #[arg(long, value_name = "N", value_parser = from_to(1u64, 1_000_000))]
    passes: Option<u64>,
    /// Accesses in one sample of chase, rmw or core-walk [default: 65536, core-walk 67108864]
    #[arg(long, value_name = "N", value_parser = from_to(1u64, 1_000_000_000_000))]
    accesses: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProbeOption {
    /// Dependent loads through one flushed 2 MiB page
    Page,
    /// Dependent loads through a large buffer
    Chase,
    /// Stores through a large buffer, several times
    StoreSweep,
    /// Stores from every CPU to a buffer of the first CPU
    CoreWalk,
    /// Dependent loads through a large buffer that also write
    Rmw,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PageChoice {
    /// 2 MiB
    Huge,
    /// The base page size
    #[value(name = "4k", alias = "base")]
    Base,
}

/// Smaller buffers fit in the nearest cache, and do not measure memory.
const SMALLEST: Bytes = Bytes::kib(64);
/// Stores go to one byte in each line of this size.
const LINE: u64 = 64;

impl ProbeOptions {
    /// The selected probe, with defaults.
    pub(super) fn spec(&self) -> Result<ProbeSpec, WrongUsage> {
        let pages = match self.pages {
            Some(PageChoice::Base) => PageSize::Base,
            Some(PageChoice::Huge) | None => PageSize::Huge,
        };
        let mut spec = match self.probe {
            ProbeOption::Page => ProbeSpec::page(),
            ProbeOption::Chase => ProbeSpec::chase(pages),
            ProbeOption::StoreSweep => ProbeSpec::store_sweep(),
            ProbeOption::CoreWalk => ProbeSpec::core_walk(),
            ProbeOption::Rmw => ProbeSpec::rmw(),
        };
        spec.pages = pages;
        self.resize(&mut spec)?;
        spec.check().map_err(|error| WrongUsage(error.to_string()))?;
        Ok(spec)
    }

    fn resize(&self, spec: &mut ProbeSpec) -> Result<(), WrongUsage> {
        let fits = |option: &str, kinds: &[ProbeKind]| {
            if kinds.contains(&spec.kind) {
                return Ok(());
            }
            let probe = spec.kind.name();
            Err(WrongUsage(format!("{option} does not apply to the {probe} probe")))
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
