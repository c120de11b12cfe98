//! Which QEMU is installed, and whether it will do.

use std::path::Path;
use std::process::Command;

use super::{EmulatorError, QemuVersion};

impl QemuVersion {
    pub(crate) fn from_program(qemu: &Path) -> Result<Self, EmulatorError> {
        let output = Command::new(qemu).arg("--version").output();
        let output =
            output.map_err(|cause| EmulatorError::Start { qemu: qemu.to_owned(), cause })?;
        let text = String::from_utf8_lossy(&output.stdout);
        Self::parse(&text).ok_or_else(|| EmulatorError::NoVersion { qemu: qemu.to_owned() })
    }

    /// Refuses one that is too old.
    pub(super) fn check(self, qemu: &Path) -> Result<(), EmulatorError> {
        if self < Self::LEAST {
            return Err(EmulatorError::TooOld {
                qemu: qemu.to_owned(),
                found: self,
                least: Self::LEAST,
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_qemu_is_refused_with_the_oldest_that_will_do() {
        let error = QemuVersion { major: 6, minor: 2 }
            .check(Path::new("/usr/bin/qemu-system-x86_64"))
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "/usr/bin/qemu-system-x86_64 is QEMU 6.2, and the lab needs 7.2 or later: install a \
             newer one"
        );
        assert!(QemuVersion { major: 10, minor: 0 }.check(Path::new("q")).is_ok());
    }

    #[test]
    fn a_missing_qemu_is_named() {
        let error = QemuVersion::from_program(Path::new("/nowhere/qemu")).unwrap_err().to_string();
        assert!(error.starts_with("cannot start /nowhere/qemu: "), "{error}");
    }
}
