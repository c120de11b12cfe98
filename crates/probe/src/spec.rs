//! The kind of probe, and its size.

use nearfar_model::Bytes;
use serde::{Deserialize, Serialize};

use crate::probe_error::ProbeError;
use crate::probes::page_probe::MIN_PAGE;

/// The timed loops, by their option names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProbeKind {
    /// One flushed 2 MiB page walked once by dependent loads: the primary probe.
    Page,
    /// A large buffer walked by dependent loads along a random cycle.
    Chase,
    /// The classical sweep of single-byte stores, one per line, descending.
    StoreSweep,
    /// A buffer first touched on one CPU, swept by stores from every CPU in turn.
    CoreWalk,
    /// The chase with an increment per line.
    Rmw,
}

/// The size of the pages under a probe's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageSize {
    /// 2 MiB: hugetlb or transparent huge pages.
    Huge,
    /// The base page size, 4 KiB on most machines.
    Base,
}

/// A probe and its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeSpec {
    /// The kind of loop.
    pub kind: ProbeKind,
    /// Memory that one sample covers: the page of the page probe, the buffer of the others.
    pub size: Bytes,
    /// Accesses timed in one sample.
    pub accesses: u64,
    /// Pages under the memory.
    pub pages: PageSize,
}

impl ProbeKind {
    /// Its option name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Chase => "chase",
            Self::StoreSweep => "store-sweep",
            Self::CoreWalk => "core-walk",
            Self::Rmw => "rmw",
        }
    }
}

/// Sizes are multiples of this: whole slots of a cycle, whole lines of a sweep, whole base pages of
/// most machines.
const SIZE_UNIT: Bytes = Bytes::kib(4);

impl ProbeSpec {
    /// One round through a 2 MiB page: 8,192 loads, about a millisecond.
    pub const fn page() -> Self {
        Self { kind: ProbeKind::Page, size: Bytes::mib(2), accesses: 8192, pages: PageSize::Huge }
    }

    /// 65,536 loads of a 256 MiB chase, some 5 to 10 ms.
    pub const fn chase(pages: PageSize) -> Self {
        Self { kind: ProbeKind::Chase, size: Bytes::mib(256), accesses: 65_536, pages }
    }

    /// 16 passes over 256 MiB: sixteen samples are the classical 256 passes.
    pub const fn store_sweep() -> Self {
        Self {
            kind: ProbeKind::StoreSweep,
            size: Bytes::mib(256),
            accesses: 64 << 20,
            pages: PageSize::Huge,
        }
    }

    /// 256 passes over 16 MiB: 64 Mi stores.
    pub const fn core_walk() -> Self {
        Self {
            kind: ProbeKind::CoreWalk,
            size: Bytes::mib(16),
            accesses: 64 << 20,
            pages: PageSize::Huge,
        }
    }

    /// 65,536 increments along a 256 MiB chase, some 5 to 10 ms.
    pub const fn rmw() -> Self {
        Self {
            kind: ProbeKind::Rmw,
            size: Bytes::mib(256),
            accesses: 65_536,
            pages: PageSize::Huge,
        }
    }

    /// Checks that the sizes are valid.
    pub fn check(&self) -> Result<(), ProbeError> {
        let fail =
            |what, remedy| Err(ProbeError::BadSpec { probe: self.kind.name(), what, remedy });
        if self.size.0 == 0 || self.size.0 % SIZE_UNIT.0 != 0 {
            return fail(
                format!("a size of {} bytes", self.size.0),
                "use a multiple of 4 KiB, such as 256M",
            );
        }
        if self.kind == ProbeKind::Page && self.size < MIN_PAGE {
            return fail(
                format!("a page of {}", self.size),
                "use at least 32 KiB, the smallest page that it can walk",
            );
        }
        if self.accesses == 0 {
            return fail("no accesses".to_owned(), "use at least one");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn published_probes_are_valid() {
        let chase = ProbeSpec::chase(PageSize::Base);
        for spec in [
            ProbeSpec::page(),
            chase,
            ProbeSpec::store_sweep(),
            ProbeSpec::core_walk(),
            ProbeSpec::rmw(),
        ] {
            spec.check().unwrap();
        }
    }

    #[test]
    fn zero_and_odd_sizes_are_refused() {
        let odd =
            ProbeSpec { size: Bytes(4097), ..ProbeSpec::page() }.check().unwrap_err().to_string();
        assert_eq!(
            odd,
            "the page probe cannot have a size of 4097 bytes: use a multiple of 4 KiB, such \
             as 256M"
        );
        assert!(ProbeSpec { size: Bytes(0), ..ProbeSpec::page() }.check().is_err());
        assert!(ProbeSpec { accesses: 0, ..ProbeSpec::page() }.check().is_err());
    }

    #[test]
    fn too_small_pages_are_refused() {
        let page = |size| ProbeSpec { size, ..ProbeSpec::page() };
        let small = page(Bytes::kib(28)).check().unwrap_err().to_string();
        assert!(
            small.starts_with("the page probe cannot have a page of 28 KiB: use at least 32 KiB"),
            "{small}"
        );
        page(Bytes::kib(32)).check().unwrap();
        ProbeSpec { size: Bytes::kib(4), ..ProbeSpec::chase(PageSize::Huge) }.check().unwrap();
    }
}
