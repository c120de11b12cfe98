//! DRAM traffic by memory controllers, by a sysfs as Linux has it on Skylake-SP.

use std::io;

use nearfar_machine::pmu::scripted::ScriptedSource;
use nearfar_machine::pmu::{CountTarget, EventGroup, GroupReading, MemoryControllers, PmuRefusal};
use nearfar_machine::process::NodeSummaries;
use nearfar_machine::{Pmu, Source};
use nearfar_model::{Bytes, CpuId, NodeId};

use crate::refusals::sources;

const CHANNELS: [&str; 2] = ["uncore_imc_0", "uncore_imc_1"];

/// Two packages with two channels each. CPUs 0 and 4 stand for the packages. The nodes have these
/// CPUs.
fn host(nodes: &[&str]) -> Vec<(String, String)> {
    let online = format!("0-{}", nodes.len() - 1);
    let mut files = vec![("/sys/devices/system/node/online".to_owned(), online)];
    for (node, cpus) in nodes.iter().enumerate() {
        let path = format!("/sys/devices/system/node/node{node}/cpulist");
        files.push((path, (*cpus).to_owned()));
    }
    for (kind, name) in (24..).zip(CHANNELS) {
        let kind: u32 = kind;
        for (path, text) in [
            ("type", kind.to_string().as_str()),
            ("cpumask", "0,4"),
            ("format/event", "config:0-7"),
            ("format/umask", "config:8-15"),
            ("events/cas_count_read", "event=0x04,umask=0x03"),
            ("events/cas_count_read.scale", "6.103515625e-5"),
            ("events/cas_count_read.unit", "MiB"),
            ("events/cas_count_write", "event=0x04,umask=0x0c"),
            ("events/cas_count_write.scale", "6.103515625e-5"),
            ("events/cas_count_write.unit", "MiB"),
        ] {
            let path = format!("/sys/bus/event_source/devices/{name}/{path}");
            files.push((path, text.to_owned()));
        }
    }
    files
}

fn open(
    source: &ScriptedSource,
    files: Vec<(String, String)>,
) -> Option<Result<MemoryControllers, PmuRefusal>> {
    let files = Source::from_files(files);
    let channels = CHANNELS.map(|name| Pmu::read(&files, name).unwrap());
    MemoryControllers::open(source, &sources(2), &channels, &NodeSummaries::read(&files))
}

/// Each channel of package 0 reads 1,000 lines and writes 250; those of package 1 only read 16.
fn reading(group: &EventGroup, number: u64) -> GroupReading {
    assert!((24..=25).contains(&group.kind), "{group:?}");
    assert_eq!(group.configs, [0x0304, 0x0c04]);
    let counts = match group.target {
        CountTarget::Cpu(CpuId(0)) => [1_000, 250],
        CountTarget::Cpu(CpuId(4)) => [16, 0],
        _ => panic!("{group:?}"),
    };
    let counts = counts.map(|count| count * number).to_vec();
    GroupReading { counts, enabled_ns: number, running_ns: number }
}

#[test]
fn channels_of_a_package_are_its_nodes_dram() {
    let source = ScriptedSource::new(|group, number| Ok(reading(group, number)));
    // A node without CPUs (CXL) is behind no channel.
    let mut controllers = open(&source, host(&["0-3", "4-7", ""])).unwrap().ok().unwrap();
    controllers.take();
    let traffic =
        controllers.take().into_iter().map(|(node, dram)| (node, dram.read, dram.written));
    let lines = |count: u64| Bytes(64 * count);
    let wanted = [(NodeId(0), lines(2_000), lines(500)), (NodeId(1), lines(32), lines(0))];
    assert_eq!(traffic.collect::<Vec<_>>(), wanted);
}

#[test]
fn a_node_with_an_uncounted_channel_is_absent() {
    let source = ScriptedSource::new(|group, number| match (group.kind, group.target, number) {
        (25, CountTarget::Cpu(CpuId(4)), 1) => Err(io::ErrorKind::NotFound.into()),
        // Other programs have the counters of this channel.
        (24, CountTarget::Cpu(CpuId(0)), 2) => {
            Ok(GroupReading { running_ns: 1, ..reading(group, 2) })
        }
        _ => Ok(reading(group, number)),
    });
    let mut controllers = open(&source, host(&["0-3", "4-7"])).unwrap().ok().unwrap();
    controllers.take();
    let mut nodes = || controllers.take().into_keys().collect::<Vec<_>>();
    assert_eq!(nodes(), [NodeId(0)]);
    assert_eq!(nodes(), [NodeId(1)]);
    assert_eq!(nodes(), [NodeId(0), NodeId(1)]);
}

#[test]
fn dies_with_several_nodes_are_silent() {
    let refuses = ScriptedSource::refusing(13);
    let snc = ["0-1", "2-3", "4-5", "6-7"];
    let fake = ["0-3", "0-3", "4-7", "4-7"];
    let one_node_for_all = ["0-7", ""];
    for nodes in [&snc[..], &fake, &one_node_for_all] {
        assert!(open(&refuses, host(nodes)).is_none(), "{nodes:?}");
    }
}

#[test]
fn what_the_kernel_does_not_describe_is_silent() {
    let refuses = ScriptedSource::refusing(13);
    let changed = |file: &str, text: Option<&str>| {
        let mut files = host(&["0-3", "4-7"]);
        let at = files.iter().position(|(path, _)| path.ends_with(file)).unwrap();
        match text {
            Some(text) => text.clone_into(&mut files[at].1),
            None => drop(files.remove(at)),
        }
        open(&refuses, files).and_then(Result::err)
    };
    let level = Some(PmuRefusal::Paranoid { level: 2, needed: 0 });
    assert_eq!(changed("cas_count_read.unit", Some("MiB")), level);
    assert_eq!(changed("uncore_imc_1/events/cas_count_read", Some("event=4,umask=3")), level);
    for (file, text) in [
        ("uncore_imc_1/events/cas_count_write.unit", None),
        ("cas_count_read.unit", Some("Joules")),
        ("cas_count_read.scale", None),
        ("cas_count_read.scale", Some("0")),
        ("cas_count_read.scale", Some("inf")),
        ("cas_count_write", None),
        ("cas_count_write", Some("event=?")),
        ("cas_count_write", Some("event=0x104")),
        ("format/umask", None),
    ] {
        assert_eq!(changed(file, text), None, "{file} {text:?}");
    }
}

#[test]
fn channels_have_numbers() {
    assert!(MemoryControllers::has_channel("uncore_imc_11"));
    for other in ["uncore_imc", "uncore_imc_free_running_0", "uncore_imc_", "amd_umc_0"] {
        assert!(!MemoryControllers::has_channel(other), "{other}");
    }
}
