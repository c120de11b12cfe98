//! The survey document: names and types that scripts rely on (`docs/json.md`).
//!
//! Parts may be added within a schema number; none is renamed or changes its type. Readers ignore names they do not know.

use serde::{Deserialize, Serialize};

use crate::{
    Bandwidth, Caches, Claims, ClaimsMeasured, Controls, CoreToCore, Course, DistanceClasses, Disturbance, Hidden,
    Interleave, Loaded, Machine, Matrix, NodeLinks, PageSize, Provenance, Samples, Verdict, Warning,
};

/// The schema this version writes.
pub const SCHEMA: &str = "nearfar.survey/1";

/// One survey of one machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Survey {
    /// `nearfar.survey/1`.
    #[cfg_attr(feature = "schema", schemars(extend("const" = SCHEMA)))]
    pub schema: String,
    /// Which machine it was.
    pub machine: Machine,
    /// Settings that bear on measuring, as `nearfar topology --json` names them; null where unknown.
    pub environment: serde_json::Map<String, serde_json::Value>,
    /// What kernel and firmware say.
    pub claims: Claims,
    /// What an access costs; without rows where only other instruments ran.
    pub latency: Matrix,
    /// The same memory measured twice under two names.
    pub controls: Controls,
    /// What base pages cost against huge pages: a chase through both. Null when it was not measured.
    pub page_size: Option<PageSize>,
    /// What memory delivers. Null when it was not measured.
    #[serde(default)]
    pub bandwidth: Option<Bandwidth>,
    /// How far CPUs are from each other. Null when it was not measured.
    #[serde(default)]
    pub core_to_core: Option<CoreToCore>,
    /// What an access costs by the size of what is accessed, and what each cache holds. Null when it was not measured.
    #[serde(default)]
    pub caches: Option<Caches>,
    /// How slow memory becomes when it is busy. Null when it was not measured.
    #[serde(default)]
    pub loaded: Option<Loaded>,
    /// What memory gives that is spread over nodes. Null when it was not measured.
    #[serde(default)]
    pub interleave: Option<Interleave>,
    /// Whether the machine has nodes that the system does not show. Null when nobody looked.
    #[serde(default)]
    pub hidden: Option<Hidden>,
    /// Which memories are as far away as each other. Null with fewer than two nodes with memory, or without samples.
    #[serde(default)]
    pub classes: Option<DistanceClasses>,
    /// Which nodes are connected directly. Null as for classes.
    #[serde(default)]
    pub links: Option<NodeLinks>,
    /// Whether what firmware claims of distances holds. Null where it claims none, and as for classes.
    #[serde(default)]
    pub claims_vs_measured: Option<ClaimsMeasured>,
    /// What follows.
    pub verdict: Verdict,
    /// What disturbed the measurement, and what to do about it.
    pub warnings: Vec<Warning>,
    /// Rounds that lost samples, by instrument, round, process and reason. Empty where none was lost, and in surveys from before.
    #[serde(default)]
    pub disturbances: Vec<Disturbance>,
    /// How many rounds each instrument made. Empty in surveys from before.
    #[serde(default)]
    pub courses: Vec<Course>,
    /// Sentences, each backed by a number in this document.
    pub meaning: Vec<String>,
    /// How it came about.
    pub provenance: Provenance,
    /// Every undisturbed sample. Null when they were left out.
    pub samples: Option<Samples>,
}

impl Survey {
    /// The parts that were measured, by the names that users give their instruments.
    pub fn measured(&self) -> Vec<&'static str> {
        let parts = [
            ("latency", !self.latency.rows.is_empty()),
            ("bandwidth", self.bandwidth.is_some()),
            ("loaded", self.loaded.is_some()),
            ("core-to-core", self.core_to_core.is_some()),
            ("caches", self.caches.is_some()),
            ("interleave", self.interleave.is_some()),
            ("hidden", self.hidden.is_some()),
        ];
        parts.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name).collect()
    }

    /// Whether cells were to be measured, and none of them has a figure: why the first one has none.
    pub fn why_nothing_was_measured(&self) -> Option<&str> {
        let spread = self.interleave.as_ref();
        let mut cells = CellCount::default();
        cells.add(&self.latency);
        self.hidden.iter().for_each(|part| cells.add_hidden(part));
        self.bandwidth.iter().for_each(|part| cells.add(&part.part.matrix));
        self.core_to_core.iter().for_each(|pairs| cells.add(&pairs.part.matrix));
        self.loaded.iter().for_each(|part| cells.add(&part.part.matrix));
        self.caches.iter().for_each(|part| cells.add(&part.part.matrix));
        spread.and_then(|part| part.bandwidth.as_ref()).iter().for_each(|part| cells.add(&part.matrix));
        spread.and_then(|part| part.latency.as_ref()).iter().for_each(|part| cells.add(&part.matrix));
        (cells.all > 0 && cells.measured == 0).then_some(cells.why.unwrap_or("no sample of any cell counts"))
    }

    /// Whether Ctrl-C ended it before all was measured.
    pub fn is_interrupted(&self) -> bool {
        self.provenance.stopped == nearfar_probe::Stop::Interrupted.name()
    }

    /// Leaves the raw samples out. Figures can then no longer be recomputed.
    pub fn forget_samples(&mut self) {
        self.samples = None;
        if let Some(pages) = &mut self.page_size {
            pages.samples = None;
        }
        if let Some(bandwidth) = &mut self.bandwidth {
            bandwidth.part.samples = None;
        }
        if let Some(pairs) = &mut self.core_to_core {
            pairs.part.samples = None;
        }
        if let Some(caches) = &mut self.caches {
            caches.part.samples = None;
        }
        if let Some(loaded) = &mut self.loaded {
            loaded.part.samples = None;
        }
        if let Some(spread) = &mut self.interleave {
            spread.forget_samples();
        }
        if let Some(hidden) = &mut self.hidden {
            hidden.forget_samples();
        }
    }
}

/// How many cells there are and were measured, and why the first one was not.
#[derive(Default)]
struct CellCount<'s> {
    all: usize,
    measured: usize,
    why: Option<&'s str>,
}

impl<'s> CellCount<'s> {
    fn add<T>(&mut self, matrix: &'s Matrix<T>) {
        self.all += matrix.cells.len();
        self.measured += matrix.cells.iter().filter(|cell| cell.median.is_some()).count();
        self.why = self.why.or_else(|| matrix.cells.iter().find_map(|cell| cell.why.as_deref()));
    }

    /// Pages have a cell where they were measured, and none where they were not.
    fn add_hidden(&mut self, hidden: &'s Hidden) {
        self.add(&hidden.matrix);
        let lines = hidden.lines.reliability.iter().flatten().count();
        if hidden.matrix.cells.is_empty() && lines == 0 {
            self.all += 1;
            self.why = self.why.or_else(|| hidden.pages.reasons.first().map(String::as_str));
        }
    }
}

/// The JSON Schema of [`Survey`], from its types.
#[cfg(feature = "schema")]
pub fn json_schema() -> serde_json::Value {
    let mut schema = schemars::schema_for!(Survey).to_value();
    schema["$id"] = "nearfar.survey/1".into();
    schema["title"] = "nearfar survey, schema 1".into();
    schema
}
