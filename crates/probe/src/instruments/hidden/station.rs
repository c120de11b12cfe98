//! The station that searches for hidden nodes: pages of a pool, lines of one page, and a reference
//! page.

use fastrand::Rng;
use nearfar_model::Sample;

use super::lines::LineProbe;
use super::pool::Pool;
use super::{HUGE_PAGE, HiddenSetup, Target};
use crate::probes::arch::{Flusher, LINE};
use crate::probes::slice::Probe;
use crate::worker::messages::Messages;
use crate::worker::pinned_cpu::{PinnedCpu, draw_each};
use crate::worker::sliced::{SlicedSample, guarded};
use crate::worker::station::{NoSample, Prepare, ReadyStation, Station, WorkSetup};
use crate::worker_message::{Batch, PlacedMemory, PlanScope, Visit, WorkerMessage};

/// Lines between two checks of the clock's speed.
const LINES_A_CHUNK: usize = 64;

/// Lines of one kept page, so that they do not differ by their page.
struct PageLines {
    page: usize,
    /// The offset of each in the page, in bytes.
    offsets: Vec<usize>,
}

/// CPUs, the pool of pages, and the lines of one of them.
struct HiddenStation<'s> {
    setup: &'s HiddenSetup,
    cpus: Vec<Option<PinnedCpu>>,
    pool: Pool,
    /// The page that is sampled repeatedly.
    reference: usize,
    lines: PageLines,
    random: Rng,
    flusher: Flusher,
    sample: SlicedSample,
}

impl Prepare for HiddenSetup {
    fn station<'s>(&'s self, batch: &'s Batch, messages: &mut Messages<'_>) -> ReadyStation<'s> {
        let mut random = Rng::with_seed(batch.seed);
        let cpus = draw_each(self.rows.iter(), batch, &mut random.fork(), messages);
        let columns = (0..self.shape().columns).map(PlanScope::Column);
        let pool = Pool::fill(self, &mut random.fork())
            .map_err(|why| messages.report_unavailable(columns, &why))
            .ok()?;
        report(self, &pool, messages);
        let reference = random.usize(0..self.pages);
        let lines = draw_lines(self, &mut random);
        let (flusher, sample) = (Flusher::new(), SlicedSample::default());
        Some(Box::new(HiddenStation {
            setup: self,
            cpus,
            pool,
            reference,
            lines,
            random,
            flusher,
            sample,
        }))
    }
}

impl HiddenStation<'_> {
    /// One sample of a page.
    fn access(
        &mut self,
        visit: Visit,
        index: usize,
        messages: &mut Messages<'_>,
    ) -> Result<Sample, NoSample> {
        let number = self.pool.number(index);
        let (Some(cpu), Some((probe, page))) =
            (&mut self.cpus[visit.place.row], self.pool.page(index))
        else {
            return Err(NoSample::Over);
        };
        Ok(Sample { page: number, ..self.sample.attempt(visit, page, cpu, probe, messages)? })
    }

    /// One sample of each line, reported one by one.
    fn fingerprint(
        &mut self,
        visit: Visit,
        messages: &mut Messages<'_>,
    ) -> Result<Sample, NoSample> {
        let cpu = self.cpus[visit.place.row].as_mut().ok_or(NoSample::Over)?;
        let mut order: Vec<usize> = (0..self.lines.offsets.len()).collect();
        self.random.shuffle(&mut order);
        for chunk in order.chunks(LINES_A_CHUNK) {
            if let Err(reason) = cpu.pin(visit.place.row, messages) {
                messages.send(WorkerMessage::dropped(visit, reason));
                continue;
            }
            for &line in chunk {
                let Some((probe, page)) = self.pool.page(self.lines.page) else { continue };
                let offset = probe.extent(page).start + self.lines.offsets[line];
                let mut probe =
                    LineProbe { memory: probe.memory(), flusher: &mut self.flusher, offset };
                messages.send(match guarded(0, cpu, &mut probe) {
                    Err(disturbed) => WorkerMessage::dropped(visit, disturbed.reason),
                    Ok(cost) => {
                        let ns = cost.as_nanos() as f64 / probe.division().per_slice() as f64;
                        WorkerMessage::Sample(visit.sample(
                            cpu.cpu,
                            u32::try_from(line).unwrap_or(u32::MAX),
                            ns,
                        ))
                    }
                });
            }
        }
        Err(NoSample::Over)
    }
}

impl Station for HiddenStation<'_> {
    fn attempt(&mut self, visit: Visit, messages: &mut Messages<'_>) -> Result<Sample, NoSample> {
        match self.setup.target(visit.place.column) {
            Target::Page(index) => self.access(visit, index, messages),
            Target::Reference => self.access(visit, self.reference, messages),
            Target::Lines => self.fingerprint(visit, messages),
        }
    }

    fn moved(&self) -> Vec<(Vec<PlanScope>, String)> {
        let affected_columns =
            affected_columns(self.setup, &self.pool.moved(), self.reference, &self.lines);
        affected_columns
            .into_iter()
            .map(|(column, why)| (vec![PlanScope::Column(column)], why))
            .collect()
    }
}

/// Reports every page, and the total that is held.
fn report(setup: &HiddenSetup, pool: &Pool, messages: &mut Messages<'_>) {
    let mut placed = |column, pages| {
        let placed = PlacedMemory { pages, backing: pool.backing(), note: pool.note() };
        messages.send(WorkerMessage::Placed { column, treatment: 0, placed });
    };
    (0..setup.pages).for_each(|column| placed(column, 1));
    placed(setup.lines_column(), pool.held());
}

