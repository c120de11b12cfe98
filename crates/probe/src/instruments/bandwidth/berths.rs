//! The threads' memory on nodes in one process.

use nearfar_model::{Bytes, CpuId};
use nearfar_place::BufferPlace;

use crate::answer::Placed;
use crate::crew::{Berth, Crew};
use crate::layout_column::MemoryJob;
use crate::spec::PageSize;
use crate::worker::berths::Berths;

/// Memory in use together takes at most this share of what a node has free.
const SHARE: u64 = 4;

/// A row's threads: their CPUs, and the memory that each gets.
pub(crate) type Threads = Vec<(CpuId, Bytes)>;

/// What is placed now, by row and memory.
pub(crate) struct NodeBerths {
    rows: Vec<Threads>,
    memory: Vec<MemoryJob>,
    berths: Berths<(usize, usize)>,
}

impl NodeBerths {
    /// Nothing placed yet; of all rows' threads, those of the rows at work are started.
    pub(crate) fn start(rows: Vec<Threads>, memory: Vec<MemoryJob>, at_work: &[usize]) -> Result<Self, String> {
        let berths = Berths::start(at_work.iter().flat_map(|&row| &rows[row]).map(|(cpu, _)| *cpu))?;
        Ok(Self { rows, memory, berths })
    }

    pub(crate) fn crew(&mut self) -> &mut Crew {
        &mut self.berths.crew
    }

    /// The memory of a row's threads on a node, one after the other; what is new of it, where anything is.
    pub(crate) fn of(&mut self, row: usize, memory: usize) -> Result<(Vec<Berth>, Option<Placed>), String> {
        if let Some(berths) = self.berths.known(&(row, memory)) {
            return Ok((berths, None));
        }
        let all = self.memory[memory].wish(sum(&self.rows[row]), PageSize::Huge, Bytes(0))?;
        // Of the row as a whole: threads sweep unequal parts of it.
        all.check_room().map_err(|refused| refused.to_string())?;
        self.make_room(memory, all.bytes);
        let wish = |&(cpu, bytes): &(CpuId, Bytes)| (cpu, BufferPlace { free: None, bytes, ..all.clone() });
        let (berths, placed) = self.berths.place((row, memory), self.rows[row].iter().map(wish))?;
        Ok((berths, Some(placed)))
    }

    /// Gives the oldest memory on a node back, as long as all of it and this much more would be too much.
    fn make_room(&mut self, memory: usize, more: Bytes) {
        let Some(free) = self.memory[memory].free else { return };
        let is_here = |&(_, at): &(usize, usize)| at == memory;
        let taken = |berths: &Berths<_>| -> Bytes {
            berths.keys().filter(|key| is_here(key)).map(|&(row, _)| sum(&self.rows[row])).sum()
        };
        while taken(&self.berths) + more > Bytes(free.0 / SHARE) && self.berths.release_oldest(is_here) {}
    }
}

/// What a row's threads take together.
fn sum(threads: &Threads) -> Bytes {
    threads.iter().map(|(_, bytes)| *bytes).sum()
}
