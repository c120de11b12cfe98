//! What the name `numactl` prints when it is not understood: its command lines, and its options
//! from the table that reads them.

use std::fmt::Write;

use crate::launch::{Dialect, OptionSpelling, ValueKind, options};

/// The forms that a command line can have.
const FORMS: &str = "\
usage: numactl [--all] [CPUS and a memory policy] [--] PROGRAM [ARGUMENT]...
       numactl --show | --hardware [--cpu-compress] | --version
       numactl [--length SIZE] [--offset SIZE] [--shmmode MODE] [--huge] [--strict] [--shmid ID]
               --shm KEYFILE | --file FILE  [a memory policy] [--touch] [--verify] [--dump] \
                     [--dump-nodes]

";

const LISTS: &str = "
NODES is a list such as 0,2-4; 'all' (of the cpuset), 'same' (the list before), '!' for all but \
                     these, '+' to
count within the cpuset; also the node of a device: netdev:eth0 ip:HOST file:PATH block:sda \
                     pci:0000:3b:00.0
CPUS is such a list of CPUs. SIZE takes K, M, G. This is nearfar: 'nearfar run --help' shows \
                     examples.
";

/// The whole of it.
pub fn text() -> String {
    let mut text = FORMS.to_owned();
    for option in options(Dialect::Numactl) {
        let _ = writeln!(text, "  {:<34} {}", names(option), option.help);
    }
    text + LISTS
}

fn names(option: &OptionSpelling) -> String {
    let letter = option.short.map_or_else(|| "    ".to_owned(), |letter| format!("-{letter}, "));
    match option.takes {
        ValueKind::Nothing => format!("{letter}--{}", option.long),
        ValueKind::Value(value) => format!("{letter}--{}={value}", option.long),
        ValueKind::Maybe(value) => format!("{letter}--{}[={value}]", option.long),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_its_line() {
        let text = text();
        assert!(text.starts_with("usage: numactl"));
        assert!(text.contains("\n  -m, --membind=NODES "));
        assert!(text.contains("\n      --cpu-compress "));
        assert!(!text.contains("--json"));
    }
}
