//! Where a JSON value ends that goes on over several lines.

/// The brackets that are open, and the string, which goes on where a terminal folds it.
#[derive(Default)]
pub(super) struct JsonDepth {
    brackets: usize,
    in_string: bool,
    is_escaped: bool,
}

impl JsonDepth {
    /// Whether the value is open after this line.
    pub(super) fn add(&mut self, line: &str) -> bool {
        for byte in line.bytes() {
            match byte {
                _ if self.is_escaped => self.is_escaped = false,
                b'\\' if self.in_string => self.is_escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' if !self.in_string => self.brackets += 1,
                b'}' | b']' if !self.in_string => {
                    self.brackets = self.brackets.saturating_sub(1);
                }
                _ => {}
            }
        }
        self.brackets > 0
    }

    /// Whether a line, without surrounding blanks, may be of a value that is open: a cut text ends
    /// before it does.
    pub(super) fn may_have(line: &str) -> bool {
        let is_word = |word: &str| matches!(word, "true" | "false" | "null");
        line.is_empty()
            // Lines that a terminal folded begin anywhere.
            || line.contains('"')
            || line.starts_with(['{', '}', ']', ','])
            || matches!(line, "[" | "[]" | "[],")
            || is_word(line.trim_end_matches(','))
            || line.trim_end_matches(',').parse::<f64>().is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_where_its_brackets_do() {
        let mut depth = JsonDepth::default();
        let lines = ["{", "\"a\": [", "{\"x\": \"}]\\\"}\"},", "1", "]", "}"];
        let open: Vec<bool> = lines.iter().map(|line| depth.add(line)).collect();
        assert_eq!(open, [true, true, true, true, true, false]);
        assert!(lines.iter().all(|line| JsonDepth::may_have(line)));
        assert!(!JsonDepth::may_have("node 0 cpus: 0") && !JsonDepth::may_have("[    0.0] Linux"));
    }
}
