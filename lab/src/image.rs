//! A guest's first file system: busybox, nearfar, the command and what the kernel needs to talk
//! with the launcher.
//!
//! Nothing is installed and no disk is made: the kernel unpacks this archive into memory and starts
//! `/init` (`lab/guest/init.sh`).

mod archive;
mod modules;
mod program;
mod tree;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use archive::Archive;
pub(crate) use modules::ModuleError;
pub(crate) use program::ProgramError;
use tree::ArchiveEntry;

use crate::emulator;
use crate::kit::Programs;
use crate::machine::{Arch, LabMachine};

const INIT: &str = include_str!("../guest/init.sh");
const PROGRAM: u32 = 0o755;
const FILE: u32 = 0o644;
/// Empty at first; init mounts over some of them.
const FOLDERS: [&str; 12] =
    ["bin", "dev", "etc", "lab", "lab/modules", "mnt", "out", "proc", "root", "sys", "tmp", "usr"];
/// All programs are in one folder, whatever it is called.
const LINKS: [(&str, &str); 3] = [("sbin", "bin"), ("usr/bin", "../bin"), ("usr/sbin", "../bin")];

/// Drivers of the ports to the launcher.
const PORT_MODULES: [&str; 2] = ["virtio_pci", "virtio_console"];
/// Linux looks here for tables that override the firmware's, before it unpacks the archive.
const ACPI_FOLDERS: [&str; 3] = ["kernel", "kernel/firmware", "kernel/firmware/acpi"];

/// What a guest is to do.
#[derive(Debug)]
pub(crate) struct GuestTask<'a> {
    pub(crate) machine: &'a LabMachine,
    pub(crate) hostname: &'a str,
    /// The words that close each stream.
    pub(crate) end: &'a str,
    /// The command, or a shell on the console.
    pub(crate) command: Option<Vec<u8>>,
    /// What comes along: programs, under /bin; folders, laid over the file system.
    pub(crate) with: &'a [PathBuf],
    /// Kernel modules beside those of the machine's devices.
    pub(crate) modules: &'a [String],
}

/// Why there is no image.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ImageError {
    /// A file that belongs into it cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    /// It cannot be written.
    #[error("cannot write the guest's files to {} (TMPDIR names another place)", path.display())]
    Unwritable { path: PathBuf, source: io::Error },
    /// A file of --with that a guest could not run.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// A kernel module is broken.
    #[error(transparent)]
    Module(#[from] ModuleError),
}

/// Writes the image of a guest to `path`.
pub(crate) fn write(
    path: &Path,
    programs: &Programs,
    task: &GuestTask<'_>,
) -> Result<(), ImageError> {
    let contents = contents(programs, task)?;
    let unwritable = |source| ImageError::Unwritable { path: path.to_owned(), source };
    let file = File::create(path).map_err(unwritable)?;
    pack(&contents, file).map_err(unwritable)
}

/// All that is read before anything is written, by name.
fn contents(
    programs: &Programs,
    task: &GuestTask<'_>,
) -> Result<Vec<(String, ArchiveEntry)>, ImageError> {
    let file = |name: &str, mode, bytes| (name.to_owned(), ArchiveEntry::File(mode, bytes));
    let mut entries = Vec::new();
    if let Some(srat) = emulator::srat::own(task.machine) {
        entries.extend(ACPI_FOLDERS.map(|folder| (folder.to_owned(), ArchiveEntry::Folder)));
        entries.push(file("kernel/firmware/acpi/srat.aml", FILE, srat));
    }
    entries.extend([
        file("init", PROGRAM, INIT.into()),
        file("bin/busybox", PROGRAM, read(&programs.busybox)?),
        file("bin/nearfar", PROGRAM, read(&programs.nearfar)?),
        file("etc/passwd", FILE, b"root:x:0:0:root:/root:/bin/sh\n".into()),
        file("etc/group", FILE, b"root:x:0:\n".into()),
        file("lab/settings", FILE, settings(task)),
    ]);
    entries.extend(task.command.clone().map(|command| file("lab/command", FILE, command)));
    if let Some(libraries) = &programs.libraries {
        entries.extend(tree::entries(libraries)?);
    }
    // The later of two files wins when the kernel unpacks, so --with may bring another nearfar or C
    // library.
    for path in task.with {
        entries.extend(if path.is_dir() {
            tree::entries(path)?
        } else {
            vec![brought(path, task.machine.arch())?]
        });
    }
    let devices = task.machine.description.devices.iter().flat_map(|device| device.kind.modules());
    modules::check_names(&programs.modules, task.modules)?;
    let named = task.modules.iter().map(String::as_str);
    let wanted = PORT_MODULES.iter().chain(devices).copied().chain(named);
    let modules = modules::in_order(&programs.modules, wanted)?;
    for (number, (name, bytes)) in modules.into_iter().enumerate() {
        entries.push(file(&format!("lab/modules/{number:02}-{name}.ko"), FILE, bytes));
    }
    Ok(entries)
}

