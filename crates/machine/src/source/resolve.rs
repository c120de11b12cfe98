//! Resolves symbolic links inside a captured machine, never outside it.
//!
//! A capture has many links (`cpu0/node0 -> ../../node/node0`). The operating system would follow
//! an absolute one, or one with many `..`, to this host's own `/sys`, the wrong machine. So links
//! are resolved here by name: an absolute target starts at the capture's root, and `..` stops
//! there.

/// Maximum number of links in a path, as in Linux (`MAXSYMLINKS` in `include/linux/namei.h`).
const MAX_LINKS: usize = 40;

/// The kind of a path.
pub(super) enum PathEntry {
    /// A file or a folder.
    Solid,
    /// A symbolic link and its target.
    Link(String),
}

/// Resolves all links in `path`, as `/a/b`; `None` if it does not exist or has a cycle. `entry`
/// returns the kind of a path whose parents are resolved.
pub(super) fn resolve(path: &str, entry: impl Fn(&str) -> Option<PathEntry>) -> Option<String> {
    let mut ahead: Vec<String> = parts_backwards(path);
    let mut behind = String::new();
    let mut links = 0;
    while let Some(part) = ahead.pop() {
        if part == ".." {
            behind.truncate(behind.rfind('/').unwrap_or(0));
            continue;
        }
        let here = format!("{behind}/{part}");
        match entry(&here)? {
            PathEntry::Solid => behind = here,
            PathEntry::Link(target) => {
                links += 1;
                if links > MAX_LINKS {
                    return None;
                }
                if target.starts_with('/') {
                    behind.clear();
                }
                ahead.extend(parts_backwards(&target));
            }
        }
    }
    Some(behind)
}

fn parts_backwards(path: &str) -> Vec<String> {
    path.rsplit('/').filter(|part| !matches!(*part, "" | ".")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follow(path: &str) -> Option<String> {
        resolve(path, |here| {
            Some(match here {
                "/sys" | "/sys/cpu" | "/sys/cpu/cpu0" | "/sys/node" | "/sys/node/node0"
                | "/etc" => PathEntry::Solid,
                "/sys/cpu/cpu0/node0" => PathEntry::Link("../../node/node0".to_owned()),
                "/sys/up" => PathEntry::Link("../../../../../etc".to_owned()),
                "/sys/absolute" => PathEntry::Link("/sys/cpu/".to_owned()),
                "/sys/circle" => PathEntry::Link("circle".to_owned()),
                _ => return None,
            })
        })
    }

    #[test]
    fn links_are_followed() {
        assert_eq!(follow("/sys/cpu/cpu0/node0").as_deref(), Some("/sys/node/node0"));
        assert_eq!(follow("sys//cpu/./cpu0/..").as_deref(), Some("/sys/cpu"));
        assert_eq!(follow("/sys/absent"), None);
    }

    #[test]
    fn links_stay_inside_the_capture() {
        assert_eq!(follow("/sys/up").as_deref(), Some("/etc"));
        assert_eq!(follow("/sys/absolute/cpu0").as_deref(), Some("/sys/cpu/cpu0"));
        assert_eq!(follow("/../..").as_deref(), Some(""));
    }

    #[test]
    fn link_cycles_end() {
        assert_eq!(follow("/sys/circle"), None);
    }
}
