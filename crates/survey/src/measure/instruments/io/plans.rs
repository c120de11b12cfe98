//! The plan of one class of accesses: every target and workload of it, in every cell.

use nearfar_model::CellIndex;
use nearfar_probe::Work;
use nearfar_probe::io::{IoOperation, IoSetup, IoTreatment, IoWorkload};

use super::targets::Target;
use crate::measure::cost::{VisitCost, placing};
use crate::measure::plan_parts::PartPlan;

/// What the figures of accesses are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IoClass {
    /// The time of an access: one at a time.
    Latency,
    /// Bytes a second: several at a time.
    Throughput,
}

impl IoClass {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Latency => "latency",
            Self::Throughput => "throughput",
        }
    }

    fn contains(self, workload: &IoWorkload) -> bool {
        (workload.depth == 1) == (self == Self::Latency)
    }
}

/// What is visited in each round.
pub(super) struct IoPlan {
    pub(super) class: IoClass,
    pub(super) setup: IoSetup,
    pub(super) places: Vec<CellIndex>,
    pub(super) controls: Vec<CellIndex>,
}

impl IoPlan {
    /// The plan of a class; `None` if no workload is of it. `setup` has no treatments yet. Each
    /// target's first treatment is repeated at one cell, as a control.
    pub(super) fn new(
        class: IoClass,
        workloads: &[IoWorkload],
        targets: &[Target],
        setup: &IoSetup,
        cells: &[CellIndex],
        control: CellIndex,
    ) -> Option<Self> {
        let (mut treatments, mut again) = (Vec::new(), Vec::new());
        for (target, for_target) in targets.iter().enumerate() {
            let first = treatments.len();
            for workload in workloads.iter().filter(|workload| class.contains(workload)) {
                let operations: &[IoOperation] = if for_target.facts.is_made {
                    &[IoOperation::Read, IoOperation::Write]
                } else {
                    &[IoOperation::Read]
                };
                for &operation in operations {
                    let workload = IoWorkload { operation, ..*workload };
                    let places = for_target.probed.interrupt_places.len();
                    let interrupts: Vec<Option<usize>> =
                        if places == 0 { vec![None] } else { (0..places).map(Some).collect() };
                    treatments.extend(interrupts.into_iter().map(|interrupts| IoTreatment {
                        target,
                        workload,
                        interrupts,
                        again: false,
                    }));
                }
            }
            again.extend(treatments.get(first).map(|first| IoTreatment { again: true, ..*first }));
        }
        if treatments.is_empty() {
            return None;
        }
        let measured = treatments.len();
        treatments.extend(again);
        let for_cell =
            |cell: &CellIndex| (0..measured).map(|at| cell.with_treatment(at)).collect::<Vec<_>>();
        let controls = (measured..treatments.len()).map(|at| control.with_treatment(at));
        let window = match class {
            IoClass::Latency => setup.window,
            IoClass::Throughput => setup.window * 2,
        };
        Some(Self {
            class,
            places: cells.iter().flat_map(for_cell).collect(),
            controls: controls.collect(),
            setup: IoSetup { treatments, window, ..setup.clone() },
        })
    }
}

impl PartPlan for IoPlan {
    fn name(&self) -> &'static str {
        self.class.name()
    }

    fn places(&self) -> &[CellIndex] {
        &self.places
    }

    fn controls(&self) -> &[CellIndex] {
        &self.controls
    }

    fn work(&self) -> Work {
        Work::Io(self.setup.clone())
    }

    fn cost(&self) -> VisitCost {
        let bytes = self.setup.footprint().0.saturating_mul(self.setup.memories.len() as u64);
        // Disks may take longer than a window; the schedule adapts to what visits took.
        VisitCost { process: placing(bytes), visit: self.setup.window * 5 / 4 }
    }
}
