//! Which memory the pages of a search were taken from: other memory may be of further nodes.

/// A page, by its physical address, and its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeenPage {
    /// Its first byte's address.
    pub address: u64,
    /// Its kind, by index.
    pub kind: usize,
}

/// Memory between two pages that were looked at, or beyond the last one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnseenMemory {
    /// Its first and its last address.
    pub address_bytes: [u64; 2],
    /// Bytes of memory in it.
    pub bytes: u64,
    /// Its share of all memory, a fraction.
    pub share: f64,
}

/// What was looked at, by addresses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coverage {
    /// The largest part that may be of a node without CPUs. Below the first page and between pages
    /// near CPUs there are none: firmware places them last.
    pub beyond: Option<UnseenMemory>,
    /// The largest part that may be of any other node: all but what lies between pages of one kind.
    pub anywhere: Option<UnseenMemory>,
}

/// A smaller share of the memory is no node.
const MIN_SHARE: f64 = 0.03;
/// Nor is less memory: the kernel and its first programs take as much.
const MIN_BYTES: u64 = 96 << 20;

impl Coverage {
    /// From all pages, the ranges of memory (first and last address), and for each kind whether
    /// CPUs are near it. `None` without pages or memory.
    pub fn new(pages: &[SeenPage], ram: &[[u64; 2]], is_near: &[bool]) -> Option<Self> {
        let mut pages = pages.to_vec();
        pages.sort_unstable_by_key(|page| page.address);
        let (first, last) = (*pages.first()?, *pages.last()?);
        let all: u64 = ram.iter().map(|[low, high]| high - low + 1).sum();
        let part = |low: u64, high: u64| {
            let inside = ram
                .iter()
                .map(|[first, last]| (high.min(*last) + 1).saturating_sub(low.max(*first)));
            let bytes: u64 = inside.sum();
            UnseenMemory {
                address_bytes: [low, high],
                bytes,
                share: bytes as f64 / all.max(1) as f64,
            }
        };
        let is_cpu = |kind: usize| is_near.get(kind).copied().unwrap_or(false);
        let end = ram.iter().map(|range| range[1]).max()?.max(last.address);
        let below = part(0, first.address);
        let above = part(last.address, end);
        let apart = pages.windows(2).filter(|pair| pair[0].kind != pair[1].kind);
        let between: Vec<(bool, UnseenMemory)> = apart
            .map(|pair| {
                let is_between_cpus = is_cpu(pair[0].kind) && is_cpu(pair[1].kind);
                (is_between_cpus, part(pair[0].address, pair[1].address))
            })
            .collect();
        let beyond = between.iter().filter(|(is_between_cpus, _)| !is_between_cpus);
        Some(Self {
            beyond: largest(beyond.map(|(_, part)| *part).chain([above])),
            anywhere: largest(between.iter().map(|(_, part)| *part).chain([below, above])),
        })
    }
}

/// The largest part that may be a node.
fn largest(parts: impl Iterator<Item = UnseenMemory>) -> Option<UnseenMemory> {
    parts
        .filter(|part| part.bytes >= MIN_BYTES && part.share >= MIN_SHARE)
        .max_by_key(|part| part.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    /// Pages every 64 MiB from one GiB to another, of a kind.
    fn pages(from: u64, to: u64, kind: usize) -> Vec<SeenPage> {
        (from * 16..to * 16).map(|at| SeenPage { address: at * GIB / 16, kind }).collect()
    }

    #[test]
    fn memory_beyond_the_last_page_may_be_a_node() {
        let seen = [pages(0, 2, 0), pages(2, 4, 1)].concat();
        let ram = |to: u64| [[0, 3 * GIB - 1], [3 * GIB, to * GIB - 1]];
        let whole = Coverage::new(&seen, &ram(4), &[true; 2]).unwrap();
        assert_eq!(whole, Coverage { beyond: None, anywhere: None });
        let part = Coverage::new(&seen, &ram(5), &[true; 2]).unwrap().beyond.unwrap();
        assert!((part.share - 0.2).abs() < 0.02 && part.address_bytes[1] == 5 * GIB - 1);
    }

    #[test]
    fn gaps_between_kinds_count_and_gaps_within_one_do_not() {
        let ram = [[0, 8 * GIB - 1]];
        let within = [pages(0, 2, 0), pages(4, 8, 0)].concat();
        assert_eq!(Coverage::new(&within, &ram, &[true]).unwrap().anywhere, None);
        let between = [pages(0, 2, 0), pages(4, 8, 1)].concat();
        let of = |is_near: [bool; 2]| Coverage::new(&between, &ram, &is_near).unwrap();
        assert_eq!(of([true, true]).beyond, None);
        assert!(of([true, true]).anywhere.is_some() && of([true, false]).beyond.is_some());
    }

    #[test]
    fn holes_in_addresses_are_no_memory() {
        let seen = [pages(0, 3, 0), pages(4, 5, 1)].concat();
        let ram = [[0, 3 * GIB - 1], [4 * GIB, 5 * GIB - 1]];
        let holes = Coverage::new(&seen, &ram, &[true, false]).unwrap();
        assert_eq!(holes, Coverage { beyond: None, anywhere: None });
        assert_eq!(Coverage::new(&[], &ram, &[]), None);
        assert_eq!(Coverage::new(&seen, &[], &[]), None);
    }
}
