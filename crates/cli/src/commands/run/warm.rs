//! `--warm`: the page cache of files comes to the program's nodes before it starts.

use std::path::PathBuf;

use nearfar_machine::Source;
use nearfar_machine::process::NodeSummaries;
use nearfar_model::NodeSet;
use nearfar_process::launch::{MemoryChoice, Placement};
use nearfar_process::text::page_cache;
use nearfar_process::{file_path, warm_files};
use nearfar_view::text::named_nodes;

/// Reads and moves files; `show` gets a line before, and one for each file.
pub(super) fn warm(
    files: &[PathBuf],
    placement: &Placement,
    source: &Source,
    mut show: impl FnMut(&str),
) -> anyhow::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let around = NodeSummaries::read_with_available(source);
    let files: Vec<PathBuf> = files.iter().map(|file| file_path(file)).collect();
    let nodes = nodes(placement, &around)?;
    let place = named_nodes(&nodes);
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let shown = |file: Option<&_>| match file {
        None => show(&format!("--warm: reading {} to {place} ...", names.join(", "))),
        Some(file) => show(&format!("--warm: {}", page_cache::warmed(file, &nodes))),
    };
    Ok(warm_files(&files, &nodes, &around, shown)?)
}

/// The nodes of the program's memory: of its policy, else of its CPUs.
fn nodes(placement: &Placement, around: &NodeSummaries) -> anyhow::Result<NodeSet> {
    if let Some(nodes) = placement.memory.as_ref().and_then(MemoryChoice::nodes) {
        return Ok(nodes);
    }
    let chosen = placement.cpus.as_ref().map(|choice| choice.cpus.clone());
    let nodes = match chosen {
        Some(cpus) => around.nodes_of(&cpus),
        None => around.with_memory(),
    };
    let with_memory = nodes.intersection(&around.with_memory());
    anyhow::ensure!(
        !with_memory.is_empty(),
        "--warm: the program runs on {}, without memory: choose nodes by -m or -p",
        named_nodes(&nodes)
    );
    Ok(with_memory)
}
