//! Why pages and lines tell what they tell, and what would settle it.

use nearfar_infer::hidden::{LEAST_PAGES, LineReason, PageReason, PageRemedy};

use crate::percent::percent;

/// A reason of what pages tell, as a sentence.
pub(crate) fn page_reason(reason: &PageReason) -> String {
    match reason {
        PageReason::NoPages => "no page could be measured".to_owned(),
        PageReason::Unavailable { why } => why.clone(),
        PageReason::FewProcesses { with_pages, processes } => {
            format!("{with_pages} of {processes} processes measured {LEAST_PAGES} pages or more")
        }
        PageReason::Kinds { kinds, agreeing, processes, effect } => format!(
            "pages fall into {kinds} kinds in {agreeing} of {processes} processes: from one group of CPUs some cost up to {} more than others, from another group it is otherwise",
            percent(*effect)
        ),
        PageReason::OrderTurns => {
            "which kind is the cheaper one turns round between CPUs: neither slow pages nor slow CPUs do that"
                .to_owned()
        }
        PageReason::ContrastDiffers => {
            "the same pages differ more to some CPUs than to others: slow pages or slow CPUs alone do not".to_owned()
        }
        PageReason::OtherKinds { with_kinds, processes } => {
            format!("pages fall into kinds in {with_kinds} of {processes} processes, and not into the same ones")
        }
        PageReason::KindsFromAllAlike { apart } => format!(
            "pages are of two kinds, {} apart, and from all CPUs that may be used alike: memory behind another node, or slower memory in the same",
            percent(*apart)
        ),
        PageReason::Scatter { detectable_from } => format!(
            "costs scatter so much that differences below {} would not have been seen",
            percent(*detectable_from)
        ),
        PageReason::OneKind { detectable_from } => {
            format!("pages are of one kind: two kinds {} apart would have been found", percent(*detectable_from))
        }
        PageReason::FewRows => {
            "no two groups of CPUs were measured in most processes, so that nobody knows whether these pages are as far from all"
                .to_owned()
        }
        PageReason::CpusDiffer { at_least } => format!(
            "all of these pages cost some CPUs at least {} more than others: the pages lie beside the others, or these are slower",
            percent(*at_least)
        ),
        PageReason::CpusMayDiffer { at_most } => format!(
            "groups of CPUs wander from process to process: some may pay up to {} more for all of these pages than others",
            percent(*at_most)
        ),
        PageReason::Sentence(sentence) => sentence.clone(),
    }
}

/// What would settle what pages leave open, as a sentence.
pub(crate) fn page_remedy(remedy: &PageRemedy) -> String {
    match remedy {
        PageRemedy::LargerShare { share } => format!(
            "memory and huge pages to spare; nearfar hidden --share {:.0}% may have enough of them",
            100.0 * share
        ),
        PageRemedy::FreePages => "memory and huge pages to spare: programs that end, or a fresh boot".to_owned(),
        PageRemedy::MoreMemory => {
            "memory and huge pages to spare: programs that end, or a larger memory limit of the cgroup, if there is one"
                .to_owned()
        }
        PageRemedy::MoreProcesses => "a quieter machine, or more processes: nearfar hidden --thorough".to_owned(),
        PageRemedy::OtherCpus => {
            "CPUs to which the order of these pages turns round: without the limits on CPUs, if there are any"
                .to_owned()
        }
        PageRemedy::OtherPagesByShare { share } => format!(
            "pages from elsewhere in this memory: nearfar hidden --share {:.0}% would settle it, as root",
            100.0 * share
        ),
        PageRemedy::OtherPages => "pages from elsewhere in this memory: programs that end, or a fresh boot".to_owned(),
        PageRemedy::Sentence(sentence) => sentence.clone(),
    }
}

/// A reason of what lines tell, as a sentence.
pub(crate) fn line_reason(reason: &LineReason) -> String {
    match reason {
        LineReason::NoLines => "no line could be measured".to_owned(),
        LineReason::OneRow => "lines are not compared: that takes two groups of CPUs, and there is one here".to_owned(),
        LineReason::FewProcesses => "fewer than two processes measured lines from two groups of CPUs".to_owned(),
        LineReason::NothingToCompare => "no two groups of CPUs have lines of differing costs to compare".to_owned(),
        LineReason::Interleaved { kinds, apart, correlation } => format!(
            "neighbouring lines are of {kinds} kinds, {} apart, and what is near to some CPUs is far from others (correlation {correlation:.2}): lines are dealt out in turns to nodes, or to dies of one, and there is nothing to place",
            percent(*apart)
        ),
        LineReason::NoKinds { correlation } => format!(
            "lines cost some CPUs otherwise than others (least correlation {correlation:.2}), and are not of distinct kinds: their way to the cache's slices does that, too"
        ),
        LineReason::SlowToAll { correlation } => format!(
            "the same lines are dear to all CPUs (least correlation {correlation:.2}): the cache's slices make them so, or nodes that lines are dealt out to and that all these CPUs see from one side; either way there is nothing to place"
        ),
        LineReason::AllAlike { correlation } => format!(
            "no line is dearer than others, to any CPU: a fingerprint hardly agrees with itself (correlation {correlation:.2})"
        ),
        LineReason::SeveralPages => {
            "lines of several pages differ: either their pages or neighbouring lines do".to_owned()
        }
        LineReason::Sentence(sentence) => sentence.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_share_is_named_only_where_it_is_asked_for() {
        let share = 0.75;
        assert!(page_remedy(&PageRemedy::LargerShare { share }).contains("nearfar hidden --share 75%"));
        assert!(page_remedy(&PageRemedy::OtherPagesByShare { share }).contains("nearfar hidden --share 75%"));
        for other in [PageRemedy::FreePages, PageRemedy::MoreMemory, PageRemedy::OtherPages] {
            assert!(!page_remedy(&other).contains("--share"), "{other:?}");
        }
    }

    #[test]
    fn figures_stand_in_the_reasons() {
        let reason = page_reason(&PageReason::Kinds { kinds: 2, agreeing: 4, processes: 5, effect: 0.493 });
        assert!(reason.starts_with("pages fall into 2 kinds in 4 of 5 processes: "), "{reason}");
        assert!(reason.contains("up to 49.3 % more"), "{reason}");
        let reason = line_reason(&LineReason::Interleaved { kinds: 2, apart: 0.2, correlation: -0.914 });
        assert!(reason.contains("2 kinds, 20 % apart") && reason.contains("(correlation -0.91)"), "{reason}");
    }
}
