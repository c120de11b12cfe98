//! What in a description cannot be: found before anything starts, and said with its key and a remedy.

mod costs;
mod cpus;
mod firmware;
mod memory;
mod noise;

use std::fmt;

use nearfar_model::NodeId;

use super::description::Description;
use super::matrix::Matrix;

/// Something that cannot be, in one line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contradiction {
    key: String,
    wrong: String,
    remedy: String,
}

impl Contradiction {
    fn new(key: impl Into<String>, wrong: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { key: key.into(), wrong: wrong.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, wrong, remedy } = self;
        write!(f, "{key}: {wrong}; {remedy}")
    }
}

/// What became of looking for one of them.
type Checked = Result<(), Contradiction>;

/// All of them, part by part. Most parts count nodes and CPUs, and are looked at once those are right.
pub(super) fn check(description: &Description) -> Result<(), Vec<Contradiction>> {
    let mut checks = words(description);
    let nodes = cpus::check(description);
    if nodes.is_ok() {
        checks.push(cpus::cores_and_packages(description));
        checks.extend(memory::check(description));
        checks.extend(costs::check(description));
        checks.extend(noise::check(description));
        checks.extend(firmware::check(description));
    }
    checks.push(nodes);
    let found: Vec<_> = checks.into_iter().filter_map(Result::err).collect();
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// Texts are one line each: they end up on command lines and in tables.
fn words(description: &Description) -> Vec<Checked> {
    let Description { summary, kernel_args, .. } = description;
    let said = match summary.trim().is_empty() {
        false => Ok(()),
        true => Err(Contradiction::new("summary", "it is empty", "say in a line what the machine is")),
    };
    let one_line = |(key, text): (&str, &String)| match text.contains(char::is_control) {
        false => Ok(()),
        true => Err(Contradiction::new(key, "it has line breaks or control characters", "write it as one line")),
    };
    let mut checks = [("summary", summary), ("kernel_args", kernel_args)].map(one_line).to_vec();
    checks.push(said);
    checks
}

/// The nodes with CPUs.
fn cpu_nodes(description: &Description) -> Vec<NodeId> {
    description.nodes.iter().filter(|node| node.has_cpus()).map(|node| node.id).collect()
}

/// The nodes with memory.
fn memory_nodes(description: &Description) -> Vec<NodeId> {
    description.nodes.iter().filter(|node| node.memory.is_some()).map(|node| node.id).collect()
}

/// A finite number above zero.
fn positive(key: &str, number: f64) -> Checked {
    if number.is_finite() && number > 0.0 {
        return Ok(());
    }
    Err(Contradiction::new(key, format!("{number} is not above 0"), "give a positive, finite number"))
}

/// A matrix of positive numbers; sides are (how many, of what).
fn matrix(key: &str, matrix: &Matrix, rows: (usize, &str), columns: (usize, &str)) -> Checked {
    shape(key, matrix, rows, columns)?;
    for (i, row) in matrix.iter().enumerate() {
        for (j, &number) in row.iter().enumerate() {
            positive(&format!("{key}: row {i}, column {j}"), number)?;
        }
    }
    Ok(())
}

/// As many rows and columns as there are things that they stand for.
fn shape<T>(key: &str, matrix: &[Vec<T>], rows: (usize, &str), columns: (usize, &str)) -> Checked {
    let (wanted, what) = rows;
    if matrix.len() != wanted {
        let wrong = format!("it has {} rows, and there are {wanted} {what}", matrix.len());
        return Err(Contradiction::new(key, wrong, "give each of them one row, by rising id"));
    }
    let (wanted, what) = columns;
    match matrix.iter().enumerate().find(|(_, row)| row.len() != wanted) {
        None => Ok(()),
        Some((index, row)) => {
            let wrong = format!("row {index} has {} columns, and there are {wanted} {what}", row.len());
            Err(Contradiction::new(key, wrong, "give each of them one column, by rising id"))
        }
    }
}

const WITH_CPUS: &str = "nodes with CPUs";
const WITH_MEMORY: &str = "nodes with memory";
