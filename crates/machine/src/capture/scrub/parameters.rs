//! The kernel's command line: only the parameters that rules read.

use nearfar_firmware::linux::KernelParameters;

use super::Removed;

/// The line's known parameters.
pub(super) fn scrub(line: &str, removed: &mut Removed) -> String {
    let parameters = KernelParameters::parse(line);
    removed.count("other parameters", parameters.others);
    removed.count("values of another shape", parameters.not_understood.len());
    removed.not_sent.extend(parameters.not_understood.iter().cloned());
    let end = if line.ends_with('\n') { "\n" } else { "" };
    parameters.text() + end
}
