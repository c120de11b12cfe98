//! Hidden nodes behind one memory, from the pages of several processes.

use serde::{Deserialize, Serialize};

use super::clusters::{Clustering, clusters};
use super::cost_table::{CostTable, mean, median};
use super::cut::{LEAST_GAP, cut_numbers};
use super::over_processes::{AgreedClusters, agreement, enough};
use super::page_reason::{PageReason, Settling};
use super::rows_apart::{ROWS_APART, RowsApart};
use crate::cell::MAD_TO_SD;

/// The result for pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum PageFinding {
    /// No nodes, down to some difference.
    None,
    /// Pages belong to nodes that the system does not show.
    Found,
    /// The data is insufficient.
    #[default]
    Undetermined,
}

/// Pages with equal costs.
#[derive(Clone, Debug, PartialEq)]
pub struct PageCluster {
    /// Rows that are nearest to this cluster, by index.
    pub near: Vec<usize>,
    /// Its cost for each row, in nanoseconds, by the rows' index; none for unmeasured rows.
    pub ns: Vec<Option<f64>>,
    /// Its share of all pages.
    pub share: f64,
}

/// The result for pages, with clusters.
#[derive(Clone, Debug, PartialEq)]
pub struct PageStatement {
    /// The result, with its reasons.
    pub verdict: PageVerdict,
    /// The clusters.
    pub clusters: Vec<PageCluster>,
    /// For each process the cluster of each of its pages: (page, index of the cluster).
    pub of_pages: Vec<Vec<(usize, usize)>>,
}

/// The result for pages, with its reasons.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PageVerdict {
    /// "found", "none" or "undetermined".
    pub finding: PageFinding,
    /// The smallest detectable difference (a fraction). Null where nodes were found, or nothing
    /// could be compared.
    pub down_to: Option<f64>,
    /// The largest ratio of two kinds' costs for one row, minus 1 (a fraction).
    pub effect: Option<f64>,
    /// Its 95 % interval, also as fractions, simultaneous over rows and kinds.
    pub ci95: Option<[f64; 2]>,
    /// The p-value of the kinds, in the least clear agreeing process.
    pub p: Option<f64>,
    /// The share of agreeing processes.
    pub support: f64,
    /// The ratio of the slowest row to the fastest on the same pages, minus 1, by the nearer ends
    /// of their intervals.
    pub rows_apart: Option<f64>,
    /// The reasons.
    pub reasons: Vec<PageReason>,
    /// What would settle an undetermined result: "pages", "more-processes", "other-cpus" or
    /// "other-pages". Null where it is settled, and in older documents.
    #[serde(default)]
    pub settling: Option<Settling>,
}

/// Clusters of fewer pages are not significant.
pub const LEAST_PAGES: usize = 16;
/// Distance of two equal clusters, in standard deviations, that is detected four times in five.
const DEVIATIONS: f64 = 5.0;
/// The smallest difference for the result "none" (a logarithm: 4.5 %): gaps near the limit are
/// detected every second time.
const FINEST: f64 = 0.044;
/// A row sees two kinds if it assigns this share of the pages to their own kind.
const SEEN_ALIKE: f64 = 0.9;
/// With a larger detectable difference, the result is not "none".
const ROUGHEST: f64 = 0.25;

/// The result for pages of several processes, each with fresh ones. `rows` is the number of CPU
/// groups.
pub fn pages(sheets: &[CostTable], rows: usize, seed: u64) -> PageStatement {
    let usable: Vec<bool> =
        sheets.iter().map(|sheet| sheet.items() >= LEAST_PAGES && sheet.rows() > 0).collect();
    let measured: Vec<&CostTable> =
        sheets.iter().zip(&usable).filter(|(_, usable)| **usable).map(|(sheet, _)| sheet).collect();
    if measured.len() < 2 {
        let reason =
            PageReason::FewProcesses { with_pages: measured.len(), processes: sheets.len() };
        let one_alone = (measured.len(), sheets.len()) == (1, 1);
        let settling = if one_alone { Settling::MoreProcesses } else { Settling::Pages };
        return PageVerdict::undetermined(reason, settling, None).into();
    }
    let found: Vec<Clustering> =
        measured.iter().zip(seed..).map(|(sheet, seed)| clusters(sheet, seed)).collect();
    match agreement(&found) {
        Some(agreed) => of_clusters(&agreed, &found, &usable, rows),
        None => without(&measured, &found, seed).into(),
    }
}

