//! `nearfar explain FILE --on MACHINE`: a program's time on another machine.

use std::path::Path;

use anyhow::{Context, bail};
use nearfar_infer::response::LatencyRange;
use nearfar_live::explain::{
    ForecastMachine, MachineLatencies, RESPONSE_SCHEMA, ResponseDocument, forecast_elsewhere, text,
};
use nearfar_model::{Instrument, NodeId};
use nearfar_survey::Survey;
use nearfar_survey::atlas::{Atlas, AtlasRow};
use nearfar_survey::document_kind::MAX_OF_A_SCHEMA;
use nearfar_view::terminal::exit::WrongUsage;
use nearfar_view::terminal::{output, screen};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::sweeping::dosed;
use crate::{document_file, input};

/// Rows of the atlas that an error names.
const MAX_NAMED: usize = 6;

/// Reads both, and prints the forecast.
pub(super) fn run(
    file: &str,
    machine: &str,
    node: Option<NodeId>,
    json: bool,
) -> anyhow::Result<()> {
    if file.is_empty() {
        return Err(
            WrongUsage("--on needs a file of 'explain TARGET --response -o FILE'".into()).into()
        );
    }
    let response = read_response(Path::new(file))?;
    let (mut machine, mut latencies) = machine_of(machine)?;
    if let Some(node) = node {
        latencies.retain(|(cpus, _), _| *cpus == node);
        if latencies.is_empty() {
            bail!("{} has no latencies from CPUs of node {node}", machine.source);
        }
        machine.name = format!("{}, CPUs of node {node}", machine.name);
    }
    let document = forecast_elsewhere(&response, machine, &latencies);
    if json {
        output::json(&document)?;
    } else {
        screen::print(&text::forecast_screen(&document))?;
    }
    Ok(())
}

/// A file of `--response -o`, or of `sweep --dose`.
pub(crate) fn read_response(path: &Path) -> anyhow::Result<ResponseDocument> {
    let value = read_json(path)?;
    if value["schema"] == nearfar_sweep::SCHEMA {
        let sweep = input::read(path, nearfar_sweep::read)?;
        return dosed::response_of(&sweep).with_context(|| {
            format!("{} is a sweep without --dose: it has no response", path.display())
        });
    }
    document(value, path, [RESPONSE_SCHEMA, "response", "--response"])
}

/// A document: its schema, its name, and the option that makes such files.
pub(super) fn read_document<D: DeserializeOwned>(
    path: &Path,
    kind: [&str; 3],
) -> anyhow::Result<D> {
    document(read_json(path)?, path, kind)
}

fn read_json(path: &Path) -> anyhow::Result<Value> {
    let shown = path.display();
    let text = input::bytes(path).with_context(|| format!("cannot read {shown}"))?;
    serde_json::from_slice(&text).with_context(|| format!("{shown} is no JSON"))
}

fn document<D: DeserializeOwned>(
    value: Value,
    path: &Path,
    [schema, what, option]: [&str; 3],
) -> anyhow::Result<D> {
    let shown = path.display();
    let found = value["schema"].as_str();
    if found != Some(schema) {
        let start: String = found.unwrap_or("none").chars().take(MAX_OF_A_SCHEMA).collect();
        bail!(
            "{shown} is no {what} (its schema is '{start}'): 'nearfar explain TARGET {option} -o \
             FILE' makes one"
        )
    }
    serde_json::from_value(value).with_context(|| format!("{shown} is damaged"))
}

/// A survey (a file, or a number of `show`), else a row of the atlas.
fn machine_of(word: &str) -> anyhow::Result<(ForecastMachine, MachineLatencies)> {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    if Path::new(word).exists() || is_number {
        let path = document_file::named(Path::new(word))?;
        let survey = input::read(&path, nearfar_survey::read)?;
        let latencies = of_survey(&survey);
        if latencies.is_empty() {
            bail!("{word} has no latencies: 'nearfar survey' or 'nearfar latency' measures them");
        }
        let source = format!("{} ({})", path.display(), survey.provenance.started);
        return Ok((ForecastMachine { name: survey.machine.short_name(), source }, latencies));
    }
    let row = row_of(word)?;
    let name = row.mode.as_ref().map_or(row.cpu.clone(), |mode| format!("{}, {mode}", row.cpu));
    let source = format!("{} ({}, {})", row.id, row.method.name(), row.source);
    Ok((ForecastMachine { name, source }, of_row(row)))
}

fn of_survey(survey: &Survey) -> MachineLatencies {
    let figures = survey.figures().filter(|figure| figure.instrument == Instrument::Latency);
    let pairs = figures.filter_map(|figure| figure.nodes());
    let one = |[cpus, memory]: [NodeId; 2]| {
        let found = survey.node_latency(cpus, memory)?;
        let range = found.ci95.unwrap_or([found.median; 2]);
        Some(((cpus, memory), LatencyRange { ns: found.median, range }))
    };
    pairs.filter_map(one).collect()
}

/// The one row with latencies that has these words, or this id.
fn row_of(words: &str) -> anyhow::Result<&'static AtlasRow> {
    let atlas = Atlas::built_in();
    let named = atlas.rows().iter().find(|row| row.id == words);
    let found = named.map_or_else(|| atlas.search(words), |row| vec![row]);
    let with: Vec<&AtlasRow> = found.into_iter().filter(|row| !of_row(row).is_empty()).collect();
    let ids = || with.iter().take(MAX_NAMED).map(|row| row.id.as_str()).collect::<Vec<_>>();
    match &with[..] {
        [row] => Ok(row),
        [] => bail!(
            "'{words}' is neither a file nor a row of the atlas with latencies: 'nearfar atlas' \
             lists them"
        ),
        [..] => bail!(
            "{} rows of the atlas have '{words}': name one by its id ({}{})",
            with.len(),
            ids().join(", "),
            if with.len() > MAX_NAMED { ", ..." } else { "" }
        ),
    }
}

/// Its matrix, else local and remote memory of two nodes.
fn of_row(row: &AtlasRow) -> MachineLatencies {
    let node = |at: usize| NodeId(u32::try_from(at).unwrap_or(u32::MAX));
    let exact = |ns: f64| LatencyRange { ns, range: [ns, ns] };
    if let Some(matrix) = &row.latency_ns {
        let column = |at: usize| row.memory_nodes.as_ref().map_or(at, |nodes| nodes[at]);
        let cells = matrix.iter().enumerate().flat_map(|(cpus, costs)| {
            let cell = move |(at, ns): (usize, &f64)| ((node(cpus), node(column(at))), exact(*ns));
            costs.iter().enumerate().map(cell)
        });
        return cells.collect();
    }
    let (Some(local), Some(remote)) = (row.local(), row.remote()) else {
        return MachineLatencies::new();
    };
    let span =
        |[low, high]: [f64; 2]| LatencyRange { ns: f64::midpoint(low, high), range: [low, high] };
    let (here, there) = (node(0), node(1));
    [((here, here), span(local.ends())), ((here, there), span(remote.ends()))].into()
}
