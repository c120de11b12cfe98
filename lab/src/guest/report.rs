//! The command's progress, as the guest's init reports it: a line for each step.

/// One line of the status port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Report {
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

impl Report {
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
        assert_eq!(Report::parse("began"), Some(Report::Began));
        assert_eq!(Report::parse("missing"), Some(Report::Missing));
        assert_eq!(Report::parse("status 137"), Some(Report::Status(137)));
        assert_eq!(Report::parse("packed 0"), Some(Report::Packed(true)));
        assert_eq!(Report::parse("packed 1"), Some(Report::Packed(false)));
    }

    #[test]
    fn nonsense_is_no_report() {
        for line in ["", "status 256", "status x", "status -1", "rebooted"] {
            assert_eq!(Report::parse(line), None, "{line}");
        }
    }

    proptest! {
        #[test]
        fn no_line_makes_it_panic(line in ".*") {
            Report::parse(&line);
        }
    }
}
