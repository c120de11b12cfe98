//! Segments and files, as users of numactl use them.

#![allow(unsafe_code)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use nearfar_model::{Bytes, NodeId, NodeSet};

use super::file_system::FileSystem;
use super::*;
use crate::feature::Feature;
use crate::get_mempolicy::allowed_nodes;
use crate::tests::denied_calls::{Denied, without};

/// A file name of this test; the file is removed when dropped.
struct Name(PathBuf);

impl Name {
    fn under(folder: &str, test: &str) -> Self {
        Self(PathBuf::from(format!("{folder}/nearfar-{}-{test}", std::process::id())))
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn part(offset: Bytes, length: Bytes) -> RegionRequest {
    RegionRequest { offset, length: Some(length), ..RegionRequest::default() }
}

fn set(memory: &SharedMemory, policy: &Policy) {
    memory.set_policy(policy, PolicyFlags::default(), ExistingPages::Stay).unwrap();
}

#[test]
fn a_policy_stays_with_a_file() {
    let name = Name::under("/dev/shm", "stays");
    let nodes = allowed_nodes().unwrap();
    // The offset may exceed the length.
    let made = SharedMemory::file(&name.0, &part(Bytes::mib(2), Bytes::mib(1))).unwrap();
    assert!(made.was_made());
    assert_eq!(fs::metadata(&name.0).unwrap().len(), 3 << 20);
    assert_eq!(fs::metadata(&name.0).unwrap().permissions().mode() & 0o7777, 0o600);
    set(&made, &Policy::Bind(nodes.clone()));
    made.touch().unwrap();
    drop(made);
    let again = SharedMemory::file(&name.0, &RegionRequest::default()).unwrap();
    assert!(!again.was_made());
    assert_eq!(again.length(), 3 << 20);
    let found: Vec<_> =
        again.policies().unwrap().into_iter().map(|part| (part.bytes, part.what)).collect();
    assert_eq!(found, [(0..2 << 20, Policy::Default), (2 << 20..3 << 20, Policy::Bind(nodes))]);
}

#[test]
fn listing_pages_allocates_none() {
    let name = Name::under("/dev/shm", "holes");
    let memory = SharedMemory::file(&name.0, &part(Bytes(0), Bytes::mib(1))).unwrap();
    let touched = SharedMemory::file(&name.0, &part(Bytes::kib(256), Bytes::kib(64))).unwrap();
    touched.touch().unwrap();
    let found = memory.nodes().unwrap();
    let bytes: Vec<_> =
        found.iter().filter(|part| part.what.is_some()).map(|part| part.bytes.clone()).collect();
    assert_eq!(bytes, vec![Range { start: 256 << 10, end: 320 << 10 }]);
    assert_eq!(found.len(), 3);
    assert_eq!(memory.nodes().unwrap(), found);
}

#[test]
fn every_policy_is_kept_and_verified() {
    let nodes = allowed_nodes().unwrap();
    let first = nodes.first().unwrap();
    let mut policies = vec![
        Policy::Interleave(nodes.clone()),
        Policy::Bind(nodes.clone()),
        Policy::Preferred(first),
        Policy::Local,
        Policy::Default,
    ];
    if Feature::PreferredMany.is_supported().unwrap() {
        policies.push(Policy::PreferredMany(nodes.clone()));
    }
    if Feature::WeightedInterleave.is_supported().unwrap() {
        policies.push(Policy::WeightedInterleave(nodes));
    }
    for policy in &policies {
        let name = Name::under("/dev/shm", policy.name());
        let memory = SharedMemory::file(&name.0, &part(Bytes(0), Bytes::kib(256))).unwrap();
        assert!(memory.policy_lasts());
        set(&memory, policy);
        assert_eq!(memory.verify(policy).unwrap(), [], "{policy:?}");
    }
    let name = Name::under("/dev/shm", "other");
    let memory = SharedMemory::file(&name.0, &part(Bytes(0), Bytes::kib(256))).unwrap();
    set(&memory, &Policy::Local);
    let broken = memory.verify(&policies[0]).unwrap();
    let whole =
        Stretch { bytes: 0..256 << 10, what: Misplaced::OtherPolicy { found: Policy::Local } };
    assert_eq!(broken, [whole]);
}

#[test]
fn strict_succeeds_if_pages_follow_already() {
    let name = Name::under("/dev/shm", "strict");
    let memory = SharedMemory::file(&name.0, &part(Bytes(0), Bytes::kib(64))).unwrap();
    memory.touch().unwrap();
    let policy = Policy::Bind(allowed_nodes().unwrap());
    memory.set_policy(&policy, PolicyFlags::default(), ExistingPages::MustFollow).unwrap();
}

#[test]
fn files_grow_and_failed_ones_are_removed() {
    let name = Name::under("/dev/shm", "grows");
    fs::write(&name.0, b"held").unwrap();
    let memory = SharedMemory::file(&name.0, &part(Bytes::kib(64), Bytes::kib(64))).unwrap();
    assert!(!memory.was_made());
    assert_eq!(fs::metadata(&name.0).unwrap().len(), 128 << 10);
    assert_eq!(&fs::read(&name.0).unwrap()[..4], b"held");
    let absurd = Name::under("/dev/shm", "absurd");
    assert!(
        SharedMemory::file(&absurd.0, &part(Bytes(0), Bytes(i64::MAX as u64 / 4096 * 4096)))
            .is_err()
    );
    assert!(SharedMemory::file(&absurd.0, &part(Bytes(5), Bytes::mib(1))).is_err());
    assert!(SharedMemory::file(&absurd.0, &RegionRequest::default()).is_err());
    assert!(!absurd.0.exists());
}

#[test]
fn file_systems_without_policies_are_named() {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    if FileSystem::for_folder(folder.as_ref()).unwrap().policy_lifetime()
        != PolicyLifetime::Unsupported
    {
        // The lab's guests have only tmpfs.
        return;
    }
    let name = Name::under(&folder, "unsupported");
    let refused = |request: &RegionRequest| {
        SharedMemory::file(&name.0, request).map(|_| ()).unwrap_err().to_string()
    };
    let message = refused(&part(Bytes(0), Bytes::mib(1)));
    assert!(message.contains("does not support memory policies") && !name.0.exists(), "{message}");
    fs::write(&name.0, vec![1; 8192]).unwrap();
    assert!(refused(&part(Bytes(0), Bytes::mib(1))).contains("does not support memory policies"));
    let opened = SharedMemory::file(&name.0, &RegionRequest::default()).unwrap();
    let set = opened.set_policy(&Policy::Local, PolicyFlags::default(), ExistingPages::Stay);
    assert!(matches!(set, Err(PlaceError::NoSharedPolicy { .. })), "{set:?}");
    opened.nodes().unwrap();
}

#[test]
fn special_files_are_refused() {
    let refused = |path: &str| {
        SharedMemory::file(path.as_ref(), &RegionRequest::default())
            .map(|_| ())
            .unwrap_err()
            .to_string()
    };
    assert!(refused("/dev/shm").contains("not a regular file"));
    assert!(refused("/dev/zero").contains("not a regular file"));
    assert!(refused("/no/such/file").contains("give a length to create it"));
    assert!(SharedMemory::file("/no/such/file".as_ref(), &part(Bytes(0), Bytes::mib(1))).is_err());
}

/// Removes the segment of a key file, as `ipcrm` does.
fn remove_segment(key_file: &Name) {
    let path = std::ffi::CString::new(key_file.0.to_str().unwrap()).unwrap();
    // SAFETY: the path ends in a zero byte; IPC_RMID takes no structure.
    let status = unsafe {
        libc::shmctl(
            libc::shmget(libc::ftok(path.as_ptr(), 7), 0, 0),
            libc::IPC_RMID,
            std::ptr::null_mut(),
        )
    };
    assert_eq!(status, 0);
}

#[test]
fn a_segment_keeps_its_policy() {
    let name = Name::under("/tmp", "segment");
    let find = |request: &RegionRequest| SharedMemory::segment_by_key(&name.0, 7, request);
    assert!(find(&RegionRequest::default()).is_err() && !name.0.exists());
    let made = find(&part(Bytes(0), Bytes::mib(1))).unwrap();
    assert!(made.was_made());
    let policy = Policy::Interleave(allowed_nodes().unwrap());
    let middle = find(&part(Bytes::kib(512), Bytes::kib(256))).unwrap();
    assert!(!middle.was_made());
    set(&middle, &policy);
    assert_eq!(middle.verify(&policy).unwrap(), []);
    let found: Vec<_> = find(&RegionRequest::default()).unwrap().policies().unwrap();
    let kept: Vec<_> =
        found.iter().filter(|part| part.what == policy).map(|part| part.bytes.clone()).collect();
    assert_eq!(kept, vec![Range { start: 512 << 10, end: 768 << 10 }]);
    let beyond = find(&part(Bytes::mib(1), Bytes::mib(1))).map(|_| ()).unwrap_err().to_string();
    assert!(beyond.contains("beyond its 1048576 bytes"), "{beyond}");
    remove_segment(&name);
    let gone = SharedMemory::segment_by_id(i32::MAX, &RegionRequest::default())
        .map(|_| ())
        .unwrap_err()
        .to_string();
    assert!(gone.contains("no such segment"), "{gone}");
}

#[test]
fn a_failed_segment_leaves_no_key_file() {
    let name = Name::under("/tmp", "unmade");
    let make =
        |length| SharedMemory::segment_by_key(&name.0, 7, &part(Bytes(0), length)).map(|_| ());
    let denied = without(&[libc::SYS_shmget], Denied::Eperm, || make(Bytes::kib(64)));
    assert_eq!(denied, Err(PlaceError::NotPermitted { call: "shmget" }));
    assert!(!name.0.exists());
    assert!(make(Bytes(i64::MAX as u64 / 4096 * 4096)).is_err());
    assert!(!name.0.exists());
    fs::write(&name.0, "held").unwrap();
    assert!(without(&[libc::SYS_shmget], Denied::Eperm, || make(Bytes::kib(64))).is_err());
    assert!(name.0.exists(), "a file that was there before stays");
}

#[test]
fn huge_segments_use_huge_pages_or_fail_with_reason() {
    let name = Name::under("/tmp", "huge");
    let request = RegionRequest { huge: true, ..part(Bytes(0), Bytes::gib(1)) };
    match SharedMemory::segment_by_key(&name.0, 7, &request) {
        Ok(memory) => {
            assert!(memory.page() >= Bytes::mib(2), "{}", memory.page());
            remove_segment(&name);
        }
        Err(place_error) => {
            let message = place_error.to_string();
            assert!(
                message.contains("nr_hugepages") || message.contains("CAP_IPC_LOCK"),
                "{message}"
            );
        }
    }
}

#[test]
fn denied_calls_are_named() {
    let name = Name::under("/dev/shm", "denied");
    let calls = [libc::SYS_mbind, libc::SYS_get_mempolicy];
    let (set, nodes) = without(&calls, Denied::Eperm, || {
        let memory = SharedMemory::file(&name.0, &part(Bytes(0), Bytes::kib(64))).unwrap();
        let policy = Policy::Bind(NodeSet::from_id(NodeId(0)));
        memory.touch().unwrap();
        (
            memory.set_policy(&policy, PolicyFlags::default(), ExistingPages::Stay),
            memory.nodes().map(|_| ()),
        )
    });
    assert_eq!(set, Err(PlaceError::NotPermitted { call: "mbind" }));
    assert_eq!(nodes, Err(PlaceError::NotPermitted { call: "get_mempolicy" }));
    let segment = without(&[libc::SYS_shmget], Denied::Eperm, || {
        SharedMemory::segment_by_key(&name.0, 7, &part(Bytes(0), Bytes::kib(64))).map(|_| ())
    });
    assert_eq!(segment, Err(PlaceError::NotPermitted { call: "shmget" }));
}
