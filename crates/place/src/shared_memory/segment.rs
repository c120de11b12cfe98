//! System V segments: shmget(2), shmctl(2).

#![allow(unsafe_code)]

use std::fs::OpenOptions;
use std::mem::MaybeUninit;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use libc::{c_int, key_t};
use nearfar_model::Bytes;

use crate::mapping::base_page;
use crate::place_error::{PlaceError, describe, last_errno};
use crate::shared_memory::attachment::Attachment;
use crate::shared_memory::file_system::Keeping;
use crate::shared_memory::region::{Region, length_to_make};
use crate::shared_memory::unfinished::Unfinished;
use crate::shared_memory::{SharedMemory, Wish};
use crate::smaps;

impl SharedMemory {
    /// A part of the segment whose key is made of a file and a project number, as ftok(3) makes it
    /// (of the number, 8 bits count). Segment and file are made when they do not exist and a length
    /// is given.
    pub fn segment_by_key(key_file: &Path, project: i32, wish: &Wish) -> Result<Self, PlaceError> {
        let name = format!("segment of {}", key_file.display());
        let made_file = match key_file.try_exists() {
            Ok(false) => Some(make_key_file(key_file, &name, wish)?),
            _ => None,
        };
        let memory = by_key(name, key(key_file, project)?, wish)?;
        if let Some(file) = made_file {
            file.keep();
        }
        Ok(memory)
    }

    /// A part of the segment that has this number (`ipcs -m` lists them).
    pub fn segment_by_id(id: i32, wish: &Wish) -> Result<Self, PlaceError> {
        attach(format!("segment {id}"), id, wish, false)
    }
}

fn by_key(name: String, key: key_t, wish: &Wish) -> Result<SharedMemory, PlaceError> {
    match get(key, 0, 0) {
        Ok(id) => attach(name, id, wish, false),
        Err(libc::ENOENT) => make(name, key, wish),
        Err(errno) => Err(PlaceError::of("shmget", errno)),
    }
}

fn key(key_file: &Path, project: i32) -> Result<key_t, PlaceError> {
    let refuse = |why: &str| PlaceError::file("making a key of", key_file, why);
    let about = std::fs::metadata(key_file).map_err(|error| refuse(&error.to_string()))?;
    match key_of(about.dev(), about.ino(), project) {
        libc::IPC_PRIVATE => {
            Err(refuse("its key is 0, which nobody else can find: give another project number"))
        }
        key => Ok(key),
    }
}

fn make_key_file(path: &Path, name: &str, wish: &Wish) -> Result<Unfinished, PlaceError> {
    length_to_make(name, wish)?;
    let made = OpenOptions::new().write(true).create_new(true).mode(wish.mode).open(path);
    made.map_err(|error| PlaceError::file("making a key of", path, &error.to_string()))?;
    Ok(Unfinished::made(path))
}

/// ftok(3).
fn key_of(device: u64, inode: u64, project: i32) -> key_t {
    let low = (device & 0xff) << 16 | (inode & 0xffff);
    (project & 0xff) << 24 | i32::try_from(low).unwrap_or_default()
}

fn make(name: String, key: key_t, wish: &Wish) -> Result<SharedMemory, PlaceError> {
    let whole = length_to_make(&name, wish)?;
    let huge = if wish.huge { libc::SHM_HUGETLB } else { 0 };
    let mode = c_int::try_from(wish.mode & 0o777).unwrap_or_default();
    let id = match get(key, whole, libc::IPC_CREAT | libc::IPC_EXCL | huge | mode) {
        Ok(id) => id,
        // Somebody was faster.
        Err(libc::EEXIST) => return by_key(name, key, wish),
        Err(errno) => return Err(why_not_made(name, whole, wish.huge, errno)),
    };
    attach(name, id, wish, true).inspect_err(|_| remove(id))
}

fn why_not_made(name: String, whole: u64, huge: bool, errno: c_int) -> PlaceError {
    let wanted = Bytes(whole);
    let why = match errno {
        libc::EPERM if huge => {
            "huge pages need CAP_IPC_LOCK, or a group named in vm.hugetlb_shm_group".to_owned()
        }
        libc::ENOMEM if huge => {
            format!("the pool of huge pages has not {wanted}: see vm.nr_hugepages")
        }
        libc::EINVAL => format!("the kernel takes no segment of {whole} bytes: see kernel.shmmax"),
        libc::ENOSPC => "there are too many segments, or too large ones: see kernel.shmmni and \
                         kernel.shmall"
            .to_owned(),
        libc::ENOMEM => {
            return PlaceError::OutOfMemory { call: "shmget", wanted, errno: describe(errno) };
        }
        errno => return PlaceError::of("shmget", errno),
    };
    PlaceError::Region { name, why }
}

fn attach(name: String, id: c_int, wish: &Wish, made: bool) -> Result<SharedMemory, PlaceError> {
    let whole = length(&name, id)?;
    let attachment = Attachment::of_segment(id)?;
    let page =
        smaps::page_size(attachment.start().addr()).map_or(base_page() as u64, |page| page.0);
    let region = Region::of(&name, wish, whole, page)?;
    let keeping = if page > base_page() as u64 { Keeping::WhileMapped } else { Keeping::Always };
    let attachment = attachment.seen_from(&region);
    Ok(SharedMemory { attachment, region, made, name, keeping, file_system: String::new() })
}

/// Fails with the error number.
fn get(key: key_t, length: u64, flags: c_int) -> Result<c_int, c_int> {
    // SAFETY: all arguments are numbers.
    let id = unsafe { libc::shmget(key, length as usize, flags) };
    if id >= 0 { Ok(id) } else { Err(last_errno()) }
}

fn length(name: &str, id: c_int) -> Result<u64, PlaceError> {
    let mut about = MaybeUninit::<libc::shmid_ds>::uninit();
    // SAFETY: the kernel writes the whole structure when it says 0.
    if unsafe { libc::shmctl(id, libc::IPC_STAT, about.as_mut_ptr()) } == 0 {
        // SAFETY: it said 0.
        return Ok(unsafe { about.assume_init() }.shm_segsz as u64);
    }
    let refuse = |why: &str| PlaceError::Region { name: name.to_owned(), why: why.to_owned() };
    match last_errno() {
        libc::EINVAL | libc::EIDRM => {
            Err(refuse("there is no such segment: ipcs -m lists those that there are"))
        }
        libc::EACCES => Err(refuse("it belongs to somebody else, who does not let you read it")),
        errno => Err(PlaceError::of("shmctl", errno)),
    }
}

/// Takes a segment back that was made just now.
fn remove(id: c_int) {
    // SAFETY: IPC_RMID takes no structure; the segment goes when nobody is attached any more.
    unsafe { libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_what_ftok_says() {
        for project in [0, 1, 255, 256, -1] {
            let path = c"/dev/shm";
            // SAFETY: the path ends in a zero byte.
            let theirs = unsafe { libc::ftok(path.as_ptr(), project) };
            let about = std::fs::metadata("/dev/shm").unwrap();
            assert_eq!(key_of(about.dev(), about.ino(), project), theirs, "{project}");
        }
    }
}
