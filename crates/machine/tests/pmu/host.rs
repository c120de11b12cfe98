//! The PMU of this host, if it has one; otherwise the reason why not.

use std::hint::black_box;

use nearfar_machine::pmu::{LivePmu, PmuRefusal, thread_fills};
use nearfar_machine::{EventSources, Source};

#[test]
fn this_host_counts_or_has_a_reason() {
    let sources = EventSources::read(&Source::live());
    let has_pmu = sources.names.iter().flatten().any(|name| name == "cpu");
    match thread_fills(&LivePmu, &sources) {
        Ok((events, mut counter)) => {
            assert!(has_pmu || sources.names.is_none(), "counted without a PMU: {events:?}");
            black_box((0..1_000_000).fold(0_u64, |sum, one| black_box(sum + one)));
            let fills = counter.take().unwrap();
            assert!(fills.running_ns <= fills.enabled_ns && fills.enabled_ns > 0, "{fills:?}");
        }
        Err(PmuRefusal::UnknownCpu { .. } | PmuRefusal::UnknownArchitecture) => {}
        Err(PmuRefusal::NoPmu { guest }) => assert_eq!((has_pmu, guest), (false, sources.is_guest)),
        Err(PmuRefusal::Paranoid { level, .. }) => assert_eq!(Some(level), sources.paranoid),
        Err(refusal) => assert!(has_pmu || sources.names.is_none(), "{refusal:?}"),
    }
}

/// The kernel's software events need no PMU: the system call itself, on any host that allows it.
#[test]
fn groups_of_this_kernel_are_read() {
    use nearfar_machine::pmu::{CountTarget, EventGroup, EventSource};
    const SOFTWARE: u32 = 1;
    const TASK_CLOCK: u64 = 1;
    const DUMMY: u64 = 9;
    let configs = vec![TASK_CLOCK, DUMMY];
    let group = EventGroup { kind: SOFTWARE, configs, target: CountTarget::Thread };
    // Sandboxes deny the call; then there is nothing to read.
    let Ok(mut counter) = LivePmu.open(&group) else { return };
    black_box((0..1_000_000).fold(0_u64, |sum, one| black_box(sum + one)));
    let reading = counter.read().unwrap();
    assert_eq!(reading.counts.len(), 2);
    assert!(reading.counts[0] > 0 && reading.enabled_ns > 0, "{reading:?}");
    assert_eq!(reading.enabled_ns, reading.running_ns);
}
