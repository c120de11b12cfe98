//! Figures beside those that others published.

use super::{AtlasCheck, Beside, CheckOutcome, Quantity, Unjudged, is_machine};
use crate::atlas::Published;
use crate::atlas::built_in::AtlasMatch;
use crate::atlas::row::{AtlasRow, Span};
use crate::atlas::{Atlas, MachineFigures, NodeFigure};

/// Rows that a decision needs.
const MIN_ROWS: usize = 3;

/// Ratio, share of bandwidth and latencies, those that the machine and rows have.
pub(super) fn checks(
    machine: &MachineFigures,
    atlas: &Atlas,
    found: &AtlasMatch<'_>,
) -> Vec<AtlasCheck> {
    let place = Place { machine, found };
    let (local, remote): (Vec<NodeFigure>, Vec<NodeFigure>) =
        machine.latency.iter().partition(|cell| cell.cpus == cell.memory);
    let checks = [
        ratio(&local, &remote).and_then(|measured| place.ratio(measured)),
        share_of_bandwidth(machine, atlas),
        ends(&local).and_then(|measured| place.latency(Quantity::LocalNs, measured)),
        ends(&remote).and_then(|measured| place.latency(Quantity::RemoteNs, measured)),
    ];
    checks.into_iter().flatten().map(AtlasCheck::Beside).collect()
}

/// A machine, and the rows that lie beside it.
struct Place<'a> {
    machine: &'a MachineFigures,
    found: &'a AtlasMatch<'a>,
}

impl Place<'_> {
    /// Latencies lie beside the model's rows; the family's decide where the model has few.
    fn latency(&self, quantity: Quantity, measured: [f64; 2]) -> Option<Beside> {
        let of = |row: &AtlasRow| match quantity {
            Quantity::RemoteNs => row.remote(),
            _ => row.local(),
        };
        let of_model = self.published(&self.found.of_model, of);
        let of_family = self.published(&self.found.of_family, of);
        let decides = [&of_model, &of_family]
            .into_iter()
            .flatten()
            .find(|published| published.rows.len() >= MIN_ROWS);
        let published = of_model.as_ref().or(of_family.as_ref())?.clone();
        let is_family = of_model.is_none();
        Some(beside(quantity, measured, (published, is_family), decides))
    }

    /// Ratios lie beside the family's rows: they depend on the mode more than on the model.
    fn ratio(&self, measured: [f64; 2]) -> Option<Beside> {
        let of = |row: &AtlasRow| {
            let [[local, highest_local], [remote, highest_remote]] =
                [row.local()?.ends(), row.remote()?.ends()];
            Some(Span::Both([remote / highest_local, highest_remote / local]))
        };
        let published = self.published(&self.found.of_family, of)?;
        let decides = published.clone();
        let decides = Some(&decides).filter(|all| all.rows.len() >= MIN_ROWS);
        Some(beside(Quantity::Ratio, measured, (published, true), decides))
    }

    fn published(
        &self,
        rows: &[&AtlasRow],
        quantity: impl Fn(&AtlasRow) -> Option<Span>,
    ) -> Option<Published> {
        let rows = rows.iter().copied().filter(|row| self.is_alike(row));
        Published::of(rows, self.machine.is_huge_chase, quantity)
    }

    /// Whether a row is of the same mode, as far as it is known, and of a comparable method.
    fn is_alike(&self, row: &AtlasRow) -> bool {
        let each = self.machine.nodes_per_package();
        row.method.is_comparable()
            && is_machine(row.platform)
            && !row.interleaved
            && row.nodes_per_socket.is_none_or(|nodes| Some(nodes) == each)
            && (row.remote().is_none() || row.sockets == Some(self.machine.packages))
    }
}

fn beside(
    quantity: Quantity,
    measured: [f64; 2],
    (published, of_family): (Published, bool),
    decides: Option<&Published>,
) -> Beside {
    let accepted = decides.map_or(published.accepted, |decides| decides.accepted);
    let outcome = match decides {
        None => CheckOutcome::NotJudged(Unjudged::FewRows),
        Some(_) if is_beyond(measured, accepted) => CheckOutcome::Unusual,
        Some(_) => CheckOutcome::Usual,
    };
    Beside { quantity, measured, published, of_family, accepted, outcome }
}

/// Whether one end is outside.
fn is_beyond([low, high]: [f64; 2], [lowest, highest]: [f64; 2]) -> bool {
    low < lowest || high > highest
}

/// Reads of one node over what its memory channels could deliver, beside rows of all machines
/// whose channels are known. More than others have is no fault.
fn share_of_bandwidth(machine: &MachineFigures, atlas: &Atlas) -> Option<Beside> {
    let peak = machine.node_peak_gb_s.filter(|peak| *peak > 0.0)?;
    let local: Vec<NodeFigure> =
        machine.reads.iter().filter(|cell| cell.cpus == cell.memory).copied().collect();
    let measured = ends(&local)?.map(|gb_s| gb_s / peak);
    let of = |row: &AtlasRow| {
        let theoretical = row.theoretical_gb_s()?;
        Some(Span::One(row.socket_gb_s?.ends()[1] / theoretical))
    };
    let rows = atlas.rows().iter().filter(|row| is_machine(row.platform));
    let published = Published::of(rows, false, of)?;
    let accepted = [published.accepted[0], f64::INFINITY];
    let outcome = if published.rows.len() < MIN_ROWS {
        CheckOutcome::NotJudged(Unjudged::FewRows)
    } else if is_beyond(measured, accepted) {
        CheckOutcome::Unusual
    } else {
        CheckOutcome::Usual
    };
    let accepted = [published.accepted[0], published.accepted[1].max(1.0)];
    let (quantity, of_family) = (Quantity::BandwidthShare, true);
    Some(Beside { quantity, measured, published, of_family, accepted, outcome })
}

/// Lowest and highest remote latency, each over the local one of the same CPUs.
fn ratio(local: &[NodeFigure], remote: &[NodeFigure]) -> Option<[f64; 2]> {
    let own = |cpus: u32| local.iter().find(|cell| cell.cpus == cpus).map(|cell| cell.median);
    let ratios = remote.iter().filter_map(|cell| Some(cell.median / own(cell.cpus)?));
    Span::around(&ratios.collect::<Vec<_>>()).map(Span::ends)
}

fn ends(figures: &[NodeFigure]) -> Option<[f64; 2]> {
    let medians: Vec<f64> = figures.iter().map(|cell| cell.median).collect();
    Span::around(&medians).map(Span::ends)
}
