//! Objects of captured and of live processes.

use nearfar_machine::Source;
use nearfar_model::NodeSet;

use super::*;
use crate::page_layout::SharedPages;

const PAGE: u64 = 4096;

/// Two processes that map a segment, with memory of their own.
fn captured() -> Source {
    let maps = "10000000-10100000 rw-p 00000000 00:00 0 [heap]\n\
                7f0000000000-7f0000400000 rw-s 00000000 00:01 42 /dev/shm/pool\n\
                7f1000000000-7f1000800000 rw-p 00000000 00:00 0 [anon:index]\n\
                7f2000000000-7f2000800000 rw-p 00000000 00:00 0 \n\
                7f3000000000-7f3000001000 rw-p 00000000 00:00 0 \n\
                7f4000000000-7f4000200000 r--s 00000000 00:02 7 /srv/outside\n\
                7f5000000000-7f5000400000 rw-p 00000000 00:03 9 /anon_hugepage (deleted)\n\
                7f6000000000-7f6000100000 rw-p 00000000 00:00 0 \n\
                7fff00000000-7fff00001000 r-xp 00000000 00:00 0 [vdso]\n";
    let numa = "10000000 default heap anon=256 N0=256 kernelpagesize_kB=4\n\
                7f0000000000 default file=/dev/shm/pool mapped=1024 mapmax=2 N0=1024 \
                kernelpagesize_kB=4\n\
                7f1000000000 default anon=2048 N1=2048 kernelpagesize_kB=4\n\
                7f2000000000 default anon=2048 N0=2048 kernelpagesize_kB=4\n\
                7f3000000000 default anon=1 N0=1 kernelpagesize_kB=4\n\
                7f4000000000 default file=/srv/outside mapped=512 mapmax=5 N0=512 \
                kernelpagesize_kB=4\n\
                7f5000000000 default file=/anon_hugepage\\040(deleted) huge anon=2 N0=2 \
                kernelpagesize_kB=2048\n\
                7f6000000000 default anon=256 N0=256 kernelpagesize_kB=4\n\
                7fff00000000 default\n";
    let smaps = "7f6000000000-7f6000100000 rw-p 00000000 00:00 0\nVmFlags: rd wr lo\n";
    let status = "Name:\tdb\nVmLck:\t1024 kB\n";
    Source::from_files([
        ("/proc/7/maps", maps),
        ("/proc/8/maps", maps),
        ("/proc/7/numa_maps", numa),
        ("/proc/8/numa_maps", numa),
        ("/proc/7/smaps", smaps),
        ("/proc/8/smaps", smaps),
        ("/proc/7/status", status),
        ("/proc/8/status", status),
        ("/sys/devices/system/node/online", "0-1"),
    ])
}

fn found(pids: &[u32], shared: SharedPages) -> ProcessObjects {
    ProcessObjects::read(&captured(), pids, MovableMemory { shared, ..MovableMemory::default() })
        .unwrap()
}

fn sizes(objects: &ProcessObjects) -> Vec<(&str, u64)> {
    objects.movable.iter().map(|one| (one.name.as_str(), one.bytes.0 / PAGE)).collect()
}

#[test]
fn each_mapping_is_an_object_or_has_a_reason() {
    let both = found(&[7, 8], SharedPages::Move);
    assert_eq!(
        sizes(&both),
        [
            ("[heap]", 512),
            ("/dev/shm/pool", 1024),
            ("[anon:index]", 4096),
            ("7:7f2000000000-7f2000800000", 2048),
            ("small anonymous mappings", 2),
            ("8:7f2000000000-7f2000800000", 2048),
        ]
    );
    assert_eq!(both.movable[1].parts.len(), 1, "the segment belongs to the first");
    let why = |name: &str, of: &ProcessObjects| {
        let found = of.unmovable.iter().find(|object| object.name == name);
        found.unwrap_or_else(|| panic!("{name}: {of:?}")).why
    };
    assert_eq!(why("/srv/outside", &both), WhyUnmovable::SharedOutside);
    assert_eq!(why("/anon_hugepage (deleted)", &both), WhyUnmovable::HugePool);
    assert_eq!(why("anonymous memory", &both), WhyUnmovable::Locked);
    let one = found(&[7], SharedPages::Move);
    assert_eq!(why("/dev/shm/pool", &one), WhyUnmovable::SharedOutside);
    let user = found(&[7, 8], SharedPages::Stay);
    assert_eq!(why("/dev/shm/pool", &user), WhyUnmovable::SharedWithin);
    let all = MovableMemory { shared: SharedPages::Move, locked: true, huge_pool: true };
    let locked = ProcessObjects::read(&captured(), &[7], all).unwrap();
    assert!(locked.movable.iter().any(|one| one.name == "7f6000000000-7f6000100000"));
}

