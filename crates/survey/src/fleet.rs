//! Which machine of a fleet is sick?
//!
//! A fleet is a set of surveys, one or more of each machine.
//!
//! - [`DocumentReader`] takes surveys out of a file's bytes, one after the other: figures and
//!   settings, never samples. Its memory does not depend on the number of samples.
//! - [`FleetSurveys`] collects them: surveys of one machine are joined, duplicates found.
//! - [`FleetSurveys::judge`] makes the [`FleetDocument`]: groups of machines with one
//!   [`FleetShape`], [`FleetDrift`] of settings within them, [`FleetFinding`]s (cells that differ
//!   from those of the other machines, by `nearfar_infer`), and what findings share
//!   ([`FleetCause`]).
//!
//! [`FleetSurveys::append_tables`] keeps surveys as Parquet files, which [`read_files`] reads back.
//!
//! [`text`] has its sentences, its table and its maps.

mod boards;
mod built;
mod cause;
mod change;
mod clocks;
mod common;
mod compared_cell;
mod course;
mod doubts;
mod drift;
mod fleet_group;
mod history;
mod joined;
mod judge;
mod naming;
mod next;
mod one_document;
mod reader;
mod reading;
mod rounded_memory;
mod shape;
mod skipped;
mod statement;
mod survey_figures;
mod surveys;
mod tables;
pub mod text;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::Hash;
use std::sync::Arc;

use nearfar_infer::fleet::FleetFigure;
use nearfar_model::Unit;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer, MapAccess, Visitor,
};
use serde::{Deserialize, Serialize};

use crate::Survey;
use crate::document::streamed::figures_only;
use joined::JoinedMachine;

pub use boards::BoardChange;
pub use change::{FleetChange, FleetChangeKind, SettingChange};
pub use common::{CommonChange, CommonPart};
pub use course::{CoursePoint, FleetCourse};
pub use doubts::{DoubtKind, MachineDoubt};
pub use drift::{DriftState, DriftValue, FleetDrift};
pub use fleet_group::{
    FleetBatch, FleetCellSummary, FleetFinding, FleetGroup, FleetMachine, GroupState, NameSource,
};
pub use history::FleetHistory;
pub use next::FleetTests;
pub use reader::{DocumentReader, ReadDocument};
pub use reading::{FolderError, ReadCaller, file_place, open_file, read_files};
pub use shape::FleetShape;
pub use skipped::{DocumentFault, SkippedDocument};
pub use survey_figures::SurveyFigures;
pub use surveys::{DocumentPlace, FleetSettings, FleetSurveys, NotJudged};
pub use tables::{AppendedSurveys, TableError, append_findings, table_rows};

/// The schema of [`FleetDocument`]. Within a number, parts may be added, never changed.
pub const SCHEMA: &str = "nearfar.fleet/1";

/// The machines of a fleet: groups, drift, outliers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetDocument {
    /// `nearfar.fleet/1`.
    pub schema: String,
    /// The file of the machine that others are compared with; null where they are compared with
    /// the median of their group.
    pub reference: Option<String>,
    /// Deviations below this fraction are no outliers.
    pub floor: f64,
    /// The largest share of false outliers among outliers, in each group.
    pub false_discovery_rate: f64,
    /// Machines by shape, the largest group first.
    pub groups: Vec<FleetGroup>,
    /// Cells that differ from those of the other machines, by group, machine and cell.
    pub findings: Vec<FleetFinding>,
    /// Of machines without a finding, the cell that would be one if healthy machines had normal
    /// tails. By this fleet's figures, they may lie as far out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unclear: Vec<FleetFinding>,
    /// What several findings of one machine have in common.
    pub causes: Vec<FleetCause>,
    /// Settings that differ within a group.
    pub drift: Vec<FleetDrift>,
    /// Machines that have another name, or another board, than before. That is no fault.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<BoardChange>,
    /// Machines whose surveys, by their names or their times, may not be what they seem.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<MachineDoubt>,
    /// Documents that are not used.
    pub skipped: Vec<SkippedDocument>,
    /// Changes over time, where they are asked for (`--since`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<FleetHistory>,
}

impl FleetDocument {
    /// With changes over time. Older surveys are then used, too.
    #[must_use]
    pub fn with_history(mut self, history: FleetHistory) -> Self {
        self.skipped.retain(|one| !matches!(one.fault, DocumentFault::Older { .. }));
        Self { history: Some(history), ..self }
    }

    /// The machines of all groups.
    pub fn machines(&self) -> impl Iterator<Item = &FleetMachine> {
        self.groups.iter().flat_map(|group| &group.machines)
    }

    /// Whether any group is compared.
    pub fn is_compared(&self) -> bool {
        self.groups.iter().any(|group| group.state == GroupState::Compared)
    }

