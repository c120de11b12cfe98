//! What in a description cannot be: found before anything starts, and reported with its key and a
//! remedy.

mod costs;
mod cpus;
mod devices;
mod disks;
mod firmware;
mod memory;
mod noise;

use super::NumberMatrix;
use super::description::Description;

/// Something that cannot be, in one line.
#[derive(Debug, thiserror::Error)]
#[error("{key}: {wrong}; {remedy}")]
pub(crate) struct DescriptionContradiction {
    key: String,
    wrong: String,
    remedy: String,
}

impl DescriptionContradiction {
    fn new(key: impl Into<String>, wrong: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { key: key.into(), wrong: wrong.into(), remedy: remedy.into() }
    }
}

/// What became of looking for one of them.
type Checked = Result<(), DescriptionContradiction>;

/// Something that has to hold, else it is a contradiction.
fn require(
    holds: bool,
    key: impl Into<String>,
    wrong: impl Into<String>,
    remedy: impl Into<String>,
) -> Checked {
    if holds { Ok(()) } else { Err(DescriptionContradiction::new(key, wrong, remedy)) }
}

/// All of them, part by part. Most parts count nodes and CPUs, and are looked at once those are
/// right.
pub(super) fn of(description: &Description) -> Vec<DescriptionContradiction> {
    let mut checks = words(description);
    let nodes = cpus::check(description);
    if nodes.is_ok() {
        checks.push(cpus::cores_and_packages(description));
        checks.extend(memory::check(description));
        checks.extend(costs::check(description));
        checks.extend(noise::check(description));
        checks.extend(firmware::check(description));
        checks.extend(devices::check(description));
    }
    checks.push(nodes);
    checks.into_iter().filter_map(Result::err).collect()
}

/// Texts are one line each: they end up on command lines and in tables.
fn words(description: &Description) -> Vec<Checked> {
    let Description { summary, kernel_args, .. } = description;
    let one_line = |key: &str, text: &str| {
        let is_plain = !text.contains(char::is_control);
        require(is_plain, key, "it has line breaks or control characters", "write it as one line")
    };
    vec![
        one_line("summary", summary),
        one_line("kernel_args", kernel_args),
        require(
            !summary.trim().is_empty(),
            "summary",
            "it is empty",
            "describe the machine in a line",
        ),
    ]
}

/// A finite number above zero.
fn positive(key: &str, number: f64) -> Checked {
    let is_positive = number.is_finite() && number > 0.0;
    require(is_positive, key, format!("{number} is not above 0"), "give a positive, finite number")
}

/// A matrix of positive numbers.
fn matrix(key: &str, matrix: &NumberMatrix, rows: Side, columns: Side) -> Checked {
    shape(key, matrix, rows, columns)?;
    for (i, row) in matrix.iter().enumerate() {
        for (j, &number) in row.iter().enumerate() {
            positive(&format!("{key}: row {i}, column {j}"), number)?;
        }
    }
    Ok(())
}

/// As many rows and columns as there are things that they stand for.
fn shape<T>(key: &str, matrix: &[Vec<T>], rows: Side, columns: Side) -> Checked {
    let (wanted, what) = rows;
    let wrong = format!("it has {} rows, and there are {wanted} {what}", matrix.len());
    require(matrix.len() == wanted, key, wrong, "give each of them one row, by rising id")?;
    let (wanted, what) = columns;
    matrix.iter().enumerate().try_for_each(|(index, row)| {
        let wrong = format!("row {index} has {} columns, and there are {wanted} {what}", row.len());
        require(row.len() == wanted, key, wrong, "give each of them one column, by rising id")
    })
}

/// A side of a matrix: how many things it stands for, and what they are.
type Side = (usize, &'static str);

fn cpu_side(description: &Description) -> Side {
    (description.cpu_nodes().count(), "nodes with CPUs")
}

fn memory_side(description: &Description) -> Side {
    (description.memory_nodes().count(), "nodes with memory")
}
