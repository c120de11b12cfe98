//! Disks: what each factor costs, the figures by program and buffer, rare latencies, and who
//! served interrupts.

mod answers;
mod figures;
mod fio_line;
mod names;
pub(crate) mod picture;

use nearfar_survey::{AccessTreatment, Io, IoTable, MatrixCell};
use nearfar_view::text::csv_text::CsvTable;
use nearfar_view::text::{ends, or_empty};
use nearfar_view::text::{paragraph, sections};

use super::PartView;
use crate::survey::csv::{cells, place_of};
use crate::survey::{Reasons, Verbosity};

impl PartView for Io {
    /// Figures as of fio and answers first, then the figures that they are from.
    fn sections(&self, verbosity: Verbosity) -> Vec<String> {
        let mut reasons = Reasons::default();
        self.latency.iter().for_each(|table| reasons.add(&table.part.matrix.cells));
        self.throughput.iter().for_each(|table| reasons.add(&table.part.matrix.cells));
        // The first two are the answer.
        let lines = fio_line::lines(self);
        let lines = lines.iter().filter(|_| lines.len() > 2);
        let lines = lines.map(|line| paragraph::of(line, "", "  "));
        let mut parts: Vec<String> = vec![lines.collect()];
        parts.extend(self.latency.iter().flat_map(|table| answers::texts(table, verbosity)));
        parts.extend(self.throughput.iter().flat_map(|table| answers::texts(table, verbosity)));
        let latency = self.latency.as_ref();
        parts.extend(latency.map(|table| table_text(table, figures::us_text, verbosity)));
        let rates = self.throughput.as_ref();
        parts.extend(rates.map(|table| table_text(table, figures::gb_text, verbosity)));
        parts.extend([names::targets(self), reasons.text()]);
        parts
    }

    /// Where nothing can be compared, the figures are the answer.
    fn in_short(&self, verbosity: Verbosity) -> String {
        let latency = self.latency.iter();
        let latency = latency.map(|table| short_text(table, figures::us_text, verbosity));
        let rates = self.throughput.iter();
        let rates = rates.map(|table| short_text(table, figures::gb_text, verbosity));
        sections(latency.chain(rates))
    }

    fn answer(&self) -> Option<String> {
        answers::in_a_line(self)
    }

    fn screen_answer(&self) -> Option<String> {
        fio_line::answer(self).or_else(|| self.answer())
    }

    /// Latencies, then rates with their own header, then the distributions.
    fn csv(&self) -> Vec<CsvTable<'_>> {
        let latency = self.latency.iter().flat_map(|table| [table_csv(table), tails_csv(table)]);
        let rates = self.throughput.iter().flat_map(|table| [table_csv(table), tails_csv(table)]);
        latency.chain(rates).collect()
    }
}

fn short_text<T: AccessTreatment>(
    table: &IoTable<T>,
    figure: impl Fn(&MatrixCell<T>) -> String,
    verbosity: Verbosity,
) -> String {
    if table.factors.is_empty() {
        figures::matrices(table, figure)
    } else {
        answers::texts(table, verbosity).concat()
    }
}

fn table_text<T: AccessTreatment>(
    table: &IoTable<T>,
    figure: impl Fn(&MatrixCell<T>) -> String,
    verbosity: Verbosity,
) -> String {
    sections([
        figures::matrices(table, figure),
        figures::tails(table),
        figures::controls(table, verbosity),
    ])
}

const ACCESS: &str = "target,operation,depth,size_bytes,pattern,interrupts";

fn access_fields<T: AccessTreatment>(treatment: &T) -> [String; 6] {
    let access = treatment.access();
    [
        access.target.clone(),
        access.operation.clone(),
        access.depth.to_string(),
        access.size_bytes.to_string(),
        access.pattern.clone(),
        access.interrupts.clone().unwrap_or_default(),
    ]
}

fn table_csv<T: AccessTreatment>(table: &IoTable<T>) -> CsvTable<'_> {
    let names = format!("{ACCESS},interrupts_served,interrupts_beside_program");
    cells(&table.part.matrix, &names, move |cell| {
        let treatment =
            table.part.treatments.iter().position(|treatment| *treatment == cell.treatment);
        let served = table.served.iter().find(|served| {
            (served.row, served.column) == (cell.row, cell.column)
                && Some(served.treatment) == treatment
        });
        let [target, operation, depth, size, pattern, interrupts] = access_fields(&cell.treatment);
        let count = or_empty(served.map(|served| served.interrupts));
        let share = or_empty(served.map(|served| served.by_row));
        [target, operation, depth, size, pattern, interrupts, count, share]
    })
}

fn tails_csv<T: AccessTreatment>(table: &IoTable<T>) -> CsvTable<'_> {
    let header = format!(
        "row,column,cpus,node,{ACCESS},accesses,p50_ns,p50_low,p50_high,p99_ns,p99_low,p99_high,\
         p999_ns,p999_low,p999_high"
    );
    let record = move |tail: &nearfar_survey::IoTail| -> Option<Vec<String>> {
        let treatment = table.part.treatments.get(tail.treatment)?;
        let cell = table.part.cell(tail.row, tail.column, treatment)?;
        let figures = [tail.p50, tail.p99, tail.p999].into_iter().flat_map(|figure| {
            let [low, high] = ends(figure.and_then(|figure| figure.ci95));
            [or_empty(figure.map(|figure| figure.ns)), low, high]
        });
        let place = place_of(&table.part.matrix, cell).into_iter();
        let with = place.chain(access_fields(treatment)).chain([tail.accesses.to_string()]);
        Some(with.chain(figures).collect())
    };
    CsvTable::new(header, table.tails.iter().filter_map(record))
}
