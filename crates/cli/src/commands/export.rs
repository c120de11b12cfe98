//! `nearfar export`: figures for Prometheus.

mod address;
mod http;
mod server;
mod snapshot;

use std::path::Path;

use clap::{ArgGroup, Args};
use nearfar_machine::Source;
use nearfar_survey::IfExists;
use nearfar_view::terminal::output;

use crate::output_path::OutputPath;
use crate::whole_file::OutputFile;
use address::ListenAddress;
use snapshot::Exporter;

/// Export figures of nodes and of the kept survey to Prometheus.
///
/// Counters of nodes, with --listen also those of the PMU; the newest kept survey of this machine
/// with its bounds and verdict; findings. In the text format 0.0.4. What is not counted or not
/// measured is absent.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("target").required(true),
    after_help = "\
Examples:
  nearfar export --textfile /var/lib/prometheus/node-exporter/nearfar.prom
  nearfar export --listen                 GET http://127.0.0.1:9934/metrics
  nearfar export --listen 10.0.0.5:9934   for a Prometheus elsewhere
  nearfar export --textfile -             print it

docs/live.md shows both with a Prometheus; docs/grafana.json is a dashboard. There is no \
encryption and no password: other addresses than 127.0.0.1 show all figures to their network."
)]
pub(crate) struct ExportCommand {
    /// Write a file for node_exporter's textfile collector, whole or not at all, and end; '-'
    /// prints [default: no file]
    #[arg(long, value_name = "FILE", group = "target")]
    textfile: Option<OutputPath>,
    /// Serve GET /metrics on this address, until a signal ends it [default: 127.0.0.1:9934]
    #[arg(long, value_name = "ADDRESS", group = "target", num_args = 0..=1,
          default_missing_value = "127.0.0.1:9934")]
    listen: Option<ListenAddress>,
}

impl ExportCommand {
    /// Writes a file, or serves.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        // A count of the PMU begins with the process: only a server has one that rises.
        let exporter = Exporter::new(Source::live(), self.listen.is_some())?;
        match (self.textfile, self.listen) {
            (Some(OutputPath::StandardOutput), _) => Ok(output::text(&exporter.text())?),
            (Some(OutputPath::File(file)), _) => write(&file, &exporter.text()),
            (None, Some(address)) => server::serve(address, exporter),
            (None, None) => Ok(()),
        }
    }
}

fn write(file: &Path, text: &str) -> anyhow::Result<()> {
    let mut output = OutputFile::create(file, IfExists::Replace)?;
    // The collector is another user's.
    output.set_mode(READABLE_BY_ALL)?;
    output.keep(|out| out.write_all(text.as_bytes())).map(drop)
}

const READABLE_BY_ALL: u32 = 0o644;
