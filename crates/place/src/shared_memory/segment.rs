//! System V segments: shmget(2), shmctl(2).

#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use libc::{c_int, key_t};
use nearfar_model::Bytes;
use nearfar_view::owned_files::Folder;

use crate::mapping::base_page;
use crate::place_error::{PlaceError, describe, last_errno};
use crate::shared_memory::RemoveOnError;
use crate::shared_memory::attachment::Attachment;
use crate::shared_memory::file_system::PolicyLifetime;
use crate::shared_memory::region::{SharedRegion, length_to_create};
use crate::shared_memory::{RegionRequest, SharedMemory};
use crate::smaps;

impl SharedMemory {
    /// A part of the segment with the key of a file and a project number, as ftok(3) makes it (of
    /// the number, 8 bits count). Segment and file are created if they do not exist and a length is
    /// given.
    ///
    /// # Errors
    ///
    /// [`PlaceError::File`] if the key file cannot be used, [`PlaceError::Region`] if the segment
    /// cannot be created or the part does not fit, [`PlaceError::OutOfMemory`] if the kernel has no
    /// memory.
    ///
    /// # References
    ///
    /// ftok(3), shmget(2), shmat(2), `SHM_HUGETLB` in shmget(2)
    pub fn segment_by_key(
        key_file: &Path,
        project: i32,
        request: &RegionRequest,
    ) -> Result<Self, PlaceError> {
        let name = format!("segment of {}", key_file.display());
        let new_file = match key_file.try_exists() {
            Ok(false) => Some(create_key_file(key_file, &name, request)?),
            _ => None,
        };
        let memory = by_key(name, key(key_file, project)?, request)?;
        if let Some(file) = new_file {
            file.keep();
        }
        Ok(memory)
    }

    /// A part of the segment with this identifier (`ipcs -m` lists them).
    ///
    /// # Errors
    ///
    /// [`PlaceError::Region`] if there is no such segment, if it belongs to another user, or if the
    /// part does not fit.
    ///
    /// # References
    ///
    /// shmctl(2), shmat(2)
    pub fn segment_by_id(id: i32, request: &RegionRequest) -> Result<Self, PlaceError> {
        attach(format!("segment {id}"), id, request, false)
    }
}

fn by_key(name: String, key: key_t, request: &RegionRequest) -> Result<SharedMemory, PlaceError> {
    match get(key, 0, 0) {
        Ok(id) => attach(name, id, request, false),
        Err(libc::ENOENT) => create(name, key, request),
        Err(errno) => Err(PlaceError::from_errno("shmget", errno)),
    }
}

fn key(key_file: &Path, project: i32) -> Result<key_t, PlaceError> {
    let error = |why: &str| PlaceError::file("making a key from", key_file, why);
    let metadata = std::fs::metadata(key_file).map_err(|cause| error(&cause.to_string()))?;
    match key_of(metadata.dev(), metadata.ino(), project) {
        libc::IPC_PRIVATE => {
            Err(error("its key is 0, which is private: give another project number"))
        }
        key => Ok(key),
    }
}

fn create_key_file(
    path: &Path,
    name: &str,
    request: &RegionRequest,
) -> Result<RemoveOnError, PlaceError> {
    length_to_create(name, request)?;
    let created =
        Folder::for_file(path).and_then(|(folder, name)| folder.create_new(&name, request.mode));
    created.map_err(|error| PlaceError::file("creating a key file", path, &error.to_string()))?;
    Ok(RemoveOnError::new(path))
}

fn key_of(device: u64, inode: u64, project: i32) -> key_t {
    let low = (device & 0xff) << 16 | (inode & 0xffff);
    (project & 0xff) << 24 | i32::try_from(low).unwrap_or_default()
}

