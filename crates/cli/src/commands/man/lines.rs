//! Lines of a manual page as mandoc(1) wants them: none wider than 80 bytes, none empty.

/// Bytes of a line that mandoc accepts.
const WIDEST: usize = 80;

/// The page with the same text in other lines.
pub(super) fn tidied(page: &str) -> String {
    // An empty line between two breaks.
    let page = page.replace("\n.br\n\n.br\n", "\n.sp\n");
    let mut tidy = String::new();
    let mut is_filled = true;
    let mut is_tag = false;
    for line in page.lines().map(str::trim_end) {
        match line {
            ".nf" => is_filled = false,
            ".fi" => is_filled = true,
            _ => {}
        }
        // A tag is one line.
        if is_filled && !is_tag && !line.starts_with('.') {
            wrap(line, &mut tidy);
        } else {
            tidy += line;
            tidy.push('\n');
        }
        is_tag = line == ".TP";
    }
    tidy
}

fn wrap(line: &str, tidy: &mut String) {
    let mut width = 0;
    for word in line.split(' ').filter(|word| !word.is_empty()) {
        if width > 0 && width + 1 + word.len() > WIDEST {
            tidy.push('\n');
            width = 0;
        } else if width > 0 {
            tidy.push(' ');
            width += 1;
        }
        // A control character at the start of a line would be a request.
        if width == 0 && word.starts_with(['.', '\'']) {
            tidy.push_str("\\&");
            width += 2;
        }
        tidy.push_str(word);
        width += word.len();
    }
    tidy.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_wrapped_and_examples_and_tags_are_not() {
        let long = "word ".repeat(30);
        let page = format!(".SH A\n{long}\n.TP\n{long}\nend\n.nf\n  {long}\n.fi\n");
        let tidy = tidied(&page);
        let widths: Vec<usize> = tidy.lines().map(str::len).collect();
        assert_eq!(widths, [5, 79, 69, 3, 149, 3, 3, 151, 3], "{tidy}");
    }

    #[test]
    fn no_word_becomes_a_request() {
        let line = format!("{} .br 'x", "w".repeat(79));
        assert_eq!(tidied(&line), format!("{}\n\\&.br 'x\n", "w".repeat(79)));
    }
}
