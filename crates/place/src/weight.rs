//! The machine-wide weights of weighted interleave, one file per node (Linux 6.9).

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use crate::feature::Feature;
use crate::place_error::PlaceError;

/// Writes a node's weight, in pages per cycle, to its file `.../weighted_interleave/nodeN`; needs
/// root. 0 restores the kernel's default.
///
/// The caller passes the file, since its path is a fact about the machine.
///
/// # Errors
///
/// [`PlaceError::KernelLacks`] before Linux 6.9, [`PlaceError::File`] if the weight cannot be
/// written.
///
/// # References
///
/// `Documentation/ABI/testing/sysfs-kernel-mm-mempolicy-weighted-interleave`
pub fn set_weight(file: &Path, weight: u8) -> Result<(), PlaceError> {
    // A single write: the kernel parses each write as a whole number.
    let written = OpenOptions::new()
        .write(true)
        .open(file)
        .and_then(|mut to| to.write_all(format!("{weight}\n").as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::NotFound if !file.parent().is_some_and(Path::exists) => {
            PlaceError::kernel_lacks(Feature::WeightedInterleave)
        }
        ErrorKind::NotFound => {
            PlaceError::file("writing the weight", file, "the kernel has no weight for this node")
        }
        ErrorKind::PermissionDenied => {
            PlaceError::file("writing the weight", file, "only root may set weights")
        }
        ErrorKind::ReadOnlyFilesystem => PlaceError::file(
            "writing the weight",
            file,
            "sysfs is read-only here, as in containers: set it on the host",
        ),
        _ => PlaceError::file("writing the weight", file, &error.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_written_in_the_kernels_format() {
        let folder = std::env::temp_dir().join(format!("nearfar-weights-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("node1");
        std::fs::write(&file, "3\n").unwrap();
        set_weight(&file, 5).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "5\n");
        let absent = set_weight(&folder.join("node9"), 5).unwrap_err().to_string();
        assert!(
            absent.contains("node9") && absent.ends_with("the kernel has no weight for this node"),
            "{absent}"
        );
        let old = set_weight(&folder.join("gone/node1"), 5).unwrap_err().to_string();
        assert!(old.contains("Linux 6.9"), "{old}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
