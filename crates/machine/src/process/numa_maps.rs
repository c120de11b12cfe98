//! `/proc/PID/numa_maps`: the policy of each mapping and its pages by node.
//!
//! A line is `7f0000200000 bind:0 heap anon=512 dirty=512 N0=512 kernelpagesize_kB=4`. Pages are
//! counted in the size in the line: 2 MiB for `huge` mappings (hugetlbfs), base pages for all
//! others, transparent huge pages included. See numa(7).

use nearfar_model::{Bytes, NodeId};

use super::numa_policy::NumaPolicy;
use crate::attribute::unescaped;

/// All mappings of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NumaMaps {
    /// By address.
    pub mappings: Vec<NumaMapping>,
    /// Number of malformed lines.
    pub odd_lines: usize,
}

/// One mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumaMapping {
    /// Its first address.
    pub start: u64,
    /// Its policy.
    pub policy: NumaPolicy,
    /// Its kind.
    pub segment: MappingSegment,
    /// Whether its pages come from a pool of huge pages (hugetlbfs).
    pub huge: bool,
    /// Path of its file, if there is one.
    pub file: Option<String>,
    /// Pages by node, in the order of the line; nodes without pages are absent.
    pub pages: Vec<(NodeId, u64)>,
    /// Page size; `None` if the line has none (no page, or Linux before 3.17).
    pub page_size: Option<Bytes>,
    /// The largest number of page tables that map one of the pages; 1 if unknown.
    pub most_mapped: u64,
}

/// The kind of a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MappingSegment {
    /// The heap of brk(2).
    Heap,
    /// The first thread's stack.
    Stack,
    /// Anything else.
    Other,
}

impl NumaMaps {
    /// Parses the file. Lines without an address and a policy are counted and skipped.
    ///
    /// # References
    ///
    /// numa(7)
    pub fn parse(text: &str) -> Self {
        let mut maps = Self::default();
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match NumaMapping::parse(line) {
                Some(mapping) => maps.mappings.push(mapping),
                None => maps.odd_lines += 1,
            }
        }
        maps
    }
}

impl NumaMapping {
    /// Parses one line; unknown words are skipped, as newer kernels may add some.
    ///
    /// # References
    ///
    /// numa(7); fs/proc/task_mmu.c: show_numa_map
    pub fn parse(line: &str) -> Option<Self> {
        let (start, rest) = line.trim_end().split_once(' ')?;
        let (policy, words) = NumaPolicy::split(rest.trim_start());
        if policy.text().is_empty() {
            return None;
        }
        let mut mapping = Self {
            start: u64::from_str_radix(start, 16).ok()?,
            policy,
            segment: MappingSegment::Other,
            huge: false,
            file: None,
            pages: Vec::new(),
            page_size: None,
            most_mapped: 1,
        };
        for word in words.split_ascii_whitespace() {
            mapping.take(word);
        }
        Some(mapping)
    }

    fn take(&mut self, word: &str) {
        let Some((key, value)) = word.split_once('=') else {
            match word {
                "heap" => self.segment = MappingSegment::Heap,
                "stack" => self.segment = MappingSegment::Stack,
                "huge" => self.huge = true,
                // Linux 3.4 to 4.4 names the thread: "stack:1234".
                _ if word.starts_with("stack:") => self.segment = MappingSegment::Stack,
                _ => {}
            }
            return;
        };
        let number: Option<u64> = value.parse().ok();
        match (key, number) {
            ("file", _) => self.file = Some(unescaped(value)),
            ("mapmax", Some(most)) => self.most_mapped = most,
            ("kernelpagesize_kB", Some(size)) => self.page_size = size.checked_mul(1024).map(Bytes),
            (_, Some(pages)) if pages > 0 => self.pages.extend(node(key).map(|node| (node, pages))),
            _ => {}
        }
    }

    /// Whether other processes map some of its pages too, such as a library's text and unwritten
    /// pages after fork(2). The kernel moves such pages only with CAP_SYS_NICE.
    pub fn is_mapped_by_others(&self) -> bool {
        self.most_mapped > 1
    }
}

