//! `nearfar run`: runs a program on chosen CPUs and nodes. Also the name `numactl`.
//!
//! `nearfar_process::launch` parses the arguments, since clap does not support numactl's order of
//! options. clap has the same options from the same table, for help, man page and completions. Only
//! what is needed is read, since starting a program has to be fast.

mod arguments;
mod execute;
mod failure;
mod near;
mod print;
mod signals;
mod warm;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use nearfar_machine::Source;
use nearfar_process::launch::{
    Dialect, LaunchRequest, LaunchTask, SharedAnswer, SharedStep, SharedWork, text as launch,
};
use nearfar_view::terminal::output;
use schemars::JsonSchema;
use serde::Serialize;

use crate::measured_nodes::measured_nodes;
use failure::NotLaunched;

pub(crate) use arguments::RunCommand;
pub(crate) use print::WeightsDocument;

/// Whether these arguments are `nearfar run ...`.
pub(crate) fn is_meant(mut args: impl Iterator<Item = OsString>) -> bool {
    args.nth(1).is_some_and(|word| word == "run")
}

/// Runs a command line: the arguments after `run`, or after the name `numactl`.
pub(crate) fn follow(words: Vec<OsString>, dialect: Dialect) -> ExitCode {
    match done(words, dialect) {
        Ok(status) => status,
        Err(failure) => failure.report(dialect),
    }
}

fn done(words: Vec<OsString>, dialect: Dialect) -> Result<ExitCode, NotLaunched> {
    let mut request = LaunchRequest::parse(words, dialect)?;
    match request.task {
        LaunchTask::Help => return print::help(),
        LaunchTask::Version => return print::version(dialect),
        _ => {}
    }
    let source = Source::live();
    if request.is_near_devices() {
        request.measured = measured_nodes(&source);
    }
    let launch = request.check(&source).map_err(|error| near::with_claims(error, &source))?;
    match &request.task {
        LaunchTask::Explain(_) => return print::explain(&launch, &source, request.json),
        LaunchTask::Translate(system, command) => {
            return print::translate(&launch, command, *system, request.json);
        }
        LaunchTask::ShowWeights => return print::weights(&source, request.json),
        _ => {}
    }
    launch.warnings.iter().for_each(|warning| aside(dialect, &format!("warning: {warning}")));
    if let Some(weights) = &launch.weights {
        weights.set(&source).map_err(anyhow::Error::from)?;
    }
    for left_out in launch.placement.apply()? {
        aside(dialect, &format!("warning: {left_out}"));
    }
    if matches!(request.task, LaunchTask::Run(_) | LaunchTask::Watch(_)) {
        warm::warm(&launch.warm, &launch.placement, &source, |line| aside(dialect, line))?;
    }
    match request.task {
        LaunchTask::Run(command) => Err(execute::become_program(&command).into()),
        LaunchTask::Watch(command) => watch::watch(&command, &launch.placement, request.json),
        LaunchTask::SharedMemory => work(&launch.shared, dialect, request.json),
        LaunchTask::Show => print::show(&source, dialect, request.json),
        LaunchTask::Hardware { compress } => {
            print::hardware(&source, dialect, compress, request.json)
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn aside(dialect: Dialect, line: &str) {
    output::aside(&format!("{}: {line}", failure::name(dialect)));
}

/// The results of all steps, in their order.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SharedDocument {
    schema: &'static str,
    /// In the order of the options.
    answers: Vec<SharedAnswer>,
}

impl SharedDocument {
    pub(crate) const SCHEMA: &str = "nearfar.shared/1";
}

/// Runs the steps in their order. The status is 1 if pages do not follow their policy.
fn work(steps: &[SharedStep], dialect: Dialect, json: bool) -> Result<ExitCode, NotLaunched> {
    let mut work = SharedWork::default();
    let mut status = ExitCode::SUCCESS;
    let mut document = SharedDocument { schema: SharedDocument::SCHEMA, answers: Vec::new() };
    for step in steps {
        match work.follow(step)? {
            None => {}
            // numactl does not report this.
            Some(SharedAnswer::Made(_)) if dialect == Dialect::Numactl => {}
            Some(SharedAnswer::Made(name)) => aside(dialect, &format!("made {name}")),
            Some(answer) => {
                if matches!(&answer, SharedAnswer::Misplaced(broken) if !broken.is_empty()) {
                    status = ExitCode::FAILURE;
                }
                if json {
                    document.answers.push(answer);
                } else {
                    output::text(&launch::shared::text(&answer))?;
                }
            }
        }
    }
    if json {
        output::json(&document)?;
    }
    Ok(status)
}
