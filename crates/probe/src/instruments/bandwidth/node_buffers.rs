//! Memory of one process's threads on nodes.

use nearfar_model::{Bytes, CpuId};
use nearfar_place::BufferPlace;

use crate::layout_column::MemoryJob;
use crate::spec::PageSize;
use crate::thread_team::{ThreadBuffer, ThreadTeam};
use crate::worker::TeamBuffers;
use crate::worker_message::PlacedMemory;

/// Memory in use together takes at most this fraction (1/4) of a node's free memory.
const SHARE: u64 = 4;

/// A row's threads: their CPUs, and the bytes that each gets.
pub(crate) type RowThreads = Vec<(CpuId, Bytes)>;

/// The buffers that are placed now, by row and memory.
pub(crate) struct NodeBuffers {
    rows: Vec<RowThreads>,
    memory: Vec<MemoryJob>,
    buffers: TeamBuffers<(usize, usize)>,
}

impl NodeBuffers {
    /// Starts threads for the rows `at_work`; places nothing.
    pub(crate) fn start(
        rows: Vec<RowThreads>,
        memory: Vec<MemoryJob>,
        at_work: &[usize],
    ) -> Result<Self, String> {
        let buffers =
            TeamBuffers::start(at_work.iter().flat_map(|&row| &rows[row]).map(|(cpu, _)| *cpu))?;
        Ok(Self { rows, memory, buffers })
    }

    pub(crate) fn team(&mut self) -> &mut ThreadTeam {
        &mut self.buffers.team
    }

    /// The buffers of a row's threads on a node, and how they were placed if they are new.
    pub(crate) fn of(
        &mut self,
        row: usize,
        memory: usize,
    ) -> Result<(Vec<ThreadBuffer>, Option<PlacedMemory>), String> {
        if let Some(buffers) = self.buffers.known(&(row, memory)) {
            return Ok((buffers, None));
        }
        let all = self.memory[memory].request(sum(&self.rows[row]), PageSize::Huge, Bytes(0))?;
        // Checks the whole row, since threads sweep unequal parts.
        all.check_free().map_err(|refused| refused.to_string())?;
        self.release_until_free(memory, all.bytes);
        let request = |&(cpu, bytes): &(CpuId, Bytes)| {
            (cpu, BufferPlace { free: None, bytes, ..all.clone() })
        };
        let (buffers, placed) =
            self.buffers.place((row, memory), self.rows[row].iter().map(request))?;
        Ok((buffers, Some(placed)))
    }

    /// Releases the oldest memory on a node while all of it plus `more` exceeds the limit.
    fn release_until_free(&mut self, memory: usize, more: Bytes) {
        let Some(free) = self.memory[memory].free else { return };
        let is_available = |&(_, at): &(usize, usize)| at == memory;
        let taken = |buffers: &TeamBuffers<_>| -> Bytes {
            buffers
                .keys()
                .filter(|key| is_available(key))
                .map(|&(row, _)| sum(&self.rows[row]))
                .sum()
        };
        while taken(&self.buffers) + more > Bytes(free.0 / SHARE)
            && self.buffers.release_oldest(is_available)
        {}
    }
}

/// The sum of a row's memory.
fn sum(threads: &RowThreads) -> Bytes {
    threads.iter().map(|(_, bytes)| *bytes).sum()
}
