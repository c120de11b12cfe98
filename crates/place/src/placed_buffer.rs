//! Memory that stands where it was wanted, with proof.

use std::ops::Range;

use nearfar_model::{Bytes, NodeId, NodeSet};

use crate::affinity::AffinityGuard;
use crate::buffer_place::{BufferPlace, WantedPages};
use crate::mapping::{HUGE_PAGE, Mapping, base_page};
use crate::mbind::ExistingPages;
use crate::policy::Policy;
use crate::populate::{Access, populate};
use crate::proof::Proof;
use crate::range_policy::set_range_policy;
use crate::refusal::Refusal;
use crate::residence::Residence;
use crate::residency::residences;
use crate::smaps;
use crate::spread::{SpreadPlace, Turns, Wish};

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

/// Memory on one node, or spread over several, touched, locked where allowed, and looked up page by page.
pub struct PlacedBuffer {
    mapping: Mapping,
    backing: Backing,
    node: Option<NodeId>,
    /// Which page was dealt to which node, where it is spread.
    turns: Option<Turns>,
    /// Why it could not be bound to its node.
    refused: Option<Refusal>,
    proof: Proof,
    notes: Vec<String>,
}

/// The node that a mapping is wanted on, and why the kernel would not bind it.
struct Bound {
    node: Option<NodeId>,
    refused: Option<Refusal>,
}

impl PlacedBuffer {
    /// Maps, binds, touches, locks and looks up. The calling thread runs on `touch_from` meanwhile, and where it ran before
    /// afterwards. Where binding is refused (a container's seccomp), first touch alone places the memory; then it
    /// is an error when it is not proven to be where it was wanted.
    pub fn place(wish: &BufferPlace) -> Result<Self, Refusal> {
        let length = wish.length()?;
        wish.check_room()?;
        let _touching = match wish.touch_from.is_empty() {
            true => None,
            false => Some(AffinityGuard::enter(&wish.touch_from)?),
        };
        let mut buffer = match wish.pages {
            WantedPages::Huge => match Self::from_pool(wish, length) {
                Some(buffer) => buffer,
                None => Self::transparent(wish, length)?,
            },
            WantedPages::Base => Self::base(wish, length)?,
        };
        buffer.secure();
        buffer.prove()?;
        Ok(buffer)
    }

    /// Memory of either kind.
    pub fn of(wish: &Wish) -> Result<Self, Refusal> {
        match wish {
            Wish::Together(wish) => Self::place(wish),
            Wish::Spread(wish) => Self::spread(wish),
        }
    }

    /// Maps, deals pages out, locks and looks up. All that the kernel must allow is binding: each node's pages are touched while the
    /// mapping is bound to that node. An error where they are not on the nodes that they were dealt to.
    pub fn spread(wish: &SpreadPlace) -> Result<Self, Refusal> {
        let turns = wish.turns()?;
        let length = wish.length()?;
        wish.check_room()?;
        let huge = wish.pages == WantedPages::Huge;
        let mapping = match huge.then(|| Mapping::hugetlb(length).ok()).flatten() {
            Some(pool) if deal(&pool, &turns, false).is_ok() => (pool, Backing::HugeTlb),
            _ => {
                let mapping = Mapping::anonymous(length)?;
                // Refused only by kernels without transparent huge pages.
                let _ = mapping.advise(if huge { libc::MADV_HUGEPAGE } else { libc::MADV_NOHUGEPAGE });
                deal(&mapping, &turns, true)?;
                let is_huge = smaps::huge_bytes(&addresses(&mapping)).unwrap_or(Bytes(0)).0 >= length as u64;
                (mapping, if huge && is_huge { Backing::TransparentHuge } else { Backing::Base })
            }
        };
        let mut buffer = Self::unproven(mapping.0, mapping.1, Bound { node: None, refused: None });
        if huge && buffer.backing == Backing::Base {
            buffer
                .notes
                .push("not all of it came as huge pages: memory is fragmented, or they are switched off".to_owned());
        }
        buffer.turns = Some(turns);
        buffer.secure();
        buffer.prove()?;
        Ok(buffer)
    }

    /// From the pool of huge pages, if that node's share of it has enough; any trouble means that it has not.
    fn from_pool(wish: &BufferPlace, length: usize) -> Option<Self> {
        let mapping = Mapping::hugetlb(length).ok()?;
        let bound = bind(&mapping, wish.node).ok()?;
        touch(&mapping, false).ok()?;
        Some(Self::unproven(mapping, Backing::HugeTlb, bound))
    }

