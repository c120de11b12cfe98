//! The columns of a job: memory placed, and the probe that runs over it.

use std::collections::BTreeMap;

use fastrand::Rng;
use nearfar_model::{Bytes, NodeId};
use nearfar_place::{PlacedBuffer, Placement, Proof, Refusal, WantedPages};

use crate::answer::Answer;
use crate::job::ColumnJob;
use crate::probes::chase::Chase;
use crate::probes::core_walk::sweep_from_every_cpu;
use crate::probes::page_probe::PageProbe;
use crate::probes::rmw::chase_with_increment;
use crate::probes::slice::Probe;
use crate::probes::store_sweep::StoreSweep;
use crate::spec::{PageSize, ProbeKind, ProbeSpec};

/// Places columns one after the other, and remembers what they took of each node's free memory.
#[derive(Default)]
pub(crate) struct Placer {
    taken: BTreeMap<Option<NodeId>, Bytes>,
}

impl Placer {
    /// Places one column and readies its probe; an answer tells the outcome either way.
    pub(crate) fn place(
        &mut self,
        index: usize,
        column: &ColumnJob,
        random: &mut Rng,
    ) -> (Option<Box<dyn Probe>>, Answer) {
        let unavailable = |why| (None, Answer::ColumnUnavailable { column: index, why });
        if let Some(why) = &column.why_not {
            return unavailable(why.clone());
        }
        let buffer = match PlacedBuffer::place(&self.wish(column)) {
            Ok(buffer) => buffer,
            Err(refusal) => return unavailable(refusal.to_string()),
        };
        let taken = self.taken.entry(column.node).or_default();
        *taken = *taken + Bytes(buffer.length() as u64);
        let placed = Answer::Placed {
            column: index,
            pages: column.pages,
            backing: buffer.backing().name(),
            note: (!buffer.notes().is_empty()).then(|| buffer.notes().join("; ")),
        };
        (Some(ready(column.probe, buffer, random)), placed)
    }

    fn wish(&self, column: &ColumnJob) -> Placement {
        let taken = self.taken.get(&column.node).copied().unwrap_or_default();
        Placement {
            node: column.node,
            bytes: column.bytes(),
            pages: match column.probe.pages {
                PageSize::Huge => WantedPages::Huge,
                PageSize::Base => WantedPages::Base,
            },
            touch_from: column.touch_from.clone(),
            free: column.free.map(|free| Bytes(free.0.saturating_sub(taken.0))),
        }
    }
}

fn ready(probe: ProbeSpec, buffer: PlacedBuffer, random: &mut Rng) -> Box<dyn Probe> {
    // The buffer holds at least one of these, so the size fits.
    let size = probe.size.0 as usize;
    let accesses = probe.accesses;
    match probe.kind {
        ProbeKind::Page => Box::new(PageProbe::new(buffer, size, accesses, random)),
        ProbeKind::Chase => Box::new(Chase::new(buffer, size, accesses, random)),
        ProbeKind::StoreSweep => Box::new(StoreSweep::new(buffer, size, accesses)),
        ProbeKind::CoreWalk => Box::new(sweep_from_every_cpu(buffer, size, accesses)),
        ProbeKind::Rmw => Box::new(chase_with_increment(buffer, size, accesses, random)),
    }
}

/// Whether a column's pages all stand where they stood when placed; if not, why its readings are doubtful.
pub(crate) fn moved_meanwhile(buffer: &PlacedBuffer) -> Option<String> {
    match (buffer.proof(), buffer.check()) {
        (_, Err(Refusal::Strayed { strayed, pages, .. })) => {
            Some(format!("{strayed} of {pages} pages left their node while they were measured"))
        }
        (Proof::Proven(before), Ok(Proof::Proven(after))) if *before != after => {
            Some(format!("pages moved from nodes {before} to nodes {after} while they were measured"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::CpuSet;

    use super::*;

    fn column(free: Option<Bytes>) -> ColumnJob {
        let probe = ProbeSpec { size: Bytes::mib(2), ..ProbeSpec::page() };
        ColumnJob { probe, node: None, pages: 2, touch_from: CpuSet::new(), free, why_not: None }
    }

    #[test]
    fn columns_share_what_their_node_has_free() {
        let mut placer = Placer::default();
        let mut random = Rng::with_seed(1);
        let tight = column(Some(Bytes::mib(38)));
        let (first, told) = placer.place(0, &tight, &mut random);
        assert!(matches!(told, Answer::Placed { column: 0, pages: 2, .. }), "{told:?}");
        assert_eq!(moved_meanwhile(first.unwrap().memory()), None);
        let (second, told) = placer.place(1, &tight, &mut random);
        assert!(second.is_none());
        let Answer::ColumnUnavailable { column: 1, why } = told else { panic!("{told:?}") };
        assert!(why.contains("only 34 MiB free"), "{why}");
    }

    #[test]
    fn what_is_known_not_to_work_is_not_tried() {
        let hopeless = ColumnJob { why_not: Some("node 3 has no memory".to_owned()), ..column(None) };
        let (_, told) = Placer::default().place(4, &hopeless, &mut Rng::with_seed(1));
        assert_eq!(told, Answer::ColumnUnavailable { column: 4, why: "node 3 has no memory".to_owned() });
    }
}
