//! A program in memory, without a file.

use std::fmt;
use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;

use rustix::fs::{MemfdFlags, memfd_create};
use rustix::io::Errno;

/// Why a program cannot be started from memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryRefusal {
    /// The kernel's setting `vm.memfd_noexec` is 2.
    Forbidden,
    /// Another reason: an old kernel, a filter of system calls, no memory.
    Failed(String),
}

impl fmt::Display for MemoryRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forbidden => f.write_str("vm.memfd_noexec=2 forbids it"),
            Self::Failed(why) => f.write_str(why),
        }
    }
}

/// A file in memory that can be executed, with these bytes. It is closed in any program that is
/// started.
///
/// # References
/// memfd_create(2), and `vm.memfd_noexec` in the kernel's userspace-api/mfd_noexec
pub(crate) fn memory_file(program: &[u8]) -> Result<OwnedFd, MemoryRefusal> {
    let mut file = File::from(open(|flags| memfd_create("nearfar-gpu", flags))?);
    file.write_all(program).map_err(|error| MemoryRefusal::Failed(error.to_string()))?;
    Ok(file.into())
}

/// With `EXEC`, the setting 1 makes no difference. Kernels before 6.3 do not know the flag, and
/// their files can always be executed.
fn open<F>(create: impl Fn(MemfdFlags) -> Result<F, Errno>) -> Result<F, MemoryRefusal> {
    let file = match create(MemfdFlags::CLOEXEC | MemfdFlags::EXEC) {
        Err(Errno::INVAL) => create(MemfdFlags::CLOEXEC),
        other => other,
    };
    file.map_err(|error| match error {
        Errno::ACCESS => MemoryRefusal::Forbidden,
        other => MemoryRefusal::Failed(format!("memfd_create: {other}")),
    })
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn old_kernels_are_asked_without_the_flag() {
        let asked = RefCell::new(Vec::new());
        let opened = open(|flags| {
            asked.borrow_mut().push(flags);
            if flags.contains(MemfdFlags::EXEC) { Err(Errno::INVAL) } else { Ok(7) }
        });
        assert_eq!(opened, Ok(7));
        let with_flag = MemfdFlags::CLOEXEC | MemfdFlags::EXEC;
        assert_eq!(asked.into_inner(), [with_flag, MemfdFlags::CLOEXEC]);
    }

    #[test]
    fn refusals_have_their_reason() {
        let refusal = |errno| open(|_| Err::<(), _>(errno)).unwrap_err();
        assert_eq!(refusal(Errno::ACCESS), MemoryRefusal::Forbidden);
        let MemoryRefusal::Failed(why) = refusal(Errno::NOSYS) else { panic!("not the setting") };
        assert!(why.starts_with("memfd_create: "), "{why}");
    }
}
