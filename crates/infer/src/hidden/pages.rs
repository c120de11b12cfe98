//! Nodes behind one memory: what the pages of several processes tell together.

use serde::{Deserialize, Serialize};

use super::clusters::{Clustering, clusters};
use super::cut::{LEAST_GAP, cut_numbers};
use super::over_processes::{Agreement, agreement, enough};
use super::rows_apart::{ROWS_APART, RowsApart};
use super::sheet::{Sheet, mean, median};
use crate::percent::percent;

/// What was found of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finding {
    /// Nothing, down to some difference.
    None,
    /// Pages belong to nodes that the system does not show.
    Found,
    /// These numbers do not tell.
    Undetermined,
}

impl Finding {
    /// The name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Found => "found",
            Self::Undetermined => "undetermined",
        }
    }
}

/// What would settle what is undetermined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Settling {
    /// Pages at all, in two processes or more.
    Pages,
    /// More processes, or a quieter machine.
    MoreProcesses,
    /// CPUs to which the order of pages turns round.
    OtherCpus,
    /// Pages from elsewhere in the same memory: more of it.
    OtherPages,
}

/// Pages that cost alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Rows that this cluster is nearest to, by their index.
    pub near: Vec<usize>,
    /// What it costs from each row, in nanoseconds; nothing for rows that were not measured. By the rows' index.
    pub ns: Vec<Option<f64>>,
    /// The share of all pages that are in it.
    pub share: f64,
}

/// What the pages tell.
#[derive(Clone, Debug, PartialEq)]
pub struct PageStatement {
    /// The finding.
    pub finding: Finding,
    /// A difference of this size (a fraction) would have been found. `None` where something was, or nothing could be compared.
    pub down_to: Option<f64>,
    /// The largest ratio of two clusters' costs in one row, minus 1.
    pub effect: Option<f64>,
    /// Its 95 % interval, simultaneous over rows and clusters.
    pub ci95: Option<[f64; 2]>,
    /// How often chance makes clusters as distinct, in the least clear process that agrees.
    pub p: Option<f64>,
    /// The share of the processes that agree.
    pub support: f64,
    /// The clusters.
    pub clusters: Vec<Cluster>,
    /// For each process the cluster of each of its pages: (page, index of the cluster).
    pub of_pages: Vec<Vec<(usize, usize)>>,
    /// By how much the dearest row's costs lie above the cheapest one's on the same pages, as a fraction, by the nearer ends of their intervals.
    pub rows_apart: Option<f64>,
    /// Why, one sentence each.
    pub reasons: Vec<String>,
    /// What would settle what is undetermined.
    pub would_settle: Option<Settling>,
}

/// Fewer pages make no clusters that can be believed.
const LEAST_PAGES: usize = 16;
/// So many deviations of what scatters must lie between two clusters of one size to be found four times in five.
const DEVIATIONS: f64 = 5.0;
/// Below this "none" promises nothing (a logarithm: 4.5 %): gaps about the least one are found every second time.
const FINEST: f64 = 0.044;
/// Beyond this "none" is no statement.
const ROUGHEST: f64 = 0.25;
/// From a median absolute deviation to a standard deviation.
const MAD_TO_SD: f64 = 1.4826;

/// Judges the pages of several processes, each with fresh ones. `rows` is how many groups of CPUs there are.
pub fn pages(sheets: &[Sheet], rows: usize, seed: u64) -> PageStatement {
    let usable: Vec<bool> = sheets.iter().map(|sheet| sheet.items() >= LEAST_PAGES && sheet.rows() > 0).collect();
    let measured: Vec<&Sheet> =
        sheets.iter().zip(&usable).filter(|(_, usable)| **usable).map(|(sheet, _)| sheet).collect();
    if measured.len() < 2 {
        let reason = format!("{} of {} processes measured {LEAST_PAGES} pages or more", measured.len(), sheets.len());
        let one_alone = (measured.len(), sheets.len()) == (1, 1);
        return PageStatement {
            would_settle: Some(if one_alone { Settling::MoreProcesses } else { Settling::Pages }),
            ..PageStatement::nothing(reason)
        };
    }
    let found: Vec<Clustering> = measured.iter().zip(seed..).map(|(sheet, seed)| clusters(sheet, seed)).collect();
    match agreement(&found) {
        Some(agreed) => of_clusters(&agreed, &found, &usable, rows),
        None => without(&measured, &found, seed),
    }
}

