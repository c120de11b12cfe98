//! `nearfar-lab check MACHINE`: does a survey inside match the modelled machine?

use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use nearfar_view::terminal::Interrupt;
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::output;
use tempfile::NamedTempFile;

use super::machine_choice::MachineChoice;
use crate::check::{self, GuestMeasurement, TruthComparison};
use crate::guest::{self, GuestJob, MAX_TIMEOUT_S, Setup};
use crate::kit::Kit;
use crate::machine::{Describes, LabMachine};

/// Survey a machine from inside and print what was charged against what was measured, cell by cell.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  nearfar-lab check epyc-7451-2p              a quick survey: about a minute
  nearfar-lab check xeon-2s --default         a survey as users run it
  nearfar-lab check uma-claims-8-nodes --seed 7
  nearfar-lab check ./mine.toml --json | jq .worst_error

Exit status: 0 when every cell lies within 5 % of what was charged, half of them within 2 %,
no statement is wrong (verdict, hidden nodes, classes, links, claims, intervals of ratios), no
sentence of the survey's text is, and hidden nodes were found where there are any; else 1. Whatever
else was left open is listed.")]
pub(crate) struct Check {
    #[command(flatten)]
    machine: MachineChoice,
    /// Survey as users do by default, not quickly: several times as long.
    #[arg(long)]
    default: bool,
    /// Stop when all together takes longer than this, from power-on.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 600,
        value_parser = clap::value_parser!(u64).range(1..=MAX_TIMEOUT_S)
    )]
    timeout: u64,
    /// Keep the survey and what was charged in this folder (survey.json, ledger.json).
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    setup: Setup,
}

impl Check {
    /// Surveys and compares; gives 0 when the survey matches the modelled machine.
    pub(crate) fn run(self) -> anyhow::Result<u8> {
        let machine = self.machine.load()?;
        if self.setup.no_plugin {
            return Err(
                WrongUsage("nothing would be charged: leave --no-plugin out".to_owned()).into()
            );
        }
        let json = self.json;
        if io::stderr().is_terminal() {
            output::aside(&format!("surveying {} from inside: a minute or more", machine.name));
        }
        let scratch = tempfile::tempdir().context("cannot make a folder for the survey")?;
        let folder = self.out.clone().unwrap_or_else(|| scratch.path().to_owned());
        let seen = self.survey(&machine, &folder)?;
        let comparison = TruthComparison::new(&machine, &seen);
        output::text(&match json {
            true => format!("{}\n", check::document(&comparison)),
            false => check::text(&comparison),
        })?;
        Ok(u8::from(!comparison.objections().is_empty()))
    }

    /// Surveys inside a guest.
    fn survey(self, machine: &LabMachine, folder: &Path) -> anyhow::Result<GuestMeasurement> {
        let seed = self.setup.seed.unwrap_or(machine.description.seed).to_string();
        let mut command = vec!["nearfar", "survey", "-o", "/out/survey.json", "--seed", &seed];
        if !self.default {
            command.push("--quick");
            if machine.description.firmware.describes == Describes::OneNode {
                command.extend(["--only", "latency,hidden"]);
            }
        }
        let asides = NamedTempFile::new().context("cannot make a file for the survey's stderr")?;
        let job = GuestJob {
            command: command.into_iter().map(Into::into).collect(),
            stdout: Box::new(io::sink()),
            stderr: Box::new(asides.reopen()?),
            out: Some(folder.to_owned()),
            timeout: Duration::from_secs(self.timeout),
            setup: self.setup,
        };
        let outcome = guest::run(&Kit::find()?, machine, job, &Interrupt::listen()?)?;
        if outcome.status != 0 {
            let stderr = fs::read(asides.path())?;
            String::from_utf8_lossy(&stderr)
                .lines()
                .for_each(|line| output::aside(&format!("  guest: {line}")));
            anyhow::bail!("the survey inside failed with status {}", outcome.status);
        }
        let survey = nearfar_survey::read(&folder.join("survey.json"))?;
        let ledger = outcome.ledger.context("the guest ran without a ledger")??;
        let path = folder.join("ledger.json");
        fs::write(&path, serde_json::to_vec(&ledger)?)
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(GuestMeasurement { survey, ledger, boot: outcome.booted_after })
    }
}
