//! What several findings of one machine have in common: one memory, one group of CPUs, or all of
//! the machine.

use nearfar_model::Instrument;

use crate::fleet::{
    CauseKind, CausePart, FleetCause, FleetCellName, FleetDirection, FleetFinding, FleetGroup,
    FleetMachine,
};

impl CausePart {
    fn is_of(&self, cell: &FleetCellName) -> bool {
        (&self.instrument, self.unit) == (&cell.instrument, cell.unit)
    }
}

/// Cells that share a cause are at least this many. A mean over all rows is none of them: one slow
/// cell raises it, too.
const FEWEST: usize = 2;
/// The share of a memory's or CPU group's cells that are outliers, in one instrument.
const MAX_OF_PART: f64 = 0.5;
/// The share of all cells. Of two nodes, one memory is half of them.
const MAX_OF_MACHINE: f64 = 0.75;

/// The causes of all findings, which take the cause's index.
pub(crate) fn causes(groups: &[FleetGroup], findings: &mut [FleetFinding]) -> Vec<FleetCause> {
    let mut found = Vec::new();
    for findings in findings.chunk_by_mut(|a, b| (a.group, &a.machine) == (b.group, &b.machine)) {
        let group = &groups[findings[0].group];
        let name = &findings[0].machine;
        let Some(machine) = group.machines.iter().find(|machine| machine.name == *name) else {
            continue;
        };
        shared(&compared_cells(group, machine), findings, &mut found);
    }
    found
}

/// Adds what findings of one machine, or of one batch, share.
pub(crate) fn shared(
    compared: &[&FleetCellName],
    findings: &mut [FleetFinding],
    found: &mut Vec<FleetCause>,
) {
    for direction in [FleetDirection::Slower, FleetDirection::Faster] {
        while let Some(cause) = largest(compared, findings, direction) {
            let open = findings.iter_mut().filter(|finding| is_open(finding, direction));
            for finding in open.filter(|finding| cause.kind.covers(&finding.cell)) {
                finding.cause = Some(found.len());
            }
            found.push(cause);
        }
    }
}

fn compared_cells<'g>(group: &'g FleetGroup, machine: &FleetMachine) -> Vec<&'g FleetCellName> {
    let cells = group.cells.iter().zip(&machine.ratios);
    let compared = cells.filter(|(_, ratio)| ratio.is_some()).map(|(cell, _)| &cell.name);
    compared.filter(|name| !name.is_of_all_rows()).collect()
}

fn is_open(finding: &FleetFinding, direction: FleetDirection) -> bool {
    finding.cause.is_none() && finding.direction == direction
}

/// The cause that covers most of the findings that are still without one.
fn largest(
    compared: &[&FleetCellName],
    findings: &[FleetFinding],
    direction: FleetDirection,
) -> Option<FleetCause> {
    let open: Vec<&FleetFinding> =
        findings.iter().filter(|finding| is_open(finding, direction)).collect();
    let mut kinds: Vec<CauseKind> =
        open.iter().flat_map(|finding| CauseKind::possible(&finding.cell)).collect();
    kinds.sort();
    kinds.dedup();
    let candidates = kinds.into_iter().filter_map(|kind| {
        let covered: Vec<&FleetFinding> =
            open.iter().copied().filter(|finding| kind.covers(&finding.cell)).collect();
        let is_mean = |finding: &&FleetFinding| finding.cell.is_of_all_rows();
        let cells: Vec<&FleetFinding> =
            covered.iter().copied().filter(|finding| !is_mean(finding)).collect();
        let parts = parts(&kind, compared, &cells);
        let total = |of: fn(&CausePart) -> usize| parts.iter().map(of).sum::<usize>();
        let share = total(|part| part.outliers) as f64 / total(|part| part.cells) as f64;
        let is_shared =
            parts.iter().any(|part| part.outliers >= FEWEST) && share >= kind.fewest_share();
        is_shared.then_some((covered.len(), kind, parts))
    });
    // Of equal ones the narrower: `max_by_key` takes the last.
    let (_, kind, parts) =
        candidates.max_by_key(|(count, kind, _)| (*count, std::cmp::Reverse(kind.clone())))?;
    let first = open.first()?;
    Some(FleetCause { machine: first.machine.clone(), group: first.group, kind, direction, parts })
}

/// The covered findings by instrument.
fn parts(
    kind: &CauseKind,
    compared: &[&FleetCellName],
    covered: &[&FleetFinding],
) -> Vec<CausePart> {
    let mut parts: Vec<CausePart> = Vec::new();
    for finding in covered {
        let cell = &finding.cell;
        if let Some(part) = parts.iter_mut().find(|part| part.is_of(cell)) {
            part.outliers += 1;
            part.is_relative |= finding.is_relative;
            part.ratios = hull(part.ratios, [finding.ratio; 2]);
            part.cell_ratios = match (part.cell_ratios, finding.cell_ratio) {
                (Some(ratios), Some(ratio)) => Some(hull(ratios, [ratio; 2])),
                (ratios, ratio) => ratios.or(ratio.map(|ratio| [ratio; 2])),
            };
            part.other_cells = part.other_cells.or(finding.other_cells);
            part.ci95 = hull(part.ci95, finding.ci95);
            part.q = part.q.max(finding.q);
            continue;
        }
        let mut part = CausePart {
            instrument: cell.instrument.clone(),
            unit: cell.unit,
            outliers: 1,
            is_relative: finding.is_relative,
            cells: 0,
            ratios: [finding.ratio; 2],
            cell_ratios: finding.cell_ratio.map(|ratio| [ratio; 2]),
            other_cells: finding.other_cells,
            ci95: finding.ci95,
            q: finding.q,
        };
        part.cells =
            compared.iter().filter(|other| part.is_of(other) && kind.covers(other)).count();
        parts.push(part);
    }
    parts
}

fn hull(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

impl CauseKind {
    /// What a finding in this cell may have as its cause.
    fn possible(cell: &FleetCellName) -> Vec<Self> {
        if cell.is_of_all_rows() {
            return vec![Self::Memory { label: cell.column.clone() }, Self::Machine];
        }
        let row = Self::Cpus { label: cell.row.clone() };
        if is_between_cpus(cell) {
            return vec![row, Self::Cpus { label: cell.column.clone() }, Self::Machine];
        }
        vec![row, Self::Memory { label: cell.column.clone() }, Self::Machine]
    }

    fn covers(&self, cell: &FleetCellName) -> bool {
        match self {
            Self::Machine => true,
            Self::Memory { label } => !is_between_cpus(cell) && cell.column == *label,
            Self::Cpus { label } => {
                cell.row == *label || (is_between_cpus(cell) && cell.column == *label)
            }
        }
    }

    fn fewest_share(&self) -> f64 {
        if *self == Self::Machine { MAX_OF_MACHINE } else { MAX_OF_PART }
    }
}

/// Whether the columns of an instrument are CPUs.
fn is_between_cpus(cell: &FleetCellName) -> bool {
    cell.instrument == Instrument::CoreToCore.name()
}