fn draw_lines(setup: &HiddenSetup, random: &mut Rng) -> PageLines {
    let all = HUGE_PAGE.0 as usize / LINE;
    let page = random.usize(0..setup.pages);
    PageLines { page, offsets: (0..setup.lines).map(|_| random.usize(0..all) * LINE).collect() }
}

/// The columns that these moved pages invalidate: their own, the reference page's, and that of all
/// lines if they lie in one of them.
fn affected_columns(
    setup: &HiddenSetup,
    moved: &[(usize, String)],
    reference: usize,
    lines: &PageLines,
) -> Vec<(usize, String)> {
    let mut affected_columns = Vec::new();
    for (page, why) in moved {
        let references = setup.reference_columns().filter(|_| *page == reference);
        let lines_column = (*page == lines.page).then(|| setup.lines_column());
        affected_columns.extend(
            [*page]
                .into_iter()
                .chain(lines_column)
                .chain(references)
                .map(|column| (column, why.clone())),
        );
    }
    affected_columns.sort_by_key(|(column, _)| *column);
    affected_columns.dedup_by_key(|(column, _)| *column);
    affected_columns
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use nearfar_model::{Bytes, CpuSet, MatrixShape};

    use super::super::tests::setup;
    use super::*;
    use crate::tests::{assert_answered, visit};

    /// Every row at every column.
    fn visits(setup: &HiddenSetup) -> Vec<Visit> {
        let MatrixShape { rows, columns, .. } = setup.shape();
        (0..rows).flat_map(|row| (0..columns).map(move |column| visit(row, column, 0))).collect()
    }

    fn answers(setup: &HiddenSetup, seed: u64) -> Vec<WorkerMessage> {
        let visits = visits(setup);
        crate::tests::answers(setup, seed, visits)
    }

    #[test]
    fn pages_lines_and_the_reference_are_answered() {
        let setup = setup(4, Bytes::mib(16));
        assert_answered(&visits(&setup), &answers(&setup, 1));
    }

    #[test]
    #[ignore = "long: needs undisturbed samples, and asserts costs"]
    fn pages_lines_and_the_reference_get_plausible_costs() {
        let setup = setup(4, Bytes::mib(16));
        let (mut places, mut lines) = (BTreeSet::new(), BTreeSet::new());
        // Other programs disturb some of them.
        for seed in 0..50 {
            for answer in answers(&setup, seed) {
                match answer {
                    WorkerMessage::Sample(sample) => {
                        assert!((2.0..50_000.0).contains(&sample.value), "{sample:?}");
                        places.insert(sample.place);
                        lines.extend((sample.place.column == 4).then_some(sample.page));
                    }
                    WorkerMessage::Unavailable { why, .. } => {
                        return assert!(why.contains("available"), "{why}");
                    }
                    _ => {}
                }
            }
            if places.len() == 2 * 7 && lines.len() == 64 {
                return;
            }
        }
        panic!("{places:?} {lines:?}");
    }

    /// Lines of two pages differ if the pages are on two nodes, which is no interleaving.
    #[test]
    fn lines_come_from_one_page_per_process() {
        let setup = setup(4, Bytes::mib(16));
        let drawn = |seed| draw_lines(&setup, &mut Rng::with_seed(seed));
        let pages: BTreeSet<usize> = (0..50).map(|seed| drawn(seed).page).collect();
        assert_eq!(pages, (0..setup.pages).collect());
        let PageLines { offsets, .. } = drawn(1);
        assert!(
            offsets.len() == setup.lines
                && offsets.iter().all(|at| at + LINE <= HUGE_PAGE.0 as usize)
        );
        assert!(offsets.iter().collect::<BTreeSet<_>>().len() > setup.lines / 2);
    }

    #[test]
    fn a_moved_page_invalidates_its_lines_and_reference() {
        let setup = setup(4, Bytes::mib(16));
        let lines = PageLines { page: 2, offsets: vec![64, 128, 0] };
        let columns = |moved: &[usize]| -> Vec<usize> {
            let moved: Vec<(usize, String)> =
                moved.iter().map(|page| (*page, "it moved".to_owned())).collect();
            affected_columns(&setup, &moved, 3, &lines)
                .into_iter()
                .map(|(column, _)| column)
                .collect()
        };
        assert_eq!(columns(&[]), [0; 0]);
        assert_eq!(columns(&[1]), [1], "neither a line nor the reference lies there");
        assert_eq!(columns(&[0]), [0]);
        assert_eq!(columns(&[0, 2]), [0, 2, 4]);
        assert_eq!(columns(&[3]), [3, 5, 6]);
        assert_eq!(columns(&[0, 1, 2, 3]), [0, 1, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn unavailable_pages_are_reported_for_all_columns() {
        let mut absent = setup(4, Bytes::mib(16));
        absent.memories[0].free = Some(Bytes::mib(1));
        let messages = answers(&absent, 1);
        assert_eq!(messages.len(), 7);
        assert!(
            messages.iter().all(|answer| matches!(
                answer,
                WorkerMessage::Unavailable { scope: PlanScope::Column(_), .. }
            )),
            "{messages:?}"
        );
        let nowhere = HiddenSetup {
            rows: vec![CpuSet::parse_list("60000").unwrap(); 2],
            ..setup(4, Bytes::mib(16))
        };
        assert!(answers(&nowhere, 1).iter().any(|answer| matches!(
            answer,
            WorkerMessage::Unavailable { scope: PlanScope::Row(_), .. }
        )));
    }
}
