//! A machine of two nodes, and what its accesses cost.

use crate::*;

/// Two CPUs, one a node; 1 KiB of memory each, at 0 and at 4096.
fn two_nodes() -> Charges {
    Charges {
        seed: 1,
        cache_lines: 16,
        groups: vec![0, 1],
        own_home: vec![Some(0), Some(1)],
        ranges: vec![
            HomeRange { start: 0, end: 1 << 20, homes: vec![0] },
            HomeRange { start: 1 << 20, end: 2 << 20, homes: vec![1] },
        ],
        latency_ns: vec![vec![100.0, 170.0], vec![171.0, 101.0]],
        home_service_ns: vec![None, None],
        links: Vec::new(),
        streams: None,
        modified: None,
        devices: None,
        noise: Noise::default(),
    }
}

struct Lab {
    model: Model,
    cpus: Vec<EmulatedCpu>,
    now: u64,
}

impl Lab {
    fn new(charges: Charges) -> Self {
        let model = Model::new(charges).unwrap();
        Self { cpus: model.cpus(), model, now: 0 }
    }

    /// What an access costs at a time; virtual addresses are the physical ones.
    fn cost(&mut self, cpu: usize, address: u64, store: bool, now: u64) -> Option<u64> {
        let access = Access { address, store };
        self.cpus[cpu].begins_anew();
        let ends = self.model.access(&mut self.cpus[cpu], access, || now, || Some(address));
        ends.map(|wait| wait.until - now)
    }

    /// A load, long after the last one.
    fn load(&mut self, cpu: usize, address: u64) -> Option<u64> {
        self.now += 1_000_000;
        self.cost(cpu, address, false, self.now)
    }
}

const FAR: u64 = 1 << 20;

#[test]
fn a_second_access_costs_nothing() {
    let mut lab = Lab::new(two_nodes());
    assert_eq!(
        (lab.load(0, 0), lab.load(0, 64), lab.load(0, FAR + 128)),
        (Some(100), Some(100), Some(170))
    );
    assert_eq!((lab.load(0, 8), lab.load(0, FAR + 191)), (None, None));
    assert_eq!((lab.load(1, 0), lab.load(1, FAR)), (Some(171), Some(101)));
}

#[test]
fn what_is_no_memory_of_the_machine_is_free() {
    let mut lab = Lab::new(two_nodes());
    assert_eq!(lab.load(0, 5 << 20), None);
    let access = Access { address: 0, store: false };
    assert_eq!(lab.model.access(&mut lab.cpus[0], access, || 0, || None), None);
}

#[test]
fn a_chain_takes_the_sum_of_its_charges_however_long_the_emulator_takes_between() {
    let mut lab = Lab::new(two_nodes());
    let mut now = 1_000_000;
    for line in 0..10 {
        let access = Access { address: line * 64, store: false };
        now = lab
            .model
            .access(&mut lab.cpus[0], access, || now + 80, || Some(line * 64))
            .unwrap()
            .until;
    }
    assert_eq!(now, 1_000_080 + 10 * 100);
}

#[test]
fn a_flush_makes_everything_cost_again() {
    let mut lab = Lab::new(two_nodes());
    lab.load(0, 0);
    lab.model.flush(&mut lab.cpus[1]);
    assert_eq!(lab.load(0, 0), Some(100));
}

#[test]
fn lines_queue_for_a_memory_that_is_slow_to_hand_them_out() {
    let mut lab = Lab::new(Charges { home_service_ns: vec![Some(40.0), None], ..two_nodes() });
    let costs =
        [0, 64, 128].map(|address| lab.cost(0, address, false, 1_000_000 + address).unwrap());
    let queued = lab.cost(1, 192, false, 1_000_128).unwrap();
    assert_eq!(costs[0], 100);
    assert!(queued > 171, "{queued}");
}

#[test]
fn a_link_slows_only_what_passes_it() {
    let links = vec![Link { carries: vec![(0, 1)], carries_back: vec![], service_ns: 5000.0 }];
    let mut lab = Lab::new(Charges { links, ..two_nodes() });
    assert_eq!(lab.cost(0, FAR, false, 1_000_000), Some(170));
    assert_eq!(lab.cost(0, FAR + 64, false, 1_003_000), Some(170 + 2000));
    assert_eq!(lab.cost(1, FAR + 128, false, 1_003_000), Some(101));
}

