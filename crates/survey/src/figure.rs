//! The figures of a survey, whatever instrument measured them: comparisons, fleets, the atlas,
//! exports, metrics and warnings read them here.

use std::collections::{BTreeMap, BTreeSet};

use nearfar_model::{CellIndex, Instrument, NodeId, Unit};
use serde::Serialize;
use serde_json::Value;

use crate::{Matrix, MatrixCell, MatrixColumn, MatrixRow, Samples, Treatment, TreatmentMatrix};

/// A table of an instrument, which may have several.
pub struct InstrumentTable<'s> {
    /// The instrument.
    pub instrument: Instrument,
    /// The loop that ran. Figures of different loops are not comparable.
    pub probe: &'s str,
    /// The unit of its figures.
    pub unit: Unit,
    pub(crate) samples: Option<&'s Samples>,
    figures: Box<dyn Iterator<Item = Figure<'s>> + 's>,
}

/// A cell's figure, or the reason of its absence.
#[derive(Clone, Copy)]
pub struct Figure<'s> {
    /// The instrument.
    pub instrument: Instrument,
    /// The unit of `median` and `ci95`.
    pub unit: Unit,
    /// Indexes of the row, the column and the treatment.
    pub place: CellIndex,
    /// The node of the memory.
    pub memory: Option<NodeId>,
    /// Median.
    pub median: Option<f64>,
    /// Standard error of the median, as a fraction of it.
    pub se: Option<f64>,
    /// 95 % interval of the median.
    pub ci95: Option<[f64; 2]>,
    /// Where there is no median: that of all samples, disturbed ones too.
    pub rough: Option<f64>,
    /// Why there is no figure.
    pub why: Option<&'s str>,
    /// Whether it should become as precise as the instrument's target.
    pub is_targeted: bool,
    rows: &'s [MatrixRow],
    columns: &'s [MatrixColumn],
    treatment: &'s dyn TreatmentFields,
}

/// A treatment of any type.
trait TreatmentFields {
    fn fields(&self) -> BTreeMap<String, Value>;
}

impl<T: Serialize> TreatmentFields for T {
    fn fields(&self) -> BTreeMap<String, Value> {
        let fields = serde_json::to_value(self).and_then(serde_json::from_value);
        fields.unwrap_or_default()
    }
}

impl<'s> Figure<'s> {
    /// Its row; none where a damaged document has no such row.
    pub fn row(&self) -> Option<&'s MatrixRow> {
        self.rows.get(self.place.row)
    }

    /// Its column, likewise.
    pub fn column(&self) -> Option<&'s MatrixColumn> {
        self.columns.get(self.place.column)
    }

    /// The nodes of its CPUs and of its memory.
    pub fn nodes(&self) -> Option<[NodeId; 2]> {
        Some([self.row()?.node?, self.memory?])
    }

    /// Whether the cell was visited with this.
    pub fn is_with(&self, name: &str, value: &str) -> bool {
        self.treatment().get(name).is_some_and(|known| known == value)
    }

    /// What the cell was visited with: indexes of rows and columns by their labels, and nothing of
    /// what it has not.
    pub fn treatment(&self) -> BTreeMap<String, String> {
        let named = |(name, value): (&String, &Value)| {
            let index = value.as_u64().and_then(|index| usize::try_from(index).ok());
            let text = match (name.as_str(), value) {
                (_, Value::Null) => return None,
                ("aggressors", _) => self.rows.get(index?)?.label.clone(),
                ("aggressors_column", _) => self.columns.get(index?)?.label.clone(),
                (_, Value::String(text)) => text.clone(),
                _ => value.to_string(),
            };
            Some((name.clone(), text))
        };
        self.treatment.fields().iter().filter_map(named).collect()
    }
}

/// The middle of several figures of the same CPUs and memory: CPU groups of one node, page sets of
/// one memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MiddleFigure {
    /// The middle of their medians.
    pub median: f64,
    /// Within which all of their 95 % intervals lie; none where one of them has none.
    pub ci95: Option<[f64; 2]>,
}

impl MiddleFigure {
    /// Of those that were measured; none where none was.
    pub fn new<'s>(figures: impl IntoIterator<Item = Figure<'s>>) -> Option<Self> {
        let figures = figures.into_iter();
        let measured: Vec<(f64, Option<[f64; 2]>)> =
            figures.filter_map(|figure| Some((figure.median?, figure.ci95))).collect();
        let mut medians: Vec<f64> = measured.iter().map(|(median, _)| *median).collect();
        medians.sort_by(f64::total_cmp);
        let last = medians.len().checked_sub(1)?;
        let hull = measured.into_iter().map(|(_, ci95)| ci95).reduce(|all, interval| {
            let ([low, high], [other_low, other_high]) = (all?, interval?);
            Some([low.min(other_low), high.max(other_high)])
        });
        let median = f64::midpoint(medians[last / 2], medians[medians.len() / 2]);
        Some(Self { median, ci95: hull.flatten() })
    }
}

impl<'s> IntoIterator for InstrumentTable<'s> {
    type Item = Figure<'s>;
    type IntoIter = Box<dyn Iterator<Item = Figure<'s>> + 's>;

    fn into_iter(self) -> Self::IntoIter {
        self.figures
    }
}

impl<T: Serialize> Matrix<T> {
    /// As a table of an instrument. Treatments are numbered as in samples; figures for which
    /// `is_targeted` holds have the instrument's target.
    pub(crate) fn table<'s>(
        &'s self,
        instrument: Instrument,
        samples: Option<&'s Samples>,
        treatment: impl Fn(&T) -> usize + 's,
        is_targeted: impl Fn(&MatrixCell<T>) -> bool + 's,
    ) -> InstrumentTable<'s> {
        let figure = move |cell: &'s MatrixCell<T>| Figure {
            instrument,
            unit: self.unit,
            place: CellIndex::new(cell.row, cell.column).with_treatment(treatment(&cell.treatment)),
            memory: cell.node,
            median: cell.median,
            se: cell.se,
            ci95: cell.ci95,
            rough: cell.rough,
            why: cell.why.as_deref(),
            is_targeted: is_targeted(cell),
            rows: &self.rows,
            columns: &self.columns,
            treatment: &cell.treatment,
        };
        let figures = Box::new(self.cells.iter().map(figure));
        InstrumentTable { instrument, probe: &self.probe, unit: self.unit, samples, figures }
    }
}

impl<T: Treatment + Serialize> TreatmentMatrix<T> {
    /// As a table of its instrument; figures for which this holds have the target.
    pub(crate) fn table<'s>(
        &'s self,
        is_targeted: impl Fn(&MatrixCell<T>) -> bool + 's,
    ) -> InstrumentTable<'s> {
        let treatment = |treatment: &T| self.index_of(treatment).unwrap_or_default();
        self.matrix.table(T::INSTRUMENT, self.samples.as_ref(), treatment, is_targeted)
    }
}

/// How many processes have samples of each place.
pub(crate) fn processes_by_place(samples: &Samples) -> BTreeMap<CellIndex, usize> {
    let mut seen: BTreeMap<CellIndex, BTreeSet<u32>> = BTreeMap::new();
    for sample in samples.each() {
        seen.entry(sample.place).or_default().insert(sample.process);
    }
    seen.into_iter().map(|(place, processes)| (place, processes.len())).collect()
}