fn of_clusters(agreed: &Agreement, found: &[Clustering], usable: &[bool], rows: usize) -> PageStatement {
    let (effect, ci95) = effect(agreed);
    let agreeing = agreed.names.iter().flatten().count();
    let p = found.iter().zip(&agreed.names).filter(|(_, names)| names.is_some()).map(|(one, _)| one.p);
    PageStatement {
        finding: Finding::Found,
        down_to: None,
        effect: Some(effect),
        ci95: Some(ci95),
        p: p.reduce(f64::max),
        support: agreeing as f64 / agreed.names.len() as f64,
        clusters: agreed_clusters(agreed, found, rows),
        of_pages: clusters_of_pages(agreed, found, usable),
        rows_apart: None,
        reasons: why_found(agreed, effect),
        would_settle: None,
    }
}

fn why_found(agreed: &Agreement, effect: f64) -> Vec<String> {
    let kinds = format!(
        "pages fall into {} kinds in {} of {} processes: from one group of CPUs some cost up to {} more than others, from another group it is otherwise",
        agreed.clusters(),
        agreed.names.iter().flatten().count(),
        agreed.names.len(),
        percent(effect)
    );
    let not_slowness = match turns(agreed) {
        true => "which kind is the cheaper one turns round between CPUs: neither slow pages nor slow CPUs do that",
        false => "the same pages differ more to some CPUs than to others: slow pages or slow CPUs alone do not",
    };
    vec![kinds, not_slowness.to_owned()]
}

fn agreed_clusters(agreed: &Agreement, found: &[Clustering], rows: usize) -> Vec<Cluster> {
    let count = agreed.clusters();
    let cost = |cluster: usize, at: usize| mean(agreed.centres.iter().map(|centres| centres[cluster][at]));
    let members = |cluster: usize| -> usize {
        let sizes = found.iter().zip(&agreed.names).filter_map(|(one, names)| {
            let at = names.as_ref()?.iter().position(|name| *name == cluster)?;
            Some(one.groups[at].len())
        });
        sizes.sum()
    };
    let all: usize = (0..count).map(members).sum();
    let nearest = |at: usize| (0..count).min_by(|&a, &b| cost(a, at).total_cmp(&cost(b, at)));
    let near = |cluster: usize| agreed.rows.iter().enumerate().filter(move |(at, _)| nearest(*at) == Some(cluster));
    let place = |row: usize| agreed.rows.iter().position(|known| *known == row);
    let cluster = |cluster: usize| Cluster {
        near: near(cluster).map(|(_, row)| *row).collect(),
        ns: (0..rows).map(|row| place(row).map(|at| cost(cluster, at).exp())).collect(),
        share: members(cluster) as f64 / all.max(1) as f64,
    };
    (0..count).map(cluster).collect()
}

/// For each process, usable or not, the agreed cluster of each of its pages.
fn clusters_of_pages(agreed: &Agreement, found: &[Clustering], usable: &[bool]) -> Vec<Vec<(usize, usize)>> {
    let mut names = agreed.names.iter().zip(found);
    let of_process = |usable: &bool| {
        let Some((Some(names), one)) = usable.then(|| names.next()).flatten() else { return Vec::new() };
        let groups = one.groups.iter().zip(names);
        let mut pages: Vec<(usize, usize)> =
            groups.flat_map(|(group, name)| group.iter().map(|page| (*page, *name))).collect();
        pages.sort_unstable();
        pages
    };
    usable.iter().map(of_process).collect()
}

/// The largest ratio of two clusters in one row, minus 1, and its interval.
fn effect(agreed: &Agreement) -> (f64, [f64; 2]) {
    let count = agreed.clusters();
    let mut largest = (0.0f64, 0.0);
    let mut low = 0.0f64;
    let mut high = 0.0f64;
    for row in 0..agreed.rows.len() {
        for (near, far) in (0..count).flat_map(|a| (0..count).map(move |b| (a, b))).filter(|(a, b)| a != b) {
            let (contrast, half) = agreed.contrast(row, near, far);
            if contrast > largest.0 {
                largest = (contrast, half);
            }
            low = low.max(contrast - half);
            high = high.max(contrast + half);
        }
    }
    (largest.0.exp_m1(), [low.exp_m1(), high.exp_m1()])
}

/// Whether two rows see two clusters in opposite order, each by half the least gap or more.
fn turns(agreed: &Agreement) -> bool {
    let count = agreed.clusters();
    let rows = 0..agreed.rows.len();
    let pairs = || (0..count).flat_map(|a| (0..count).map(move |b| (a, b)));
    pairs().any(|(a, b)| {
        let sees = |limit: f64| rows.clone().any(|row| agreed.contrast(row, a, b).0 * limit.signum() >= limit.abs());
        sees(LEAST_GAP / 2.0) && sees(-LEAST_GAP / 2.0)
    })
}