#[test]
fn small_ones_are_one_together() {
    let few = found(&[7, 8], SharedPages::Move).at_most(4);
    assert_eq!(
        sizes(&few),
        [
            ("[anon:index]", 4096),
            ("7:7f2000000000-7f2000800000", 2048),
            ("8:7f2000000000-7f2000800000", 2048),
            ("everything else", 1538),
        ]
    );
    let rest = few.movable.last().unwrap();
    assert_eq!((rest.kind, rest.parts.len()), (ObjectKind::Rest, 5));
    // Two pages are little.
    let many = found(&[7, 8], SharedPages::Move).at_most(24);
    assert_eq!(sizes(&many).last(), Some(&("everything else", 2)));
    assert!(ProcessObjects::default().at_most(24).movable.is_empty());
}

#[test]
fn an_object_is_cut_into_equal_ranges() {
    let part = |start: u64, end: u64| ObjectPart { pid: 7, start, end };
    let mib = |count: u64| count << 20;
    let object = MemoryObject {
        name: "[heap]".to_owned(),
        kind: ObjectKind::Heap,
        bytes: Bytes::mib(32),
        parts: vec![part(mib(100), mib(124)), part(mib(201), mib(209))],
    };
    let cut = cut_object(&object, 4);
    let names: Vec<&str> = cut.iter().map(|range| range.name.as_str()).collect();
    assert_eq!(names, ["6400000-6c00000", "6c00000-7400000", "7400000-7c00000", "c900000-d100000"]);
    assert!(cut.iter().all(|range| range.bytes == Bytes::mib(8)), "{cut:?}");
    let parts: u64 = cut.iter().map(MemoryObject::extent).sum();
    assert_eq!(parts, object.extent());
    // A range over two parts.
    let cut = cut_object(&object, 2);
    let starts: Vec<u64> = cut[1].parts.iter().map(|part| part.start >> 20).collect();
    assert_eq!((cut.len(), &starts[..2]), (2, &[116, 201][..]), "{cut:?}");
    // An odd beginning: no page is lost.
    let odd = MemoryObject { parts: vec![part(mib(1) + PAGE, mib(21))], ..object };
    for ranges in 1..=8 {
        let cut = cut_object(&odd, ranges);
        let sum: u64 = cut.iter().map(MemoryObject::extent).sum();
        assert_eq!(sum, odd.extent(), "{cut:?}");
        assert!(cut.len() as u64 <= ranges + 1, "{cut:?}");
    }
}

#[test]
fn objects_are_named_or_refused() {
    let source = captured();
    let named = |word: &str| ProcessObjects::named(&source, &[7, 8], word, SharedPages::Move);
    assert_eq!(named("[anon:index]").unwrap().parts.len(), 2);
    assert_eq!(named("8:7f00-8000").unwrap().parts[0].pid, 8);
    let refused = |word: &str| named(word).unwrap_err().to_string();
    assert!(refused("7f00-8000").contains("PID:"), "{}", refused("7f00-8000"));
    assert!(refused("/srv/outside").contains("other processes"), "{}", refused("/srv/outside"));
    let none = refused("[heep]");
    assert!(none.contains("'[heep]'") && none.contains("[anon:index]"), "{none}");
}

#[test]
fn a_live_process_has_its_heap_and_moves_it_nowhere() {
    let (source, pid) = (Source::live(), std::process::id());
    let nodes = nearfar_place::allowed_nodes().unwrap();
    let node = NodeSet::from_id(nodes.iter().next().unwrap());
    let some = vec![1u8; 8 << 20];
    let start = some.as_ptr() as u64 / PAGE * PAGE;
    let word = format!("{:x}-{:x}", start, start + (8 << 20));
    let moved = move_object(&source, &[pid], &word, &node).unwrap();
    assert!(moved.object.after.on_any(&node) >= Bytes::mib(7), "{moved:?}");
    assert!(moved.is_complete(), "{moved:?}");
    drop(some);
    let empty = move_object(&source, &[pid], "1000-2000", &node).unwrap_err().to_string();
    assert!(empty.contains("1000-2000"), "{empty}");
}
