//! The PMU of this machine.

use std::io;

use nearfar_model::CpuId;
use perf_event::events::Raw;
use perf_event::{Builder, Counter, ReadFormat};

use crate::pmu::source::{CountTarget, EventGroup, EventSource, GroupCounter, GroupReading};

/// Counts by perf_event_open(2).
#[derive(Clone, Copy, Debug, Default)]
pub struct LivePmu;

/// Counters of a group, the leader first. Dropping one ends its count.
struct LiveGroup(Vec<Counter>);

impl EventSource for LivePmu {
    fn open(&self, group: &EventGroup) -> io::Result<Box<dyn GroupCounter>> {
        let mut counters: Vec<Counter> = Vec::with_capacity(group.configs.len());
        for &config in &group.configs {
            let mut builder = Builder::new(Raw::new(config));
            builder.attrs_mut().type_ = group.kind;
            builder.read_format(
                ReadFormat::GROUP
                    | ReadFormat::ID
                    | ReadFormat::TOTAL_TIME_ENABLED
                    | ReadFormat::TOTAL_TIME_RUNNING,
            );
            match group.target {
                CountTarget::Thread => {}
                CountTarget::OtherThread(thread) => {
                    let thread = thread.try_into().map_err(|_| io::ErrorKind::InvalidInput)?;
                    builder.observe_pid(thread).any_cpu();
                }
                CountTarget::Cpu(CpuId(cpu)) => {
                    // PMUs outside of CPUs do not distinguish modes, and refuse to exclude any.
                    builder.any_pid().one_cpu(cpu as usize).include_kernel().include_hv();
                }
            }
            let counter = match counters.first_mut() {
                Some(leader) => builder.build_with_group(leader)?,
                None => builder.build()?,
            };
            counters.push(counter);
        }
        let leader = counters.first_mut().ok_or(io::ErrorKind::InvalidInput)?;
        leader.enable_group()?;
        Ok(Box::new(LiveGroup(counters)))
    }
}

impl GroupCounter for LiveGroup {
    fn read(&mut self) -> io::Result<GroupReading> {
        let leader = self.0.first_mut().ok_or(io::ErrorKind::InvalidInput)?;
        let data = leader.read_group()?;
        let ns = |time: Option<std::time::Duration>| {
            time.map_or(0, |time| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
        };
        Ok(GroupReading {
            counts: data.iter().map(|entry| entry.value()).collect(),
            enabled_ns: ns(data.time_enabled()),
            running_ns: ns(data.time_running()),
        })
    }
}
