//! Crews on this machine, which may be busy: any window may be disturbed.

use nearfar_model::{Bytes, CpuSet};
use nearfar_place::{BufferPlace, WantedPages, affinity};

use super::*;

const LENGTH: Duration = Duration::from_millis(3);
const TRIES: usize = 300;

fn wish() -> BufferPlace {
    BufferPlace { node: None, bytes: Bytes::mib(8), pages: WantedPages::Huge, touch_from: CpuSet::new(), free: None }
}

/// What came of a window; none where a busy machine disturbed it.
fn calm_or_not<T>(result: Result<T, WindowError>) -> Option<T> {
    match result {
        Ok(done) => Some(done),
        Err(WindowError::Disturbed(_)) => None,
        Err(WindowError::Failed(error)) => panic!("{error}"),
    }
}

/// A crew on up to two CPUs, with 8 MiB each.
fn crew() -> (Crew, Vec<Berth>) {
    let cpus: Vec<CpuId> = affinity().unwrap().iter().take(2).collect();
    let mut crew = Crew::start(&cpus).unwrap();
    let placed = crew.place((0..cpus.len()).map(|member| (member, wish())).collect());
    let berths = placed.into_iter().map(|new| new.unwrap().berth).collect();
    (crew, berths)
}

fn duty(berth: Berth) -> Duty {
    Duty { berth, kernel: Kernel::Read, isa: Isa::best(), pause: 0 }
}

/// The first window that is believed.
fn calm(crew: &mut Crew, duties: &[Duty]) -> WindowRates {
    (0..TRIES).find_map(|_| calm_or_not(crew.run(duties, LENGTH))).expect("one calm window")
}

#[test]
fn one_thread_and_two_move_data_in_one_window() {
    let (mut crew, berths) = crew();
    for count in 1..=berths.len() {
        let duties: Vec<Duty> = berths[..count].iter().map(|&berth| duty(berth)).collect();
        // A busy machine may disturb any window.
        for _ in 0..20 {
            let Some(rates) = calm_or_not(crew.run(&duties, LENGTH)) else { continue };
            let members: Vec<usize> = rates.members.iter().map(|rate| rate.member).collect();
            assert_eq!(members, (0..count).collect::<Vec<_>>());
            let swept = rates.members.iter().map(|rate| rate.swept_bytes_per_s);
            assert!(swept.into_iter().all(|rate| rate.is_finite() && rate > 0.0), "{rates:?}");
        }
    }
}

#[test]
#[ignore = "long: needs calm windows, and asserts rates"]
fn rates_of_one_thread_and_of_two_are_plausible() {
    let (mut crew, berths) = crew();
    for count in 1..=berths.len() {
        let duties: Vec<Duty> = berths[..count].iter().map(|&berth| duty(berth)).collect();
        let rates = calm(&mut crew, &duties);
        assert!(rates.window <= LENGTH && rates.window >= LENGTH / 2, "{rates:?}");
        // Slower than a floppy disk, or faster than any core, is no measurement.
        assert!(rates.members.iter().all(|rate| (1e5..1e13).contains(&rate.swept_bytes_per_s)), "{rates:?}");
    }
}

#[test]
#[ignore = "long: needs calm windows, and compares rates"]
fn pauses_set_the_load_from_full_to_next_to_nothing() {
    let (mut crew, berths) = crew();
    let mut fastest = |pause| {
        let mut one = || calm(&mut crew, &[Duty { pause, ..duty(berths[0]) }]).memory_bytes_per_s();
        (0..4).map(|_| one()).fold(0.0, f64::max)
    };
    let rates = [0, 4000, 40_000, 400_000].map(&mut fastest);
    assert!(rates.windows(2).all(|pair| pair[1] < pair[0]) && rates[3] < rates[0] / 100.0, "{rates:?}");
}

#[test]
fn threads_work_while_the_caller_does() {
    let (mut crew, berths) = crew();
    let duties = [duty(berths[0])];
    for _ in 0..20 {
        let mut was_done = false;
        let work = || {
            thread::sleep(LENGTH);
            was_done = true;
            42
        };
        // A busy machine may disturb any window.
        if let Some((done, rates)) = calm_or_not(crew.during(&duties, work)) {
            assert_eq!(done, 42);
            assert!(rates.memory_bytes_per_s() > 0.0, "{rates:?}");
        }
        assert!(was_done);
    }
}

#[test]
fn work_without_threads_is_done_beside_no_load() {
    let (mut crew, _) = crew();
    let (done, rates) = crew.during(&[], || thread::sleep(LENGTH)).unwrap();
    assert_eq!((done, rates.members.len(), rates.memory_bytes_per_s()), ((), 0, 0.0));
    assert!(rates.window >= LENGTH);
}

#[test]
fn what_cannot_be_done_is_told_and_the_crew_goes_on() {
    let (mut crew, berths) = crew();
    let foreign = if cfg!(target_arch = "aarch64") { Isa::Avx2 } else { Isa::Neon };
    let told = |result: Result<WindowRates, WindowError>| match result {
        Err(WindowError::Failed(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let missing = told(crew.run(&[Duty { isa: foreign, ..duty(berths[0]) }], LENGTH));
    assert!(missing.starts_with("this processor has no "), "{missing}");
    let twice = told(crew.run(&[duty(berths[0]), duty(berths[0])], LENGTH));
    assert!(twice.ends_with("can do one thing at a time"), "{twice}");
    let nobody = crew.place(vec![(9, wish())]).remove(0).unwrap_err().to_string();
    assert_eq!(nobody, "the crew has no thread 9");
    let too_large = BufferPlace { free: Some(Bytes::mib(1)), ..wish() };
    assert!(matches!(crew.place(vec![(0, too_large)]).remove(0), Err(ProbeError::Refused(_))));
    calm_or_not(crew.run(&[duty(berths[0])], LENGTH));
    crew.release(berths[0]).unwrap();
    let released = told(crew.run(&[duty(berths[0])], LENGTH));
    assert!(released.ends_with("was given back before"), "{released}");
    let again = crew.place(vec![(0, wish())]).remove(0).unwrap();
    assert!(again.berth != berths[0]);
    calm_or_not(crew.run(&[duty(again.berth)], LENGTH));
}

#[test]
fn a_cpu_that_is_not_there_is_refused() {
    let refused = Crew::start(&[CpuId(60_000)]).err().unwrap().to_string();
    assert!(refused.contains("60000"), "{refused}");
}
