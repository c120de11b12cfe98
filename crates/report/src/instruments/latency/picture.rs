//! The cost matrix as a map, with the measured ratio to local memory beneath each figure, and what
//! firmware claims where that does not hold.

use std::collections::BTreeMap;

use nearfar_infer::Numa;
use nearfar_infer::claims::ClaimKind;
use nearfar_model::NodeId;
use nearfar_survey::{LevelPair, Matrix, MatrixCell, Survey};
use nearfar_view::draw::{Heading, HeatCell, HeatMap, HeatNote};

use crate::pictures::changes::{self, Changes};
use crate::pictures::figures::{BENEATH_NOTE, exact, heat_cell, map_of};
use crate::pictures::options::PictureOptions;
use crate::pictures::survey_pictures::{Shades, SurveyPicture, SurveyPictures};
use crate::survey::{Claimed, MatrixIndex, pair};

/// A map; nothing where latency was not measured.
pub(crate) fn draw(survey: &Survey, options: &PictureOptions<'_>) -> SurveyPictures {
    let matrix = &survey.latency;
    if matrix.rows.is_empty() {
        return SurveyPictures::default();
    }
    let levels = survey.latency_level_pairs();
    let by_place = |(index, pair): (&usize, &LevelPair)| {
        let cell = matrix.cells.get(*index)?;
        Some(((cell.row, cell.column), *pair))
    };
    let maker = MapMaker {
        survey,
        grid: MatrixIndex::from_matrix(matrix),
        claimed: Claimed::from_claims(&survey.claims),
        changes: options.changes,
        levels: levels.iter().filter_map(by_place).collect(),
    };
    let shades = steps(survey).map_or(Shades::Even, Shades::Steps);
    SurveyPictures::new([SurveyPicture::Map(maker.map(matrix), shades)], [])
}

/// What distance classes cost, where the verdict finds that memory differs.
fn steps(survey: &Survey) -> Option<Vec<f64>> {
    let classes = survey.classes.as_ref().filter(|_| survey.verdict.numa == Numa::Yes)?;
    Some(classes.classes.iter().map(|class| class.cost_ns).collect())
}

struct MapMaker<'s> {
    survey: &'s Survey,
    grid: MatrixIndex<'s>,
    claimed: Claimed<'s>,
    changes: Option<&'s Changes<'s>>,
    /// Cells with two typical values, by row and column.
    levels: BTreeMap<(usize, usize), LevelPair>,
}

impl MapMaker<'_> {
    fn map(&self, matrix: &Matrix) -> HeatMap {
        let description = format!(
            "Median cost of one access ({} probe, {}) by the CPUs of each row to the memory of \
             each column.",
            matrix.probe, matrix.unit
        );
        let heading = Heading::new(format!("Latency, {}", matrix.unit), description);
        let beneath = match (self.has_far_nodes(), self.claimed.has_distances()) {
            (false, _) => BENEATH_NOTE.to_owned(),
            (true, false) => format!("{BENEATH_NOTE}; times the row's local memory"),
            (true, true) => format!(
                "{BENEATH_NOTE}; times the row's local memory; where firmware's distance does not \
                 hold, what it claims"
            ),
        };
        let mark =
            if self.changes.is_some() { changes::MARK_NOTE } else { "the claim does not hold" };
        HeatMap {
            beneath_note: beneath,
            mark_note: mark.to_owned(),
            ..map_of(matrix, heading, |row, column| self.cell(matrix, self.grid.cell(row, column)?))
        }
    }

    fn cell(&self, matrix: &Matrix, cell: &MatrixCell) -> Option<HeatCell> {
        let nodes = pair(matrix, cell.row, cell.column);
        let mut shown = heat_cell(cell, matrix.unit, self.levels.get(&(cell.row, cell.column)))?;
        let false_claim = self.false_claim(nodes);
        if let Some(ratio) = self.grid.ratio(cell.row, cell.column) {
            if self.has_far_nodes() {
                shown.beneath.push(HeatNote { text: format!("{ratio:.2}×"), is_in_exact: false });
            }
            shown.tooltip += &format!("; {} times the row's local memory", exact(ratio));
        }
        if let Some(claim) = self.claimed.by_distance(nodes).filter(|_| self.has_far_nodes()) {
            if false_claim.is_some() {
                let text = format!("claim {claim:.1}×");
                shown.beneath.push(HeatNote { text, is_in_exact: false });
            }
            shown.tooltip += &format!("; firmware's distance claims {claim:.1} times");
        }
        if let Some(ns) = self.claimed.latency_ns(nodes) {
            shown.tooltip += &format!("; the HMAT claims {ns} ns");
        }
        if let Some(claim) = false_claim {
            shown.marked = true;
            shown.tooltip += &format!("; the claim does not hold ({claim})");
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

    /// The claim of this pair that was shown to be wrong: of distances where there are any, since
    /// those are in the cell; else of the HMAT's latencies.
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
}
