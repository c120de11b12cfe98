//! The kernel's report about one of this process's mappings.

use crate::source::Source;

/// The line of `/proc/self/numa_maps` of the mapping at this address: its policy, and its pages by
/// node. `None` if there is none.
///
/// # References
///
/// numa(7), proc_pid_numa_maps(5)
pub fn own_numa_maps_line(source: &Source, start: u64) -> Option<String> {
    let (text, start) = (source.text("/proc/self/numa_maps")?, format!("{start:08x} "));
    text.lines().find(|line| line.starts_with(&start)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_found_by_full_address() {
        let source = Source::from_files([(
            "/proc/self/numa_maps",
            "00400000 default\n7f00400000 bind:1 anon=3 N1=3\n",
        )]);
        assert_eq!(own_numa_maps_line(&source, 0x40_0000).as_deref(), Some("00400000 default"));
        assert_eq!(
            own_numa_maps_line(&source, 0x7f_0040_0000).as_deref(),
            Some("7f00400000 bind:1 anon=3 N1=3")
        );
        assert_eq!(own_numa_maps_line(&source, 0x7f00), None);
    }
}
