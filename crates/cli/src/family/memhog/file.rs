//! memhog over a file. tmpfs and hugetlbfs keep a policy with the file; the page cache of others follows whoever writes.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::{Context, ensure};
use nearfar_model::Bytes;
use nearfar_place::shared_memory::{SharedMemory, Wish};
use nearfar_place::{ExistingPages, Policy, PolicyFlags, PolicyGuard, Refusal};

use super::request::Request;
use super::{BYTE, UNIT, shown};
use crate::output;

/// Writes so much of the file. One that is shorter is refused: it is not for memhog to make files longer.
pub(super) fn hog(path: &Path, request: &Request, policy: &Policy) -> anyhow::Result<()> {
    let name = path.display();
    let file = OpenOptions::new().read(true).write(true).open(path).with_context(|| format!("cannot open {name}"))?;
    let length = file.metadata().with_context(|| format!("cannot look at {name}"))?.len();
    ensure!(
        request.size.0 <= length,
        "{name} holds {}, fewer than {}: 'truncate -s {} {name}' makes it long enough",
        shown(Bytes(length)),
        shown(request.size),
        request.size.0
    );
    let _guard = match policy {
        Policy::Default => None,
        policy => keep_with(path, request, policy)?,
    };
    for _ in 0..request.repeat {
        match write(&file, request.size) {
            // hugetlbfs takes no write(2).
            Err(error) if error.kind() == ErrorKind::InvalidInput => touch(path, request)?,
            written => written.with_context(|| format!("cannot write {name}"))?,
        }
        output::text("\n")?;
    }
    Ok(())
}

/// Gives the file the policy, or, where its file system keeps none, the thread that writes.
fn keep_with(path: &Path, request: &Request, policy: &Policy) -> anyhow::Result<Option<PolicyGuard>> {
    match shared(path, request)?.set_policy(policy, PolicyFlags::default(), ExistingPages::Stay) {
        Ok(()) => Ok(None),
        Err(Refusal::NoSharedPolicy { .. }) => Ok(Some(PolicyGuard::enter(policy)?)),
        Err(refusal) => Err(refusal.into()),
    }
}

fn shared(path: &Path, request: &Request) -> Result<SharedMemory, Refusal> {
    SharedMemory::file(path, &Wish { length: Some(request.size), ..Wish::default() })
}

fn write(file: &File, size: Bytes) -> std::io::Result<()> {
    let unit = vec![BYTE; UNIT];
    for offset in (0..size.0).step_by(UNIT) {
        let _ = output::text(".");
        let left = usize::try_from(size.0 - offset).unwrap_or(UNIT).min(UNIT);
        file.write_all_at(&unit[..left], offset)?;
    }
    Ok(())
}

/// Files of hugetlbfs cannot be written to; touching their pages takes the memory as well.
fn touch(path: &Path, request: &Request) -> anyhow::Result<()> {
    shared(path, request)?.touch()?;
    Ok(())
}
