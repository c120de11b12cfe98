//! What firmware claims about distances.

use nearfar_model::DistanceMatrix;
use nearfar_view::terminal;
use nearfar_view::terminal::table::{Align, headed};

use crate::{Environment, Topology};

/// With more nodes than this, a sentence replaces a matrix of two values.
const MAX_WRITTEN_OUT: usize = 8;

/// The matrix, or a sentence with the same content; empty without distances.
pub(super) fn text(topology: &Topology, environment: &Environment) -> String {
    let Some(matrix) = &topology.distances else { return String::new() };
    let title = title(matrix, environment);
    let size = matrix.nodes().len();
    match uniform(matrix) {
        Some((own, other)) if size > MAX_WRITTEN_OUT => {
            format!(
                "{title}: {own} from each node to itself, {other} to each of the {} others\n",
                size - 1
            )
        }
        _ => format!("{title} (10 is local)\n{}", table(matrix)),
    }
}

/// "Distances: 10 to itself, 21 to other nodes", by whom they are claimed; nothing for one node.
pub(super) fn sentence(topology: &Topology, environment: &Environment) -> Option<String> {
    let matrix = topology.distances.as_ref().filter(|matrix| matrix.nodes().len() > 1)?;
    let remote = matrix.rows().iter().enumerate().flat_map(|(row, distances)| {
        distances.iter().enumerate().filter(move |(column, _)| *column != row).map(|(_, far)| *far)
    });
    let (low, high) = (remote.clone().min()?, remote.max()?);
    let remote = if low == high { low.to_string() } else { format!("{low} to {high}") };
    let source = match uniform(matrix) {
        _ if are_fake(environment) => "of the fake nodes that numa=fake= makes",
        Some((10, 20)) => "the kernel's defaults, or a SLIT without more detail",
        _ => "firmware claims them, nothing is measured",
    };
    Some(format!("Distances between nodes: {remote} ({source})."))
}

/// Whether the kernel made the nodes, and their distances.
fn are_fake(environment: &Environment) -> bool {
    let line = environment.boot.command_line.as_ref();
    line.is_some_and(|line| line.words.iter().any(|word| word.starts_with("numa=fake=")))
}

/// 10 and 20 alone are what the kernel takes where firmware claims nothing.
fn title(matrix: &DistanceMatrix, environment: &Environment) -> &'static str {
    match uniform(matrix) {
        _ if are_fake(environment) => "Distances of the fake nodes (numa=fake=)",
        Some((10, 20)) => {
            "Distances are 10 and 20 only: the kernel's defaults, or a SLIT without more detail"
        }
        None if matrix.nodes().len() < 2 => "Distances as the kernel shows them",
        _ => "Distances as firmware claims them",
    }
}

/// The distance to itself and to others, when they are the same for all nodes.
fn uniform(matrix: &DistanceMatrix) -> Option<(u32, u32)> {
    let own = *matrix.rows().first()?.first()?;
    let other = *matrix.rows().first()?.get(1)?;
    let expected = |row: usize, column: usize| if row == column { own } else { other };
    let is_uniform = matrix.rows().iter().enumerate().all(|(row, distances)| {
        distances.iter().enumerate().all(|(column, &distance)| distance == expected(row, column))
    });
    is_uniform.then_some((own, other))
}

/// Columns as narrow as their widest number: machines have up to 64 nodes. A matrix that is wider
/// than the terminal continues in further blocks.
fn table(matrix: &DistanceMatrix) -> String {
    let ids = matrix.nodes().iter().map(|id| id.0);
    let width = ids
        .clone()
        .chain(matrix.rows().concat())
        .map(|number| number.to_string().len())
        .max()
        .unwrap_or(0);
    if "node ".len() + (width + 1) * matrix.nodes().len() > terminal::width::current() {
        let head = std::iter::once("node".to_owned()).chain(ids.clone().map(|id| id.to_string()));
        let lines = ids.clone().zip(matrix.rows()).map(|(id, row)| {
            std::iter::once(id.to_string()).chain(row.iter().map(ToString::to_string))
        });
        return headed(head, lines, &[Align::Right]);
    }
    let line = |title: &str, numbers: &mut dyn Iterator<Item = u32>| {
        let numbers: String = numbers.map(|number| format!(" {number:>width$}")).collect();
        format!("{title:>4} {numbers}\n")
    };
    let mut text = line("node", &mut ids.clone());
    for (id, row) in ids.zip(matrix.rows()) {
        text += &line(&id.to_string(), &mut row.iter().copied());
    }
    text
}
