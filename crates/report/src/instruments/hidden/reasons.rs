//! Why pages and lines tell what they tell, and what would settle it.

use nearfar_infer::hidden::{LEAST_PAGES, LineReason, PageReason, PageRemedy};

use crate::percent::percent;
use crate::short_list::{IN_A_TABLE, short_list};

/// A reason of what pages tell, as a sentence.
pub(crate) fn page_reason(reason: &PageReason) -> String {
    use PageReason::*;
    let said: &str = match reason {
        NoPages => "no page could be measured",
        Unavailable { why } => why,
        FewProcesses { with_pages, processes } => {
            &format!("{with_pages} of {processes} processes measured {LEAST_PAGES} pages or more")
        }
        Kinds { kinds, agreeing, processes, effect } => {
            let most = percent(*effect);
            &format!(
                "pages fall into {kinds} kinds in {agreeing} of {processes} processes: from one \
                 group of CPUs some cost up to {most} more than others, from another group it is \
                 otherwise"
            )
        }
        OrderTurns => {
            "which kind is the cheaper one turns round between CPUs: neither slow pages nor slow \
             CPUs do that"
        }
        ContrastDiffers => {
            "the same pages differ more to some CPUs than to others: slow pages or slow CPUs alone \
             do not"
        }
        OtherKinds { with_kinds, processes } => &format!(
            "pages fall into kinds in {with_kinds} of {processes} processes, and not into the \
             same ones"
        ),
        KindsFromAllAlike { apart } => {
            let apart = percent(*apart);
            &format!(
                "pages are of two kinds, {apart} apart, and from all measured CPUs alike: memory \
                 behind another node, or slower memory in the same"
            )
        }
        Scatter { detectable_from } => {
            let least = percent(*detectable_from);
            &format!(
                "costs scatter so much that differences below {least} would not have been seen"
            )
        }
        OneKind { detectable_from } => &format!(
            "pages are of one kind: two kinds {} apart would have been found",
            percent(*detectable_from)
        ),
        FewRows => {
            "no two groups of CPUs were measured in most processes, so that nobody knows whether \
             these pages are as far from all"
        }
        CpusDiffer { at_least } => {
            let least = percent(*at_least);
            &format!(
                "all of these pages cost some CPUs at least {least} more than others: the pages \
                 lie beside the others, or these are slower"
            )
        }
        CpusMayDiffer { at_most } => {
            let most = percent(*at_most);
            &format!(
                "groups of CPUs wander from process to process: some may pay up to {most} more \
                 for all of these pages than others"
            )
        }
        Sentence(sentence) => sentence,
    };
    said.to_owned()
}

/// What would settle what pages leave open, as a sentence.
pub(crate) fn page_remedy(remedy: &PageRemedy) -> String {
    use PageRemedy::*;
    let said: &str = match remedy {
        LargerShare { share } => {
            let percent = 100.0 * share;
            &format!(
                "memory and huge pages to spare; nearfar hidden --share {percent:.0}% may have \
                 enough of them"
            )
        }
        FreePages => "memory and huge pages to spare: programs that end, or a fresh boot",
        MoreMemory => {
            "memory and huge pages to spare: programs that end, or a larger memory limit of the \
             cgroup, if there is one"
        }
        MoreProcesses => "a quieter machine, or more processes: nearfar hidden --thorough",
        OtherCpus { cpus: None } => {
            "CPUs to which the order of these pages turns round: without the limits on CPUs, if \
             there are any"
        }
        OtherCpus { cpus: Some(cpus) } => {
            let cpus = short_list(cpus, IN_A_TABLE);
            &format!(
                "to measure from CPUs {cpus} as well, which were left out: the order of pages may \
                 turn round there"
            )
        }
        FirmwareTables => {
            "no measurement from these CPUs, which are all; 'nearfar diagnose' says which memory \
             firmware describes"
        }
        OtherPagesByShare { share } => {
            let percent = 100.0 * share;
            &format!(
                "pages from elsewhere in this memory: nearfar hidden --share {percent:.0}% would \
                 settle it, as root"
            )
        }
        OtherPages => "pages from elsewhere in this memory: programs that end, or a fresh boot",
        Sentence(sentence) => sentence,
    };
    said.to_owned()
}

/// A reason of what lines tell, as a sentence.
pub(crate) fn line_reason(reason: &LineReason) -> String {
    use LineReason::*;
    let said: &str = match reason {
        NoLines => "no line could be measured",
        OneRow => "lines are not compared: that takes two groups of CPUs, and there is one here",
        FewProcesses => "fewer than two processes measured lines from two groups of CPUs",
        NothingToCompare => "no two groups of CPUs have lines of differing costs to compare",
        Interleaved { kinds, apart, correlation } => {
            let apart = percent(*apart);
            &format!(
                "neighbouring lines are of {kinds} kinds, {apart} apart, and what is near to some \
                 CPUs is far from others (correlation {correlation:.2}): lines are dealt out in \
                 turns to nodes, or to dies of one"
            )
        }
        NoKinds { correlation } => &format!(
            "lines cost some CPUs otherwise than others (least correlation {correlation:.2}), and \
             are not of distinct kinds: their way to the cache's slices does that, too"
        ),
        SlowToAll { correlation } => &format!(
            "the same lines are dear to all CPUs (least correlation {correlation:.2}): the \
             cache's slices make them so, or nodes that lines are dealt out to and that all these \
             CPUs see from one side; either way there is nothing to place"
        ),
        AllAlike { correlation } => &format!(
            "no line is dearer than others, to any CPU: a fingerprint hardly agrees with itself \
             (correlation {correlation:.2})"
        ),
        SeveralPages => {
            "lines of several pages differ: either their pages or neighbouring lines do"
        }
        Sentence(sentence) => sentence,
    };
    said.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_larger_share_is_named_only_where_it_is_asked_for() {
        let share = 0.75;
        assert!(
            page_remedy(&PageRemedy::LargerShare { share }).contains("nearfar hidden --share 75%")
        );
        assert!(
            page_remedy(&PageRemedy::OtherPagesByShare { share })
                .contains("nearfar hidden --share 75%")
        );
        for other in [PageRemedy::FreePages, PageRemedy::MoreMemory, PageRemedy::OtherPages] {
            assert!(!page_remedy(&other).contains("--share"), "{other:?}");
        }
    }

    #[test]
    fn figures_stand_in_the_reasons() {
        let reason =
            page_reason(&PageReason::Kinds { kinds: 2, agreeing: 4, processes: 5, effect: 0.493 });
        assert!(reason.starts_with("pages fall into 2 kinds in 4 of 5 processes: "), "{reason}");
        assert!(reason.contains("up to 49.3 % more"), "{reason}");
        let reason =
            line_reason(&LineReason::Interleaved { kinds: 2, apart: 0.2, correlation: -0.914 });
        assert!(
            reason.contains("2 kinds, 20 % apart") && reason.contains("(correlation -0.91)"),
            "{reason}"
        );
    }
}
