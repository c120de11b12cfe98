//! A figure that is wrong in some cells: the most wrong one by its own measurement, then the rest.

use nearfar_infer::claims::{CellCheck, ClaimKind, Contradiction};

use super::command;
use crate::survey::cell::GB;

/// A table's figures as text.
struct Unit {
    name: &'static str,
    size: f64,
    decimals: usize,
}

impl Unit {
    const fn new(kind: ClaimKind) -> Self {
        match kind {
            ClaimKind::Slit => Self { name: "times", size: 1.0, decimals: 2 },
            ClaimKind::HmatLatency => Self { name: "ns", size: 1.0, decimals: 0 },
            ClaimKind::HmatBandwidth => Self { name: "GB/s", size: GB, decimals: 1 },
        }
    }

    fn figure(&self, figure: f64) -> String {
        format!("{:.*}", self.decimals, figure / self.size)
    }
}

/// The sentence; `cells` has the most wrong one first.
pub(super) fn sentence(
    wrong: &Contradiction,
    table: &str,
    claimed: f64,
    cells: &[[u32; 2]],
) -> String {
    let check = |cell: &[u32; 2]| {
        wrong.cells.iter().find(|check| [check.cpu_node, check.memory_node] == *cell)
    };
    let checked: Vec<&CellCheck> = cells.iter().filter_map(check).collect();
    let Some((first, others)) = checked.split_first() else { return String::new() };
    let unit = Unit::new(wrong.kind);
    let meaning = if wrong.kind == ClaimKind::Slit { " the local latency" } else { "" };
    let [low, high] = first.ci95.map(|bound| unit.figure(bound));
    format!(
        "For node {} from node {}, {table} claims {} {}{meaning}. Measured: {} {} (95 % interval \
         {low} to {high}).{} {}",
        first.memory_node,
        first.cpu_node,
        unit.figure(claimed),
        unit.name,
        unit.figure(first.measured),
        unit.name,
        also(others, &unit),
        advice(wrong, first)
    )
}

/// The other cells with the same claim that are off.
fn also(others: &[&CellCheck], unit: &Unit) -> String {
    let figures = || others.iter().map(|cell| cell.measured);
    let [low, high] = [figures().reduce(f64::min), figures().reduce(f64::max)]
        .map(|bound| unit.figure(bound.unwrap_or_default()));
    let range = if low == high { low } else { format!("{low} to {high}") };
    match others.len() {
        0 => String::new(),
        1 => format!(" 1 more cell contradicts this claim: {range} {}.", unit.name),
        count => format!(" {count} more cells contradict this claim: {range} {}.", unit.name),
    }
}

fn advice(wrong: &Contradiction, cell: &CellCheck) -> String {
    match wrong.placement {
        Some(placement)
            if placement.memory().into_iter().any(|memory| memory == cell.memory_node) =>
        {
            let run = command(": ", Some(placement));
            format!("Let programs use it when local memory is full{run}.")
        }
        Some(placement) => format!("Avoid it{}.", command(": ", Some(placement))),
        None => "Use the measured figure.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use nearfar_infer::claims::{ClaimFinding, ClaimPlacement};

    use super::*;

    fn check(memory_node: u32, measured: f64) -> CellCheck {
        CellCheck {
            cpu_node: 0,
            memory_node,
            claimed: 5.0,
            measured,
            ci95: [measured - 0.02, measured + 0.02],
            agrees: Some(false),
        }
    }

    fn found(cells: &[CellCheck], placement: Option<&ClaimPlacement>) -> String {
        let finding = ClaimFinding::Off {
            claimed: 5.0,
            measured: cells[0].measured,
            cells: cells.iter().map(|cell| [0, cell.memory_node]).collect(),
        };
        let kind = ClaimKind::Slit;
        let wrong = Contradiction { kind, finding: &finding, cells, placement, strength: 0.0 };
        super::super::sentence(&wrong, crate::survey::Verbosity::Brief)
    }

    /// The figure of the cell that is named, not that of all.
    #[test]
    fn the_figure_is_that_of_the_cell_that_is_named() {
        let beside = ClaimPlacement { cpus: 0, first: 0, overflow: Some(3) };
        assert_eq!(
            found(&[check(3, 2.82)], Some(&beside)),
            "For node 3 from node 0, SLIT claims 5.00 times the local latency. Measured: 2.82 \
             times (95 % interval 2.80 to 2.84). Let programs use it when local memory is full: \
             'nearfar run -N 0 -m 0,3 PROGRAM'."
        );
        let several = found(&[check(3, 2.82), check(4, 3.2), check(5, 3.4)], None);
        let expected = "(95 % interval 2.80 to 2.84). 2 more cells contradict this claim: 3.20 to \
                        3.40 times. Use the measured figure.";
        assert!(several.ends_with(expected), "{several}");
    }

    #[test]
    fn memory_that_is_slower_than_claimed_is_avoided() {
        let own = ClaimPlacement { cpus: 0, first: 0, overflow: None };
        let avoided = found(&[check(3, 8.0)], Some(&own));
        assert!(avoided.ends_with("Avoid it: 'nearfar run -N 0 -m 0 PROGRAM'."), "{avoided}");
    }
}
