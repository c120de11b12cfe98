//! Can a guest run this file? It has no libraries and one kind of CPU.

use std::path::{Path, PathBuf};

use elf::ElfBytes;
use elf::abi::{EM_AARCH64, EM_X86_64, PT_INTERP};
use elf::endian::AnyEndian;

use crate::machine::Arch;

/// Why not.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProgramError {
    /// It needs libraries.
    #[error(
        "{} is dynamically linked (it wants {interpreter}), and the guest has no libraries: link \
         it statically",
        path.display()
    )]
    Dynamic { path: PathBuf, interpreter: String },
    /// It is for another CPU.
    #[error("{} is not built for the machine's CPU, {arch}", path.display())]
    OtherCpu { path: PathBuf, arch: Arch },
    /// It calls itself a program and is broken.
    #[error("{} begins like a program and is none", path.display())]
    Broken { path: PathBuf },
    /// A path that ends in no name.
    #[error("'{}' names no file to take along", path.display())]
    Nameless { path: PathBuf },
}

/// Refuses what cannot run. Scripts pass: what they are written in is their own affair.
pub(super) fn check(path: &Path, bytes: &[u8], arch: Arch) -> Result<(), ProgramError> {
    let path = path.to_owned();
    if path.file_name().is_none() {
        return Err(ProgramError::Nameless { path });
    }
    if !bytes.starts_with(b"\x7fELF") {
        return Ok(());
    }
    let Ok(file) = ElfBytes::<AnyEndian>::minimal_parse(bytes) else {
        return Err(ProgramError::Broken { path });
    };
    let machine = match arch {
        Arch::X86_64 => EM_X86_64,
        Arch::Aarch64 => EM_AARCH64,
    };
    if file.ehdr.e_machine != machine {
        return Err(ProgramError::OtherCpu { path, arch });
    }
    let interpreter =
        file.segments().into_iter().flatten().find(|segment| segment.p_type == PT_INTERP);
    let Some(segment) = interpreter else { return Ok(()) };
    let name = file.segment_data(&segment).unwrap_or_default();
    let interpreter = String::from_utf8_lossy(name).trim_end_matches('\0').to_owned();
    Err(ProgramError::Dynamic { path, interpreter })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The test itself is a dynamically linked program.
    fn this_program() -> (PathBuf, Vec<u8>) {
        let path = std::env::current_exe().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        (path, bytes)
    }

    const HERE: Arch = if cfg!(target_arch = "x86_64") { Arch::X86_64 } else { Arch::Aarch64 };
    const ELSEWHERE: Arch = if cfg!(target_arch = "x86_64") { Arch::Aarch64 } else { Arch::X86_64 };

    #[test]
    fn a_dynamically_linked_program_is_refused_with_what_it_wants() {
        let (path, bytes) = this_program();
        let error = check(&path, &bytes, HERE).unwrap_err().to_string();
        assert!(
            error.contains("dynamically linked (it wants /lib") && error.contains("statically"),
            "{error}"
        );
    }

    #[test]
    fn a_program_for_another_cpu_is_refused() {
        let (path, bytes) = this_program();
        assert!(matches!(check(&path, &bytes, ELSEWHERE), Err(ProgramError::OtherCpu { .. })));
    }

    #[test]
    fn scripts_pass() {
        assert!(check(Path::new("x.sh"), b"#!/bin/sh\n", HERE).is_ok());
    }

    proptest! {
        #[test]
        fn no_file_makes_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let program = [b"\x7fELF\x02\x01\x01".as_slice(), &bytes].concat();
            let _ = check(Path::new("x"), &program, HERE);
        }
    }
}
