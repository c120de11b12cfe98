//! Memory on the requested nodes, with proof.

use std::ops::Range;

use nearfar_model::{Bytes, NodeId, NodeSet};

use crate::affinity::AffinityGuard;
use crate::buffer_place::{BufferPlace, WantedPages};
use crate::interleaved::{BufferRequest, InterleavePattern, InterleavedPlace};
use crate::mapping::{HUGE_PAGE, Mapping, base_page};
use crate::mbind::ExistingPages;
use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::populate::{PopulateAccess, populate};
use crate::proof::Proof;
use crate::range_policy::set_range_policy;
use crate::residence::Residence;
use crate::residency::residences;
use crate::smaps;

/// The pages under a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backing {
    /// 2 MiB pages from the pool (`nr_hugepages`).
    HugeTlb,
    /// Transparent huge pages, for the whole buffer.
    TransparentHuge,
    /// Base pages, at least in part.
    Base,
}

impl Backing {
    /// The name in documents: "hugetlb", "thp", or the base page size as "4k", "16k", "64k".
    pub fn name(self) -> String {
        match self {
            Self::HugeTlb => "hugetlb".to_owned(),
            Self::TransparentHuge => "thp".to_owned(),
            Self::Base => format!("{}k", base_page() / 1024),
        }
    }
}

/// Memory on one node, or interleaved over several; touched, locked where allowed, and verified
/// page by page.
pub struct PlacedBuffer {
    mapping: Mapping,
    backing: Backing,
    node: Option<NodeId>,
    /// Which page belongs to which node, if interleaved.
    pattern: Option<InterleavePattern>,
    /// Why it could not be bound to its node.
    refused: Option<PlaceError>,
    proof: Proof,
    notes: Vec<String>,
}

impl PlacedBuffer {
    /// Memory on one node: mapped, bound, touched, locked and verified. Meanwhile the calling
    /// thread runs on `touch_from`. Where binding is denied (seccomp in a container), first touch
    /// places the memory.
    ///
    /// # Errors
    ///
    /// [`PlaceError::TooLittleFree`] if too little memory is free, [`PlaceError::OnOtherNodes`] if
    /// pages are not where they were requested, [`PlaceError::NotPermitted`] if binding is denied
    /// and the location cannot be proven; otherwise those of [`set_affinity`](crate::set_affinity)
    /// and [`Memory::touch`](crate::Memory::touch).
    ///
    /// # References
    ///
    /// mmap(2), mbind(2), `MADV_POPULATE_WRITE` and `MADV_HUGEPAGE` in madvise(2), mlock(2),
    /// move_pages(2)
    pub fn on_node(request: &BufferPlace) -> Result<Self, PlaceError> {
        let length = request.length()?;
        request.check_free()?;
        let touched_from = Some(&request.touch_from).filter(|cpus| !cpus.is_empty());
        let _affinity = touched_from.map(AffinityGuard::enter).transpose()?;
        Self::build(length, request.pages, request.node, None)
    }

    /// Memory on one node or on several.
    ///
    /// # Errors
    ///
    /// Those of [`PlacedBuffer::on_node`] and [`PlacedBuffer::interleaved`].
    ///
    /// # References
    ///
    /// Those of [`PlacedBuffer::on_node`].
    pub fn new(request: &BufferRequest) -> Result<Self, PlaceError> {
        match request {
            BufferRequest::OneNode(request) => Self::on_node(request),
            BufferRequest::Interleaved(request) => Self::interleaved(request),
        }
    }

    /// Interleaved memory: mapped, bound, touched, locked and verified. The kernel needs to allow
    /// binding only: each node's pages are touched while the mapping is bound to that node.
    ///
    /// # Errors
    ///
    /// [`PlaceError::NoWeights`] if every weight is 0, [`PlaceError::TooLittleFree`] if too little
    /// memory is free, [`PlaceError::NotInterleaved`] if pages are on other nodes,
    /// [`PlaceError::NotPermitted`] where binding is denied.
    ///
    /// # References
    ///
    /// Those of [`PlacedBuffer::on_node`].
    pub fn interleaved(request: &InterleavedPlace) -> Result<Self, PlaceError> {
        let pattern = request.pattern()?;
        let length = request.length()?;
        request.check_free()?;
        Self::build(length, request.pages, None, Some(pattern))
    }