fn of_clusters(
    agreed: &AgreedClusters,
    found: &[Clustering],
    usable: &[bool],
    rows: usize,
) -> PageStatement {
    let (effect, ci95) = agreed.effect();
    let (agreeing, processes) = (agreed.names.iter().flatten().count(), agreed.names.len());
    let kinds = PageReason::Kinds { kinds: agreed.clusters(), agreeing, processes, effect };
    let p =
        found.iter().zip(&agreed.names).filter(|(_, names)| names.is_some()).map(|(one, _)| one.p);
    let verdict = PageVerdict {
        finding: PageFinding::Found,
        effect: Some(effect),
        ci95: Some(ci95),
        p: p.reduce(f64::max),
        support: agreeing as f64 / processes as f64,
        reasons: vec![
            kinds,
            if turns(agreed) { PageReason::OrderTurns } else { PageReason::ContrastDiffers },
        ],
        ..PageVerdict::default()
    };
    let (clusters, of_pages) =
        (agreed_clusters(agreed, found, rows), clusters_of_pages(agreed, found, usable));
    PageStatement { verdict, clusters, of_pages }
}

fn agreed_clusters(agreed: &AgreedClusters, found: &[Clustering], rows: usize) -> Vec<PageCluster> {
    let count = agreed.clusters();
    let cost =
        |cluster: usize, at: usize| mean(agreed.centres.iter().map(|centres| centres[cluster][at]));
    let members = |cluster: usize| -> usize {
        let sizes = found.iter().zip(&agreed.names).filter_map(|(one, names)| {
            let at = names.as_ref()?.iter().position(|name| *name == cluster)?;
            Some(one.groups[at].len())
        });
        sizes.sum()
    };
    let all: usize = (0..count).map(members).sum();
    let nearest = |at: usize| (0..count).min_by(|&a, &b| cost(a, at).total_cmp(&cost(b, at)));
    let near = |cluster: usize| {
        agreed.rows.iter().enumerate().filter(move |(at, _)| nearest(*at) == Some(cluster))
    };
    let place = |row: usize| agreed.rows.iter().position(|known| *known == row);
    let cluster = |cluster: usize| PageCluster {
        near: near(cluster).map(|(_, row)| *row).collect(),
        ns: (0..rows).map(|row| place(row).map(|at| cost(cluster, at).exp())).collect(),
        share: members(cluster) as f64 / all.max(1) as f64,
    };
    (0..count).map(cluster).collect()
}

/// The agreed cluster of each page of each process.
fn clusters_of_pages(
    agreed: &AgreedClusters,
    found: &[Clustering],
    usable: &[bool],
) -> Vec<Vec<(usize, usize)>> {
    let mut names = agreed.names.iter().zip(found);
    let of_process = |usable: &bool| {
        let Some((Some(names), one)) = usable.then(|| names.next()).flatten() else {
            return Vec::new();
        };
        let groups = one.groups.iter().zip(names);
        let mut pages: Vec<(usize, usize)> =
            groups.flat_map(|(group, name)| group.iter().map(|page| (*page, *name))).collect();
        pages.sort_unstable();
        pages
    };
    usable.iter().map(of_process).collect()
}

/// Whether two rows have the opposite order of two clusters, each by at least half the smallest
/// gap.
fn turns(agreed: &AgreedClusters) -> bool {
    let rows = 0..agreed.rows.len();
    agreed.pairs().any(|(a, b)| {
        let sees = |limit: f64| {
            rows.clone().any(|row| agreed.contrast(row, a, b).0 * limit.signum() >= limit.abs())
        };
        sees(LEAST_GAP / 2.0) && sees(-LEAST_GAP / 2.0)
    })
}

/// The result without agreed clusters.
fn without(measured: &[&CostTable], found: &[Clustering], seed: u64) -> PageVerdict {
    let apart = RowsApart::from_tables(measured);
    let rows_apart = apart.map(|apart| apart.at_least);
    let undetermined = |reason, settling| PageVerdict::undetermined(reason, settling, rows_apart);
    let with_kinds = found.iter().filter(|one| one.groups.len() > 1).count();
    if with_kinds > 0 && 3 * with_kinds >= found.len() {
        let reason = PageReason::OtherKinds { with_kinds, processes: found.len() };
        return undetermined(reason, Settling::MoreProcesses);
    }
    if let Some(kinds) = kinds_alike(measured, seed) {
        return undetermined(
            PageReason::KindsFromAllAlike { apart: kinds.exp_m1() },
            Settling::OtherCpus,
        );
    }
    let floor = floor(measured);
    let down_to = floor.exp_m1();
    if floor > ROUGHEST.ln_1p() {
        return undetermined(
            PageReason::Scatter { detectable_from: down_to },
            Settling::MoreProcesses,
        );
    }
    let one_kind = PageReason::OneKind { detectable_from: down_to };
    let (finding, reasons, settling) = match doubt(measured, apart) {
        None => (PageFinding::None, vec![one_kind], None),
        Some((doubt, settling)) => {
            (PageFinding::Undetermined, vec![one_kind, doubt], Some(settling))
        }
    };
    PageVerdict {
        finding,
        down_to: Some(down_to),
        rows_apart,
        reasons,
        settling,
        ..PageVerdict::default()
    }
}

