//! The columns of a job: placed memory, and the probe that runs over it.

use std::collections::BTreeMap;

use fastrand::Rng;
use nearfar_model::{Bytes, NodeId};
use nearfar_place::{BufferPlace, PlaceError, PlacedBuffer, Proof, Residence};

use crate::layout_column::LayoutColumn;
use crate::probes::arch::{walk, walk_increment};
use crate::probes::chase::Chase;
use crate::probes::page_probe::PageProbe;
use crate::probes::slice::Probe;
use crate::probes::store_sweep::StoreSweep;
use crate::spec::{ProbeKind, ProbeSpec};
use crate::worker_message::PlacedMemory;

/// The free memory of each node, granted to columns in their own order: so the columns that a full
/// node refuses do not depend on the random order of placement.
#[derive(Default)]
pub(crate) struct FreeMemory {
    granted: BTreeMap<Option<NodeId>, Bytes>,
}

impl FreeMemory {
    /// Grants a column its memory; or why it is refused.
    pub(crate) fn grant(&mut self, column: &LayoutColumn) -> Result<BufferPlace, String> {
        let granted = self.granted.entry(column.memory.node).or_default();
        let request = column.memory.request(column.bytes(), column.probe.pages, *granted)?;
        let length = request
            .check_free()
            .and_then(|()| request.length())
            .map_err(|refusal| refusal.to_string())?;
        *granted = *granted + Bytes(length as u64);
        Ok(request)
    }
}

/// Places a column's memory if it was granted, and prepares its probe; or why not.
pub(crate) fn place(
    column: &LayoutColumn,
    granted: Result<BufferPlace, String>,
    random: &mut Rng,
) -> Result<(Box<dyn Probe>, PlacedMemory), String> {
    let buffer = PlacedBuffer::on_node(&granted?).map_err(|refusal| refusal.to_string())?;
    let placed =
        PlacedMemory { pages: column.pages, backing: buffer.backing().name(), note: note(&buffer) };
    Ok((ready(column.probe, buffer, random), placed))
}

/// The note for buffers that were placed together: the first note of any, or that a location is not
/// verified.
pub(crate) fn first_note<'b>(
    buffers: impl Iterator<Item = (&'b [String], &'b Proof)> + Clone,
) -> Option<String> {
    let unproven = |(_, proof): (_, &Proof)| match proof {
        Proof::Unknown(why) => Some(format!("the location of its pages is not verified: {why}")),
        Proof::Proven(_) => None,
    };
    buffers
        .clone()
        .find_map(|(notes, _)| notes.first().cloned())
        .or_else(|| buffers.into_iter().find_map(unproven))
}

/// The note for a placed buffer, if any.
fn note(buffer: &PlacedBuffer) -> Option<String> {
    let mut notes = buffer.notes().to_vec();
    notes.extend(unwatched_note(&buffer.residences_at(&[0])));
    (!notes.is_empty()).then(|| notes.join("; "))
}

/// Guards look pages up around every sample. If that is denied, [`moved_since_placed`] is the only
/// check.
fn unwatched_note(asked: &Result<Vec<Residence>, PlaceError>) -> Option<String> {
    let refusal = asked.as_ref().err()?;
    Some(format!(
        "whether pages stay where they are is checked only at the end of each process: {refusal}"
    ))
}

fn ready(probe: ProbeSpec, buffer: PlacedBuffer, random: &mut Rng) -> Box<dyn Probe> {
    // The buffer holds at least one of these, so the size fits.
    let size = probe.size.0 as usize;
    let accesses = probe.accesses;
    match probe.kind {
        ProbeKind::Page => Box::new(PageProbe::new(buffer, size, accesses, random)),
        ProbeKind::Chase => Box::new(Chase::new(buffer, size, accesses, random, walk)),
        ProbeKind::Rmw => Box::new(Chase::new(buffer, size, accesses, random, walk_increment)),
        ProbeKind::StoreSweep => Box::new(StoreSweep::new(buffer, size, accesses, true)),
        // Time per access, without subtracting the loop.
        ProbeKind::CoreWalk => Box::new(StoreSweep::new(buffer, size, accesses, false)),
    }
}