    /// Names of machines that are slower in a cell, in their order.
    pub fn slower_machines(&self) -> Vec<&FleetMachine> {
        let slower = |machine: &&FleetMachine| {
            self.findings.iter().any(|finding| {
                finding.machine == machine.name && finding.direction == FleetDirection::Slower
            })
        };
        self.machines().filter(slower).collect()
    }
}

/// Parts without figures that are compared.
const NOT_NEEDED: [&str; 11] = [
    "devices",
    "interrupts",
    "fills",
    "hidden",
    "classes",
    "links",
    "claims_vs_measured",
    "advice",
    "disturbances",
    "courses",
    "samples",
];

/// Reads a survey, and notes its schema as soon as that is known: a document of another kind fails
/// there, before its other parts do.
pub(crate) struct SurveySeed<'s> {
    pub(crate) schema: &'s mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for SurveySeed<'_> {
    type Value = Survey;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Survey, D::Error> {
        figures_only(|| deserializer.deserialize_map(self))
    }
}

impl<'de> Visitor<'de> for SurveySeed<'_> {
    type Value = Survey;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a survey")
    }

    fn visit_map<M: MapAccess<'de>>(self, parts: M) -> Result<Survey, M::Error> {
        let parts = NeededParts { parts, schema: self.schema, is_schema: false };
        Survey::deserialize(MapAccessDeserializer::new(parts))
    }
}

struct NeededParts<'s, M> {
    parts: M,
    schema: &'s mut Option<String>,
    is_schema: bool,
}

impl<'de, M: MapAccess<'de>> MapAccess<'de> for NeededParts<'_, M> {
    type Error = M::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, M::Error> {
        while let Some(name) = self.parts.next_key::<String>()? {
            if NOT_NEEDED.contains(&name.as_str()) {
                self.parts.next_value::<IgnoredAny>()?;
                continue;
            }
            self.is_schema = name == "schema";
            return seed.deserialize(name.into_deserializer()).map(Some);
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, M::Error> {
        if !self.is_schema {
            return self.parts.next_value_seed(seed);
        }
        let schema = self.schema.insert(self.parts.next_value()?);
        if !crate::is_readable_schema(schema) {
            return Err(M::Error::custom("another schema"));
        }
        seed.deserialize(schema.clone().into_deserializer())
    }
}

/// Each name has a number.
#[derive(Debug)]
pub(crate) struct Interned<T> {
    numbers: HashMap<Arc<T>, u32>,
    names: Vec<Arc<T>>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), names: Vec::new() }
    }
}

impl<T: Hash + Eq> Interned<T> {
    /// The number of a name.
    pub(crate) fn number(&mut self, name: T) -> u32 {
        if let Some(&known) = self.numbers.get(&name) {
            return known;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let name = Arc::new(name);
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    /// All numbers.
    pub(crate) fn numbers(&self) -> impl Iterator<Item = u32> + use<T> {
        0..u32::try_from(self.names.len()).unwrap_or(u32::MAX)
    }

    /// The name of a number.
    pub(crate) fn name(&self, number: u32) -> &T {
        &self.names[number as usize]
    }
}

/// What several findings of one machine share.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetCause {
    /// The machine's name.
    pub machine: String,
    /// Index of the group.
    pub group: usize,
    /// What is shared.
    #[serde(flatten)]
    pub kind: CauseKind,
    /// Whether it is slower or faster.
    pub direction: FleetDirection,
    /// The findings, by instrument.
    pub parts: Vec<CausePart>,
}

/// What findings share.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum CauseKind {
    /// The memory that is read.
    Memory {
        /// Its label: "node 1".
        label: String,
    },
    /// The CPUs that read.
    Cpus {
        /// Their label.
        label: String,
    },
    /// All of the machine.
    Machine,
}

/// Findings of one instrument that share a cause.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CausePart {
    /// The instrument.
    pub instrument: String,
    /// The unit of its figures.
    #[schemars(with = "String")]
    pub unit: Unit,
    /// How many cells are outliers.
    pub outliers: usize,
    /// How many cells the machine has there.
    pub cells: usize,
    /// Whether ratios are relative to the machine's other cells, in any of the outliers.
    pub is_relative: bool,
    /// The smallest and the largest ratio of the outliers: of costs, above 1 is slower. Relative
    /// ones are divided by `other_cells`.
    pub ratios: [f64; 2],
    /// The same without that division: the machine's ratios in its group.
    #[serde(default)]
    pub cell_ratios: Option<[f64; 2]>,
    /// The median ratio of the machine's other cells, where an outlier is relative to it.
    #[serde(default)]
    pub other_cells: Option<f64>,
    /// From the lowest to the highest end of their 95 % intervals.
    pub ci95: [f64; 2],
    /// The largest of their false-discovery rates.
    pub q: f64,
}

