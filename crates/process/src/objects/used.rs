//! Which objects were used lately, by the bits that CPUs set in page tables.

use std::collections::BTreeMap;

use nearfar_machine::{Process, Source};
use nearfar_model::Bytes;

use crate::objects::{MemoryObject, ObjectKind, ProcessObjects};

/// An object of whose memory less than this was used is one of those that were not.
const UNUSED: f64 = 0.001;

/// What has been used of processes' memory since it was marked as unused.
#[derive(Debug)]
pub struct UsedMemory {
    /// The end and the used memory of each mapping, by process and first address.
    mappings: BTreeMap<(u32, u64), (u64, Bytes)>,
    processes: usize,
}

/// Marks all pages of these processes as unused. False where the kernel cannot. Their accesses set
/// the bits again; the kernel's choice of pages to reclaim loses what it had so far.
///
/// # References
///
/// Documentation/filesystems/proc.rst, `clear_refs`
pub fn mark_unused(source: &Source, pids: &[u32]) -> bool {
    pids.iter().all(|pid| Process::known(source, *pid).mark_unused())
}

impl UsedMemory {
    /// What was used since [`mark_unused`].
    pub fn read(source: &Source, pids: &[u32]) -> Self {
        let of = |pid: &u32| {
            let pid = *pid;
            let all = Process::known(source, pid).referenced();
            all.into_iter().map(move |([start, end], used)| ((pid, start), (end, used)))
        };
        Self { mappings: pids.iter().flat_map(of).collect(), processes: pids.len() }
    }

    /// The share of an object that was used; of a part of a mapping that of the mapping. `None`
    /// where it is not known: a mapping has no figure, or other processes may have used it.
    pub fn share_of(&self, object: &MemoryObject) -> Option<f64> {
        let is_shared = matches!(object.kind, ObjectKind::File | ObjectKind::Shared);
        if self.processes > 1 && (is_shared || object.kind == ObjectKind::Rest) {
            return None;
        }
        let (mut used, mut all) = (0.0, 0.0);
        for part in &object.parts {
            let before = self.mappings.range(..=(part.pid, part.start)).next_back();
            let ((pid, start), (end, bytes)) = before?;
            if *pid != part.pid || part.end > *end {
                return None;
            }
            let share = (part.end - part.start) as f64 / (end - start) as f64;
            used += bytes.0 as f64 * share;
            all += (part.end - part.start) as f64;
        }
        // Of a mapping that is not all in memory, what is there counts.
        let size = (object.bytes.0 as f64).min(all);
        (size > 0.0).then(|| (used / size).min(1.0))
    }
}

impl ProcessObjects {
    /// Objects that were not used are one together if there are several: measured, but not each.
    pub fn unused_together(mut self, used: &UsedMemory) -> Self {
        let is_unused =
            |object: &MemoryObject| used.share_of(object).is_some_and(|share| share < UNUSED);
        let (unused, movable): (Vec<_>, Vec<_>) =
            self.movable.into_iter().partition(|object| is_unused(object));
        self.movable = movable;
        if unused.len() < 2 {
            self.movable.extend(unused);
        } else {
            let name = "memory that was not used".to_owned();
            self.movable.push(MemoryObject::together(name, unused));
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objects::ObjectPart;

    fn object(start: u64, bytes: u64, kind: ObjectKind) -> MemoryObject {
        let parts = vec![ObjectPart { pid: 7, start, end: start + bytes }];
        MemoryObject { name: format!("{start:x}"), kind, bytes: Bytes(bytes), parts }
    }

    #[test]
    fn what_was_not_used_is_one_object() {
        let smaps = "1000-3000 rw-p 00000000 00:00 0 \nReferenced: 4 kB\n\
                     5000-6000 rw-p 00000000 00:00 0 \nReferenced: 0 kB\n\
                     8000-9000 rw-p 00000000 00:00 0 \nReferenced: 0 kB\n";
        let source = Source::from_files([("/proc/7/smaps", smaps)]);
        let used = UsedMemory::read(&source, &[7]);
        let [half, none, other] = [(0x1000, 0x2000), (0x5000, 0x1000), (0x8000, 0x1000)]
            .map(|(start, bytes)| object(start, bytes, ObjectKind::Anonymous));
        assert_eq!([&half, &none].map(|one| used.share_of(one)), [Some(0.5), Some(0.0)]);
        assert_eq!(used.share_of(&object(0xf000, 0x1000, ObjectKind::Heap)), None);
        let all = |movable: Vec<MemoryObject>| ProcessObjects { movable, unmovable: Vec::new() };
        let one = all(vec![half.clone(), none.clone()]).unused_together(&used);
        assert_eq!(one.movable, [half.clone(), none.clone()]);
        let two = all(vec![half.clone(), none, other]).unused_together(&used).movable;
        assert_eq!((two.len(), &two[0]), (2, &half));
        assert_eq!((two[1].bytes, two[1].parts.len()), (Bytes(0x2000), 2));
        // Another process may have used the file.
        let two = UsedMemory { processes: 2, ..used };
        assert_eq!(two.share_of(&object(0x5000, 0x1000, ObjectKind::File)), None);
    }

    #[test]
    fn own_memory_is_used_when_it_is_written() {
        let (source, pid) = (Source::live(), std::process::id());
        let mut memory = vec![1_u8; 8 << 20];
        let start = (memory.as_ptr() as u64).next_multiple_of(4096);
        let mut own = object(start, 4 << 20, ObjectKind::Anonymous);
        own.parts[0].pid = pid;
        if !mark_unused(&source, &[pid]) {
            return; // a kernel without CONFIG_PROC_PAGE_MONITOR
        }
        let before = UsedMemory::read(&source, &[pid]).share_of(&own).unwrap();
        memory.iter_mut().step_by(4096).for_each(|byte| *byte += 1);
        let after = UsedMemory::read(&source, &[pid]).share_of(&own).unwrap();
        assert!(before < 0.1 && after > 0.9, "{before} {after} {}", memory[0]);
    }
}
