//! `nearfar doctor`: the permissions of this user on this machine.

use clap::Args;
use nearfar_diagnose::doctor::text as doctor;
use nearfar_diagnose::doctor::{DoctorDocument, Facility, attempt};
use nearfar_machine::{MachineError, ProcessRights, Source};
use nearfar_probe::io::try_uring;
use nearfar_view::terminal::{output, screen};

use super::verbose::VerboseOption;

/// Show the permissions that this user lacks, and what gives them.
///
/// Tries each system call and file that nearfar uses, and changes nothing. Run it as the user, and
/// in the container, in which nearfar shall work.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar doctor                   what this user may do here
  sudo nearfar doctor              what root may do
  docker run IMAGE nearfar doctor  what a container allows
  nearfar doctor --json | jq -r '.checks[] | .facility + \" \" + .state'

Exit status: 0, whatever is refused; 1 without /proc, where nothing can be tried. \
docs/start/doctor.md has examples of a host, a user and a container.")]
pub(crate) struct DoctorCommand {
    /// Print JSON (nearfar.doctor/1)
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    verbose: VerboseOption,
}

impl DoctorCommand {
    /// Tries everything, and prints.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        self.verbose.obey();
        let source = Source::live();
        if let Some(error @ MachineError::NoProc { .. }) = source.proc_fault() {
            return Err(error.into());
        }
        let rights = ProcessRights::read(&source);
        let attempts: Vec<_> = Facility::ALL
            .into_iter()
            .map(|facility| (facility, attempt(facility, &source, &rights, try_uring)))
            .collect();
        let document = DoctorDocument::new(rights, attempts);
        if self.json {
            return Ok(output::json(&document)?);
        }
        Ok(screen::print(&doctor::text(&document))?)
    }
}
