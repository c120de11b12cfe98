//! `nearfar structure`: which CPUs share a core, a cache or a package, from a matrix of
//! core-to-core latencies.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args;
use nearfar_infer::core_to_core::who_shares;
use nearfar_machine::Topology;
use nearfar_model::CpuSet;
use nearfar_report::survey::Verbosity;
use nearfar_survey::PairMatrix;
use nearfar_survey::measure::claim;
use nearfar_view::terminal::{output, screen};

use crate::input;
use crate::sent;

/// Find packages and caches in a published core-to-core matrix.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar structure epyc.csv                          from core-to-core-latency
  nearfar structure epyc.csv --json | jq .packages    CPU lists and support
  nearfar structure mine.csv --root /                 compare to this machine
  nearfar structure theirs.csv --root capture.tar.gz  with a captured one

The file has a row and a column for each CPU, in nanoseconds, separated by commas, semicolons, \
tabs or blanks. One triangle is enough; labels are optional; cells may be missing.

The result is undetermined if latencies do not separate packages, most often because all lines \
were in memory near one package (docs/method/cpus.md).")]
pub(crate) struct StructureCommand {
    /// Matrix of latencies (CSV)
    #[arg(value_name = "FILE")]
    matrix: PathBuf,
    /// Compare with a captured folder or archive (.tar, .tar.gz, .tar.bz2, .tar.xz), with a file of
    /// lscpu or lstopo, or with / for this machine [default: no comparison]
    #[arg(long, value_name = "PATH")]
    root: Vec<PathBuf>,
    /// Print JSON (nearfar.structure/2).
    #[arg(long)]
    json: bool,
    /// Show the share of resamples that have each group.
    #[arg(long)]
    verbose: bool,
}

impl StructureCommand {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let matrix = input::read(&self.matrix, PairMatrix::read)?;
        let claimed = if self.root.is_empty() {
            None
        } else {
            let topology = Topology::read(&sent::source(&self.root)?)?;
            ensure_known(&matrix, &topology)?;
            Some(claim(&topology, &matrix.cpus))
        };
        let found = who_shares(&matrix.costs, matrix.cpus.len(), claimed.as_ref());
        let contradictions = claimed.map(|claim| found.contradictions(&matrix.costs, &claim));
        let document = nearfar_survey::Structure::new(&matrix, &found, contradictions.as_deref());
        if self.json {
            output::json(&document)?;
        } else {
            let verbosity = Verbosity::new(self.verbose);
            screen::print(&nearfar_report::structure::text(&document, verbosity))?;
        }
        Ok(())
    }
}

/// Claims about other CPUs could not contradict the matrix.
fn ensure_known(matrix: &PairMatrix, topology: &Topology) -> anyhow::Result<()> {
    let unknown: CpuSet =
        matrix.cpus.iter().copied().filter(|cpu| topology.cpu(*cpu).is_none()).collect();
    if !unknown.is_empty() {
        bail!(
            "the matrix has CPUs {unknown}, which the machine of --root does not have: give the \
             machine that was measured"
        );
    }
    Ok(())
}