fn pack(contents: &[(String, ArchiveEntry)], file: File) -> io::Result<()> {
    let mut archive = Archive::new(BufWriter::new(file));
    for folder in FOLDERS {
        archive.add(folder, &ArchiveEntry::Folder)?;
    }
    for (name, target) in LINKS {
        archive.add(name, &ArchiveEntry::Link(target.to_owned()))?;
    }
    let is_there =
        |name: &str| FOLDERS.contains(&name) || LINKS.iter().any(|(link, _)| *link == name);
    for (name, entry) in
        contents.iter().filter(|(name, entry)| *entry != ArchiveEntry::Folder || !is_there(name))
    {
        archive.add(name, entry)?;
    }
    archive.finish()?.flush()
}

/// A program that comes along.
fn brought(path: &Path, arch: Arch) -> Result<(String, ArchiveEntry), ImageError> {
    let bytes = read(path)?;
    program::check(path, &bytes, arch)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    Ok((format!("bin/{name}"), ArchiveEntry::File(PROGRAM, bytes)))
}

fn read(path: &Path) -> Result<Vec<u8>, ImageError> {
    fs::read(path).map_err(|source| ImageError::Unreadable { path: path.to_owned(), source })
}

/// Assignments in the shell's language.
fn settings(task: &GuestTask<'_>) -> Vec<u8> {
    let term = std::env::var_os("TERM").unwrap_or_default();
    let devices = charged_devices(task.machine);
    let mut settings = Vec::new();
    for (name, value) in [
        ("hostname", OsStr::new(task.hostname)),
        ("end", OsStr::new(task.end)),
        ("term", &term),
        ("devices", OsStr::new(&devices)),
    ] {
        settings.extend([name.as_bytes(), b"=", &quoted(value), b"\n"].concat());
    }
    settings
}

/// Addresses of devices whose registers the guest reports, once their drivers have interrupts.
fn charged_devices(machine: &LabMachine) -> String {
    let is_charged = machine.description.device_access.is_some();
    let devices =
        machine.devices().into_iter().filter(|device| is_charged && device.interrupts.is_some());
    devices.map(|device| device.address).collect::<Vec<_>>().join(" ")
}

/// Words as a shell reads them back.
pub(crate) fn quoted_words<'a>(words: impl IntoIterator<Item = &'a OsStr>) -> Vec<u8> {
    words.into_iter().map(quoted).collect::<Vec<_>>().join(&b' ')
}

fn quoted(word: &OsStr) -> Vec<u8> {
    // Only a NUL cannot be quoted, and no argument or variable of a process has one.
    shlex::bytes::try_quote(word.as_bytes()).unwrap_or_default().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back_from_a_shell_as_they_went_in() {
        let words = ["echo", "it's", "", "$HOME `id`", "two  spaces\nand a line", "ünï"];
        let quoted = quoted_words(words.iter().map(OsStr::new));
        let script =
            [b"for word in ".as_slice(), &quoted, b"; do printf '%s\\0' \"$word\"; done"].concat();
        let output = std::process::Command::new("sh")
            .arg("-c")
            .arg(OsStr::from_bytes(&script))
            .output()
            .unwrap();
        let back: Vec<_> =
            output.stdout.strip_suffix(b"\0").unwrap().split(|&byte| byte == 0).collect();
        assert_eq!(back, words.map(str::as_bytes));
    }

    #[test]
    fn an_image_that_cannot_be_written_names_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("program");
        fs::write(&file, "#!/bin/sh\n").unwrap();
        let programs = Programs {
            busybox: file.clone(),
            nearfar: file.clone(),
            libraries: None,
            modules: vec![],
        };
        let machine = LabMachine::load("xeon-2s").unwrap();
        let task = GuestTask {
            machine: &machine,
            hostname: "host",
            end: "e",
            command: None,
            with: &[],
            modules: &[],
        };
        let error = write(Path::new("/dev/full"), &programs, &task).unwrap_err();
        assert!(
            error.to_string().contains("/dev/full") && error.to_string().contains("TMPDIR"),
            "{error}"
        );
        let image = folder.path().join("image");
        write(&image, &programs, &task).unwrap();
        assert!(fs::metadata(image).unwrap().len() > 1000);
    }
}