/// Whether a column's pages are where they were placed; if not, why its samples are doubtful.
pub(crate) fn moved_since_placed(buffer: &PlacedBuffer) -> Option<String> {
    why_doubtful(buffer.proof(), &buffer.verify())
}

fn why_doubtful(before: &Proof, after: &Result<Proof, PlaceError>) -> Option<String> {
    match (before, after) {
        (_, Err(PlaceError::OnOtherNodes { misplaced, pages, .. })) => {
            Some(format!("{misplaced} of {pages} pages left their node while they were measured"))
        }
        (Proof::Proven(before), Ok(Proof::Proven(after))) if before != after => Some(format!(
            "pages moved from nodes {before} to nodes {after} while they were measured"
        )),
        (Proof::Proven(_), Ok(Proof::Unknown(why))) => {
            Some(format!("the location of its pages after the measurement is not verified: {why}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::NodeSet;

    use super::*;
    use crate::layout_column::MemoryJob;

    fn column(memory: MemoryJob) -> LayoutColumn {
        let probe = ProbeSpec { size: Bytes::mib(2), ..ProbeSpec::page() };
        LayoutColumn { label: "memory".to_owned(), probe, pages: 2, memory }
    }

    #[test]
    fn columns_share_their_nodes_free_memory() {
        let mut free_memory = FreeMemory::default();
        let tight = MemoryJob { free: Some(Bytes::mib(38)), ..MemoryJob::default() };
        let elsewhere = column(MemoryJob { node: Some(NodeId(1)), ..tight.clone() });
        let tight = column(tight);
        assert_eq!(free_memory.grant(&tight).unwrap().bytes, Bytes::mib(4));
        let why = free_memory.grant(&tight).unwrap_err();
        assert!(why.contains("only 34 MiB available"), "{why}");
        assert!(free_memory.grant(&elsewhere).is_ok());
    }

    #[test]
    fn granted_memory_is_placed_and_stays() {
        let column = column(MemoryJob::default());
        let granted = FreeMemory::default().grant(&column);
        let (probe, placed) = place(&column, granted, &mut Rng::with_seed(1)).unwrap();
        assert_eq!(placed.pages, 2);
        assert_eq!(moved_since_placed(probe.memory()), None);
    }

    #[test]
    fn known_failures_are_not_tried() {
        let hopeless = column(MemoryJob {
            why_not: Some("node 3 has no memory".to_owned()),
            ..MemoryJob::default()
        });
        let granted = FreeMemory::default().grant(&hopeless);
        let why = place(&hopeless, granted, &mut Rng::with_seed(1)).err();
        assert_eq!(why.as_deref(), Some("node 3 has no memory"));
    }

    #[test]
    fn unwatched_pages_are_noted() {
        let message =
            unwatched_note(&Err(PlaceError::NotPermitted { call: "move_pages" })).unwrap();
        assert!(
            message.starts_with("whether pages stay where they are is checked only at the end"),
            "{message}"
        );
        assert!(message.contains("move_pages was refused"), "{message}");
        assert_eq!(unwatched_note(&Ok(vec![])), None);
    }

    #[test]
    fn only_a_lost_proof_is_doubtful() {
        let on = |node| Proof::Proven(NodeSet::from_id(NodeId(node)));
        let unknown = || Proof::Unknown("seccomp".to_owned());
        assert_eq!(why_doubtful(&on(1), &Ok(on(1))), None);
        assert!(why_doubtful(&on(1), &Ok(on(2))).unwrap().contains("from nodes 1 to nodes 2"));
        assert!(why_doubtful(&on(1), &Ok(unknown())).unwrap().ends_with("not verified: seccomp"));
        assert_eq!(why_doubtful(&unknown(), &Ok(unknown())), None);
    }
}
