//! The command's progress, as the guest's init reports it: a line for each step.

use super::device_windows::{Bar, Mapping};

/// One line of the status port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum StatusLine {
    Began,
    /// There is no such command.
    Missing,
    /// It is there and cannot be run.
    Unusable,
    Status(u8),
    /// /out is packed; whether whole.
    Packed(bool),
    /// Registers of a device.
    Bar(Bar),
    /// Registers that a driver has mapped.
    Mapped(Mapping),
    /// All of both were reported.
    AllMapped,
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
            "bar" => Self::Bar(bar(number)?),
            "mapped" => Self::Mapped(mapping(number)?),
            "all-mapped" => Self::AllMapped,
            _ => return None,
        })
    }
}

/// "0000:29:00.0 0xfe000000 0xfe003fff": a device, its first and its last byte.
fn bar(words: &str) -> Option<Bar> {
    let [address, start, last] = words.split(' ').collect::<Vec<_>>()[..] else { return None };
    let bus = u8::from_str_radix(address.split(':').nth(1)?, 16).ok()?;
    Some(Bar { bus, start: hexadecimal(start)?, last: hexadecimal(last)? })
}

/// "0xffffc90000005000 0xffffc90000007000 0xfe000000": from, to, and a physical address.
fn mapping(words: &str) -> Option<Mapping> {
    let [start, end, physical] = words.split(' ').collect::<Vec<_>>()[..] else { return None };
    let [start, end, physical] = [start, end, physical].map(hexadecimal);
    Some(Mapping { start: start?, end: end?, physical: physical? })
}

fn hexadecimal(word: &str) -> Option<u64> {
    u64::from_str_radix(word.strip_prefix("0x")?, 16).ok()
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
        assert_eq!(
            StatusLine::parse("bar 0000:2b:00.0 0x1000 0x1fff"),
            Some(StatusLine::Bar(Bar { bus: 0x2b, start: 0x1000, last: 0x1fff }))
        );
        assert_eq!(
            StatusLine::parse("mapped 0xffff000000000000 0xffff000000002000 0x1000"),
            Some(StatusLine::Mapped(Mapping {
                start: 0xffff_0000_0000_0000,
                end: 0xffff_0000_0000_2000,
                physical: 0x1000
            }))
        );
        assert_eq!(StatusLine::parse("all-mapped"), Some(StatusLine::AllMapped));
    }

    #[test]
    fn nonsense_is_no_report() {
        for line in [
            "",
            "bar",
            "bar 00 0x1 0x2",
            "mapped 0x1 2 0x3",
            "status 256",
            "status x",
            "status -1",
            "rebooted",
        ] {
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
