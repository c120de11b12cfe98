//! Limits that the XML parser does not have: it recurses for each element within an element, and
//! expands entities.

/// Elements within elements at most; a server has about 20.
const MAX_DEPTH: usize = 200;

/// Why a text is not given to the parser.
pub(super) fn refusal(text: &str) -> Option<&'static str> {
    let (mut rest, mut depth) = (text, 0_usize);
    while let Some(start) = rest.find('<') {
        rest = &rest[start..];
        let Some(length) = length(rest) else { return Some("it is cut off") };
        let markup = &rest[..length];
        if markup.starts_with("<!DOCTYPE") && markup.contains('[') {
            return Some("it defines entities");
        }
        if markup.starts_with("</") {
            depth = depth.saturating_sub(1);
        } else if !markup.starts_with("<!") && !markup.starts_with("<?") && !markup.ends_with("/>")
        {
            depth += 1;
        }
        if depth > MAX_DEPTH {
            return Some("its elements are nested too deeply");
        }
        rest = &rest[length..];
    }
    None
}

/// Bytes of the markup that a text begins with.
fn length(text: &str) -> Option<usize> {
    for (start, end) in [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")] {
        if let Some(inner) = text.strip_prefix(start) {
            return inner.find(end).map(|at| start.len() + at + end.len());
        }
    }
    let mut quote = None;
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at + 1),
            (Some(open), byte) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_is_counted_outside_of_comments_and_quotes() {
        let nested = |times: usize| "<a b='/>'>".repeat(times) + &"</a>".repeat(times);
        assert_eq!(refusal(&nested(200)), None);
        assert!(refusal(&nested(201)).is_some());
        let hidden = "<a><!-- </a></a> -->".repeat(201);
        assert!(refusal(&hidden).is_some());
        let flat = "<a/>".repeat(1_000);
        assert_eq!(refusal(&flat), None);
        assert!(refusal("<!DOCTYPE a [<!ENTITY b '<c>'>]><a/>").is_some());
        assert!(refusal("<a").is_some());
    }
}
