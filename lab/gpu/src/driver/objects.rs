//! Memory, streams and events.

use crate::codes::{Answer, Code};
use crate::device_block::DeviceBlock;

use super::{Driver, Event, Stream};

impl Driver {
    pub(crate) fn allocate(&mut self, gpu: usize, bytes: usize) -> Answer<usize> {
        self.usable(gpu)?;
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        let of_gpu = self.blocks.values().filter(|(owner, _)| *owner == gpu);
        let used: usize = of_gpu.map(|(_, block)| block.bytes()).sum();
        let whole = self.description.gpus[gpu].memory_mib;
        let limit_mib = self.description.faults.allocate_mib.unwrap_or(whole).min(whole);
        let wanted = used as u128 + bytes as u128;
        if wanted > u128::from(limit_mib) << 20 {
            return Err(Code::OUT_OF_MEMORY);
        }
        let block = DeviceBlock::map(bytes).ok_or(Code::OUT_OF_MEMORY)?;
        let address = block.address();
        self.blocks.insert(address, (gpu, block));
        Ok(address)
    }

    pub(crate) fn free(&mut self, address: usize) -> Answer<()> {
        let (gpu, _) = self.blocks.remove(&address).ok_or(Code::INVALID_VALUE)?;
        self.usable(gpu)
    }

    pub(crate) fn register(&mut self, gpu: usize, address: usize, bytes: usize) -> Answer<()> {
        self.usable(gpu)?;
        self.registrations.register(address, bytes, gpu)
    }

    pub(crate) fn unregister(&mut self, address: usize) -> Answer<()> {
        self.registrations.unregister(address)
    }

    pub(crate) fn create_stream(&mut self, gpu: usize) -> Answer<usize> {
        self.usable(gpu)?;
        let number = self.timeline.schedule().add_stream();
        Ok(self.streams.add(Stream { gpu, number }))
    }

    /// Forgets a stream; its work is still done.
    pub(crate) fn destroy_stream(&mut self, handle: usize) -> Answer<()> {
        let stream = self.streams.remove(handle)?;
        self.usable(stream.gpu)
    }

    pub(crate) fn create_event(&mut self, gpu: usize) -> Answer<usize> {
        self.usable(gpu)?;
        Ok(self.events.add(Event { gpu, record: None }))
    }

    pub(crate) fn destroy_event(&mut self, handle: usize) -> Answer<()> {
        let event = self.events.remove(handle)?;
        self.usable(event.gpu)
    }

    /// The number of a program's stream in the schedule. 0 is the default stream of `gpu`.
    pub(crate) fn stream_number(&mut self, gpu: usize, handle: usize) -> Answer<usize> {
        if handle == 0 {
            self.usable(gpu)?;
            return Ok(self.contexts[gpu].default_stream);
        }
        let &mut Stream { gpu, number } = self.streams.get(handle)?;
        self.usable(gpu)?;
        Ok(number)
    }

    /// All streams of a GPU, by their numbers in the schedule.
    pub(crate) fn stream_numbers(&mut self, gpu: usize) -> Answer<Vec<usize>> {
        self.usable(gpu)?;
        let of_gpu = self.streams.iter_mut().filter(|stream| stream.gpu == gpu);
        let numbers = of_gpu.map(|stream| stream.number);
        Ok(numbers.chain([self.contexts[gpu].default_stream]).collect())
    }

    pub(crate) fn record(&mut self, gpu: usize, event: usize, stream: usize) -> Answer<()> {
        let number = self.stream_number(gpu, stream)?;
        self.events.get(event)?;
        let record = self.timeline.schedule().record(number);
        self.events.get(event)?.record = Some((record, None));
        self.note_records();
        Ok(())
    }

    /// Makes a stream wait for an event. One that was never recorded has happened.
    pub(crate) fn wait_for(&mut self, gpu: usize, stream: usize, event: usize) -> Answer<()> {
        let number = self.stream_number(gpu, stream)?;
        if let Some((record, _)) = self.events.get(event)?.record {
            self.timeline.schedule().wait_for(number, record);
            self.note_records();
        }
        Ok(())
    }

    /// Milliseconds between two events.
    pub(crate) fn elapsed_ms(&mut self, start: usize, end: usize) -> Answer<f32> {
        let [start, end] = [self.event_time(start)?, self.event_time(end)?];
        let factor = self.description.faults.event_clock.unwrap_or(1.0);
        Ok(((end - start) * factor / 1e6) as f32)
    }

    fn event_time(&mut self, handle: usize) -> Answer<f64> {
        let &mut Event { gpu, record } = self.events.get(handle)?;
        self.usable(gpu)?;
        let (_, time) = record.ok_or(Code::INVALID_HANDLE)?;
        time.ok_or(Code::NOT_READY)
    }
}
