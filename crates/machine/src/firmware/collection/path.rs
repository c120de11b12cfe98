//! From whatever somebody sent: a table, a folder of tables, a text, a captured machine.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use nearfar_model::Bytes;

use super::{Firmware, LeftOut};
use crate::error::MachineError;
use crate::source::{MOST_IN_A_FILE, Source};

/// The largest text of `acpidump` that is read. All tables of a large server are some 10 MiB of it.
pub const MOST_IN_A_DUMP: Bytes = Bytes::mib(64);
/// How many files of a folder are looked at.
const MOST_FILES: usize = 4096;
/// How much of a folder's files together is read.
const MOST_IN_A_FOLDER: Bytes = Bytes::mib(128);

impl Firmware {
    /// Opens one table, a folder of tables (as `acpixtract` or `acpidump -b` write them, whatever their names), the text of
    /// `acpidump`, a flattened device tree, a dump of SMBIOS, or a captured machine. The content decides what a file is.
    pub fn open(path: &Path) -> Result<Self, MachineError> {
        let found = fs::metadata(path).map_err(|cause| MachineError::OpenTables { path: path.to_owned(), cause })?;
        if !found.is_dir() {
            return file(path);
        }
        // A captured machine: its own folders say where its tables are.
        if path.join("sys").is_dir() {
            if let Ok(source) = Source::open(path) {
                return Ok(Self::read(&source));
            }
        }
        folder(path)
    }
}

fn file(path: &Path) -> Result<Firmware, MachineError> {
    let bytes =
        contents(path, MOST_IN_A_DUMP).map_err(|cause| MachineError::OpenTables { path: path.to_owned(), cause })?;
    let size = Bytes(bytes.len() as u64);
    let mut firmware = Firmware { origin: path.display().to_string(), ..Firmware::default() };
    if size <= MOST_IN_A_DUMP && firmware.take(&path.display().to_string(), bytes) {
        return Ok(firmware);
    }
    if let Ok(source) = Source::open(path) {
        return Ok(Firmware::read(&source));
    }
    let path = path.to_owned();
    Err(if size > MOST_IN_A_DUMP {
        MachineError::DumpTooLarge { path, size }
    } else {
        MachineError::NotFirmware { path }
    })
}

fn folder(path: &Path) -> Result<Firmware, MachineError> {
    let cannot_read = |cause| MachineError::OpenTables { path: path.to_owned(), cause };
    let entries = fs::read_dir(path).map_err(cannot_read)?;
    let mut names: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    names.sort_unstable();
    // A pipe or a device could block for ever.
    names.retain(|path| fs::metadata(path).is_ok_and(|found| found.is_file()));
    let mut firmware = Firmware { origin: path.display().to_string(), ..Firmware::default() };
    let mut left = MOST_IN_A_FOLDER.0;
    for name in names.iter().take(MOST_FILES) {
        look_at(name, &mut firmware, &mut left);
    }
    if names.len() > MOST_FILES {
        firmware.left_out.push(LeftOut {
            path: path.display().to_string(),
            why: format!("{} files after the first {MOST_FILES} were not looked at", names.len() - MOST_FILES),
        });
    }
    if !firmware.is_empty() {
        return Ok(firmware);
    }
    // Nothing here: perhaps the machine is a folder or two further down.
    match Source::open(path) {
        Ok(source) => Ok(Firmware::read(&source)),
        Err(_) => Err(MachineError::NoTables { path: path.to_owned(), files: names.len() }),
    }
}

fn look_at(path: &Path, firmware: &mut Firmware, left: &mut u64) {
    let shown = path.display().to_string();
    let most = MOST_IN_A_FILE.min(Bytes(*left));
    let why = match contents(path, most) {
        Ok(bytes) if bytes.len() as u64 > most.0 => format!("it is larger than {most}"),
        Ok(bytes) => {
            *left -= bytes.len() as u64;
            if firmware.take(&shown, bytes) {
                return;
            }
            "it is nothing that firmware writes".to_owned()
        }
        Err(cause) => cause.to_string(),
    };
    firmware.left_out.push(LeftOut { path: shown, why });
}

/// What a file holds, or one byte more than the most: enough to see that it is too large.
fn contents(path: &Path, most: Bytes) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most.0 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
