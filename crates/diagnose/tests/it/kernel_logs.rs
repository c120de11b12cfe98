//! Logs of several kernels in one file.

/// The log below the line "=== NAME".
pub(crate) fn section<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let start = text.find(&format!("=== {name}\n"))? + name.len() + 5;
    let rest = &text[start..];
    Some(&rest[..rest.find("\n=== ").map_or(rest.len(), |end| end + 1)])
}
