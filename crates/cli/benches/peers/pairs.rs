//! The programs, each with nearfar's corresponding figure.

use crate::ours::Ours;
use crate::theirs::Theirs;

/// One line of the table.
pub(crate) struct PeerComparison {
    pub(crate) ours: Ours,
    pub(crate) theirs: Theirs,
    pub(crate) threads: usize,
    /// What the program really does.
    pub(crate) measures: &'static str,
    /// Whether that is what nearfar's figure measures, so that it sets a bar.
    pub(crate) alike: bool,
}

impl PeerComparison {
    /// "mbw -t0, 1 CPU".
    pub(crate) fn title(&self) -> String {
        format!(
            "{}, {} CPU{}",
            self.theirs.title(),
            self.threads,
            if self.threads == 1 { "" } else { "s" }
        )
    }
}

/// All lines, on one CPU and on all.
pub(crate) fn pairs(cpus: usize) -> Vec<PeerComparison> {
    let mut pairs = Vec::new();
    for threads in if cpus > 1 { vec![1, cpus] } else { vec![1] } {
        let mut add = |ours, theirs, alike, measures| {
            pairs.push(PeerComparison {
                ours: Ours::Bandwidth(ours),
                theirs,
                threads,
                measures,
                alike,
            });
        };
        let sysbench = |operation| Theirs::Sysbench { small: false, operation };
        add(
            "nt-copy",
            Theirs::Mbw,
            true,
            "glibc's memcpy, past the caches where arrays are as large as these",
        );
        add("read", sysbench("read"), true, "reads word by word");
        add(
            "read",
            Theirs::Sysbench { small: true, operation: "read" },
            false,
            "reads 1 KiB again and again: the first cache",
        );
        add(
            "write",
            sysbench("write"),
            true,
            "writes word by word; reading for ownership not counted, as in ours",
        );
        add(
            "triad",
            Theirs::StressNgStream,
            false,
            "copy, scale, add and triad in one figure; reading for ownership not counted, as in \
             ours",
        );
        if threads == 1 {
            add("nt-copy", Theirs::PerfBench("memcpy"), true, "glibc's memcpy, as mbw");
            let memset = "glibc's memset: rep stosb, by way of the caches or past them as the \
                          processor likes";
            add("write", Theirs::PerfBench("memset"), true, memset);
            add("nt-write", Theirs::PerfBench("memset"), false, memset);
            add(
                "nt-copy",
                Theirs::Numademo("memcpy"),
                false,
                "copies memory never written: zeros from the first cache",
            );
            add(
                "write",
                Theirs::Numademo("memset"),
                true,
                "glibc's memset; its own ten passes, flushed before each",
            );
        }
    }
    if cpus > 1 {
        let measures = "compare-and-swap to and fro; one way, mean of samples";
        let theirs = Theirs::CoreToCoreLatency;
        pairs.push(PeerComparison {
            ours: Ours::Handoff,
            theirs,
            threads: 2,
            measures,
            alike: true,
        });
    }
    pairs
}