/// The node of "N12".
fn node(key: &str) -> Option<NodeId> {
    let digits =
        key.strip_prefix('N').filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))?;
    digits.parse().ok().filter(|&id| id <= nearfar_model::MAX_ID).map(NodeId)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "\
00400000 default file=/usr/bin/my\\040prog mapped=2 mapmax=3 N1=2 kernelpagesize_kB=4
01a00000 prefer (many):0,255 heap anon=1024 dirty=1000 swapcache=3 active=0 N0=1000 N255=24 \
                        kernelpagesize_kB=64
7f0000a00000 default
7f0000e00000 bind:1 file=/anon_hugepage\\040(deleted) huge anon=3 dirty=3 N1=3 \
                        kernelpagesize_kB=2048
7ffc00000000 default stack anon=3 dirty=3 N0=3 kernelpagesize_kB=4
";

    #[test]
    fn each_field_of_a_line_is_parsed() {
        let maps = NumaMaps::parse(TEXT);
        assert_eq!((maps.mappings.len(), maps.odd_lines), (5, 0));
        let [program, heap, untouched, huge, stack] = &maps.mappings[..] else { panic!() };
        assert_eq!((program.start, program.file.as_deref()), (0x40_0000, Some("/usr/bin/my prog")));
        assert_eq!((program.most_mapped, program.segment), (3, MappingSegment::Other));
        assert_eq!(
            (heap.segment, heap.policy.text()),
            (MappingSegment::Heap, "prefer (many):0,255")
        );
        assert_eq!(heap.pages, [(NodeId(0), 1000), (NodeId(255), 24)]);
        assert_eq!(heap.page_size, Some(Bytes::kib(64)));
        assert!(program.is_mapped_by_others() && !heap.is_mapped_by_others());
        assert!(untouched.pages.is_empty() && untouched.page_size.is_none());
        assert!(huge.huge && huge.file.as_deref() == Some("/anon_hugepage (deleted)"));
        assert_eq!(huge.page_size, Some(Bytes::mib(2)));
        assert_eq!(stack.segment, MappingSegment::Stack);
    }

    #[test]
    fn file_called_heap_is_not_the_heap() {
        let mapping = NumaMapping::parse("1000 default file=/tmp/a\\040heap N0=1").unwrap();
        assert_eq!(
            (mapping.segment, mapping.file.as_deref()),
            (MappingSegment::Other, Some("/tmp/a heap"))
        );
    }

    #[test]
    fn malformed_lines_are_counted_and_words_skipped() {
        let maps = NumaMaps::parse(
            "\n7f00\nxyz default\n10000000000000000 default\n1 default N99999999=3 N0=x N=4 N+1=2 \
             new=9 N2=\n",
        );
        assert_eq!((maps.mappings.len(), maps.odd_lines), (1, 3));
        assert!(maps.mappings[0].pages.is_empty());
    }

    #[test]
    fn incomplete_escapes_are_kept() {
        assert_eq!(unescaped("a\\04"), "a\\04");
        assert_eq!(unescaped("\\134\\999\\"), "\\\\999\\");
    }

    proptest! {
        #[test]
        fn any_text_is_parsed(
            text in "([0-9a-f]{0,18} (bind|prefer|weighted|x)[ =:(]?.{0,5} (N[0-9]{0,12}=\
                     [0-9]{0,25} |kernelpagesize_kB=[0-9]{0,20} \
                     |file=\\PC{0,9} ){0,3}.{0,10}\n){0,10}"
        ) {
            for mapping in NumaMaps::parse(&text).mappings {
                mapping.policy.nodes();
            }
        }

        #[test]
        fn cut_text_keeps_complete_lines(cut in 0..TEXT.len()) {
            let whole = NumaMaps::parse(TEXT);
            let part = NumaMaps::parse(&TEXT[..cut]);
            let mut complete = part.mappings.iter().zip(&whole.mappings).rev().skip(1);
            prop_assert!(complete.all(|(a, b)| a == b));
        }
    }
}
