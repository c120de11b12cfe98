//! Characters that a reader obeys, or does not see.

/// Whether a terminal or an editor obeys a character, or hides it, instead of showing it.
///
/// These are control characters (C0, DEL, C1), Unicode's bidirectional controls, which turn the
/// order of what is read, its separators of lines, and characters without a shape, by which two
/// different names look alike.
pub fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_not_obeyed() {
        assert!("\0\n\t\u{1b}\u{7f}\u{80}\u{9b}\u{9f}".chars().all(is_obeyed));
        assert!("\u{61c}\u{200e}\u{200f}\u{202a}\u{202e}\u{2066}\u{2069}".chars().all(is_obeyed));
        assert!(!"median ± 95 % – µs, é, 語, \u{fffd}".contains(is_obeyed));
    }
}
