//! Captures keep no secret of the machine, and everything that a diagnosis reads.

mod not_sent;
mod planted;
mod same_diagnosis;
mod tree;

use std::fs;
use std::io::Read;
use std::path::Path;

use nearfar_diagnose::Witnesses;
use nearfar_machine::capture::{Capture, Privacy};
use nearfar_machine::{InventoryScope, Source};

/// A capture as the command makes it, in a file.
fn captured(root: &Path, privacy: Privacy, to: &Path) -> Capture {
    let capture = Capture::read(Source::open(root).unwrap(), privacy, |source| {
        Witnesses::with_devices(source, InventoryScope::All);
    });
    capture.write(fs::File::create(to).unwrap()).unwrap();
    capture
}

/// The names and contents of an archive.
fn unpacked(archive: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(fs::File::open(archive).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}
