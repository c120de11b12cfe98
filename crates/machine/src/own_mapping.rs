//! What the kernel says of one of this process's own mappings.

use crate::source::Source;

/// The line of `/proc/self/numa_maps` about the mapping that begins at this address: its policy,
/// and its pages by node.
pub fn own_numa_maps_line(source: &Source, start: u64) -> Option<String> {
    let (text, start) = (source.text("/proc/self/numa_maps")?, format!("{start:08x} "));
    text.lines().find(|line| line.starts_with(&start)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_found_by_its_whole_address() {
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