#[test]
fn a_modified_line_costs_by_pair_and_home() {
    let modified = ModifiedLines {
        ns: vec![vec![50.0, 114.0], vec![115.0, 51.0]],
        homed_at_reader_extra_ns: 64.0,
        homed_elsewhere_extra_ns: 70.0,
    };
    let mut lab = Lab::new(Charges { modified: Some(modified), ..two_nodes() });
    lab.cost(1, FAR, true, 1_000_000);
    assert_eq!(lab.cost(0, FAR, false, 2_000_000), Some(114), "homed at the holder");
    lab.cost(1, 0, true, 3_000_000);
    assert_eq!(lab.cost(0, 0, false, 4_000_000), Some(114 + 64), "homed at the reader");
    assert_eq!(lab.cost(1, 0, false, 5_000_000), None, "the holder keeps a copy to read");
    assert_eq!(lab.cost(1, 0, true, 6_000_000), Some(171), "and must ask again to write");
}

#[test]
fn a_modified_line_that_left_its_holders_cache_comes_from_memory() {
    let modified = ModifiedLines {
        ns: vec![vec![50.0, 114.0], vec![115.0, 51.0]],
        homed_at_reader_extra_ns: 0.0,
        homed_elsewhere_extra_ns: 0.0,
    };
    let mut lab = Lab::new(Charges { modified: Some(modified), ..two_nodes() });
    lab.cost(1, FAR, true, 1_000_000);
    for line in 16..32 {
        lab.cost(1, FAR + line * LINE_BYTES, false, 2_000_000);
    }
    assert_eq!(lab.cost(0, FAR, false, 3_000_000), Some(170));
}

#[test]
fn noise_multiplies_and_moves() {
    let noise = Noise {
        drift: Some(Drift { share: 0.1, period_s: 4.0 }),
        bursts: None,
        moves: vec![Move { at_s: 10.0, cpu: 0, to_group: 1 }],
    };
    let mut lab = Lab::new(Charges { noise, ..two_nodes() });
    assert_eq!(lab.cost(0, 0, false, 1_000_000_000), Some(110));
    assert_eq!(lab.cost(0, 64, false, 12_000_000_000), Some(171));
}

#[test]
fn the_ledger_lists_all_charges() {
    let mut lab = Lab::new(two_nodes());
    for line in 0..10 {
        lab.load(0, FAR + line * 64);
    }
    lab.load(1, 0);
    let ledger = lab.model.ledger(1, lab.cpus.iter());
    assert_eq!(ledger.fetched.len(), 2);
    let far = &ledger.fetched[0];
    assert_eq!((far.cpu, far.home, far.lines, far.total_ns), (0, 1, 10, 1700));
    assert!((far.median_ns().unwrap() / 170.0 - 1.0).abs() < 0.006);
    assert!(ledger.transferred.is_empty());
}

#[test]
fn charges_that_contradict_themselves_are_refused() {
    let wrong = [
        Charges { groups: vec![0, 2], ..two_nodes() },
        Charges { latency_ns: vec![vec![100.0], vec![100.0]], ..two_nodes() },
        Charges { latency_ns: vec![vec![100.0, f64::NAN], vec![100.0, 1.0]], ..two_nodes() },
        Charges { own_home: vec![Some(0), Some(2)], ..two_nodes() },
        Charges { groups: vec![0; 256], ..two_nodes() },
        Charges {
            links: vec![Link { carries: vec![(0, 2)], carries_back: vec![], service_ns: 1.0 }],
            ..two_nodes()
        },
    ];
    for charges in wrong {
        assert!(Model::new(charges.clone()).is_err(), "{charges:?}");
    }
}

#[test]
fn a_cpu_only_waits_when_it_fetches_nothing_in_between() {
    let mut lab = Lab::new(two_nodes());
    let waits = |cpu: &mut EmulatedCpu, times: u32| (0..times).any(|_| cpu.waits());
    assert!(!waits(&mut lab.cpus[0], 1500));
    lab.load(0, 0);
    assert!(!waits(&mut lab.cpus[0], 1500));
    assert!(waits(&mut lab.cpus[0], 1500));
}
