//! GPUs: which node is nearest, and what copies cost by program, memory and GPU.

mod answers;
mod figures;
mod names;
mod nearest;
pub(crate) mod picture;

use nearfar_survey::{CopyTreatment, Gpu, GpuTable, MatrixCell};
use nearfar_view::text::csv_text::CsvTable;
use nearfar_view::text::sections;

use super::PartView;
use crate::survey::Reasons;
use crate::survey::cell::rate_text;
use crate::survey::csv::cells;
use figures::us_text;

impl PartView for Gpu {
    /// Answers first, then the figures that they are from.
    fn text(&self) -> String {
        let mut reasons = Reasons::default();
        for table in self.bandwidth.iter().chain(&self.peer_bandwidth) {
            reasons.add(&table.part.matrix.cells);
        }
        for table in self.latency.iter().chain(&self.peer_latency) {
            reasons.add(&table.part.matrix.cells);
        }
        let mut parts = vec![names::gpus(self), nearest::text(self)];
        parts.extend(self.bandwidth.as_ref().map(|table| table_text(table, rate_text)));
        parts.extend(self.latency.as_ref().map(|table| table_text(table, us_text)));
        parts.extend(self.peer_bandwidth.as_ref().map(|table| figures::peers(table, rate_text)));
        parts.extend(self.peer_latency.as_ref().map(|table| figures::peers(table, us_text)));
        parts.push(reasons.text());
        sections(parts)
    }

    fn in_short(&self) -> String {
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

fn table_text<T: CopyTreatment>(
    table: &GpuTable<T>,
    figure: impl Fn(&MatrixCell<T>) -> String,
) -> String {
    sections([figures::matrices(table, figure), answers::effects(table), answers::controls(table)])
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
