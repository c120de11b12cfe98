//! The machine that all CPUs share: where memory is, what reaching it costs, who holds what, and
//! who is in whose way.

use crate::cache::Fetch;
use crate::charges::{Charges, LINE_BYTES};
use crate::charges_error::{ChargesError, check};
use crate::cpu::{EmulatedCpu, Parallel};
use crate::device_access::{DeviceAccess, DeviceWindow};
use crate::directory::{Directory, Slot};
use crate::disturbance::NoiseSource;
use crate::histogram::{Histogram, Sum};
use crate::ledger::{Charged, Ledger, Moved};
use crate::paths::Paths;
use crate::places::Places;
use crate::streams::{AT_ONCE, Asked, Place};

/// A CPU that goes along a stream may be ahead of the clock by so much of the shortest latency:
/// then it need not wait for each line, only now and then. More would show in the latency of
/// others, whose way it is in.
const AHEAD: f64 = 0.1;

/// A machine of the lab, ready to charge.
#[derive(Debug)]
pub struct Model {
    charges: Charges,
    places: Places,
    directory: Directory,
    paths: Paths,
    disturbance: NoiseSource,
    ahead_ns: u64,
}

/// One access of a CPU to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Its virtual address.
    pub address: u64,
    /// Whether it writes.
    pub store: bool,
}

/// What a CPU waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Until when, in nanoseconds since the guest's start.
    pub until: u64,
    /// Whether it may wait longer, because what follows makes it good: it need not stay awake.
    pub may_oversleep: bool,
}

impl Model {
    /// The machine that the charges describe; refuses charges that contradict themselves.
    pub fn new(charges: Charges) -> Result<Self, ChargesError> {
        check(&charges)?;
        let shortest = charges.latency_ns.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        Ok(Self {
            places: Places::new(&charges.ranges),
            directory: Directory::new(),
            paths: Paths::new(&charges),
            disturbance: NoiseSource::new(charges.noise.clone(), charges.seed),
            ahead_ns: (shortest * AHEAD) as u64,
            charges,
        })
    }

    /// Its CPUs, before their first access.
    pub fn cpus(&self) -> Vec<EmulatedCpu> {
        let Charges { cache_lines, streams, home_service_ns, groups, .. } = &self.charges;
        (0..groups.len())
            .map(|number| EmulatedCpu::new(number, *cache_lines, home_service_ns.len(), *streams))
            .collect()
    }

    /// Empties the caches of all CPUs: a program flushed a line, and the emulator does not report
    /// which. Returns what [`EmulatedCpu::begins_anew`] does.
    pub fn flush(&self, cpu: &mut EmulatedCpu) -> Option<u64> {
        self.directory.empty_all_caches();
        cpu.begins_anew()
    }

    /// A CPU's access. Returns what it waits for, by the clock `now`; or nothing when it
    /// is free (a hit, or no memory of this machine), or goes along a stream and is not far ahead.
    /// `physical` is asked for the physical address only when that is needed.
    pub fn access(
        &self,
        cpu: &mut EmulatedCpu,
        access: Access,
        now: impl FnOnce() -> u64,
        physical: impl FnOnce() -> Option<u64>,
    ) -> Option<Wait> {
        let virtual_line = access.address / LINE_BYTES;
        if cpu.cache.holds(virtual_line, access.store, &self.directory) {
            cpu.hits(virtual_line);
            return None;
        }
        let address = physical()?;
        let home = self.places.home(address)?;
        let now = now();
        let group = self.group(cpu, now);
        let place = cpu
            .parallel
            .as_mut()
            .map_or(Place::Alone, |parallel| parallel.streams.place(virtual_line));
        let streamed = place != Place::Alone;
        let fetch = Fetch {
            virtual_line,
            line: address / LINE_BYTES,
            home,
            group,
            store: access.store,
            streamed,
        };
        let holder = self.directory.holder(fetch.line).filter(|&holder| holder != cpu.number);
        let transfer_ns = holder.and_then(|holder| self.transfer_ns(group, holder, home, now));
        match (transfer_ns, place) {
            (Some(ns), _) => Some(self.transfer(cpu, &fetch, ns, now)),
            (None, Place::Alone) => Some(self.fetch(cpu, &fetch, now)),
            (None, Place::Next(stream)) => self.follow(cpu, &fetch, stream, now),
            // Who asks for a line before it is needed asks for it to write, where it is to be
            // written.
            (None, Place::Again) => {
                self.keep(cpu, &fetch, now);
                None
            }
        }
    }

