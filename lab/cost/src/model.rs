//! The machine that all CPUs share: where memory is, what reaching it costs, who holds what, and who is in whose way.

use crate::cache::Fetched;
use crate::charges::{Charges, LINE_BYTES};
use crate::charges_error::{ChargesError, check};
use crate::cpu::Cpu;
use crate::directory::Directory;
use crate::disturbance::Disturbance;
use crate::ledger::{Charged, Ledger};
use crate::places::Places;
use crate::turnstile::Turnstile;

/// A machine of the lab, ready to charge.
#[derive(Debug)]
pub struct Model {
    charges: Charges,
    places: Places,
    directory: Directory,
    memories: Vec<Option<Turnstile>>,
    links: Vec<Turnstile>,
    /// The links that lines pass: group × home.
    routes: Vec<Vec<Vec<usize>>>,
    disturbance: Disturbance,
}

/// One access of a CPU to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Its virtual address.
    pub address: u64,
    /// Whether it writes.
    pub store: bool,
}

impl Model {
    /// A machine as the charges say it is; refuses charges that contradict themselves.
    pub fn new(charges: Charges) -> Result<Self, ChargesError> {
        check(&charges)?;
        let routes = (0..charges.latency_ns.len()).map(|group| routes(&charges, group)).collect();
        Ok(Self {
            places: Places::new(&charges.ranges),
            directory: Directory::new(),
            memories: charges.home_service_ns.iter().map(|service_ns| service_ns.map(Turnstile::new)).collect(),
            links: charges.links.iter().map(|link| Turnstile::new(link.service_ns)).collect(),
            routes,
            disturbance: Disturbance::new(charges.noise.clone(), charges.seed),
            charges,
        })
    }

    /// Its CPUs, none of which has touched anything.
    pub fn cpus(&self) -> Vec<Cpu> {
        let homes = self.memories.len();
        (0..self.charges.groups.len()).map(|number| Cpu::new(number, self.charges.cache_lines, homes)).collect()
    }

    /// Empties the caches of all CPUs: a program flushed a line, and the emulator does not say which.
    pub fn flush(&self, cpu: &mut Cpu) {
        cpu.begins_anew();
        self.directory.empty_all_caches();
    }

    /// A CPU's access. Returns when it ends, in nanoseconds since the guest's start, as `now` tells them; or nothing when it is free: a hit, or no memory of
    /// this machine. `physical` is asked for the physical address only when that is needed.
    pub fn access(
        &self,
        cpu: &mut Cpu,
        access: Access,
        now: impl FnOnce() -> u64,
        physical: impl FnOnce() -> Option<u64>,
    ) -> Option<u64> {
        let virtual_line = access.address / LINE_BYTES;
        if cpu.cache.holds(virtual_line, access.store, &self.directory) {
            return None;
        }
        let address = physical()?;
        let home = self.places.home(address)?;
        let line = address / LINE_BYTES;
        let begins = cpu.begins(now());
        let group = self.disturbance.group(cpu.number, self.charges.groups[cpu.number], begins);
        let holder = self.directory.holder(line).filter(|&holder| holder != cpu.number);
        let transfer_ns = holder.and_then(|holder| self.transfer_ns(group, holder, home, begins));
        let ns = match transfer_ns {
            Some(ns) => ns * self.disturbance.factor(begins),
            None => self.fetch_ns(group, home, begins),
        };
        let ends = begins + ns.round() as u64;
        cpu.charge(home, transfer_ns.is_some(), ends - begins, ends);
        self.keep(cpu, virtual_line, line, home, access.store, ends);
        Some(ends)
    }

    /// What a line costs that comes from memory, waiting for links and memory included.
    fn fetch_ns(&self, group: usize, home: usize, begins: u64) -> f64 {
        let through = |at: u64, turnstile: &Turnstile| turnstile.pass(at);
        let links = self.routes[group][home].iter().map(|&link| &self.links[link]);
        let passed = links.chain(&self.memories[home]).fold(begins, through);
        let latency_ns = self.charges.latency_ns[group][home] * self.disturbance.factor(begins);
        latency_ns + (passed - begins) as f64
    }

    /// What a line costs that another CPU holds modified; nothing where this machine makes no difference.
    fn transfer_ns(&self, reader: usize, holder: usize, home: usize, begins: u64) -> Option<f64> {
        let modified = self.charges.modified.as_ref()?;
        let holder = self.disturbance.group(holder, self.charges.groups[holder], begins);
        let own_home = |group: usize| self.charges.own_home[group] == Some(home);
        let extra_ns = match (own_home(holder), own_home(reader)) {
            (true, _) => 0.0,
            (false, true) => modified.homed_at_reader_extra_ns,
            (false, false) => modified.homed_elsewhere_extra_ns,
        };
        Some(modified.ns[reader][holder] + extra_ns)
    }

    /// The CPU has the line now. The one whose place it takes is written back, for which nobody waits.
    fn keep(&self, cpu: &mut Cpu, virtual_line: u64, line: u64, home: usize, store: bool, now: u64) {
        let said = if store { self.directory.take(line, cpu.number) } else { self.directory.share(line) };
        let fetched = Fetched { line, said, write_back_to: store.then_some(home) };
        let written_back = cpu.cache.keep(virtual_line, fetched, &self.directory);
        if let Some(memory) = written_back.and_then(|home| self.memories[home].as_ref()) {
            memory.pass(now);
        }
    }

    /// What the CPUs were charged.
    pub fn ledger<'a>(&self, plugin_api: u32, cpus: impl Iterator<Item = &'a Cpu>) -> Ledger {
        let mut ledger = Ledger { plugin_api, fetched: Vec::new(), transferred: Vec::new() };
        for cpu in cpus {
            ledger.fetched.extend(entries(cpu.number, &cpu.fetched));
            ledger.transferred.extend(entries(cpu.number, &cpu.transferred));
        }
        ledger
    }
}

fn entries(cpu: usize, by_home: &[crate::histogram::Histogram]) -> impl Iterator<Item = Charged> {
    let used = by_home.iter().enumerate().filter(|(_, charged)| charged.lines() > 0);
    used.map(move |(home, charged)| Charged {
        cpu,
        home,
        lines: charged.lines(),
        total_ns: charged.total_ns(),
        histogram: charged.filled(),
    })
}

/// Of each home, the links that lines pass on their way to a group.
fn routes(charges: &Charges, group: usize) -> Vec<Vec<usize>> {
    let passes = |home: usize| {
        let links = charges.links.iter().enumerate();
        links.filter(|(_, link)| link.carries.contains(&(group, home))).map(|(number, _)| number).collect()
    };
    (0..charges.home_service_ns.len()).map(passes).collect()
}