    /// On the pool's huge pages, if requested and the pool has enough on these nodes (any error
    /// there counts as not enough). Otherwise on transparent huge pages or base pages.
    fn build(
        length: usize,
        pages: WantedPages,
        node: Option<NodeId>,
        pattern: Option<InterleavePattern>,
    ) -> Result<Self, PlaceError> {
        let huge = pages == WantedPages::Huge;
        let fill = |mapping: &Mapping, plain_writes| match &pattern {
            Some(pattern) => touch_interleaved(mapping, pattern, plain_writes).map(|()| None),
            None => bind_and_touch(mapping, node, plain_writes),
        };
        let pool = if huge { Mapping::hugetlb(length).ok() } else { None };
        let filled = pool.and_then(|pool| fill(&pool, false).ok().map(|refused| (pool, refused)));
        let (mapping, backing, refused, shortage) = match filled {
            Some((pool, refused)) => (pool, Backing::HugeTlb, refused, None),
            None => {
                let mapping = Mapping::anonymous(length)?;
                // Disabling huge pages fails only on kernels without them.
                let advised =
                    mapping.advise(if huge { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE });
                let refused = fill(&mapping, true)?;
                let shortage =
                    if huge { shortage(&mapping, advised, pattern.is_some()) } else { None };
                let is_huge = huge && shortage.is_none();
                (
                    mapping,
                    if is_huge { Backing::TransparentHuge } else { Backing::Base },
                    refused,
                    shortage,
                )
            }
        };
        let first_touch =
            refused.iter().map(|place_error| format!("placed by first touch alone: {place_error}"));
        let notes = first_touch.chain(shortage).collect();
        let proof = Proof::Unknown("not checked yet".to_owned());
        let mut buffer = Self { mapping, backing, node, pattern, refused, proof, notes };
        buffer.pin_pages();
        buffer.prove()?;
        Ok(buffer)
    }

    /// Keeps the pages from being swapped out, and from being merged with equal ones (KSM).
    fn pin_pages(&mut self) {
        if let Err(place_error) = self.mapping.lock() {
            self.notes.push(format!("pages are not locked, and may be swapped out: {place_error}"));
        }
        // Fails only on kernels without KSM.
        let _ = self.mapping.advise(libc::MADV_UNMERGEABLE);
    }

    /// Looks up every page; fails if one is known to be on another node than requested.
    fn prove(&mut self) -> Result<(), PlaceError> {
        self.proof = self.verify()?;
        match (&self.proof, &self.refused) {
            (Proof::Unknown(_), Some(place_error)) => Err(place_error.clone()),
            (Proof::Unknown(why), None) => {
                self.notes.push(format!("the location of the pages is not verified: {why}"));
                Ok(())
            }
            (Proof::Proven(_), _) => Ok(()),
        }
    }

    /// Looks up every page again.
    ///
    /// # Errors
    ///
    /// [`PlaceError::OnOtherNodes`] or [`PlaceError::NotInterleaved`] if pages are on other nodes.
    ///
    /// # References
    ///
    /// move_pages(2), `/proc/self/numa_maps` in numa(7)
    pub fn verify(&self) -> Result<Proof, PlaceError> {
        let residences = self.residences();
        if let (Some(pattern), Ok(pages)) = (&self.pattern, &residences) {
            let pages_at = pages.iter().zip((0..).step_by(self.page()));
            let misplaced = pages_at
                .filter(|(page, at)| page.node().is_some_and(|node| node != pattern.node_at(*at)))
                .count();
            if misplaced > 0 {
                return Err(PlaceError::NotInterleaved { misplaced, pages: pages.len() });
            }
        }
        Proof::from_residences(residences, &addresses(&self.mapping), self.node)
    }

    /// The location of each page.
    ///
    /// # Errors
    ///
    /// Those of [`residences`](crate::residences).
    ///
    /// # References
    ///
    /// move_pages(2)
    pub fn residences(&self) -> Result<Vec<Residence>, PlaceError> {
        let pages: Vec<usize> = (0..self.length()).step_by(self.page()).collect();
        self.residences_at(&pages)
    }

