//! What base pages cost against huge pages: one chase through both, interleaved, from one CPU
//! group.

use nearfar_infer::InferError;
use serde::{Deserialize, Serialize};

use crate::{LatencyRun, Matrix, Samples};

/// A matrix of one row and two columns: huge pages, and pages of the base size (4 KiB; 16 or 64 KiB
/// on some aarch64 kernels).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PageSizeMatrix {
    /// The costs.
    #[serde(flatten)]
    pub matrix: Matrix,
    /// Base pages over huge pages. Null where either was not measured, or no huge pages were to be
    /// had.
    pub ratio: Option<f64>,
    /// 95 % interval of the ratio. Both were measured in the same rounds, so it is narrower than
    /// the costs' own intervals.
    pub ratio_ci95: Option<[f64; 2]>,
    /// Its samples, as the survey's.
    pub samples: Option<Samples>,
}

const HUGE: usize = 0;
const BASE: usize = 1;
/// Logarithms beyond this have no finite ratio.
const MAX_LOG: f64 = 300.0;

impl PageSizeMatrix {
    /// The part before its figures.
    pub(crate) fn new(LatencyRun { layout, outcome }: LatencyRun<'_>) -> Self {
        let (matrix, samples) =
            (Matrix::new(layout, outcome), Some(Samples::from_outcome(outcome)));
        Self { matrix, ratio: None, ratio_ci95: None, samples }
    }

    /// Derives its figures from its samples.
    pub(crate) fn judge(&mut self, seed: u64) -> Result<(), InferError> {
        let Some(samples) = &self.samples else { return Ok(()) };
        (self.ratio, self.ratio_ci95) = (None, None);
        let readings = self.matrix.estimate(samples, seed)?;
        if !self.has_huge_pages() {
            return Ok(());
        }
        if let Some(contrast) = nearfar_infer::contrast(&readings, 0, HUGE, BASE, seed) {
            self.ratio = Some(ratio(contrast.log_ratio));
            self.ratio_ci95 = Some(contrast.ci95.map(ratio));
        }
        Ok(())
    }

    /// Whether huge pages came: without them both columns are base pages.
    fn has_huge_pages(&self) -> bool {
        let backing = self.matrix.columns.get(HUGE).and_then(|column| column.backing.as_deref());
        matches!(backing, Some("thp" | "hugetlb"))
    }
}

/// Of its logarithm; hopeless intervals stay finite numbers.
fn ratio(log: f64) -> f64 {
    log.clamp(-MAX_LOG, MAX_LOG).exp()
}

#[cfg(test)]
mod tests {

    use nearfar_model::{CpuSet, Unit};

    use super::*;
    use crate::{MatrixCell, MatrixColumn, MatrixRow};

    /// Costs of huge pages (column 0) and base pages (column 1), round by round, two rounds a
    /// process.
    fn measured(huge: &[f64], base: &[f64], backing: &str) -> PageSizeMatrix {
        let line = |column: usize, round: usize, ns: f64| {
            format!("[{},{round},0,{column},0,0,0,{ns:.3}]", round / 2)
        };
        let lines = [huge, base].into_iter().enumerate().flat_map(|(column, costs)| {
            costs.iter().enumerate().map(move |(round, ns)| line(column, round, *ns))
        });
        let lines = lines.collect::<Vec<_>>().join(",");
        let fields = r#"["process","round","row","column","treatment","cpu","page","ns"]"#;
        let text = format!(r#"{{"fields":{fields},"data":[{lines}]}}"#);
        let column = |label: &str, backing: &str| MatrixColumn {
            label: label.to_owned(),
            node: None,
            pages: 1,
            backing: Some(backing.to_owned()),
        };
        let cell = |column| MatrixCell { column, ..MatrixCell::default() };
        let matrix = Matrix {
            probe: "chase".to_owned(),
            unit: Unit::Nanoseconds,
            rows: vec![MatrixRow {
                label: "CPU 0".to_owned(),
                cpus: CpuSet::new(),
                node: None,
                ghz: None,
                drift: None,
            }],
            columns: vec![column("huge pages", "thp"), column("base pages", backing)],
            cells: vec![cell(0), cell(1)],
        };
        let samples = serde_json::from_str(&text).unwrap();
        let mut pages = PageSizeMatrix { matrix, ratio: None, ratio_ci95: None, samples };
        pages.judge(1).unwrap();
        pages
    }

    /// Costs about a level, up and down by this share.
    fn costs(level: f64, scatter: f64) -> Vec<f64> {
        let steps = [0.0, 1.0, -0.7, 0.3, -1.0, 0.6, -0.2, 0.9, -0.5, 0.1, 0.7, -0.9];
        steps.map(|step| level * (1.0 + scatter * step)).to_vec()
    }

    /// A ratio of 1.10 that is known to a factor of 1.11 either way may be 0.99 as well. It cannot
    /// be 0.82.
    #[test]
    fn page_size_intervals_may_include_one() {
        let pages = measured(&costs(100.0, 0.02), &costs(103.0, -0.09), "4k");
        let (ratio, [low, high]) = (pages.ratio.unwrap(), pages.ratio_ci95.unwrap());
        assert!(low < 1.0 && 1.0 < ratio, "{low} {ratio}");
        assert!((ratio / low - high / ratio).abs() < 1e-9, "{low} {ratio} {high}");
    }

    #[test]
    fn without_huge_pages_there_is_no_ratio() {
        let mut pages = measured(&costs(100.0, 0.01), &costs(150.0, 0.01), "4k");
        pages.matrix.columns[HUGE].backing = Some("4k".to_owned());
        pages.judge(1).unwrap();
        assert_eq!((pages.ratio, pages.ratio_ci95), (None, None));
    }
}