    fn transparent(wish: &BufferPlace, length: usize) -> Result<Self, Refusal> {
        let mapping = Mapping::anonymous(length)?;
        let bound = bind(&mapping, wish.node)?;
        let advised = mapping.advise(libc::MADV_HUGEPAGE);
        touch(&mapping, true)?;
        let huge = smaps::huge_bytes(&addresses(&mapping)).unwrap_or(Bytes(0));
        let whole = Bytes(length as u64);
        if huge >= whole {
            return Ok(Self::unproven(mapping, Backing::TransparentHuge, bound));
        }
        let mut buffer = Self::unproven(mapping, Backing::Base, bound);
        buffer.notes.push(match advised {
            Err(errno) => format!("huge pages refused: {}", Refusal::of("madvise", errno)),
            Ok(()) => format!(
                "only {huge} of {whole} came as huge pages: memory is fragmented, or \
                 /sys/kernel/mm/transparent_hugepage/enabled says never"
            ),
        });
        Ok(buffer)
    }

    fn base(wish: &BufferPlace, length: usize) -> Result<Self, Refusal> {
        let mapping = Mapping::anonymous(length)?;
        let bound = bind(&mapping, wish.node)?;
        // Refused only by kernels without transparent huge pages.
        let _ = mapping.advise(libc::MADV_NOHUGEPAGE);
        touch(&mapping, true)?;
        Ok(Self::unproven(mapping, Backing::Base, bound))
    }

    fn unproven(mapping: Mapping, backing: Backing, bound: Bound) -> Self {
        let first_touch = |refusal: &Refusal| format!("placed by first touch alone: {refusal}");
        let notes = bound.refused.iter().map(first_touch).collect();
        let proof = Proof::Unknown("not asked yet".to_owned());
        Self { mapping, backing, node: bound.node, turns: None, refused: bound.refused, proof, notes }
    }

    /// Keeps the pages from being swapped, and from being merged with equal ones.
    fn secure(&mut self) {
        if let Err(refusal) = self.mapping.lock() {
            self.notes.push(format!("pages are not locked, and may be swapped out: {refusal}"));
        }
        // Refused only by kernels that cannot merge pages.
        let _ = self.mapping.advise(libc::MADV_UNMERGEABLE);
    }

    /// Looks every page up; an error when one is known to be elsewhere than on the wanted node.
    fn prove(&mut self) -> Result<(), Refusal> {
        self.proof = self.check()?;
        match (&self.proof, &self.refused) {
            (Proof::Unknown(_), Some(refusal)) => Err(refusal.clone()),
            (Proof::Unknown(why), None) => {
                self.notes.push(format!("where the pages are is not proven: {why}"));
                Ok(())
            }
            (Proof::Proven(_), _) => Ok(()),
        }
    }

    /// Looks every page up again.
    pub fn check(&self) -> Result<Proof, Refusal> {
        let residences = self.residences();
        if let (Some(turns), Ok(pages)) = (&self.turns, &residences) {
            let dealt = pages.iter().zip((0..).step_by(self.page())).map(|(page, at)| (page.node(), turns.node_at(at)));
            let strayed = dealt.filter(|(found, wanted)| found.is_some_and(|found| found != *wanted)).count();
            if strayed > 0 {
                return Err(Refusal::Misdealt { strayed, pages: pages.len() });
            }
        }
        Proof::of(residences, &addresses(&self.mapping), self.node)
    }

    /// Where the buffer's pages are, one answer a page.
    pub fn residences(&self) -> Result<Vec<Residence>, Refusal> {
        let pages: Vec<usize> = (0..self.length()).step_by(self.page()).collect();
        self.residences_at(&pages)
    }

    /// Where the pages at these offsets (in bytes) are, one answer an offset.
    pub fn residences_at(&self, offsets: &[usize]) -> Result<Vec<Residence>, Refusal> {
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

/// Makes all pages exist: by plain writes, where the kernel knows no better and a write cannot end in a signal.
fn touch(mapping: &Mapping, plain_writes: bool) -> Result<(), Refusal> {
    populate(mapping.start(), mapping.length(), Access::Write, plain_writes)
}

/// Binds, unless the kernel lets nobody bind: then first touch has to do.
fn bind(mapping: &Mapping, node: Option<NodeId>) -> Result<Bound, Refusal> {
    let Some(wanted) = node else { return Ok(Bound { node, refused: None }) };
    let policy = Policy::Bind(NodeSet::of(wanted));
    match set_range_policy(mapping.start(), mapping.length(), &policy, ExistingPages::Stay) {
        Ok(()) => Ok(Bound { node, refused: None }),
        Err(refusal @ (Refusal::NotPermitted { .. } | Refusal::NotInKernel { .. })) => {
            Ok(Bound { node, refused: Some(refusal) })
        }
        Err(refusal) => Err(refusal),
    }
}

/// Makes each node's pages exist while all is bound to that node, and binds all to all of them in the end.
fn deal(mapping: &Mapping, turns: &Turns, plain_writes: bool) -> Result<(), Refusal> {
    let length = mapping.length();
    let bind = |nodes: NodeSet| set_range_policy(mapping.start(), length, &Policy::Bind(nodes), ExistingPages::Stay);
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
