//! Teams on this machine, which may be busy: any window may be disturbed.

use nearfar_model::{Bytes, CpuSet};
use nearfar_place::{BufferPlace, WantedPages, affinity};

use super::*;

const LENGTH: Duration = Duration::from_millis(3);
const TRIES: usize = 300;

fn request() -> BufferPlace {
    BufferPlace {
        node: None,
        bytes: Bytes::mib(8),
        pages: WantedPages::Huge,
        touch_from: CpuSet::new(),
        free: None,
    }
}

/// The result of a window; `None` if it was disturbed.
fn unless_disturbed<T>(result: Result<T, WindowError>) -> Option<T> {
    match result {
        Ok(done) => Some(done),
        Err(WindowError::Disturbed { .. }) => None,
        Err(WindowError::Failed(error)) => panic!("{error}"),
    }
}

/// A team on up to two CPUs, with 8 MiB each.
fn team() -> (ThreadTeam, Vec<ThreadBuffer>) {
    let cpus: Vec<CpuId> = affinity().unwrap().iter().take(2).collect();
    let mut team = ThreadTeam::start(&cpus).unwrap();
    let placed = team.place((0..cpus.len()).map(|member| (member, request())).collect());
    let buffers = placed.into_iter().map(|new| new.unwrap().buffer).collect();
    (team, buffers)
}

fn task(buffer: ThreadBuffer) -> StreamTask {
    StreamTask { buffer, kernel: Kernel::Read, isa: Isa::best(), pause: 0 }
}

/// The first valid window.
fn undisturbed(team: &mut ThreadTeam, tasks: &[StreamTask]) -> WindowRates {
    (0..TRIES).find_map(|_| unless_disturbed(team.run(tasks, LENGTH))).expect("one calm window")
}

#[test]
fn one_and_two_threads_move_data() {
    let (mut team, buffers) = team();
    for count in 1..=buffers.len() {
        let tasks: Vec<StreamTask> = buffers[..count].iter().map(|&buffer| task(buffer)).collect();
        // A busy machine may disturb any window.
        for _ in 0..20 {
            let Some(rates) = unless_disturbed(team.run(&tasks, LENGTH)) else { continue };
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
    let (mut team, buffers) = team();
    for count in 1..=buffers.len() {
        let tasks: Vec<StreamTask> = buffers[..count].iter().map(|&buffer| task(buffer)).collect();
        let rates = undisturbed(&mut team, &tasks);
        assert!(rates.window <= LENGTH && rates.window >= LENGTH / 2, "{rates:?}");
        // Slower than a floppy disk, or faster than any core, is no measurement.
        assert!(
            rates.members.iter().all(|rate| (1e5..1e13).contains(&rate.swept_bytes_per_s)),
            "{rates:?}"
        );
    }
}

#[test]
#[ignore = "long: needs calm windows, and compares rates"]
fn pauses_set_the_load() {
    let (mut team, buffers) = team();
    let mut fastest = |pause| {
        let mut one = || {
            undisturbed(&mut team, &[StreamTask { pause, ..task(buffers[0]) }]).memory_bytes_per_s()
        };
        (0..4).map(|_| one()).fold(0.0, f64::max)
    };
    let rates = [0, 4000, 40_000, 400_000].map(&mut fastest);
    assert!(
        rates.windows(2).all(|pair| pair[1] < pair[0]) && rates[3] < rates[0] / 100.0,
        "{rates:?}"
    );
}

#[test]
fn threads_work_beside_the_caller() {
    let (mut team, buffers) = team();
    let tasks = [task(buffers[0])];
    for _ in 0..20 {
        let mut was_done = false;
        let work = || {
            thread::sleep(LENGTH);
            was_done = true;
            42
        };
        // A busy machine may disturb any window.
        if let Some((done, rates)) = unless_disturbed(team.during(&tasks, work)) {
            assert_eq!(done, 42);
            assert!(rates.memory_bytes_per_s() > 0.0, "{rates:?}");
        }
        assert!(was_done);
    }
}

#[test]
fn work_without_threads_has_no_load() {
    let (mut team, _) = team();
    let (done, rates) = team.during(&[], || thread::sleep(LENGTH)).unwrap();
    assert_eq!((done, rates.members.len(), rates.memory_bytes_per_s()), ((), 0, 0.0));
    assert!(rates.window >= LENGTH);
}

#[test]
fn impossible_tasks_are_refused_and_the_team_survives() {
    let (mut team, buffers) = team();
    let foreign = if cfg!(target_arch = "aarch64") { Isa::Avx2 } else { Isa::Neon };
    let error_of = |result: Result<WindowRates, WindowError>| match result {
        Err(WindowError::Failed(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let missing = error_of(team.run(&[StreamTask { isa: foreign, ..task(buffers[0]) }], LENGTH));
    assert!(missing.starts_with("this processor has no "), "{missing}");
    let twice = error_of(team.run(&[task(buffers[0]), task(buffers[0])], LENGTH));
    assert!(twice.ends_with("can do one at a time"), "{twice}");
    let absent = team.place(vec![(9, request())]).remove(0).unwrap_err().to_string();
    assert_eq!(absent, "the team has no thread 9");
    let too_large = BufferPlace { free: Some(Bytes::mib(1)), ..request() };
    assert!(matches!(team.place(vec![(0, too_large)]).remove(0), Err(ProbeError::Refused(_))));
    unless_disturbed(team.run(&[task(buffers[0])], LENGTH));
    team.release(buffers[0]).unwrap();
    let released = error_of(team.run(&[task(buffers[0])], LENGTH));
    assert!(released.ends_with("is already released"), "{released}");
    let again = team.place(vec![(0, request())]).remove(0).unwrap();
    assert!(again.buffer != buffers[0]);
    unless_disturbed(team.run(&[task(again.buffer)], LENGTH));
}

#[test]
fn an_absent_cpu_is_refused() {
    let refused = ThreadTeam::start(&[CpuId(60_000)]).err().unwrap().to_string();
    assert!(refused.contains("60000"), "{refused}");
}
