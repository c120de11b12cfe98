//! Names of users.

use std::collections::BTreeMap;

use crate::source::Source;

/// Names of the users in `/etc/passwd` by their number. Those of a directory service are not there.
///
/// # References
///
/// passwd(5)
pub fn user_names(source: &Source) -> BTreeMap<u32, String> {
    let text = source.text("/etc/passwd").unwrap_or_default();
    let user = |line: &str| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?.parse().ok()?);
        Some((number, name.to_owned()))
    };
    // The first name of a number counts, as for ls(1).
    text.lines().rev().filter_map(user).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_name_of_a_number_counts() {
        let text = "root:x:0:0::/root:/bin/sh\ntoor:x:0:0::/:/bin/sh\n+\ndb:x:71:71:::\nx:x:y:\n";
        let names = user_names(&Source::from_files([("/etc/passwd", text)]));
        let names: Vec<(u32, &str)> = names.iter().map(|(id, name)| (*id, name.as_str())).collect();
        assert_eq!(names, [(0, "root"), (71, "db")]);
    }
}
