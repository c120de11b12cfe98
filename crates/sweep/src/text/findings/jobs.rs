//! How far more jobs pay.

use nearfar_infer::trials::{Law, LawKind};

use nearfar_view::text::percent::share;

pub(super) fn pay(of: &str, until: Option<u32>, most: usize, law: Option<&Law>) -> String {
    let until = match until {
        Some(1) => format!("{of}: more than one job does not pay."),
        Some(jobs) => format!("{of}: more than {jobs} jobs do not pay."),
        None if most == 2 => format!("{of}: 2 jobs are better than 1; more were not tried."),
        None => format!("{of}: more jobs are better, up to {most}; more were not tried."),
    };
    law.map_or(until.clone(), |law| format!("{until} {}", followed(law)))
}

fn followed(law: &Law) -> String {
    let missed = share(law.worst_miss);
    match law.kind {
        LawKind::Amdahl => {
            let serial = share(law.serial);
            format!(
                "Its times follow Amdahl's law with a serial share of {serial} (within {missed})."
            )
        }
        LawKind::UniversalScalability => {
            let help = |jobs: f64| format!("; by it, {jobs:.1} jobs are the most that help");
            let peak = law.peak_jobs.map_or_else(String::new, help);
            format!("Its times follow the Universal Scalability Law (within {missed}){peak}.")
        }
    }
}
