//! Runs on this machine: what comes before and after each, and the supervisor between.

use std::process::{Command, Stdio};

use nearfar_machine::Source;

use crate::configuration::Configuration;
use crate::document::Settings;
use crate::error::SweepError;
use crate::plan::{Attempt, Runner};
use crate::supervise::Supervisor;
use crate::system::set;
use crate::template::{Filling, fill};

/// This machine.
pub struct Silicon<'a> {
    /// How a run's supervisor is started.
    pub supervisor: Supervisor,
    /// How each run is made.
    pub settings: Settings,
    /// Whether somebody wants it to stop.
    pub is_stopped: &'a dyn Fn() -> bool,
}

impl Runner for Silicon<'_> {
    fn run(&mut self, configuration: &Configuration) -> Result<Attempt, SweepError> {
        if let Err(refused) = set(&configuration.system, &Source::live()) {
            return Ok(Attempt::Refused(refused.to_string()));
        }
        if let Some(why) = hook("--prepare", self.settings.prepare.as_ref(), configuration)? {
            return Ok(Attempt::Refused(why));
        }
        let job = configuration.job(self.settings.timeout_s, self.settings.looks_at_pages);
        let attempt = self.supervisor.run(&job, self.is_stopped)?;
        match hook("--cleanup", self.settings.cleanup.as_ref(), configuration)? {
            Some(why) => Ok(Attempt::Refused(why)),
            None => Ok(attempt),
        }
    }
}

/// Runs a shell's line, where there is one; why it failed, if it did.
fn hook(option: &str, line: Option<&String>, configuration: &Configuration) -> Result<Option<String>, SweepError> {
    let Some(line) = line else { return Ok(None) };
    let Configuration { jobs, cpus, nodes, .. } = configuration;
    let line = fill(line, &Filling { jobs: *jobs, cpus, nodes })?;
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    shell.envs(configuration.environment.iter().map(|(name, value)| (name, value)));
    let output = shell.output().map_err(|error| SweepError::Supervisor(format!("{option}: sh: {error}")))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().next_back().map_or_else(String::new, |line| format!(": {line}"));
    Ok((!output.status.success()).then(|| format!("{option} failed with {}{last}", output.status)))
}
