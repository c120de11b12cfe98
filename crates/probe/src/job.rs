//! The input of a worker process: one line of JSON on its standard input.

use std::io::BufRead;

use serde::{Deserialize, Serialize};

use crate::instruments::Work;
use crate::probe_error::ProbeError;
use crate::worker_message::{Batch, Visit};

/// The work, and the visits of one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerJob {
    /// The work.
    pub work: Work,
    /// The visits, in their order.
    pub batch: Batch,
}

impl WorkerJob {
    /// Reads a job's line and checks that columns have memory, and that every visit has a row and a
    /// column.
    pub(crate) fn read(mut input: impl BufRead) -> Result<Self, ProbeError> {
        let mut line = String::new();
        input.read_line(&mut line).map_err(|error| ProbeError::BadJob(error.to_string()))?;
        let job: Self =
            serde_json::from_str(&line).map_err(|error| ProbeError::BadJob(error.to_string()))?;
        job.check()?;
        Ok(job)
    }

    fn check(&self) -> Result<(), ProbeError> {
        self.work.setup().check()?;
        let process = self.batch.process;
        if let Some(visit) = self.batch.visits.iter().find(|visit| visit.process != process) {
            let text =
                format!("a visit of process {} in the batch of process {process}", visit.process);
            return Err(ProbeError::BadJob(text));
        }
        let shape = self.work.setup().shape();
        match self.batch.visits.iter().find(|visit| !shape.contains(visit.place)) {
            None => Ok(()),
            Some(Visit { place, .. }) => {
                Err(ProbeError::BadJob(format!("a visit to {place}, of {shape}")))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::{Bytes, CpuSet, NodeId};
    use proptest::prelude::*;

    use super::*;
    use crate::spec::ProbeSpec;
    use crate::tests::visit;
    use crate::{LatencySetup, LayoutColumn, MemoryJob};

    fn job() -> WorkerJob {
        let memory = MemoryJob {
            node: Some(NodeId(1)),
            touch_from: CpuSet::parse_list("0-3").unwrap(),
            free: Some(Bytes::gib(1)),
            why_not: None,
        };
        let column =
            LayoutColumn { label: "node 1".to_owned(), probe: ProbeSpec::page(), pages: 8, memory };
        let setup = LatencySetup {
            rows: vec![CpuSet::new()],
            columns: vec![column],
            spinners: CpuSet::new(),
            fills: None,
        };
        WorkerJob {
            work: Work::Latency(setup),
            batch: Batch { process: 0, seed: 7, visits: vec![visit(0, 0, 0)] },
        }
    }

    #[test]
    fn a_job_round_trips_through_json() {
        let line = serde_json::to_string(&job()).unwrap() + "\n";
        assert_eq!(WorkerJob::read(line.as_bytes()).unwrap(), job());
    }

    #[test]
    fn visits_outside_the_shape_are_refused() {
        let mut wrong = job();
        wrong.batch.visits[0].process = 1;
        let message = WorkerJob::read(serde_json::to_string(&wrong).unwrap().as_bytes())
            .unwrap_err()
            .to_string();
        assert!(message.ends_with("a visit of process 1 in the batch of process 0"), "{message}");
        wrong = job();
        wrong.batch.visits[0].place.column = 3;
        let message = WorkerJob::read(serde_json::to_string(&wrong).unwrap().as_bytes())
            .unwrap_err()
            .to_string();
        assert_eq!(
            message,
            "the worker's input is not a job: a visit to row 0, column 3, of 1 rows by 1 columns"
        );
    }

    #[test]
    fn empty_and_oversized_columns_are_refused() {
        let refusal = |pages, size| {
            let mut wrong = job();
            let Work::Latency(setup) = &mut wrong.work else { panic!("{wrong:?}") };
            setup.columns[0].pages = pages;
            setup.columns[0].probe.size = size;
            WorkerJob::read(serde_json::to_string(&wrong).unwrap().as_bytes())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            refusal(0, Bytes::mib(256)),
            "the worker's input is not a job: a column of 0 pages of 268435456 bytes"
        );
        assert!(refusal(u32::MAX, Bytes(1 << 40)).contains("4294967295 pages"));
        assert!(refusal(1, Bytes::kib(16)).contains("at least 32 KiB"));
    }

    proptest! {
        #[test]
        fn no_input_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            prop_assert!(WorkerJob::read(&bytes[..]).is_err());
        }
    }
}
