//! GPUs: which node is nearest, and what copies cost by program, memory and GPU.

mod answers;
mod figures;
mod names;
mod nearest;
pub(crate) mod picture;

use nearfar_survey::{CopyTreatment, Gpu, GpuNearest, GpuTable};
use nearfar_view::text::csv_text::CsvTable;

use super::PartView;
use crate::survey::csv::cells;
use crate::survey::{Reasons, Verbosity};

impl PartView for Gpu {
    /// Answers first, then the figures that they are from.
    fn sections(&self, verbosity: Verbosity) -> Vec<String> {
        let mut reasons = Reasons::default();
        for table in self.bandwidth.iter().chain(&self.peer_bandwidth) {
            reasons.add(&table.part.matrix.cells);
        }
        for table in self.latency.iter().chain(&self.peer_latency) {
            reasons.add(&table.part.matrix.cells);
        }
        let mut parts = vec![nearest::text(self)];
        let (rates, latencies) = (self.bandwidth.as_ref(), self.latency.as_ref());
        let nearest = &self.verdicts;
        let rates = rates.map(|table| table_texts(table, nearest, verbosity));
        let latencies = latencies.map(|table| table_texts(table, nearest, verbosity));
        parts.extend(rates.into_iter().chain(latencies).flatten());
        parts.extend(self.peer_bandwidth.as_ref().map(figures::peers));
        parts.extend(self.peer_latency.as_ref().map(figures::peers));
        parts.extend([names::gpus(self), reasons.text()]);
        parts
    }

    fn in_short(&self, _: Verbosity) -> String {
        nearest::text(self)
    }

    fn answer(&self) -> Option<String> {
        nearest::in_a_line(self)
    }

    /// Rates, then latencies with their own header.
    fn csv(&self) -> Vec<CsvTable<'_>> {
        let rates = self.bandwidth.iter().chain(&self.peer_bandwidth).map(table_csv);
        let latencies = self.latency.iter().chain(&self.peer_latency).map(table_csv);
        rates.chain(latencies).collect()
    }
}

fn table_texts<T: CopyTreatment>(
    table: &GpuTable<T>,
    nearest: &[GpuNearest],
    verbosity: Verbosity,
) -> [String; 3] {
    [
        figures::matrices(table),
        answers::effects(table, nearest, verbosity),
        answers::controls(table, verbosity),
    ]
}

fn table_csv<T: CopyTreatment>(table: &GpuTable<T>) -> CsvTable<'_> {
    cells(&table.part.matrix, "gpus,peer,direction,memory,size_bytes", |cell| {
        let copy = cell.treatment.access();
        [
            copy.gpus.join(" "),
            copy.peer.clone().unwrap_or_default(),
            copy.direction.clone(),
            copy.memory.clone().unwrap_or_default(),
            copy.size_bytes.to_string(),
        ]
    })
}
