//! Names of machines for resource managers.

use anyhow::bail;
use nearfar_survey::fleet::text::Excluded;

use crate::output;

/// Names that are no host's are refused: a resource manager reads some as all of its hosts.
pub(super) fn print_names(all: Excluded, what: &str) -> anyhow::Result<()> {
    let Excluded { names, from_files, refused } = all;
    if !from_files.is_empty() {
        output::aside(&format!(
            "names of files, not of hosts: {} ('nearfar survey --host' keeps the host's)",
            from_files.join(", ")
        ));
    }
    output::data(&names)?;
    match refused.is_empty() {
        true => Ok(()),
        false => bail!("{what}, and not printed: {}", refused.join("; ")),
    }
}
