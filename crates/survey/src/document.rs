//! The survey document: names and types that scripts rely on (`nearfar schema survey`).
//!
//! Parts may be added within a schema number; none is renamed or changes its type. Readers ignore
//! names they do not know.

mod bandwidth;
mod caches;
mod core_to_core;
mod gpu;
mod hidden;
pub(crate) mod instrument_part;
mod interleave;
mod io;
mod loaded;
mod placement;
pub(crate) mod streamed;

use nearfar_devices::DevicesDocument;
use nearfar_devices::irq::IrqDocument;
use nearfar_infer::{Advice, NumaVerdict};
use nearfar_model::Instrument;
use serde::{Deserialize, Serialize};

pub use bandwidth::*;
pub use caches::*;
pub use core_to_core::*;
pub use gpu::*;
pub use hidden::*;
pub use instrument_part::{Instruments, LatencyRun};
pub use interleave::*;
pub use io::*;
pub use loaded::*;
pub use placement::{CellControl, PlacedAccess, PlacedTreatment, PlacementEffect, PlacementFactor};

use crate::limited_value::limited_map;
use crate::{
    Claims, ClaimsMeasured, Controls, DistanceClasses, Disturbance, Figure, FillEvidence,
    InstrumentTable, MachineSummary, Matrix, NodeLinks, PageSizeMatrix, Provenance, RoundTimeline,
    Samples, Warning,
};
use instrument_part::InstrumentPart;

/// The schema of [`Survey`].
pub const SCHEMA: &str = "nearfar.survey/2";

/// Whether this version reads documents of this schema.
pub fn is_readable_schema(schema: &str) -> bool {
    schema == SCHEMA
}

/// One survey of one machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Survey {
    /// `nearfar.survey/2`.
    pub schema: String,
    /// Which machine it was.
    pub machine: MachineSummary,
    /// Settings that bear on measuring, as `nearfar topology --json` names them; null where
    /// unknown.
    #[serde(deserialize_with = "limited_map")]
    pub environment: serde_json::Map<String, serde_json::Value>,
    /// Claims of kernel and firmware.
    pub claims: Claims,
    /// What `nearfar devices --json` prints; `matrix` is null.
    #[serde(default)]
    pub devices: Option<DevicesDocument>,
    /// What `nearfar irq --json` prints, counted from the beginning of the survey to its end:
    /// `folded` counts what is left out. Null if the counters were not readable.
    #[serde(default)]
    pub interrupts: Option<IrqDocument>,
    /// What an access costs; without rows where only other instruments ran.
    pub latency: Matrix,
    /// Where the loads of latency were served from, by the PMU. Absent where latency was not
    /// measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fills: Option<FillEvidence>,
    /// The same memory measured twice under two names.
    pub controls: Controls,
    /// What base pages cost against huge pages: a chase through both. Null when it was not
    /// measured.
    #[serde(default, deserialize_with = "streamed::part")]
    pub page_size: Option<PageSizeMatrix>,
    /// What memory delivers. Null when it was not measured.
    #[serde(default, deserialize_with = "streamed::part")]
    pub bandwidth: Option<Bandwidth>,
    /// How far CPUs are from each other. Null when it was not measured.
    #[serde(default, deserialize_with = "streamed::part")]
    pub core_to_core: Option<CoreToCore>,
    /// What an access costs by the size of what is accessed, and what each cache holds. Null when
    /// it was not measured.
    #[serde(default, deserialize_with = "streamed::part")]
    pub caches: Option<Caches>,
    /// How slow memory becomes when it is busy. Null when it was not measured.
    #[serde(default, deserialize_with = "streamed::part")]
    pub loaded: Option<Loaded>,
    /// What memory gives that is spread over nodes. Null when it was not measured.
    #[serde(default)]
    pub interleave: Option<Interleave>,
    /// What disks cost from each CPU group, into each node's memory. Null when no disk was named.
    #[serde(default)]
    pub io: Option<Io>,
    /// What copies between GPUs and every node's memory cost. Null when no GPU was measured.
    #[serde(default)]
    pub gpu: Option<Gpu>,
    /// Whether the machine has nodes that the system does not show. Null when that was not checked.
    #[serde(default)]
    pub hidden: Option<Hidden>,
    /// Which memories are as far away as each other. Null with fewer than two nodes with memory,
    /// or without samples.
    #[serde(default)]
    pub classes: Option<DistanceClasses>,
    /// Which nodes are connected directly. Null as for classes.
    #[serde(default)]
    pub links: Option<NodeLinks>,
    /// Whether what firmware claims of distances holds. Null where it claims none, and as for
    /// classes.
    #[serde(default)]
    pub claims_vs_measured: Option<ClaimsMeasured>,
    /// Placements that cost less than those beside them, each with its costs. Empty where nothing
    /// is gained.
    #[serde(default)]
    pub advice: Vec<Advice>,
    /// What follows.
    pub verdict: NumaVerdict,
    /// What disturbed the measurement, and what to do about it.
    pub warnings: Vec<Warning>,
    /// Rounds that lost samples, by instrument, round, process and reason. Empty where none was
    /// lost.
    #[serde(default)]
    pub disturbances: Vec<Disturbance>,
    /// How many rounds each instrument made.
    #[serde(default)]
    pub courses: Vec<RoundTimeline>,
    /// How it came about.
    pub provenance: Provenance,
    /// Every undisturbed sample. Null when they were left out.
    pub samples: Option<Samples>,
}

