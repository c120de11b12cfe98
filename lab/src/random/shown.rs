//! A drawn machine that shows its nodes, as the text of a description.

use std::fmt::Write as _;

use fastrand::Rng;

use super::Family;
use super::costs::{DrawnCosts, costs};
use super::drawn::{MAX_MIB, MIN_LAB_NS};
use super::firmware::{Claimed, DrawnTables, tables};

/// CPUs of a node that has any; in some machines each node has its own number.
const CPUS: usize = 2;
const MAX_CPUS: usize = 4;
/// Nodes have multiples of this many MiB.
const PIECE_MIB: usize = 64;

/// Describes a machine of a family; the same seed gives the same one.
pub(super) fn description(seed: u64, family: Family, claimed: Option<Claimed>) -> String {
    let mut rng = Rng::with_seed(seed ^ 0x73_686f_776e);
    let drawn = costs(&mut rng, family);
    let claimed = claimed.unwrap_or_else(|| Claimed::drawn(&mut rng, family));
    let DrawnTables { slit, hmat_ns } = tables(&mut rng, claimed, &drawn);
    let slowdown = (MIN_LAB_NS / drawn.ns[0][0]).ceil();
    let is_uneven = rng.u8(..4) == 0;
    let cpus: Vec<usize> = (0..drawn.with_cpus)
        .map(|_| if is_uneven { rng.usize(1..=MAX_CPUS) } else { CPUS })
        .collect();
    // Packages share CPUs evenly.
    let packages = if is_uneven { 1 } else { drawn.packages };
    let mut text = head(seed, family, &drawn, packages, slowdown);
    nodes(&mut text, &mut rng, &drawn, &cpus);
    let with_memory = |rows: &[Vec<f64>]| -> Vec<Vec<f64>> {
        let is_there = |node: usize| Some(node) != drawn.memoryless;
        let row = |row: &Vec<f64>| {
            row.iter().enumerate().filter(|(node, _)| is_there(*node)).map(|(_, ns)| *ns).collect()
        };
        rows.iter().map(row).collect()
    };
    let _ = write!(text, "\n[latency]\nns = {}", matrix(&with_memory(&drawn.ns), 1.0, 1));
    if slit.is_none() && hmat_ns.is_none() {
        return text;
    }
    text += "\n[firmware]\n";
    if let Some(slit) = slit {
        let slit: Vec<Vec<f64>> =
            slit.into_iter().map(|row| row.into_iter().map(f64::from).collect()).collect();
        let _ = write!(text, "slit = {}", matrix(&slit, 1.0, 0));
    }
    if let Some(ns) = hmat_ns {
        // A guest's clock is the lab's, and its firmware's, too.
        let _ = write!(
            text,
            "hmat = true\nhmat_latency_ns = {}",
            matrix(&with_memory(&ns), slowdown, 1)
        );
    }
    text
}

fn head(seed: u64, family: Family, drawn: &DrawnCosts, packages: usize, slowdown: f64) -> String {
    let DrawnCosts { with_cpus, nodes, .. } = drawn;
    let name = family.name();
    format!(
        "# Drawn by 'nearfar-lab random --seed {seed} --family {name}'.\nsummary = \"drawn by seed \
         {seed}, {name}: {nodes} nodes, {with_cpus} with CPUs\"\narch = \"x86_64\"\npackages = \
         {packages}\nslowdown = {slowdown}\nseed = {seed}\n"
    )
}

/// Nodes: some have half as much memory as others.
fn nodes(text: &mut String, rng: &mut Rng, drawn: &DrawnCosts, cpus: &[usize]) {
    let most = (MAX_MIB / drawn.nodes).min(256) / (2 * PIECE_MIB) * 2 * PIECE_MIB;
    let has_small = rng.u8(..3) == 0;
    let mut first = 0;
    for node in 0..drawn.nodes {
        let _ = write!(text, "\n[[node]]\nid = {node}\n");
        if let Some(cpus) = cpus.get(node) {
            let _ = writeln!(text, "cpus = \"{first}-{}\"", first + cpus - 1);
            first += cpus;
        }
        let size = if node > 0 && has_small && rng.bool() { most / 2 } else { most };
        if Some(node) != drawn.memoryless {
            let _ = writeln!(text, "memory = \"{size}M\"");
        }
    }
}

fn matrix(rows: &[Vec<f64>], times: f64, decimals: usize) -> String {
    let row = |row: &Vec<f64>| {
        let cells: Vec<String> =
            row.iter().map(|cell| format!("{:.decimals$}", times * cell)).collect();
        format!("  [{}],\n", cells.join(", "))
    };
    format!("[\n{}]\n", rows.iter().map(row).collect::<String>())
}