/// No clusters that processes agree on.
fn without(measured: &[&Sheet], found: &[Clustering], seed: u64) -> PageStatement {
    let apart = RowsApart::of(measured);
    let base = PageStatement { rows_apart: apart.map(|apart| apart.at_least), ..PageStatement::nothing(String::new()) };
    let undetermined = |reason: String, would_settle: Settling| PageStatement {
        reasons: vec![reason],
        would_settle: Some(would_settle),
        ..base.clone()
    };
    let some = found.iter().filter(|one| one.groups.len() > 1).count();
    if some > 0 && 3 * some >= found.len() {
        return undetermined(
            format!("pages fall into kinds in {some} of {} processes, and not into the same ones", found.len()),
            Settling::MoreProcesses,
        );
    }
    if let Some(kinds) = kinds_alike(measured, seed) {
        return undetermined(
            format!(
                "pages are of two kinds, {} apart, and from all CPUs that may be used alike: memory behind another node, or slower memory in the same",
                percent(kinds.exp_m1())
            ),
            Settling::OtherCpus,
        );
    }
    let floor = floor(measured);
    if floor > ROUGHEST.ln_1p() {
        return undetermined(
            format!(
                "costs scatter so much that differences below {} would not have been seen",
                percent(floor.exp_m1())
            ),
            Settling::MoreProcesses,
        );
    }
    let mut statement = PageStatement {
        finding: Finding::None,
        down_to: Some(floor.exp_m1()),
        reasons: vec![format!(
            "pages are of one kind: two kinds {} apart would have been found",
            percent(floor.exp_m1())
        )],
        would_settle: None,
        ..base
    };
    if let Some((doubt, would_settle)) = doubt(measured, apart) {
        statement.finding = Finding::Undetermined;
        statement.reasons.push(doubt);
        statement.would_settle = Some(would_settle);
    }
    statement
}

/// Why pages of one kind may all lie beside one of several nodes, and what would settle it. Nothing where rows are shown to be alike.
fn doubt(measured: &[&Sheet], apart: Option<RowsApart>) -> Option<(String, Settling)> {
    match apart {
        None if measured.iter().all(|sheet| sheet.rows() < 2) => None,
        None => Some((
            "no two groups of CPUs were measured in most processes, so that nobody knows whether these pages are as far from all"
                .to_owned(),
            Settling::MoreProcesses,
        )),
        Some(RowsApart { at_least, .. }) if at_least > ROWS_APART => Some((
            format!(
                "all of these pages cost some CPUs at least {} more than others: the pages lie beside the others, or these are slower",
                percent(at_least)
            ),
            Settling::OtherPages,
        )),
        Some(RowsApart { at_most, .. }) if at_most > ROWS_APART => Some((
            format!(
                "groups of CPUs wander from process to process: some may pay up to {} more for all of these pages than others",
                percent(at_most)
            ),
            Settling::MoreProcesses,
        )),
        Some(_) => None,
    }
}

/// How far two kinds of pages are apart that all rows see alike, where enough processes see them: a logarithm.
fn kinds_alike(measured: &[&Sheet], seed: u64) -> Option<f64> {
    let gaps: Vec<f64> =
        measured.iter().zip(seed..).filter_map(|(sheet, seed)| cut_numbers(&sheet.level_of_items(), seed)).collect();
    (gaps.len() >= enough(measured.len())).then(|| median(gaps.into_iter()))
}

/// The gap between two kinds of pages that would have been found, as a logarithm: in so many processes as make a statement.
fn floor(measured: &[&Sheet]) -> f64 {
    let mut floors: Vec<f64> = measured.iter().map(|sheet| DEVIATIONS * scatter(sheet)).collect();
    floors.sort_by(f64::total_cmp);
    let deciding = floors.get(enough(floors.len()).min(floors.len()) - 1).copied().unwrap_or(f64::INFINITY);
    deciding.max(FINEST)
}

/// The standard deviation of what turns, in the row where it is largest; of one row alone, of what pages cost.
fn scatter(sheet: &Sheet) -> f64 {
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

impl PageStatement {
    /// Undetermined, for want of pages.
    pub fn nothing(reason: String) -> Self {
        Self {
            finding: Finding::Undetermined,
            down_to: None,
            effect: None,
            ci95: None,
            p: None,
            support: 0.0,
            clusters: Vec::new(),
            of_pages: Vec::new(),
            rows_apart: None,
            reasons: vec![reason],
            would_settle: Some(Settling::Pages),
        }
    }
}