    /// The locations of the pages at these offsets (in bytes).
    ///
    /// # Errors
    ///
    /// Those of [`residences`](crate::residences).
    ///
    /// # References
    ///
    /// move_pages(2)
    pub fn residences_at(&self, offsets: &[usize]) -> Result<Vec<Residence>, PlaceError> {
        let pages: Vec<*const u8> =
            offsets.iter().map(|&offset| self.start().wrapping_add(offset).cast_const()).collect();
        residences(&pages)
    }

    /// The address of the first byte. The memory is zeroed and aligned to 2 MiB.
    pub fn start(&self) -> *mut u8 {
        self.mapping.start()
    }

    /// The length in bytes, a multiple of 2 MiB.
    pub fn length(&self) -> usize {
        self.mapping.length()
    }

    /// The memory as 64-bit words.
    pub fn words_mut(&mut self) -> &mut [u64] {
        self.mapping.words_mut()
    }

    /// The pages under it.
    pub fn backing(&self) -> Backing {
        self.backing
    }

    /// The page size in bytes: the smallest, if mixed.
    pub fn page(&self) -> usize {
        match self.backing {
            Backing::HugeTlb | Backing::TransparentHuge => HUGE_PAGE,
            Backing::Base => base_page(),
        }
    }

    /// The requested node.
    pub fn node(&self) -> Option<NodeId> {
        self.node
    }

    /// Where it was when placed.
    pub fn proof(&self) -> &Proof {
        &self.proof
    }

    /// Remarks for the user: missing huge pages, a refused lock, an unverified location.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Why transparent huge pages do not cover the whole mapping; `None` if they do.
fn shortage(mapping: &Mapping, advised: Result<(), i32>, is_interleaved: bool) -> Option<String> {
    let huge = smaps::huge_bytes(&addresses(mapping)).unwrap_or(Bytes(0));
    let whole = Bytes(mapping.length() as u64);
    (huge < whole).then(|| match advised {
        _ if is_interleaved => "not all of it is on huge pages: memory is fragmented, or they are \
                           switched off"
            .to_owned(),
        Err(errno) => format!("huge pages refused: {}", PlaceError::from_errno("madvise", errno)),
        Ok(()) => format!(
            "only {huge} of {whole} are on huge pages: memory is fragmented, or \
             /sys/kernel/mm/transparent_hugepage/enabled is set to never"
        ),
    })
}

/// Binds the memory and touches all pages: by plain writes, if the kernel has no other way and a
/// write cannot end in a signal. Returns why binding is denied to every program, if so: then first
/// touch places the pages.
fn bind_and_touch(
    mapping: &Mapping,
    node: Option<NodeId>,
    plain_writes: bool,
) -> Result<Option<PlaceError>, PlaceError> {
    let bound = node.map_or(Ok(()), |node| {
        let policy = Policy::Bind(NodeSet::from_id(node));
        set_range_policy(mapping.start(), mapping.length(), &policy, ExistingPages::Stay)
    });
    let refused = match bound {
        Err(place_error) if place_error.is_denied() => Some(place_error),
        bound => bound.map(|()| None)?,
    };
    populate(mapping.start(), mapping.length(), PopulateAccess::Write, plain_writes)?;
    Ok(refused)
}

/// Touches each node's pages while the mapping is bound to that node. Finally binds it to all of
/// them.
fn touch_interleaved(
    mapping: &Mapping,
    pattern: &InterleavePattern,
    plain_writes: bool,
) -> Result<(), PlaceError> {
    let length = mapping.length();
    let bind = |nodes: NodeSet| {
        set_range_policy(mapping.start(), length, &Policy::Bind(nodes), ExistingPages::Stay)
    };
    for node in pattern.nodes() {
        bind(NodeSet::from_id(node))?;
        for (offset, bytes) in pattern.runs(node, length) {
            populate(
                mapping.start().wrapping_add(offset),
                bytes,
                PopulateAccess::Write,
                plain_writes,
            )?;
        }
    }
    bind(pattern.nodes().into_iter().collect())
}

fn addresses(mapping: &Mapping) -> Range<usize> {
    let start = mapping.start() as usize;
    start..start + mapping.length()
}

#[cfg(test)]
mod tests;