impl Survey {
    /// The instruments that measured, in the order of a screen.
    pub fn measured(&self) -> Vec<Instrument> {
        let latency = (!self.latency.rows.is_empty()).then_some(Instrument::Latency);
        latency.into_iter().chain(self.parts().map(|(instrument, _)| instrument)).collect()
    }

    /// The parts beside latency, in the order of a screen.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Instrument, &dyn InstrumentPart)> {
        Instrument::ALL
            .into_iter()
            .filter_map(|instrument| Some((instrument, self.part(instrument)?)))
    }

    fn part(&self, instrument: Instrument) -> Option<&dyn InstrumentPart> {
        fn part<P: InstrumentPart>(part: &Option<P>) -> Option<&dyn InstrumentPart> {
            part.as_ref().map(|part| part as &dyn InstrumentPart)
        }
        match instrument {
            // These are not kept as the others.
            Instrument::Latency | Instrument::PageSize => None,
            Instrument::Bandwidth => part(&self.bandwidth),
            Instrument::Loaded => part(&self.loaded),
            Instrument::CoreToCore => part(&self.core_to_core),
            Instrument::Caches => part(&self.caches),
            Instrument::Interleave => part(&self.interleave),
            Instrument::Io => part(&self.io),
            Instrument::Gpu => part(&self.gpu),
            Instrument::Hidden => part(&self.hidden),
        }
    }

    /// The same, to be changed.
    pub(crate) fn part_mut(&mut self, instrument: Instrument) -> Option<&mut dyn InstrumentPart> {
        fn part<P: InstrumentPart>(part: &mut Option<P>) -> Option<&mut dyn InstrumentPart> {
            part.as_mut().map(|part| part as &mut dyn InstrumentPart)
        }
        match instrument {
            Instrument::Latency | Instrument::PageSize => None,
            Instrument::Bandwidth => part(&mut self.bandwidth),
            Instrument::Loaded => part(&mut self.loaded),
            Instrument::CoreToCore => part(&mut self.core_to_core),
            Instrument::Caches => part(&mut self.caches),
            Instrument::Interleave => part(&mut self.interleave),
            Instrument::Io => part(&mut self.io),
            Instrument::Gpu => part(&mut self.gpu),
            Instrument::Hidden => part(&mut self.hidden),
        }
    }

    /// The tables of all instruments, in the order of a screen.
    pub fn tables(&self) -> impl Iterator<Item = InstrumentTable<'_>> {
        let is_measured = !self.latency.cells.is_empty();
        let latency = is_measured.then(|| {
            self.latency.table(Instrument::Latency, self.samples.as_ref(), |_| 0, |_| true)
        });
        let pages = self.page_size.as_ref().map(|pages| {
            pages.matrix.table(Instrument::PageSize, pages.samples.as_ref(), |_| 0, |_| true)
        });
        let parts = self.parts().flat_map(|(_, part)| part.tables());
        latency.into_iter().chain(pages).chain(parts)
    }

    /// The figures of all instruments, in the order of a screen.
    pub fn figures(&self) -> impl Iterator<Item = Figure<'_>> {
        self.tables().flatten()
    }

    /// The standard errors of an instrument's cells, as fractions: of its first table, if it has
    /// several.
    pub fn standard_errors(&self, instrument: Instrument) -> Vec<Option<f64>> {
        let table = self.tables().find(|table| table.instrument == instrument);
        table.into_iter().flatten().map(|figure| figure.se).collect()
    }

    /// Whether cells were to be measured, and none of them has even a rough figure: why the first
    /// one has none.
    pub fn why_nothing_was_measured(&self) -> Option<&str> {
        let (mut is_asked, mut first_why) = (false, None);
        for figure in self.figures() {
            if figure.median.or(figure.rough).is_some() {
                return None;
            }
            is_asked = true;
            first_why = first_why.or(figure.why);
        }
        let unmeasured = self.parts().find_map(|(_, part)| part.why_unmeasured());
        is_asked |= unmeasured.is_some();
        is_asked.then(|| first_why.or(unmeasured).unwrap_or("no sample of any cell counts"))
    }

    /// Whether Ctrl-C ended it before all was measured.
    pub fn is_interrupted(&self) -> bool {
        self.provenance.stopped == nearfar_probe::PlanStopReason::Interrupted.name()
    }

    /// Leaves the raw samples out. Figures can then no longer be recomputed.
    pub fn strip_samples(&mut self) {
        self.samples = None;
        self.page_size.iter_mut().for_each(|pages| pages.samples = None);
        for instrument in Instrument::ALL {
            self.part_mut(instrument).into_iter().for_each(InstrumentPart::strip_samples);
        }
    }
}