    /// A CPU's store past the caches: a line goes off once, however many stores it is made of, and
    /// is in no cache. Returns as [`Model::access`]. A machine without streams makes no
    /// difference between stores.
    pub fn store_past_caches(
        &self,
        cpu: &mut EmulatedCpu,
        address: u64,
        now: impl FnOnce() -> u64,
        physical: impl FnOnce() -> Option<u64>,
    ) -> Option<Wait> {
        if cpu.parallel.is_none() {
            return self.access(cpu, Access { address, store: true }, now, physical);
        }
        if cpu.parallel.as_mut()?.posted.collects(address / LINE_BYTES) {
            return None;
        }
        let address = physical()?;
        let home = self.places.home(address)?;
        let line = address / LINE_BYTES;
        self.directory
            .is_written_back(Slot::from_line(line), self.directory.take(line, cpu.number));
        let now = now();
        let begins = cpu.goes_on(now);
        let group = self.group(cpu, begins);
        let sent = cpu.parallel.as_mut()?.posted.room(begins);
        let arrives = self.paths.write(group, home, sent) + self.latency_ns(group, home, sent);
        cpu.parallel.as_mut()?.posted.send(arrives);
        cpu.posted(home, sent - begins, sent);
        self.ahead(sent, now)
    }

    /// What reaching devices costs; absent: nothing.
    pub fn devices(&self) -> Option<&DeviceAccess> {
        self.charges.devices.as_ref()
    }

    /// A CPU's access to a device's registers. Returns until when it waits.
    pub fn reach_device(
        &self,
        cpu: &mut EmulatedCpu,
        windows: &[DeviceWindow],
        access: Access,
        now: impl FnOnce() -> u64,
    ) -> Option<u64> {
        let now = now();
        let (group, devices) = (self.group(cpu, now), self.devices()?);
        let (window, ns) = devices.cost(windows, group, access.address, access.store)?;
        let ns = ns.round() as u64;
        cpu.reaches(window.device, access.store, ns);
        (ns > 0).then_some(now + ns)
    }

    fn group(&self, cpu: &EmulatedCpu, now: u64) -> usize {
        self.disturbance.group(cpu.number, self.charges.groups[cpu.number], now)
    }

    fn latency_ns(&self, group: usize, home: usize, at: u64) -> u64 {
        (self.charges.latency_ns[group][home] * self.disturbance.factor(at)).round() as u64
    }

    /// A line comes from memory, waiting for links and memory included.
    fn fetch(&self, cpu: &mut EmulatedCpu, fetch: &Fetch, now: u64) -> Wait {
        let begins = cpu.begins(now);
        let passed = self.paths.read(fetch.group, fetch.home, begins);
        let ends = passed + self.latency_ns(fetch.group, fetch.home, begins);
        cpu.fetched(fetch.home, ends - begins, ends);
        self.keep(cpu, fetch, ends);
        Wait { until: ends, may_oversleep: false }
    }

    /// The next line of a stream was asked for long before, and others are asked for now.
    fn follow(
        &self,
        cpu: &mut EmulatedCpu,
        fetch: &Fetch,
        stream: usize,
        now: u64,
    ) -> Option<Wait> {
        let begins = cpu.goes_on(now);
        let &Fetch { group, home, .. } = fetch;
        let asked = cpu.parallel.as_mut().and_then(|parallel| parallel.streams.take(stream));
        let passed = match asked.filter(|asked| asked.home == home) {
            Some(asked) => asked.passed,
            None => self.paths.read(group, home, begins),
        };
        let ends = begins.max(passed + self.latency_ns(group, home, begins));
        cpu.streamed(home, ends - begins, ends);
        self.ask(cpu, fetch, stream, ends);
        self.keep(cpu, fetch, ends);
        self.ahead(ends, now)
    }

