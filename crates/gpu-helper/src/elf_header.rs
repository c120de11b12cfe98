//! For which architecture a program is, by its ELF header. The build script includes this file.

/// Names of architectures as Rust has them, and their numbers in `e_machine`.
const MACHINES: [(&str, u16); 2] = [("x86_64", 62), ("aarch64", 183)];

/// Checks that these bytes are a 64-bit little-endian program for an architecture; else the rest of
/// a sentence that begins with its path.
pub(crate) fn check(program: &[u8], architecture: &str) -> Result<(), String> {
    const CLASS_64_LITTLE_ENDIAN: &[u8] = b"\x7fELF\x02\x01";
    let wanted = MACHINES.iter().find(|(name, _)| *name == architecture);
    let Some((_, wanted)) = wanted else {
        return Err(format!("has no place here: there are no GPU drivers for {architecture}"));
    };
    let machine = match program.get(18..20) {
        Some(&[low, high]) if program.starts_with(CLASS_64_LITTLE_ENDIAN) => {
            u16::from_le_bytes([low, high])
        }
        _ => return Err("is no 64-bit ELF program".to_owned()),
    };
    if machine == *wanted {
        return Ok(());
    }
    let name = MACHINES.iter().find(|(_, number)| *number == machine).map(|(name, _)| *name);
    let name = name.map_or_else(|| format!("ELF machine {machine}"), str::to_owned);
    Err(format!("is for {name}, and this build is for {architecture}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(machine: u16) -> Vec<u8> {
        let mut bytes = b"\x7fELF\x02\x01\x01".to_vec();
        bytes.resize(18, 0);
        bytes.extend(machine.to_le_bytes());
        bytes
    }

    #[test]
    fn a_program_of_another_architecture_is_refused() {
        assert_eq!(check(&header(62), "x86_64"), Ok(()));
        assert_eq!(check(&header(183), "aarch64"), Ok(()));
        let refused = |program: &[u8], target| check(program, target).unwrap_err();
        assert_eq!(refused(&header(183), "x86_64"), "is for aarch64, and this build is for x86_64");
        assert_eq!(
            refused(&header(243), "aarch64"),
            "is for ELF machine 243, and this build is for aarch64"
        );
        for bad in [&b""[..], b"#!/bin/sh\nexec something", b"\x7fELF\x01\x01", b"\x7fELF\x02\x01"]
        {
            assert_eq!(refused(bad, "x86_64"), "is no 64-bit ELF program");
        }
    }
}
