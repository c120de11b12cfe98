//! The command's progress, as the guest's init reports it: a line for each step.

/// One line of the status port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StatusLine {
    /// The command begins.
    Began,
    /// There is no such command.
    Missing,
    /// It is there and cannot be run.
    Unusable,
    /// It has ended.
    Status(u8),
    /// /out is packed; whether whole.
    Packed(bool),
}

impl StatusLine {
    /// Reads a line; other text is no report.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let (word, number) = line.split_once(' ').unwrap_or((line, ""));
        Some(match word {
            "began" => Self::Began,
            "missing" => Self::Missing,
            "unusable" => Self::Unusable,
            "status" => Self::Status(number.parse().ok()?),
            "packed" => Self::Packed(number == "0"),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_line_of_init_is_understood() {
        assert_eq!(StatusLine::parse("began"), Some(StatusLine::Began));
        assert_eq!(StatusLine::parse("missing"), Some(StatusLine::Missing));
        assert_eq!(StatusLine::parse("status 137"), Some(StatusLine::Status(137)));
        assert_eq!(StatusLine::parse("packed 0"), Some(StatusLine::Packed(true)));
        assert_eq!(StatusLine::parse("packed 1"), Some(StatusLine::Packed(false)));
    }

    #[test]
    fn nonsense_is_no_report() {
        for line in ["", "status 256", "status x", "status -1", "rebooted"] {
            assert_eq!(StatusLine::parse(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(line in ".*") {
            StatusLine::parse(&line);
        }
    }
}
