//! Memory that stands where it was wanted, with proof.

use std::ops::Range;

use nearfar_model::{Bytes, NodeId, NodeSet};

use crate::affinity::AffinityGuard;
use crate::buffer_place::{BufferPlace, WantedPages};
use crate::interleaved::{InterleavedPlace, Turns, Wish};
use crate::mapping::{HUGE_PAGE, Mapping, base_page};
use crate::mbind::ExistingPages;
use crate::place_error::PlaceError;
use crate::policy::Policy;
use crate::populate::{Access, populate};
use crate::proof::Proof;
use crate::range_policy::set_range_policy;
use crate::residence::Residence;
use crate::residency::residences;
use crate::smaps;

/// What carries a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backing {
    /// 2 MiB pages from the pool (`nr_hugepages`).
    HugeTlb,
    /// Transparent huge pages, all of it.
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

/// Memory on one node, or spread over several, touched, locked where allowed, and looked up page by
/// page.
pub struct PlacedBuffer {
    mapping: Mapping,
    backing: Backing,
    node: Option<NodeId>,
    /// Which page was dealt to which node, where it is spread.
    turns: Option<Turns>,
    /// Why it could not be bound to its node.
    refused: Option<PlaceError>,
    proof: Proof,
    notes: Vec<String>,
}

impl PlacedBuffer {
    /// Maps, binds, touches, locks and looks up. The calling thread runs on `touch_from` meanwhile,
    /// and where it ran before afterwards. Where binding is refused (a container's seccomp), first
    /// touch alone places the memory; then it is an error when it is not proven to be where it was
    /// wanted.
    pub fn place(wish: &BufferPlace) -> Result<Self, PlaceError> {
        let length = wish.length()?;
        wish.check_room()?;
        let touched_from = Some(&wish.touch_from).filter(|cpus| !cpus.is_empty());
        let _touching = touched_from.map(AffinityGuard::enter).transpose()?;
        Self::made(length, wish.pages, wish.node, None)
    }

    /// Memory of either kind.
    pub fn of(wish: &Wish) -> Result<Self, PlaceError> {
        match wish {
            Wish::Together(wish) => Self::place(wish),
            Wish::Spread(wish) => Self::spread(wish),
        }
    }

    /// Maps, deals pages out, locks and looks up. All that the kernel must allow is binding: each
    /// node's pages are touched while the mapping is bound to that node. An error where they are
    /// not on the nodes that they were dealt to.
    pub fn spread(wish: &InterleavedPlace) -> Result<Self, PlaceError> {
        let turns = wish.turns()?;
        let length = wish.length()?;
        wish.check_room()?;
        Self::made(length, wish.pages, None, Some(turns))
    }

    /// From the pool of huge pages where such are wanted and the pool has enough on these nodes
    /// (any trouble means that it has not), else of transparent huge pages or base pages.
    fn made(
        length: usize,
        pages: WantedPages,
        node: Option<NodeId>,
        turns: Option<Turns>,
    ) -> Result<Self, PlaceError> {
        let huge = pages == WantedPages::Huge;
        let fill = |mapping: &Mapping, plain_writes| match &turns {
            Some(turns) => deal(mapping, turns, plain_writes).map(|()| None),
            None => bind_and_touch(mapping, node, plain_writes),
        };
        let pool = if huge { Mapping::hugetlb(length).ok() } else { None };
        let filled = pool.and_then(|pool| fill(&pool, false).ok().map(|refused| (pool, refused)));
        let (mapping, backing, refused, shortage) = match filled {
            Some((pool, refused)) => (pool, Backing::HugeTlb, refused, None),
            None => {
                let mapping = Mapping::anonymous(length)?;
                // Keeping huge pages away is refused only by kernels without them.
                let advised =
                    mapping.advise(if huge { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE });
                let refused = fill(&mapping, true)?;
                let shortage =
                    if huge { shortage(&mapping, advised, turns.is_some()) } else { None };
                let came = huge && shortage.is_none();
                (
                    mapping,
                    if came { Backing::TransparentHuge } else { Backing::Base },
                    refused,
                    shortage,
                )
            }
        };
        let first_touch =
            refused.iter().map(|place_error| format!("placed by first touch alone: {place_error}"));
        let notes = first_touch.chain(shortage).collect();
        let proof = Proof::Unknown("not asked yet".to_owned());
        let mut buffer = Self { mapping, backing, node, turns, refused, proof, notes };
        buffer.secure();
        buffer.prove()?;
        Ok(buffer)
    }

    /// Keeps the pages from being swapped, and from being merged with equal ones.
    fn secure(&mut self) {
        if let Err(place_error) = self.mapping.lock() {
            self.notes.push(format!("pages are not locked, and may be swapped out: {place_error}"));
        }
        // Refused only by kernels that cannot merge pages.
        let _ = self.mapping.advise(libc::MADV_UNMERGEABLE);
    }