/// Why pages of one kind may all be near one of several nodes, and what would settle it. None where
/// rows are shown to be equal.
fn doubt(measured: &[&CostTable], apart: Option<RowsApart>) -> Option<(PageReason, Settling)> {
    match apart {
        None if measured.iter().all(|sheet| sheet.rows() < 2) => None,
        None => Some((PageReason::FewRows, Settling::MoreProcesses)),
        Some(RowsApart { at_least, .. }) if at_least > ROWS_APART => {
            Some((PageReason::CpusDiffer { at_least }, Settling::OtherPages))
        }
        Some(RowsApart { at_most, .. }) if at_most > ROWS_APART => {
            Some((PageReason::CpusMayDiffer { at_most }, Settling::MoreProcesses))
        }
        Some(_) => None,
    }
}

/// The distance of two kinds of pages common to all rows, where enough processes have them: a
/// logarithm.
fn kinds_alike(measured: &[&CostTable], seed: u64) -> Option<f64> {
    let gaps: Vec<f64> = measured
        .iter()
        .zip(seed..)
        .filter_map(|(sheet, seed)| kinds_of_one_process(sheet, seed))
        .collect();
    (gaps.len() >= enough(measured.len())).then(|| median(gaps.into_iter()))
}

/// The same for one process: each row must have the two kinds that the mean of rows has. Pages at
/// 1000 and 1600, 1600 and 1000, and 1600 and 1600 ns from two rows have two kinds on average, and
/// other ones for each row.
fn kinds_of_one_process(sheet: &CostTable, seed: u64) -> Option<f64> {
    let (second, gap) = cut_numbers(&sheet.level_of_items(), seed)?;
    let sees_them = |row: usize| {
        let logs = sheet.logs.iter().map(|logs| logs[row]);
        let of_kind = |kind: bool| {
            mean(logs.clone().zip(&second).filter(|(_, of)| **of == kind).map(|(log, _)| log))
        };
        let [first_mean, second_mean] = [false, true].map(of_kind);
        let middle = f64::midpoint(first_mean, second_mean);
        let as_on_average =
            logs.clone().zip(&second).filter(|(log, of)| (*log > middle) == **of).count();
        as_on_average as f64 >= SEEN_ALIKE * second.len() as f64
    };
    (0..sheet.rows()).all(sees_them).then_some(gap)
}

/// The smallest detectable gap between two kinds of pages, as a logarithm, in enough processes for
/// a result.
fn floor(measured: &[&CostTable]) -> f64 {
    let mut floors: Vec<f64> = measured.iter().map(|sheet| DEVIATIONS * scatter(sheet)).collect();
    floors.sort_by(f64::total_cmp);
    let deciding =
        floors.get(enough(floors.len()).min(floors.len()) - 1).copied().unwrap_or(f64::INFINITY);
    deciding.max(FINEST)
}

/// The standard deviation of the interaction, in the row where it is largest; for a single row, of
/// its costs.
fn scatter(sheet: &CostTable) -> f64 {
    let points = if sheet.rows() > 1 {
        sheet.turning()
    } else {
        sheet.level_of_items().into_iter().map(|at| vec![at]).collect()
    };
    let of_row = |row: usize| {
        let middle = median(points.iter().map(|point| point[row]));
        MAD_TO_SD * median(points.iter().map(|point| (point[row] - middle).abs()))
    };
    (0..sheet.rows()).map(of_row).fold(0.0, f64::max)
}

impl PageVerdict {
    /// The result without measured pages.
    pub fn unmeasured(reason: PageReason) -> Self {
        Self::undetermined(reason, Settling::Pages, None)
    }

    fn undetermined(reason: PageReason, settling: Settling, rows_apart: Option<f64>) -> Self {
        Self { rows_apart, reasons: vec![reason], settling: Some(settling), ..Self::default() }
    }
}

/// The result without clusters.
impl From<PageVerdict> for PageStatement {
    fn from(verdict: PageVerdict) -> Self {
        Self { verdict, clusters: Vec::new(), of_pages: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::{CellIndex, Sample};

    use super::*;

    /// Costs of two rows for pages with these pairs of costs, in turn.
    fn sheet(kinds: &[[f64; 2]]) -> CostTable {
        let cost =
            |row: usize, page: usize| kinds[page % kinds.len()][row] * (1.0 + page as f64 * 1e-4);
        let places = (0..2).flat_map(|row| (0..60).map(move |page| (row, page)));
        let samples =
            places.map(|(row, page)| Sample::new(0, 0, CellIndex::new(row, page), cost(row, page)));
        CostTable::new(&samples.collect::<Vec<_>>())
    }

    #[test]
    fn common_kinds_appear_in_each_row() {
        let gap = |kinds: &[[f64; 2]]| kinds_of_one_process(&sheet(kinds), 1).map(f64::exp_m1);
        assert!((gap(&[[100.0, 140.0], [150.0, 210.0]]).unwrap() - 0.5).abs() < 0.01);
        // Two kinds on average over the rows, 27 % apart; other ones for each row.
        assert_eq!(gap(&[[1000.0, 1600.0], [1600.0, 1000.0], [1600.0, 1600.0]]), None);
    }
}
