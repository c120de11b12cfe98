//! The file system of a path: `/proc/self/mountinfo`, see proc_pid_mountinfo(5).

use crate::attribute::unescaped;
use crate::source::Source;

const OF_THE_NETWORK: [&str; 5] = ["nfs", "nfs4", "cifs", "smb3", "ceph"];
/// Other file systems of a server: on the network, a hypervisor's, or a process.
const OF_A_SERVER: [&str; 11] = [
    "fuse",
    "lustre",
    "beegfs",
    "gpfs",
    "glusterfs",
    "afs",
    "orangefs",
    "pvfs2",
    "coda",
    "9p",
    "virtiofs",
];

/// A mounted file system.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mount {
    /// Its number in its table of mounts.
    pub(crate) id: u32,
    pub(super) major: u32,
    pub(super) minor: u32,
    pub(crate) point: String,
    /// Its type: "ext4", "overlay", "tmpfs".
    pub(crate) kind: String,
    /// Its source: "/dev/sda1", "server:/export", "overlay".
    pub(super) of: String,
    /// The file system's own options.
    pub(crate) options: String,
}

impl Mount {
    /// The mount of a path: the longest mount point above it; the last one if several are stacked.
    pub(super) fn new(source: &Source, path: &str) -> Option<Self> {
        let text = source.text("/proc/self/mountinfo")?;
        let above =
            text.lines().filter_map(Self::parse).filter(|mount| is_above(&mount.point, path));
        above.max_by_key(|mount| mount.point.len())
    }

    /// Parses a line of `mountinfo`.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let (mount, system) = line.split_once(" - ")?;
        let mut mount = mount.split(' ');
        let id = mount.next()?.parse().ok()?;
        let mut mount = mount.skip(1);
        let (major, minor) = mount.next()?.split_once(':')?;
        let point = unescaped(mount.nth(1)?);
        let mut system = system.splitn(3, ' ');
        Some(Self {
            id,
            major: major.parse().ok()?,
            minor: minor.parse().ok()?,
            point,
            kind: system.next()?.to_owned(),
            of: unescaped(system.next()?),
            options: unescaped(system.next().unwrap_or("")),
        })
    }

    pub(super) fn is_of_network(&self) -> bool {
        OF_THE_NETWORK.contains(&self.kind.as_str())
    }

    /// Whether a look at its files waits for a server, which may be down.
    pub(crate) fn has_server(&self) -> bool {
        let kind = self.kind.as_str();
        self.is_of_network() || OF_A_SERVER.contains(&kind) || kind.starts_with("fuse.")
    }

    /// Whether nearfar's own table of mounts has this file system.
    pub(super) fn is_own(&self, source: &Source) -> bool {
        let text = source.text("/proc/self/mountinfo").unwrap_or_default();
        let mut own = text.lines().filter_map(Self::parse);
        own.any(|own| (own.major, own.minor, &own.kind) == (self.major, self.minor, &self.kind))
    }

    /// The address of the server.
    pub(super) fn address(&self) -> Option<&str> {
        self.options.split(',').find_map(|option| option.strip_prefix("addr="))
    }

    /// Whether a look at the hardware could wait for a server: for its name, or for its files
    /// below an overlay that is only read.
    pub(super) fn may_block(&self) -> bool {
        match self.kind.as_str() {
            "overlay" => !self.options.contains("upperdir="),
            _ => {
                self.is_of_network()
                    && self
                        .address()
                        .is_none_or(|address| address.parse::<std::net::IpAddr>().is_err())
            }
        }
    }

    /// The folders of an overlay: the upper one if there is one, else the lower ones.
    pub(super) fn layers(&self) -> Vec<String> {
        let value = |key: &str| self.options.split(',').find_map(|option| option.strip_prefix(key));
        match (value("upperdir="), value("lowerdir=")) {
            (Some(upper), _) => vec![upper.to_owned()],
            (None, Some(lower)) => {
                lower.split(':').filter(|layer| !layer.is_empty()).map(str::to_owned).collect()
            }
            (None, None) => self.lower_folders(),
        }
    }

    /// Linux 6.8 and later may have one `lowerdir+=` per folder.
    fn lower_folders(&self) -> Vec<String> {
        self.options
            .split(',')
            .filter_map(|option| option.strip_prefix("lowerdir+="))
            .map(str::to_owned)
            .collect()
    }
}

fn is_above(point: &str, path: &str) -> bool {
    let point = point.trim_end_matches('/');
    path.strip_prefix(point).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TABLE: &str = "\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw
40 27 0:40 / /data\\040two rw - tmpfs tmpfs rw,size=4k
41 27 0:41 / /merged rw - overlay overlay rw,lowerdir=/l1:/l2,upperdir=/up,workdir=/work
42 27 0:42 / /read ro - overlay overlay ro,lowerdir=/l1:/l2
";

    fn mount(path: &str) -> Mount {
        Mount::new(&Source::from_files([("/proc/self/mountinfo", TABLE)]), path).unwrap()
    }

    #[test]
    fn longest_mount_point_wins() {
        assert_eq!(mount("/home/x").of, "/dev/nvme0n1p2");
        assert_eq!(
            (mount("/proc").kind, mount("/procs").kind),
            ("proc".to_owned(), "ext4".to_owned())
        );
        assert_eq!(mount("/data two/file").kind, "tmpfs");
        assert_eq!((mount("/").major, mount("/").minor), (259, 2));
    }

    #[test]
    fn overlay_layers_are_parsed() {
        assert_eq!(mount("/merged/a").layers(), ["/up"]);
        assert_eq!(mount("/read").layers(), ["/l1", "/l2"]);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed(text in ".{0,120}", path in "/.{0,20}") {
            let source = Source::from_files([("/proc/self/mountinfo", text.clone())]);
            let _ = Mount::new(&source, &path);
            let _ = unescaped(&text);
        }
    }
}
