//! What a guest is made of: QEMU, a kernel and its modules, busybox, nearfar, the plugin that
//! charges.
//!
//! `./dev lab-setup` collects it in one folder. Each part that is missing is one line that names
//! the folder and the remedy.

mod qemu;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) use qemu::Qemu;

use crate::emulator::EmulatorError;
use crate::machine::Arch;

/// The folder with the parts.
#[derive(Clone, Debug)]
pub(crate) struct Kit {
    folder: PathBuf,
}

/// The parts of a guest of one architecture.
#[derive(Debug)]
pub(crate) struct GuestParts {
    pub(crate) qemu: Qemu,
    pub(crate) kernel: PathBuf,
    pub(crate) programs: Programs,
}

/// What goes into a guest's first file system.
#[derive(Debug)]
pub(crate) struct Programs {
    pub(crate) busybox: PathBuf,
    pub(crate) nearfar: PathBuf,
    /// The libraries that nearfar is linked with, each at its path in the guest; absent where it
    /// is static.
    pub(crate) libraries: Option<PathBuf>,
    /// Kernel modules: what the kernel has built in is not among them.
    pub(crate) modules: Vec<PathBuf>,
}

/// Why there is no guest.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KitError {
    /// A part is not there.
    #[error(
        "the lab has no {part} for {guest} (looked in {}): run ./dev lab-setup",
        folder.display()
    )]
    Missing { part: &'static str, guest: String, folder: PathBuf },
    /// A folder of `--kernel` has none.
    #[error("{} does not exist: --kernel names a folder with vmlinuz and modules/", path.display())]
    NoKernel { path: PathBuf },
    /// The plugin is not there.
    #[error(
        "the lab has no plugin (looked for {}): run ./dev lab-setup, or charge nothing with \
         --no-plugin",
        path.display()
    )]
    NoPlugin { path: PathBuf },
    /// There is no QEMU.
    #[error(
        "there is no {name} here (looked in {} and PATH): run ./dev lab-setup",
        folder.display()
    )]
    NoQemu { name: &'static str, folder: PathBuf },
    /// It does not work.
    #[error(transparent)]
    Qemu(#[from] EmulatorError),
    /// Where this program is cannot be found out, nor hence where its kit is.
    #[error(
        "cannot find the lab's kit: set NEARFAR_LAB_KIT to its folder (./dev lab-setup prints it)"
    )]
    Nowhere,
}

impl Kit {
    /// The kit of `$NEARFAR_LAB_KIT`, else the folder `lab` beside the folder that this program is
    /// in.
    pub(crate) fn find() -> Result<Self, KitError> {
        if let Some(folder) = env::var_os("NEARFAR_LAB_KIT").filter(|folder| !folder.is_empty()) {
            return Ok(Self { folder: PathBuf::from(folder) });
        }
        let program = env::current_exe().map_err(|_| KitError::Nowhere)?;
        let target = program.parent().and_then(Path::parent).ok_or(KitError::Nowhere)?;
        Ok(Self { folder: target.join("lab") })
    }

    /// The parts of a guest.
    pub(crate) fn parts(&self, arch: Arch) -> Result<GuestParts, KitError> {
        let folder = self.folder.join(arch.to_string());
        let part = |name: &str, part| match folder.join(name) {
            path if path.is_file() => Ok(path),
            _ => Err(KitError::Missing { part, guest: arch.to_string(), folder: folder.clone() }),
        };
        let kernel = part("vmlinuz", "kernel")?;
        let busybox = part("busybox", "busybox")?;
        let nearfar = part("nearfar", "nearfar")?;
        let qemu = Qemu::find(&self.folder.join("qemu"), arch.qemu())?;
        let libraries = Some(folder.join("libraries")).filter(|folder| folder.is_dir());
        let modules = modules(&folder.join("modules"));
        Ok(GuestParts { qemu, kernel, programs: Programs { busybox, nearfar, libraries, modules } })
    }

    /// The plugin that charges for accesses.
    pub(crate) fn plugin(&self) -> Result<PathBuf, KitError> {
        let path = self.folder.join("plugin.so");
        if path.is_file() { Ok(path) } else { Err(KitError::NoPlugin { path }) }
    }
}

impl GuestParts {
    /// Takes kernel and modules from a folder instead.
    pub(crate) fn boot_from(&mut self, folder: &Path) -> Result<(), KitError> {
        let kernel = folder.join("vmlinuz");
        if !kernel.is_file() {
            return Err(KitError::NoKernel { path: kernel });
        }
        self.kernel = kernel;
        self.programs.modules = modules(&folder.join("modules"));
        Ok(())
    }
}

/// All modules of a folder, by name. A kernel that has everything built in comes without.
fn modules(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut modules: Vec<_> =
        entries.map(|entry| entry.path()).filter(|path| is_module(path)).collect();
    modules.sort();
    modules
}

fn is_module(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".ko") || name.ends_with(".ko.xz")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulator::QemuVersion;

    fn kit_of(files: &[&str]) -> (tempfile::TempDir, Kit) {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let kit = Kit { folder: folder.path().to_owned() };
        (folder, kit)
    }

    #[test]
    fn each_missing_part_is_a_line_with_a_remedy() {
        for (files, missing) in [
            (&[][..], "no kernel for aarch64"),
            (&["aarch64/vmlinuz"], "no busybox for aarch64"),
            (&["aarch64/vmlinuz", "aarch64/busybox"], "no nearfar for aarch64"),
        ] {
            let (_folder, kit) = kit_of(files);
            let error = kit.parts(Arch::Aarch64).unwrap_err().to_string();
            assert!(error.contains(missing) && error.ends_with("run ./dev lab-setup"), "{error}");
        }
    }

    #[test]
    fn a_kit_without_plugin_names_the_way_to_do_without() {
        let (_folder, kit) = kit_of(&[]);
        let error = kit.plugin().unwrap_err().to_string();
        assert!(error.contains("plugin.so") && error.contains("--no-plugin"), "{error}");
    }

    #[test]
    fn another_kernel_brings_its_own_modules() {
        let (folder, _kit) = kit_of(&["k/vmlinuz", "k/modules/a.ko.xz", "none/x"]);
        let programs = Programs {
            busybox: PathBuf::new(),
            nearfar: PathBuf::new(),
            libraries: None,
            modules: vec![PathBuf::from("b.ko")],
        };
        let qemu = Qemu { path: PathBuf::new(), version: QemuVersion { major: 7, minor: 2 } };
        let mut parts = GuestParts { qemu, kernel: PathBuf::from("vmlinuz"), programs };
        let error = parts.boot_from(&folder.path().join("none")).unwrap_err().to_string();
        assert!(error.contains("none/vmlinuz does not exist: --kernel names"), "{error}");
        parts.boot_from(&folder.path().join("k")).unwrap();
        assert_eq!(parts.kernel, folder.path().join("k/vmlinuz"));
        assert_eq!(parts.programs.modules, [folder.path().join("k/modules/a.ko.xz")]);
    }

    #[test]
    fn modules_are_those_of_the_folder_plain_and_packed() {
        let (folder, _kit) = kit_of(&["m/b.ko.xz", "m/a.ko", "m/readme"]);
        let names: Vec<_> = modules(&folder.path().join("m"))
            .iter()
            .map(|path| path.file_name().unwrap().to_owned())
            .collect();
        assert_eq!(names, ["a.ko", "b.ko.xz"]);
        assert_eq!(modules(&folder.path().join("none")), Vec::<PathBuf>::new());
    }
}
