//! `/proc/PID/maps`: end address, sharing and name of each mapping. See proc_pid_maps(5).

/// One mapping: `7f00-7f80 rw-s 00000000 00:01 42   /dev/shm/pool`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapsEntry {
    /// Its first address.
    pub start: u64,
    /// The first address after it.
    pub end: u64,
    /// Whether it is shared (`s` among the permissions).
    pub shared: bool,
    /// Whether it may be read, written or executed. What a program only reserves may not.
    pub accessible: bool,
    /// Whether it may be executed.
    pub executable: bool,
    /// The offset of its first byte in its file.
    pub offset: u64,
    /// The device of its file, such as `fe:00`.
    pub device: String,
    /// The inode of its file; 0 for anonymous memory.
    pub inode: u64,
    /// A path, `[heap]`, `[stack]`, `[anon:...]`; empty for most anonymous memory.
    pub name: String,
}

/// Parses the file: the mappings by address, and the number of malformed lines.
///
/// # References
///
/// proc_pid_maps(5)
pub fn parse_maps(text: &str) -> (Vec<MapsEntry>, usize) {
    let (mut ranges, mut odd) = (Vec::new(), 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match MapsEntry::parse(line) {
            Some(range) => ranges.push(range),
            None => odd += 1,
        }
    }
    (ranges, odd)
}

impl MapsEntry {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.splitn(6, ' ');
        let (start, end) = fields.next()?.split_once('-')?;
        let (start, end) =
            (u64::from_str_radix(start, 16).ok()?, u64::from_str_radix(end, 16).ok()?);
        let permissions = fields.next().filter(|permissions| permissions.len() == 4)?;
        let offset = fields.next().and_then(|offset| u64::from_str_radix(offset, 16).ok());
        let device = fields.next().unwrap_or_default().to_owned();
        let inode = fields.next().and_then(|inode| inode.parse().ok());
        let name = fields.next().unwrap_or("").trim_start();
        (start < end).then(|| Self {
            start,
            end,
            shared: permissions.ends_with('s'),
            accessible: !permissions.starts_with("---"),
            executable: permissions.as_bytes()[2] == b'x',
            offset: offset.unwrap_or(0),
            device,
            inode: inode.unwrap_or(0),
            name: name.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ends_sharing_and_names_are_read() {
        let (ranges, odd) = parse_maps(
            "55e0-55f0 r--p 00000000 fe:00 42                     /usr/bin/a b\n7f00-7f80 rw-s \
             00000000 00:01 42   /dev/shm/pool (deleted)\n7f80-8000 ---p 00000000 00:00 0 \n",
        );
        assert_eq!((ranges.len(), odd), (3, 0));
        assert_eq!((ranges[0].name.as_str(), ranges[0].shared), ("/usr/bin/a b", false));
        assert_eq!((ranges[1].name.as_str(), ranges[1].shared), ("/dev/shm/pool (deleted)", true));
        assert_eq!((ranges[2].start, ranges[2].end, ranges[2].name.as_str()), (0x7f80, 0x8000, ""));
        assert_eq!((ranges[0].device.as_str(), ranges[0].inode, ranges[2].inode), ("fe:00", 42, 0));
        let accessible: Vec<bool> = ranges.iter().map(|range| range.accessible).collect();
        assert_eq!(accessible, [true, true, false]);
    }

    #[test]
    fn malformed_lines_are_counted() {
        let (ranges, odd) = parse_maps("x\n7f80-7f00 rw-p 0 0:0 0\n7f00-7f80 rw\n7f00- rw-p 0\n");
        assert_eq!((ranges.len(), odd), (0, 4));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed(
            text in "([0-9a-f]{0,17}-?[0-9a-f]{0,17} ?[rwxps\\-é]{0,5} ?\\PC{0,20}\n){0,10}"
        ) {
            parse_maps(&text);
        }
    }
}
