//! The cost matrix as a map, with what firmware claims beneath each figure.

use nearfar_draw::{Heading, HeatCell, HeatMap};
use nearfar_infer::claims::ClaimKind;
use nearfar_model::NodeId;
use nearfar_survey::{Cell, Matrix, Survey};

use crate::pictures::changes::{self, Changes};
use crate::pictures::figures::{exact, heat_cell, map_of};
use crate::pictures::shown::{Drawn, Shown};
use crate::survey::{Claimed, Grid, pair};

/// A map; nothing where latency was not measured.
pub(super) fn draw(survey: &Survey, changes: Option<&Changes<'_>>) -> Shown {
    let matrix = &survey.latency;
    if matrix.rows.is_empty() {
        return Shown::default();
    }
    let view =
        View { survey, grid: Grid::of(matrix), claimed: Claimed::of(&survey.claims), changes };
    Shown::of([Drawn::Map(view.map(matrix))], [])
}

struct View<'s> {
    survey: &'s Survey,
    grid: Grid<'s>,
    claimed: Claimed<'s>,
    changes: Option<&'s Changes<'s>>,
}

impl View<'_> {
    fn map(&self, matrix: &Matrix) -> HeatMap {
        let cell = |row, column| self.cell(matrix, self.grid.cell(row, column)?);
        let heading = Heading::new(format!("Latency, {}", matrix.unit), "");
        let mut map = map_of(matrix, heading, cell);
        let framed = map.cells.iter().flatten().flatten().any(|cell| cell.marked);
        map.heading.description = self.description(matrix, framed);
        map
    }

    fn cell(&self, matrix: &Matrix, cell: &Cell) -> Option<HeatCell> {
        let nodes = pair(matrix, cell.row, cell.column);
        let mut shown = heat_cell(cell, matrix.unit)?;
        if let Some(ratio) = self.grid.ratio(cell.row, cell.column) {
            shown.told += &format!("; {} times the row's local memory", exact(ratio));
        }
        if let Some(claim) = self.claimed.by_distance(nodes).filter(|_| self.has_far_nodes()) {
            shown.beneath = Some(format!("{claim:.1}×"));
            shown.told += &format!("; firmware's distance claims {claim:.1} times");
        }
        if let Some(ns) = self.claimed.latency_ns(nodes) {
            shown.told += &format!("; the HMAT claims {ns} ns");
        }
        if let Some(claim) = self.false_claim(nodes) {
            shown.marked = true;
            shown.told += &format!("; the claim does not hold ({claim})");
        }
        if let Some(changes) = self.changes {
            shown.marked = false;
            let labels = (&matrix.rows[cell.row].label, &matrix.columns[cell.column].label);
            changes::mark(&mut shown, changes.find("latency", labels.0, labels.1, &[]));
        }
        Some(shown)
    }

    /// Whether there is anything but local memory to claim a distance of.
    fn has_far_nodes(&self) -> bool {
        self.survey.claims.nodes.len() > 1
    }

    /// The claim of this pair that was shown to be wrong: of distances where there are any, for
    /// those stand in the cell; else of the HMAT's latencies.
    fn false_claim(&self, nodes: Option<(NodeId, NodeId)>) -> Option<&'static str> {
        let (from, to) = nodes?;
        let is_slit = self.claimed.has_distances();
        let (kind, name) =
            if is_slit { (ClaimKind::Slit, "SLIT") } else { (ClaimKind::HmatLatency, "HMAT") };
        let checks = self.survey.claims_vs_measured.iter().flat_map(|claims| &claims.checks);
        let mut cells = checks.filter(|check| check.kind == kind).flat_map(|check| &check.cells);
        let is_wrong = cells.any(|cell| {
            (cell.cpu_node, cell.memory_node) == (from.0, to.0) && cell.agrees == Some(false)
        });
        is_wrong.then_some(name)
    }

    fn description(&self, matrix: &Matrix, framed: bool) -> String {
        let words = format!(
            "Median cost of one access ({} probe, {}) by the CPUs of each row to the memory of \
             each column.",
            matrix.probe, matrix.unit
        );
        let claims = self.claimed.has_distances() && self.has_far_nodes();
        let beneath = if claims {
            "what firmware's distance claims, times local memory"
        } else {
            "half of its 95 % interval"
        };
        let (which, means) = match (framed, self.changes.is_some()) {
            (true, true) => (
                "the others",
                " Framed: changed for real against the first survey, by the share beneath.",
            ),
            (true, false) => ("each figure", " Framed: the claim does not hold."),
            (false, _) => ("each figure", ""),
        };
        words + &format!(" Beneath {which}: {beneath}.{means}")
    }
}
