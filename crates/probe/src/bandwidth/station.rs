//! A worker whose visits are windows: a crew on all CPUs, and memory for its threads.

use std::collections::BTreeMap;
use std::io::{self, Write};

use nearfar_model::{CpuId, Place};

use super::UNIT_BYTES;
use super::berths::{Berths, Tenants};
use super::setup::{BandwidthSetup, Treatment};
use crate::answer::{Answer, Batch, DropReason, Visit};
use crate::crew::Duty;
use crate::worker::speaker::Speaker;

/// Disturbed attempts that a visit may have and still go on.
const SPARE_ATTEMPTS: u32 = 2;

/// Makes the visits of a batch.
pub(crate) fn work(setup: &BandwidthSetup, batch: &Batch, speaker: &mut Speaker<impl Write>) -> io::Result<()> {
    let mut rows: Vec<usize> = batch.visits.iter().map(|visit| visit.place.row).collect();
    rows.sort_unstable();
    rows.dedup();
    let bytes_of = |thread, _| setup.bytes_of(thread);
    let in_use = |(row, cpus): (usize, &Vec<CpuId>)| cpus[..setup.threads_of(row)].to_vec();
    let threads: Vec<Vec<CpuId>> = setup.rows.iter().enumerate().map(in_use).collect();
    let tenants = Tenants { rows: &threads, memory: &setup.columns, bytes_of: &bytes_of };
    let mut berths = match Berths::new(tenants, &rows) {
        Ok(berths) => berths,
        Err(why) => {
            let gone = |&row: &usize| speaker.say(&Answer::row_unavailable(row, why.clone()));
            return rows.iter().try_for_each(gone);
        }
    };
    batch.visits.iter().try_for_each(|&visit| make(visit, setup, &mut berths, speaker))
}

/// Makes one visit and says what came of it: each dropped attempt, and at most one sample.
fn make(
    visit: Visit,
    setup: &BandwidthSetup,
    berths: &mut Berths<'_>,
    speaker: &mut Speaker<impl Write>,
) -> io::Result<()> {
    let Place { row, column, treatment } = visit.place;
    let treatment = setup.treatments[treatment];
    let duties = match berths.of(row, column) {
        Err(why) => return speaker.say(&Answer::cell_unavailable(visit, why)),
        Ok((berths, new)) => {
            if let Some(new) = new {
                let pages = berths.len() as u32;
                speaker.say(&Answer::Placed { column, treatment: 0, pages, backing: new.backing, note: new.note })?;
            }
            let duty = |berth| Duty { berth, kernel: treatment.kernel, isa: setup.isa, pause: 0 };
            berths.into_iter().take(treatment.threads).map(duty).collect::<Vec<Duty>>()
        }
    };
    for _ in 0..=SPARE_ATTEMPTS {
        match attempt(&duties, setup, berths, treatment) {
            Err(why) => return speaker.say(&Answer::cell_unavailable(visit, why)),
            Ok(Err(reason)) => speaker.say(&Answer::dropped(visit, reason))?,
            Ok(Ok((ns, dropped))) => {
                for (reason, windows) in dropped {
                    speaker.say(&Answer::WindowsDropped { visit, reason, windows })?;
                }
                return speaker.say(&Answer::Sample(visit.sample(setup.rows[row][0], 0, ns)));
            }
        }
    }
    Ok(())
}

/// A sample: the nanoseconds of a mebibyte as the program sees it, and windows that were not believed beside the one it is taken from.
type Taken = (f64, BTreeMap<DropReason, u32>);

/// Makes one.
fn attempt(
    duties: &[Duty],
    setup: &BandwidthSetup,
    berths: &mut Berths<'_>,
    treatment: Treatment,
) -> Result<Result<Taken, DropReason>, String> {
    if duties.len() < treatment.threads {
        return Err(format!("the row has {} CPUs, {} threads were asked for", duties.len(), treatment.threads));
    }
    let fastest = berths.crew().run_fastest(duties, setup.window, setup.windows).map_err(|error| error.to_string())?;
    Ok(fastest.map(|fastest| (UNIT_BYTES * 1e9 / fastest.rates.program_bytes_per_s(), fastest.dropped)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use nearfar_model::{Bytes, CpuSet};
    use nearfar_place::affinity;

    use super::super::setup::MemoryJob;
    use super::*;
    use crate::answered::{assert_answered, visit};
    use crate::streams::{Isa, Kernel};

    #[test]
    fn every_kernel_is_answered_with_every_number_of_threads() {
        let setup = every_treatment();
        let visits: Vec<Visit> = (0..setup.treatments.len()).map(|treatment| visit(0, 0, treatment)).collect();
        assert_answered(&visits, &answers(&setup, visits.clone()));
    }

    /// Every kernel with one thread and with two.
    fn every_treatment() -> BandwidthSetup {
        let cpus: Vec<_> = affinity().unwrap().iter().take(2).collect();
        let treatments: Vec<Treatment> = Kernel::ALL
            .into_iter()
            .flat_map(|kernel| (1..=cpus.len()).map(move |threads| Treatment { kernel, threads }))
            .collect();
        let setup = BandwidthSetup {
            rows: vec![cpus],
            columns: vec![MemoryJob { node: None, touch_from: CpuSet::new(), free: None, why_not: None }],
            treatments,
            isa: Isa::best(),
            footprint: Bytes::mib(16),
            window: Duration::from_millis(2),
            windows: 2,
        };
        setup.check().unwrap();
        setup
    }

    #[test]
    #[ignore = "long: needs calm windows, and asserts rates"]
    fn rates_of_every_kernel_are_plausible() {
        let setup = every_treatment();
        let treatments = setup.treatments.len();
        let mut rates = vec![0.0; treatments];
        // Other programs disturb some of them, on a busy host nearly all.
        for _ in 0..1_000 {
            let missing = (0..treatments).filter(|&treatment| rates[treatment] == 0.0);
            let visits: Vec<Visit> = missing.map(|treatment| visit(0, 0, treatment)).collect();
            for answer in answers(&setup, visits) {
                if let Answer::Sample(sample) = answer {
                    rates[sample.place.treatment] = UNIT_BYTES * 1e9 / sample.value;
                }
            }
            if rates.iter().all(|&rate| rate > 0.0) {
                break;
            }
        }
        assert!(rates.iter().all(|rate| (1e7..1e13).contains(rate)), "{rates:?}");
    }

    fn answers(setup: &BandwidthSetup, visits: Vec<Visit>) -> Vec<Answer> {
        let mut output = Vec::new();
        let mut speaker = Speaker::new(&mut output);
        work(setup, &Batch { process: 0, seed: 1, visits }, &mut speaker).unwrap();
        speaker.flush().unwrap();
        drop(speaker);
        String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn memory_that_is_known_not_to_be_there_is_told() {
        let gone = MemoryJob {
            node: None,
            touch_from: CpuSet::new(),
            free: None,
            why_not: Some("node 3 has no memory".to_owned()),
        };
        let setup = BandwidthSetup {
            rows: vec![affinity().unwrap().iter().take(1).collect()],
            columns: vec![gone],
            treatments: vec![Treatment { kernel: Kernel::Read, threads: 1 }],
            isa: Isa::Portable,
            footprint: Bytes::mib(2),
            window: Duration::from_millis(1),
            windows: 1,
        };
        let said = answers(&setup, vec![visit(0, 0, 0)]);
        assert_eq!(said, [Answer::cell_unavailable(visit(0, 0, 0), "node 3 has no memory".to_owned())]);
    }
}
