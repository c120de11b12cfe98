//! Which objects processes have, by their mappings.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use nearfar_machine::{Process, Source};
use nearfar_model::Bytes;

use crate::error::ProcessError;
use crate::kind::MappingKind;
use crate::mapping::{FileId, MappingMemory};
use crate::memory::ProcessMemory;
use crate::objects::{
    MemoryObject, ObjectKind, ObjectPart, ProcessObjects, UnmovableObject, WhyUnmovable, addresses,
};
use crate::page_layout::SharedPages;

/// A share of all memory from which on an anonymous mapping is an object of its own.
const LARGE: f64 = 0.02;

/// What makes mappings one object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ObjectKey {
    Kind(ObjectKind),
    Named(String),
    File(FileId),
    Mapping(ObjectPart),
}

/// What may move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MovableMemory {
    /// Pages that several processes of the target map.
    pub shared: SharedPages,
    /// Locked memory.
    pub locked: bool,
    /// Pages of a pool of huge pages: these move if the other node's pool has as many free.
    pub huge_pool: bool,
}

impl ProcessObjects {
    /// The objects of these processes.
    ///
    /// # Errors
    ///
    /// A process has ended or belongs to another user.
    pub fn read(
        source: &Source,
        pids: &[u32],
        movable: MovableMemory,
    ) -> Result<Self, ProcessError> {
        let read = |pid: &u32| ProcessMemory::read(source, *pid);
        let processes = pids.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let locked = |pid: u32| Process::known(source, pid).locked_mappings();
        Ok(Collecting::new(&processes, movable).collected(&processes, &locked))
    }
}

struct Collecting {
    movable: MovableMemory,
    /// Mappings of each file over all processes.
    users: BTreeMap<FileId, u64>,
    processes: u64,
    /// Memory from which on an anonymous mapping is large.
    large: f64,
    objects: BTreeMap<ObjectKey, MemoryObject>,
    unmovable: BTreeMap<String, UnmovableObject>,
    /// Parts of files that a process has already.
    taken: BTreeMap<FileId, Vec<Range<u64>>>,
}

impl Collecting {
    fn new(processes: &[ProcessMemory], movable: MovableMemory) -> Self {
        let mut users = BTreeMap::new();
        for mapping in processes.iter().flat_map(|process| &process.mappings) {
            if let Some(file) = &mapping.file {
                *users.entry(file.id.clone()).or_default() += 1;
            }
        }
        let all: Bytes = processes.iter().map(|process| process.by_node().total()).sum();
        Self {
            movable,
            users,
            processes: processes.len() as u64,
            large: LARGE * all.0 as f64,
            objects: BTreeMap::new(),
            unmovable: BTreeMap::new(),
            taken: BTreeMap::new(),
        }
    }

    fn collected(
        mut self,
        processes: &[ProcessMemory],
        locked: &dyn Fn(u32) -> Vec<[u64; 2]>,
    ) -> ProcessObjects {
        for process in processes {
            let locked = locked(process.pid);
            for mapping in &process.mappings {
                let bytes = mapping.by_node.total();
                if mapping.kind == MappingKind::Kernel || bytes.0 == 0 {
                    continue;
                }
                match self.why_unmovable(mapping, &locked) {
                    Some(why) => self.add_unmovable(mapping, why),
                    None => self.add(process.pid, mapping, processes.len() > 1),
                }
            }
        }
        let mut movable: Vec<MemoryObject> = self.objects.into_values().collect();
        movable.sort_by_key(MemoryObject::first);
        let mut unmovable: Vec<UnmovableObject> = self.unmovable.into_values().collect();
        unmovable.sort_by_key(|object| Reverse(object.bytes));
        ProcessObjects { movable, unmovable }
    }

    fn why_unmovable(&self, mapping: &MappingMemory, locked: &[[u64; 2]]) -> Option<WhyUnmovable> {
        let within = match &mapping.file {
            Some(file) => self.users.get(&file.id).copied().unwrap_or(1),
            None => self.processes,
        };
        if mapping.kind == MappingKind::Huge && !self.movable.huge_pool {
            Some(WhyUnmovable::HugePool)
        } else if !self.movable.locked && locked.iter().any(|range| range[0] == mapping.start) {
            Some(WhyUnmovable::Locked)
        } else if mapping.most_mapped > within {
            Some(WhyUnmovable::SharedOutside)
        } else if mapping.most_mapped > 1 && self.movable.shared == SharedPages::Stay {
            Some(WhyUnmovable::SharedWithin)
        } else {
            None
        }
    }

