//! What `nearfar run` prints if it does not start a program.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Context, anyhow};
use nearfar_machine::{InterleaveWeights, Source, Topology};
use nearfar_process::launch::text as launch;
use nearfar_process::launch::{
    Dialect, Explanation, Hardware, KernelFacts, Launch, System, ThreadPolicy, Translation,
};
use nearfar_view::terminal::{output, width};
use schemars::JsonSchema;
use serde::Serialize;

use super::aside;
use super::failure::NotLaunched;
use super::near;

/// The release of numactl with the same behaviour, which scripts read.
const NUMACTL: &str = "2.0.19";

type PrintResult = Result<ExitCode, NotLaunched>;

pub(super) fn help() -> PrintResult {
    let mut command = crate::root(Some("run".as_ref()));
    command.build();
    let run = command.find_subcommand_mut("run").context("run is a subcommand")?;
    print(&run.render_long_help().ansi().to_string())
}

pub(super) fn version(dialect: Dialect) -> PrintResult {
    match dialect {
        Dialect::Run => print(&format!("nearfar {}\n", crate::VERSION)),
        Dialect::Numactl => print(&format!("{NUMACTL} (nearfar {})\n", env!("CARGO_PKG_VERSION"))),
    }
}

pub(super) fn show(source: &Source, dialect: Dialect, json: bool) -> PrintResult {
    let show = ThreadPolicy::read(source);
    either(json, &show, launch::show::text)?;
    if let (Some(denied), true) = (&show.denied, show.numa_supported && !json) {
        aside(dialect, &format!("--show: {denied}; CPUs and nodes are shown nevertheless"));
    }
    Ok(status(show.numa_supported))
}

pub(super) fn hardware(
    source: &Source,
    dialect: Dialect,
    compress: bool,
    json: bool,
) -> PrintResult {
    let mut hardware = Hardware::read(source);
    // numactl asks the kernel for its policies, and ends where it has none; scripts rely on it.
    if dialect == Dialect::Numactl {
        hardware.numa_supported &= ThreadPolicy::read(source).numa_supported;
    }
    either(json, &hardware, |hardware| launch::hardware::text(hardware, compress))?;
    Ok(status(hardware.numa_supported))
}

/// As numactl, fails without NUMA support after printing so.
fn status(numa_supported: bool) -> ExitCode {
    if numa_supported { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

pub(super) fn explain(launch: &Launch, source: &Source, json: bool) -> PrintResult {
    let topology = Topology::read(source).map_err(anyhow::Error::from)?;
    let mut explanation = Explanation::new(launch, &topology, &KernelFacts::for_kernel(launch));
    if let Some(near) = &mut explanation.near {
        near::add_claims(near, source);
    }
    width::set(width::detect());
    either(json, &explanation, launch::explain::text)
}

pub(super) fn translate(
    launch: &Launch,
    command: &[OsString],
    system: System,
    json: bool,
) -> PrintResult {
    let translation = Translation::new(&launch.placement, command, system)?;
    width::set(width::detect());
    either(json, &translation, launch::translation::text)
}

pub(super) fn weights(source: &Source, json: bool) -> PrintResult {
    let lacking =
        || anyhow!("this kernel has no interleave weights: they need Linux 6.9 and several nodes");
    let weights = InterleaveWeights::read(source).ok_or_else(lacking)?;
    let document = WeightsDocument { schema: WeightsDocument::SCHEMA, weights };
    either(json, &document, |document| launch::weights::text(&document.weights))
}

/// The weights of interleaving.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WeightsDocument {
    schema: &'static str,
    #[serde(flatten)]
    weights: InterleaveWeights,
}

impl WeightsDocument {
    pub(crate) const SCHEMA: &str = "nearfar.weights/1";
}

fn either<T: Serialize>(json: bool, document: &T, text: impl Fn(&T) -> String) -> PrintResult {
    if json {
        output::json(document)?;
        return Ok(ExitCode::SUCCESS);
    }
    print(&text(document))
}

fn print(text: &str) -> PrintResult {
    output::text(text)?;
    Ok(ExitCode::SUCCESS)
}
