//! memhog over a file. tmpfs and hugetlbfs keep a policy with the file; the page cache of others
//! follows the writing thread.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::Path;

use nearfar_model::Bytes;
use nearfar_place::shared_memory::{RegionRequest, SharedMemory};
use nearfar_place::{ExistingPages, PlaceError, Policy, PolicyFlags, PolicyGuard};
use nearfar_view::owned_files::open_file;

use super::request::MemhogRequest;
use super::{BYTE, UNIT};
use crate::numactl::Printer;
use crate::numactl::error::NumactlError;

/// Writes the wanted size to the file. A shorter file is refused: memhog does not extend files.
pub(super) fn hog(
    path: &Path,
    request: &MemhogRequest,
    policy: &Policy,
    printer: &mut Printer<'_>,
) -> Result<(), NumactlError> {
    let cannot = |deed| move |cause| NumactlError::File { deed, path: path.to_owned(), cause };
    let file = open_file(path, true).map_err(cannot("open"))?;
    let length = Bytes(file.metadata().map_err(cannot("look at"))?.len());
    let wanted = request.size;
    if wanted > length {
        return Err(NumactlError::ShortFile { path: path.to_owned(), length, wanted });
    }
    let _guard = match policy {
        Policy::Default => None,
        policy => keep_with(path, request, policy)?,
    };
    for _ in 0..request.repeat {
        match write(&file, wanted, printer) {
            // hugetlbfs takes no write(2); touching its pages takes the memory as well.
            Err(error) if error.kind() == ErrorKind::InvalidInput => {
                shared(path, request)?.touch()?;
            }
            written => written.map_err(cannot("write"))?,
        }
        printer.text("\n")?;
    }
    Ok(())
}

/// Gives the file the policy, or, where its file system keeps none, the thread that writes.
fn keep_with(
    path: &Path,
    request: &MemhogRequest,
    policy: &Policy,
) -> Result<Option<PolicyGuard>, PlaceError> {
    match shared(path, request)?.set_policy(policy, PolicyFlags::default(), ExistingPages::Stay) {
        Ok(()) => Ok(None),
        Err(PlaceError::NoSharedPolicy { .. }) => Ok(Some(PolicyGuard::enter(policy)?)),
        Err(refusal) => Err(refusal),
    }
}

fn shared(path: &Path, request: &MemhogRequest) -> Result<SharedMemory, PlaceError> {
    SharedMemory::file(
        path,
        &RegionRequest { length: Some(request.size), ..RegionRequest::default() },
    )
}

fn write(file: &File, size: Bytes, printer: &mut Printer<'_>) -> io::Result<()> {
    let unit = vec![BYTE; UNIT];
    for offset in (0..size.0).step_by(UNIT) {
        let _ = printer.text(".");
        let left = usize::try_from(size.0 - offset).unwrap_or(UNIT).min(UNIT);
        file.write_all_at(&unit[..left], offset)?;
    }
    Ok(())
}