    /// Asks for lines that a stream has not come to yet. What is not known to lie elsewhere is
    /// taken to lie behind this line.
    fn ask(&self, cpu: &mut EmulatedCpu, fetch: &Fetch, stream: usize, now: u64) {
        let Some(Parallel { streams, pages, .. }) = &mut cpu.parallel else { return };
        pages.learn(fetch.virtual_line, fetch.line);
        for _ in 0..AT_ONCE {
            let Some(next) = streams.wants(stream) else { return };
            let line = pages
                .line(next)
                .unwrap_or_else(|| fetch.line.wrapping_add(next).wrapping_sub(fetch.virtual_line));
            let home = self.places.home(line.wrapping_mul(LINE_BYTES)).unwrap_or(fetch.home);
            streams.ask(stream, Asked { home, passed: self.paths.read(fetch.group, home, now) });
        }
    }

    /// A CPU that goes along a stream waits when it is far enough ahead of the clock.
    fn ahead(&self, ends: u64, now: u64) -> Option<Wait> {
        (ends > now + self.ahead_ns).then_some(Wait { until: ends, may_oversleep: true })
    }

    /// A line comes from the CPU that holds it, as soon as it has arrived there itself.
    fn transfer(&self, cpu: &mut EmulatedCpu, fetch: &Fetch, ns: f64, now: u64) -> Wait {
        let begins = cpu.begins(now).max(self.directory.arrival(fetch.line));
        let ns = (ns * self.disturbance.factor(begins)).round() as u64;
        cpu.transferred(fetch.home, fetch.virtual_line, ns, begins + ns);
        self.keep(cpu, fetch, begins + ns);
        Wait { until: begins + ns, may_oversleep: false }
    }

    /// What a line costs that another CPU holds modified; nothing where this machine makes no
    /// difference.
    fn transfer_ns(&self, reader: usize, holder: usize, home: usize, now: u64) -> Option<f64> {
        let modified = self.charges.modified.as_ref()?;
        let holder = self.disturbance.group(holder, self.charges.groups[holder], now);
        let own_home = |group: usize| self.charges.own_home[group] == Some(home);
        let extra_ns = match (own_home(holder), own_home(reader)) {
            (true, _) => 0.0,
            (false, true) => modified.homed_at_reader_extra_ns,
            (false, false) => modified.homed_elsewhere_extra_ns,
        };
        Some(modified.ns[reader][holder] + extra_ns)
    }

    /// The CPU has the line from a time on. The one whose place it takes is written back, for which
    /// no CPU waits.
    fn keep(&self, cpu: &mut EmulatedCpu, fetch: &Fetch, from: u64) {
        let &Fetch { line, group, store, .. } = fetch;
        let entry =
            if store { self.directory.take(line, cpu.number) } else { self.directory.share(line) };
        if store && self.charges.modified.is_some() {
            self.directory.arrives(line, from);
        }
        if let Some(home) = cpu.cache.keep(fetch, entry, &self.directory) {
            cpu.wrote_back(home);
            self.paths.write(group, home, from);
        }
    }

    /// What the CPUs were charged.
    pub fn ledger<'a>(
        &self,
        plugin_api: u32,
        cpus: impl Iterator<Item = &'a EmulatedCpu>,
    ) -> Ledger {
        let mut ledger = Ledger { plugin_api, ..Ledger::default() };
        for cpu in cpus {
            ledger.fetched.extend(entries(cpu.number, &cpu.fetched));
            ledger.transferred.extend(entries(cpu.number, &cpu.transferred));
            ledger.streamed.extend(sums(cpu.number, &cpu.streamed));
            ledger.written.extend(sums(cpu.number, &cpu.written));
            let reached = cpu.reached.iter().filter(|device| device.loads + device.stores > 0);
            ledger.reached.extend(reached);
        }
        ledger
    }
}

fn sums(cpu: usize, by_home: &[Sum]) -> impl Iterator<Item = Moved> {
    let used = by_home.iter().enumerate().filter(|(_, sum)| sum.lines > 0);
    used.map(move |(home, &Sum { lines, total_ns })| Moved {
        cpu,
        home,
        lines,
        bytes: lines * LINE_BYTES,
        total_ns,
    })
}

fn entries(cpu: usize, by_home: &[Histogram]) -> impl Iterator<Item = Charged> {
    let used = by_home.iter().enumerate().filter(|(_, charged)| charged.lines() > 0);
    used.map(move |(home, charged)| Charged {
        cpu,
        home,
        lines: charged.lines(),
        total_ns: charged.total_ns(),
        histogram: charged.filled(),
    })
}