    /// Looks every page up; an error when one is known to be elsewhere than on the wanted node.
    fn prove(&mut self) -> Result<(), PlaceError> {
        self.proof = self.check()?;
        match (&self.proof, &self.refused) {
            (Proof::Unknown(_), Some(place_error)) => Err(place_error.clone()),
            (Proof::Unknown(why), None) => {
                self.notes.push(format!("where the pages are is not proven: {why}"));
                Ok(())
            }
            (Proof::Proven(_), _) => Ok(()),
        }
    }

    /// Looks every page up again.
    pub fn check(&self) -> Result<Proof, PlaceError> {
        let residences = self.residences();
        if let (Some(turns), Ok(pages)) = (&self.turns, &residences) {
            let dealt = pages
                .iter()
                .zip((0..).step_by(self.page()))
                .map(|(page, at)| (page.node(), turns.node_at(at)));
            let strayed =
                dealt.filter(|(found, wanted)| found.is_some_and(|found| found != *wanted)).count();
            if strayed > 0 {
                return Err(PlaceError::Misdealt { strayed, pages: pages.len() });
            }
        }
        Proof::of(residences, &addresses(&self.mapping), self.node)
    }

    /// Where the buffer's pages are, one answer a page.
    pub fn residences(&self) -> Result<Vec<Residence>, PlaceError> {
        let pages: Vec<usize> = (0..self.length()).step_by(self.page()).collect();
        self.residences_at(&pages)
    }

    /// Where the pages at these offsets (in bytes) are, one answer an offset.
    pub fn residences_at(&self, offsets: &[usize]) -> Result<Vec<Residence>, PlaceError> {
        let pages: Vec<*const u8> =
            offsets.iter().map(|&offset| self.start().wrapping_add(offset).cast_const()).collect();
        residences(&pages)
    }

    /// The first byte. The memory is zero at first, and aligned to 2 MiB.
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

    /// What carries it.
    pub fn backing(&self) -> Backing {
        self.backing
    }

    /// The size in bytes of its pages: of the smallest, when they are mixed.
    pub fn page(&self) -> usize {
        match self.backing {
            Backing::HugeTlb | Backing::TransparentHuge => HUGE_PAGE,
            Backing::Base => base_page(),
        }
    }

    /// The node it was wanted on.
    pub fn node(&self) -> Option<NodeId> {
        self.node
    }

    /// Where it was when placed.
    pub fn proof(&self) -> &Proof {
        &self.proof
    }

    /// What a reader should know: huge pages that did not come, a refused lock, a missing proof.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

/// Why not all of a mapping stands on transparent huge pages; none when all does.
fn shortage(mapping: &Mapping, advised: Result<(), i32>, is_spread: bool) -> Option<String> {
    let huge = smaps::huge_bytes(&addresses(mapping)).unwrap_or(Bytes(0));
    let whole = Bytes(mapping.length() as u64);
    (huge < whole).then(|| match advised {
        _ if is_spread => "not all of it came as huge pages: memory is fragmented, or they are \
                           switched off"
            .to_owned(),
        Err(errno) => format!("huge pages refused: {}", PlaceError::of("madvise", errno)),
        Ok(()) => format!(
            "only {huge} of {whole} came as huge pages: memory is fragmented, or \
             /sys/kernel/mm/transparent_hugepage/enabled says never"
        ),
    })
}

/// Binds, and makes all pages exist: by plain writes, where the kernel knows no better and a write
/// cannot end in a signal. Gives why the kernel lets nobody bind, where it does not: then first
/// touch has to do.
fn bind_and_touch(
    mapping: &Mapping,
    node: Option<NodeId>,
    plain_writes: bool,
) -> Result<Option<PlaceError>, PlaceError> {
    let bound = node.map_or(Ok(()), |node| {
        let policy = Policy::Bind(NodeSet::of(node));
        set_range_policy(mapping.start(), mapping.length(), &policy, ExistingPages::Stay)
    });
    let refused = match bound {
        Err(place_error) if place_error.is_denied() => Some(place_error),
        bound => bound.map(|()| None)?,
    };
    populate(mapping.start(), mapping.length(), Access::Write, plain_writes)?;
    Ok(refused)
}

/// Makes each node's pages exist while all is bound to that node, and binds all to all of them in
/// the end.
fn deal(mapping: &Mapping, turns: &Turns, plain_writes: bool) -> Result<(), PlaceError> {
    let length = mapping.length();
    let bind = |nodes: NodeSet| {
        set_range_policy(mapping.start(), length, &Policy::Bind(nodes), ExistingPages::Stay)
    };
    for node in turns.nodes() {
        bind(NodeSet::of(node))?;
        for (offset, bytes) in turns.stretches(node, length) {
            populate(mapping.start().wrapping_add(offset), bytes, Access::Write, plain_writes)?;
        }
    }
    bind(turns.nodes().into_iter().collect())
}

fn addresses(mapping: &Mapping) -> Range<usize> {
    let start = mapping.start() as usize;
    start..start + mapping.length()
}

#[cfg(test)]
mod tests;