    fn add_unmovable(&mut self, mapping: &MappingMemory, why: WhyUnmovable) {
        let name = mapping.name.clone().unwrap_or_else(|| "anonymous memory".to_owned());
        let none = UnmovableObject { name: name.clone(), bytes: Bytes(0), why };
        let object = self.unmovable.entry(name).or_insert(none);
        object.bytes = object.bytes + mapping.by_node.total();
    }

    fn add(&mut self, pid: u32, mapping: &MappingMemory, names_process: bool) {
        let Some(end) = mapping.end else { return };
        let whole = ObjectPart { pid, start: mapping.start, end };
        let bytes = mapping.by_node.total();
        let (key, name, kind) = self.identity(mapping, whole, names_process);
        let parts = self.parts(mapping, whole);
        let size: u64 = parts.iter().map(|part| part.end - part.start).sum();
        if size == 0 {
            return;
        }
        let share = size as f64 / (end - mapping.start) as f64;
        let none = MemoryObject { name, kind, bytes: Bytes(0), parts: Vec::new() };
        let object = self.objects.entry(key).or_insert(none);
        object.bytes = object.bytes + Bytes((bytes.0 as f64 * share) as u64);
        object.parts.extend(parts);
        object.parts.sort_unstable();
    }

    fn identity(
        &self,
        mapping: &MappingMemory,
        whole: ObjectPart,
        names_process: bool,
    ) -> (ObjectKey, String, ObjectKind) {
        let named = mapping.name.clone().unwrap_or_default();
        let kind = match mapping.kind {
            MappingKind::Heap => ObjectKind::Heap,
            MappingKind::Stack => ObjectKind::Stack,
            MappingKind::File => ObjectKind::File,
            MappingKind::Shared | MappingKind::Huge => ObjectKind::Shared,
            MappingKind::Anonymous | MappingKind::Kernel => match named.starts_with("[anon:") {
                true => ObjectKind::Named,
                false if mapping.by_node.total().0 as f64 >= self.large => ObjectKind::Anonymous,
                false => ObjectKind::SmallAnonymous,
            },
        };
        match (&mapping.file, kind) {
            (Some(file), ObjectKind::File | ObjectKind::Shared) => {
                (ObjectKey::File(file.id.clone()), named, kind)
            }
            (_, ObjectKind::Named) => (ObjectKey::Named(named.clone()), named, kind),
            (_, ObjectKind::Anonymous | ObjectKind::File | ObjectKind::Shared) => {
                let addresses = addresses(&[whole]);
                let pid = if names_process { format!("{}:", whole.pid) } else { String::new() };
                (ObjectKey::Mapping(whole), pid + &addresses, ObjectKind::Anonymous)
            }
            (_, ObjectKind::Heap) => (ObjectKey::Kind(kind), "[heap]".to_owned(), kind),
            (_, ObjectKind::Stack) => (ObjectKey::Kind(kind), "[stack]".to_owned(), kind),
            _ => (ObjectKey::Kind(kind), "small anonymous mappings".to_owned(), kind),
        }
    }

    /// Of a file those parts that no process had before.
    fn parts(&mut self, mapping: &MappingMemory, whole: ObjectPart) -> Vec<ObjectPart> {
        let Some(file) = &mapping.file else { return vec![whole] };
        let taken = self.taken.entry(file.id.clone()).or_default();
        let own = file.offset..file.offset + (whole.end - whole.start);
        let mut left = vec![own.clone()];
        for other in taken.iter() {
            left = left.into_iter().flat_map(|part| without(&part, other)).collect();
        }
        taken.push(own.clone());
        let part = |range: Range<u64>| ObjectPart {
            pid: whole.pid,
            start: whole.start + (range.start - own.start),
            end: whole.start + (range.end - own.start),
        };
        left.into_iter().map(part).collect()
    }
}

/// What is left of a range without another.
fn without(part: &Range<u64>, other: &Range<u64>) -> Vec<Range<u64>> {
    let before = part.start..part.end.min(other.start);
    let after = part.start.max(other.end)..part.end;
    [before, after].into_iter().filter(|range| range.start < range.end).collect()
}
