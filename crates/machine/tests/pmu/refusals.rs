//! Each error has one reason.

use nearfar_machine::pmu::scripted::ScriptedSource;
use nearfar_machine::pmu::{GroupReading, PmuRefusal, node_fills, thread_fills};
use nearfar_machine::{CpuFamily, EventSources};
use nearfar_model::{CpuId, NodeId};
use rustix::io::Errno;

/// A host with Zen 4 CPUs.
pub(crate) fn sources(paranoid: i32) -> EventSources {
    EventSources {
        cpu: Some(CpuFamily { vendor: "AuthenticAMD".to_owned(), family: 25, model: 0x11 }),
        names: Some(vec!["cpu".to_owned(), "software".to_owned()]),
        paranoid: Some(paranoid),
        nmi_watchdog: true,
        is_guest: false,
    }
}

fn for_thread(errno: Errno, sources: &EventSources) -> PmuRefusal {
    let source = ScriptedSource::refusing(errno.raw_os_error());
    thread_fills(&source, sources).err().unwrap()
}

fn for_node(errno: Errno, sources: &EventSources) -> PmuRefusal {
    let source = ScriptedSource::refusing(errno.raw_os_error());
    node_fills(&source, sources, [(NodeId(0), CpuId(0))]).err().unwrap()
}

#[test]
fn paranoid_levels_depend_on_the_target() {
    let level = |level, needed| PmuRefusal::Paranoid { level, needed };
    for errno in [Errno::ACCESS, Errno::PERM] {
        assert_eq!(for_thread(errno, &sources(4)), level(4, 2));
        assert_eq!(for_node(errno, &sources(2)), level(2, 0));
        assert_eq!(for_node(errno, &sources(1)), level(1, 0));
    }
}

#[test]
fn what_the_level_allows_a_sandbox_denies() {
    assert_eq!(for_thread(Errno::PERM, &sources(2)), PmuRefusal::Sandbox);
    assert_eq!(for_node(Errno::ACCESS, &sources(-1)), PmuRefusal::Sandbox);
    assert_eq!(for_thread(Errno::NOSYS, &sources(4)), PmuRefusal::Sandbox);
}

#[test]
fn other_errors_have_their_reasons() {
    for errno in [Errno::NOENT, Errno::OPNOTSUPP, Errno::NODEV, Errno::INVAL] {
        assert_eq!(for_thread(errno, &sources(-1)), PmuRefusal::NotSupported);
    }
    assert_eq!(for_node(Errno::MFILE, &sources(-1)), PmuRefusal::TooManyFiles);
    let busy = PmuRefusal::CountersBusy { nmi_watchdog: true };
    assert_eq!(for_thread(Errno::BUSY, &sources(-1)), busy);
    let PmuRefusal::Failed { error } = for_thread(Errno::IO, &sources(-1)) else {
        panic!("another reason")
    };
    assert!(error.contains("os error 5"), "{error}");
}

#[test]
fn nothing_is_opened_without_events_or_pmu() {
    let works = ScriptedSource::new(|_, _| Ok(GroupReading::default()));
    let refusal = |sources: &EventSources| thread_fills(&works, sources).err();
    let host = sources(2);
    assert_eq!(refusal(&host), None);
    let guest = EventSources { names: Some(vec!["software".to_owned()]), is_guest: true, ..host };
    assert_eq!(refusal(&guest), Some(PmuRefusal::NoPmu { guest: true }));
    let hidden = EventSources { names: None, ..guest };
    assert_eq!(refusal(&hidden), None, "the system call decides");
    let arm = EventSources { cpu: None, ..hidden };
    assert_eq!(refusal(&arm), Some(PmuRefusal::UnknownArchitecture));
    let (vendor, family, model) = ("GenuineIntel".to_owned(), 6, 0x9e);
    let cpu = Some(CpuFamily { vendor: vendor.clone(), family, model });
    let unknown = EventSources { cpu, ..arm };
    assert_eq!(refusal(&unknown), Some(PmuRefusal::UnknownCpu { vendor, family, model }));
}

#[test]
fn refusals_are_codes_with_figures() {
    let paranoid = PmuRefusal::Paranoid { level: 4, needed: 2 };
    let document = serde_json::to_value(&paranoid).unwrap();
    assert_eq!(document, serde_json::json!({"code": "paranoid", "level": 4, "needed": 2}));
    assert_eq!(serde_json::from_value::<PmuRefusal>(document).unwrap(), paranoid);
}
