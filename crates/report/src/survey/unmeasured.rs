//! Why cells are empty, each reason once, with what was dropped on the way.

use std::collections::BTreeMap;

use nearfar_survey::MatrixCell;

use nearfar_view::text::paragraph;

/// Reasons, and of each how many samples were dropped for what.
#[derive(Default)]
pub(crate) struct Reasons<'c>(BTreeMap<&'c str, BTreeMap<&'c str, u32>>);

impl<'c> Reasons<'c> {
    pub(crate) fn from_cells<T>(cells: &'c [MatrixCell<T>]) -> Self {
        let mut reasons = Self::default();
        reasons.add(cells);
        reasons
    }

    pub(crate) fn add<T>(&mut self, cells: &'c [MatrixCell<T>]) {
        for cell in cells {
            let Some(why) = &cell.why else { continue };
            let dropped = self.0.entry(why).or_default();
            for (reason, count) in &cell.dropped {
                let sum = dropped.entry(reason).or_default();
                *sum = sum.saturating_add(*count);
            }
        }
    }

    /// A remark for each.
    pub(crate) fn text(&self) -> String {
        let remark = |(why, dropped): (&&str, &BTreeMap<&str, u32>)| {
            let counts: Vec<String> =
                dropped.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
            let counts = if counts.is_empty() {
                String::new()
            } else {
                format!(" (dropped: {})", counts.join(", "))
            };
            paragraph::remark(&format!("{why}{counts}"))
        };
        self.0.iter().map(remark).collect()
    }
}

#[cfg(test)]
mod tests {
    use nearfar_survey::NoTreatment;

    use super::*;

    fn empty(why: Option<&str>, dropped: &[(&str, u32)]) -> MatrixCell<NoTreatment> {
        MatrixCell {
            row: 0,
            column: 0,
            cpus: "0".parse().unwrap(),
            node: None,
            treatment: NoTreatment {},
            q25: None,
            median: None,
            se: None,
            ci95: None,
            traffic_bytes_per_s: None,
            samples: 0,
            dropped: dropped.iter().map(|(reason, count)| ((*reason).to_owned(), *count)).collect(),
            why: why.map(str::to_owned),
        }
    }

    #[test]
    fn a_reason_stands_once_with_all_that_was_dropped_for_it() {
        let cells = [
            empty(Some("too few"), &[("descheduled", 3)]),
            empty(None, &[("page-moved", 9)]),
            empty(Some("too few"), &[("descheduled", 4), ("stalled", 1)]),
            empty(Some("no memory"), &[]),
        ];
        assert_eq!(
            Reasons::from_cells(&cells).text(),
            "-  no memory\n-  too few (dropped: 7 descheduled, 1 stalled)\n"
        );
    }
}
