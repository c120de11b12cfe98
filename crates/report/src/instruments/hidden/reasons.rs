//! Why pages and lines give their finding, and what would settle it.

use nearfar_infer::hidden::{LineReason, MIN_PAGES, PageReason, PageRemedy};

use crate::survey::Verbosity;
use nearfar_view::text::percent::percent;
use nearfar_view::text::{IN_A_TABLE, short_list};

/// A reason from pages, as a clause.
pub(crate) fn page_reason(reason: &PageReason) -> String {
    use PageReason::*;
    match reason {
        Unavailable { why } => why.clone(),
        Kinds { kinds, agreeing, processes, effect } => {
            kinds_reason(*kinds, *agreeing, *processes, *effect)
        }
        OrderTurns => {
            "the faster kind depends on the CPU, which slow pages or slow CPUs cannot explain"
                .to_owned()
        }
        ContrastDiffers => {
            "the same pages differ more from some CPUs than from others, which slow pages or slow \
             CPUs alone cannot explain"
                .to_owned()
        }
        OtherKinds { with_kinds, processes } => format!(
            "pages are of several kinds in {with_kinds} of {processes} processes, but the kinds \
             differ"
        ),
        KindsFromAllAlike { apart } => format!(
            "some pages are {} slower than others, from every CPU. The cause is unknown: memory of \
             another node, or slower memory of this one",
            percent(*apart)
        ),
        OneKind { detectable_from } => {
            format!("no difference between pages above {}", percent(*detectable_from))
        }
        NoPages => "no page could be measured".to_owned(),
        FewProcesses { with_pages, processes } => {
            format!("{with_pages} of {processes} processes measured {MIN_PAGES} pages or more")
        }
        Scatter { detectable_from } => format!(
            "latency varies so much that differences below {} would not have been found",
            percent(*detectable_from)
        ),
        FewRows => {
            "most processes measured from one group of CPUs only, so whether other CPUs see these \
             pages alike is unknown"
                .to_owned()
        }
        CpusDiffer { at_least } => format!(
            "all of these pages are at least {} slower from some CPUs: those CPUs are farther \
             away, or slower",
            percent(*at_least)
        ),
        CpusMayDiffer { at_most } => format!(
            "groups of CPUs drift between processes: all of these pages may be up to {} slower \
             from some",
            percent(*at_most)
        ),
    }
}

/// The kinds of pages, and how much slower others are than those near a group of CPUs.
fn kinds_reason(kinds: usize, agreeing: usize, processes: usize, effect: f64) -> String {
    format!(
        "pages are of {kinds} kinds in {agreeing} of {processes} processes. From CPUs near one \
         kind, another is up to {} slower",
        percent(effect)
    )
}

/// What would settle the search in pages, as a clause.
pub(crate) fn page_remedy(remedy: &PageRemedy) -> String {
    use PageRemedy::*;
    let text: &str = match remedy {
        LargerShare { share } => &format!(
            "more free memory and huge pages; 'nearfar hidden --share {:.0}%' may find enough",
            100.0 * share
        ),
        FreePages => "more free memory and huge pages: end programs, or reboot",
        MoreMemory => {
            "more free memory and huge pages: end programs, or raise the memory limit of the cgroup"
        }
        MoreProcesses => "an idle machine, or more processes: 'nearfar hidden --thorough'",
        OtherCpus { cpus: None } => {
            "CPUs that see the order of these pages reversed: remove limits on CPUs"
        }
        OtherCpus { cpus: Some(cpus) } => &format!(
            "measure from CPUs {} as well: they may see the order of pages reversed",
            short_list(cpus, IN_A_TABLE)
        ),
        FirmwareTables => {
            "no further measurement: these are all CPUs; of a guest, the host's administrator \
             knows its nodes"
        }
        OtherPagesByShare { share } => &format!(
            "pages from elsewhere in this memory: 'nearfar hidden --share {:.0}%', as root",
            100.0 * share
        ),
        OtherPages => "pages from elsewhere in this memory: end programs, or reboot",
    };
    text.to_owned()
}

/// A reason from lines, as a clause; its correlation is evidence.
pub(crate) fn line_reason(reason: &LineReason, verbosity: Verbosity) -> String {
    use LineReason::*;
    let (text, correlation) = match reason {
        NoLines => ("no line could be measured", None),
        OneRow => ("lines are not compared: that needs two groups of CPUs, and there is one", None),
        FewProcesses => ("fewer than two processes measured lines from two groups of CPUs", None),
        NothingToCompare => {
            ("no two groups of CPUs have lines of different latency to compare", None)
        }
        Interleaved { kinds, apart, correlation } => (
            &*format!(
                "neighbouring lines are of {kinds} kinds, {} apart, and lines near some CPUs are \
                 far from others. Lines are interleaved over nodes, or over dies of one",
                percent(*apart)
            ),
            Some(("correlation", correlation)),
        ),
        NoKinds { correlation } => (
            "lines differ between CPUs, but form no kinds: the distance to cache slices explains \
             that, too",
            Some(("least correlation", correlation)),
        ),
        SlowToAll { correlation } => (
            "cache lines are not interleaved over nodes: slow ones are slow from every CPU",
            Some(("least correlation", correlation)),
        ),
        AllAlike { correlation } => (
            "all lines have the same latency from every CPU",
            Some(("a repeated measurement with itself: correlation", correlation)),
        ),
    };
    let evidence = correlation.filter(|_| verbosity == Verbosity::Verbose);
    let evidence = evidence.map(|(name, figure)| format!(" ({name} {figure:.2})"));
    text.to_owned() + &evidence.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_remedies_about_shares_name_the_option() {
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
    fn reasons_have_their_figures() {
        let reason =
            page_reason(&PageReason::Kinds { kinds: 2, agreeing: 4, processes: 5, effect: 0.493 });
        assert!(reason.starts_with("pages are of 2 kinds in 4 of 5 processes."), "{reason}");
        assert!(reason.contains("up to 49.3 % slower"), "{reason}");
        let reason = LineReason::Interleaved { kinds: 2, apart: 0.2, correlation: -0.914 };
        let [brief, long] =
            [Verbosity::Brief, Verbosity::Verbose].map(|verbosity| line_reason(&reason, verbosity));
        assert!(brief.contains("2 kinds, 20 % apart") && !brief.contains("-0.91"), "{brief}");
        assert!(long.ends_with(" (correlation -0.91)"), "{long}");
    }
}