fn create(name: String, key: key_t, request: &RegionRequest) -> Result<SharedMemory, PlaceError> {
    let whole = length_to_create(&name, request)?;
    let huge = if request.huge { libc::SHM_HUGETLB } else { 0 };
    let mode = c_int::try_from(request.mode & 0o777).unwrap_or_default();
    let id = match get(key, whole, libc::IPC_CREAT | libc::IPC_EXCL | huge | mode) {
        Ok(id) => id,
        // Another process was faster.
        Err(libc::EEXIST) => return by_key(name, key, request),
        Err(errno) => return Err(creation_error(name, whole, request.huge, errno)),
    };
    attach(name, id, request, true).inspect_err(|_| remove(id))
}

fn creation_error(name: String, whole: u64, huge: bool, errno: c_int) -> PlaceError {
    let wanted = Bytes(whole);
    let why = match errno {
        libc::EPERM if huge => {
            "huge pages need CAP_IPC_LOCK, or a group named in vm.hugetlb_shm_group".to_owned()
        }
        libc::ENOMEM if huge => {
            format!("the pool of huge pages has less than {wanted}: see vm.nr_hugepages")
        }
        libc::EINVAL => format!("{whole} bytes exceed the largest segment: see kernel.shmmax"),
        libc::ENOSPC => "there are too many segments, or too large ones: see kernel.shmmni and \
                         kernel.shmall"
            .to_owned(),
        libc::ENOMEM => {
            return PlaceError::OutOfMemory { call: "shmget", wanted, errno: describe(errno) };
        }
        errno => return PlaceError::from_errno("shmget", errno),
    };
    PlaceError::Region { name, why }
}

fn attach(
    name: String,
    id: c_int,
    request: &RegionRequest,
    made: bool,
) -> Result<SharedMemory, PlaceError> {
    let whole = length(&name, id)?;
    let attachment = Attachment::attach_segment(id)?;
    let page =
        smaps::page_size(attachment.start().addr()).map_or(base_page() as u64, |page| page.0);
    let region = SharedRegion::new(&name, request, whole, page)?;
    let policy_lifetime = if page > base_page() as u64 {
        PolicyLifetime::WhileMapped
    } else {
        PolicyLifetime::UntilRemoved
    };
    let attachment = attachment.starting_at(&region);
    Ok(SharedMemory { attachment, region, made, name, policy_lifetime, file_system: String::new() })
}

/// The system call shmget(2). Fails with the error number.
fn get(key: key_t, length: u64, flags: c_int) -> Result<c_int, c_int> {
    // SAFETY: all arguments are numbers.
    let id = unsafe { libc::shmget(key, length as usize, flags) };
    if id >= 0 { Ok(id) } else { Err(last_errno()) }
}

fn length(name: &str, id: c_int) -> Result<u64, PlaceError> {
    let mut status = MaybeUninit::<libc::shmid_ds>::uninit();
    // SAFETY: the kernel writes the whole structure when it returns 0.
    if unsafe { libc::shmctl(id, libc::IPC_STAT, status.as_mut_ptr()) } == 0 {
        // SAFETY: it returned 0.
        return Ok(unsafe { status.assume_init() }.shm_segsz as u64);
    }
    let error = |why: &str| PlaceError::Region { name: name.to_owned(), why: why.to_owned() };
    match last_errno() {
        libc::EINVAL | libc::EIDRM => Err(error("no such segment: 'ipcs -m' lists all")),
        libc::EACCES => Err(error("it belongs to another user, and you may not read it")),
        errno => Err(PlaceError::from_errno("shmctl", errno)),
    }
}

/// Removes a segment that was created just now.
fn remove(id: c_int) {
    // SAFETY: IPC_RMID takes no structure; the kernel removes the segment after the last detach.
    unsafe { libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_equal_those_of_ftok() {
        for project in [0, 1, 255, 256, -1] {
            let path = c"/dev/shm";
            // SAFETY: the path ends in a zero byte.
            let theirs = unsafe { libc::ftok(path.as_ptr(), project) };
            let metadata = std::fs::metadata("/dev/shm").unwrap();
            assert_eq!(key_of(metadata.dev(), metadata.ino(), project), theirs, "{project}");
        }
    }
}