/// A cell of an instrument's table, the same in each machine of a shape.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct FleetCellName {
    /// The instrument.
    pub instrument: String,
    /// The loop that ran. Figures of different loops are not compared.
    pub probe: String,
    /// The unit of figures.
    #[schemars(with = "String")]
    pub unit: Unit,
    /// The row's label: who reads. "all CPUs" is the geometric mean over all rows.
    pub row: String,
    /// The column's label: what is read.
    pub column: String,
    /// What the cell was visited with.
    pub treatment: BTreeMap<String, String>,
}

/// The row's label of a mean over all rows.
const ALL_ROWS: &str = "all CPUs";

impl FleetCellName {
    /// The name of the mean over all rows.
    pub(crate) fn for_all_rows(&self) -> Self {
        Self { row: ALL_ROWS.to_owned(), ..self.clone() }
    }

    /// Whether it is a mean over all rows.
    pub fn is_of_all_rows(&self) -> bool {
        self.row == ALL_ROWS
    }

    /// Cells with the same one are of one table.
    pub(crate) fn table(&self) -> (&str, &str, Unit) {
        (&self.instrument, &self.probe, self.unit)
    }
}

impl fmt::Display for FleetCellName {
    /// "node 0 to node 1, read, threads 4".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.row, self.column)?;
        for (name, value) in &self.treatment {
            match value.parse::<f64>() {
                Ok(_) => write!(f, ", {} {value}", name.replace('_', " "))?,
                Err(_) if name == "aggressors" => write!(f, ", load from {value}")?,
                Err(_) if name == "aggressors_column" => write!(f, " to {value}")?,
                Err(_) => write!(f, ", {value}")?,
            }
        }
        Ok(())
    }
}

/// Machines of one shape.
pub(crate) struct ShapeGroup {
    pub(crate) shape: FleetShape,
    pub(crate) machines: Vec<JoinedMachine>,
}

/// Groups, the largest first.
pub(crate) fn groups(machines: Vec<JoinedMachine>) -> Vec<ShapeGroup> {
    let mut by_shape: BTreeMap<Arc<FleetShape>, Vec<JoinedMachine>> = BTreeMap::new();
    for machine in machines {
        by_shape.entry(Arc::clone(&machine.shape)).or_default().push(machine);
    }
    let group = |(shape, machines): (Arc<FleetShape>, Vec<JoinedMachine>)| ShapeGroup {
        shape: (*shape).clone(),
        machines,
    };
    let mut groups: Vec<ShapeGroup> = by_shape.into_iter().map(group).collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.machines.len()));
    groups
}

impl ShapeGroup {
    /// The cells' numbers: those of the first machine in its order, then what others have beside
    /// them.
    pub(crate) fn cells(&self) -> Vec<u32> {
        let mut cells = Vec::new();
        let mut known = HashMap::new();
        for (cell, _) in self.machines.iter().flat_map(|machine| &machine.figures) {
            known.entry(*cell).or_insert_with(|| cells.push(*cell));
        }
        cells
    }
}

/// Figures in the order of these cells.
pub(crate) fn row_of(figures: &[(u32, FleetFigure)], cells: &[u32]) -> Vec<Option<FleetFigure>> {
    // Most machines have all cells, in their order.
    if figures.iter().map(|(cell, _)| cell).eq(cells) {
        return figures.iter().map(|(_, figure)| Some(*figure)).collect();
    }
    let known: HashMap<u32, FleetFigure> = figures.iter().copied().collect();
    cells.iter().map(|cell| known.get(cell).copied()).collect()
}

/// Whether memory is slower or faster: latency up and bandwidth down are both slower.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum FleetDirection {
    /// Slower than the others.
    Slower,
    /// Faster than the others.
    Faster,
}

/// Text and numbers in turn, then the name itself.
pub(crate) type NaturalKey = (Vec<(String, u64)>, String);

/// A key for sorting.
pub(crate) fn natural_key(name: &str) -> NaturalKey {
    let mut pieces = Vec::new();
    let mut rest = name;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let (text, after) = rest.split_at(digits);
        let end = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let (number, after) = after.split_at(end);
        pieces.push((text.to_owned(), number.parse().unwrap_or(u64::MAX)));
        rest = after;
    }
    (pieces, name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn treatments_are_part_of_the_name() {
        let treatment = [("kernel", "read"), ("threads", "4")];
        let name = FleetCellName {
            instrument: "bandwidth".to_owned(),
            probe: "bandwidth".to_owned(),
            unit: Unit::BytesPerSecond,
            row: "node 0".to_owned(),
            column: "node 1".to_owned(),
            treatment: treatment.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        };
        assert_eq!(name.to_string(), "node 0 to node 1, read, threads 4");
    }

    #[test]
    fn numbers_are_ordered_by_value() {
        let mut names = ["node10", "node2", "gpu1", "node2-10", "node2-9", "node"];
        names.sort_by_cached_key(|name| natural_key(name));
        assert_eq!(names, ["gpu1", "node2", "node2-9", "node2-10", "node10", "node"]);
    }
}
