//! Users that a process's user namespace has.

use crate::Source;

/// Whether every user is one of this process's user namespace: without it, a file's owner may be
/// the kernel's stand-in for users that are not.
///
/// # References
///
/// user_namespaces(7)
pub fn has_all_users(source: &Source) -> bool {
    let map = source.text("/proc/self/uid_map");
    map.is_some_and(|map| map.split_whitespace().eq(["0", "0", "4294967295"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_may_have_some() {
        let has = |map: &str| has_all_users(&Source::from_files([("/proc/self/uid_map", map)]));
        assert!(has("         0          0 4294967295\n"));
        assert!(!has("         0       1000          1\n") && !has(""));
    }
}
