//! Removes MAC addresses and UUIDs from text by their format.

use std::collections::BTreeMap;

/// Numbers addresses, so that two cards stay distinct and links keep their targets.
#[derive(Debug, Default)]
pub(crate) struct NumberedAddresses(BTreeMap<String, usize>);

impl NumberedAddresses {
    /// Numbers the addresses in a text, from 0 in order of appearance.
    pub(crate) fn learn(&mut self, text: &str) {
        replaced(text, |address, _| {
            let next = self.0.len();
            self.0.entry(address.to_owned()).or_insert(next);
            address.to_owned()
        });
    }

    /// Text with each address replaced by its number, or zeros for unknown ones. The kinds that
    /// were found are added to `found`.
    pub(crate) fn written(&self, text: &str, found: &mut Vec<&'static str>) -> String {
        replaced(text, |address, what| {
            found.push(what);
            overwritten(address, self.0.get(address).copied().unwrap_or_default())
        })
    }
}

/// Text with MAC addresses and UUIDs replaced by zeros. The kinds that were found are added to
/// `found`.
pub(crate) fn without_addresses(text: &str, found: &mut Vec<&'static str>) -> String {
    NumberedAddresses::default().written(text, found)
}

/// An address whose digits are replaced by a number; separators are kept: "00:00:00:00:00:12".
fn overwritten(address: &str, number: usize) -> String {
    let digits = format!("{number:0>width$}", width = address.len());
    let mut digits = digits.chars().rev();
    let written = address
        .chars()
        .rev()
        .map(|c| if c.is_ascii_hexdigit() { digits.next().unwrap_or('0') } else { c });
    written.collect::<Vec<char>>().into_iter().rev().collect()
}

/// Text with each address replaced.
fn replaced(text: &str, mut with: impl FnMut(&str, &'static str) -> String) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    // Where a run of pairs ends that is no address: none begins within it.
    let mut no_pairs_before = 0;
    while let Some(letter) = rest.chars().next() {
        let at = text.len() - rest.len();
        let may_begin = at >= no_pairs_before && !is_part(&kept);
        let pairs = if may_begin { pairs(rest.as_bytes()) } else { PairRun::default() };
        if !pairs.is_address {
            no_pairs_before = no_pairs_before.max(at + pairs.length);
        }
        if let Some((length, what)) = shape(rest.as_bytes(), &kept, pairs) {
            kept.push_str(&with(&rest[..length], what));
            rest = &rest[length..];
        } else {
            kept.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    kept
}

/// Whether the preceding text is part of the same number.
fn is_part(before: &str) -> bool {
    before.ends_with(|letter: char| letter.is_ascii_hexdigit() || letter == ':')
}

/// Length and kind of the address or UUID at the start of a text.
fn shape(text: &[u8], before: &str, pairs: PairRun) -> Option<(usize, &'static str)> {
    // A UUID may follow letters directly: "pod6b29fc40-..".
    uuid(text).map(|length| (length, "UUIDs")).or_else(|| {
        let length =
            pairs.is_address.then_some(pairs.length).or_else(|| in_a_name(text, before))?;
        Some((length, "MAC addresses"))
    })
}

/// 8, 4, 4, 4 and 12 digits.
fn uuid(text: &[u8]) -> Option<usize> {
    let sign = *text.get(8).filter(|sign| b"-_".contains(sign))?;
    let mut at = 0;
    for length in [8, 4, 4, 4, 12] {
        digits(text, at, length)?;
        at += length + 1;
        let is_last = length == 12;
        if !is_last && text.get(at - 1) != Some(&sign) {
            return None;
        }
    }
    let end = at - 1;
    (!text.get(end).is_some_and(u8::is_ascii_hexdigit)).then_some(end)
}

/// Pairs of digits with a sign between each two.
#[derive(Clone, Copy, Default)]
struct PairRun {
    length: usize,
    is_address: bool,
}

/// An address has at least 6 pairs of digits: Ethernet has 6, worldwide names of disks 8,
/// InfiniBand 20.
fn pairs(text: &[u8]) -> PairRun {
    let Some(sign) = text.get(2).copied().filter(|sign| b":-".contains(sign)) else {
        return PairRun::default();
    };
    let mut pairs = 0;
    let mut end = 0;
    let mut at = 0;
    while digits(text, at, 2).is_some() {
        (pairs, end) = (pairs + 1, at + 2);
        if text.get(end) != Some(&sign) {
            break;
        }
        at = end + 1;
    }
    let goes_on = text.get(end).is_some_and(u8::is_ascii_hexdigit);
    PairRun { length: end, is_address: pairs >= 6 && !goes_on }
}

/// The digits in a name that is derived from an address: 12 in that of a network interface,
/// `enx525400abcdef` (systemd.net-naming-scheme(7)), 16 in that of an RDMA device,
/// `rocex525400fffeabcdef` (rdma-core's `rdma_rename.c`).
fn in_a_name(text: &[u8], before: &str) -> Option<usize> {
    const KINDS: [&str; 9] = ["enx", "ibx", "iwx", "opax", "rdmax", "rocex", "slx", "wlx", "wwx"];
    let length = text.iter().take(17).take_while(|byte| byte.is_ascii_hexdigit()).count();
    (matches!(length, 12 | 16) && KINDS.iter().any(|kind| before.ends_with(kind))).then_some(length)
}

fn digits(text: &[u8], at: usize, count: usize) -> Option<()> {
    text.get(at..at + count)?.iter().all(u8::is_ascii_hexdigit).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str) -> (String, Vec<&'static str>) {
        let mut found = Vec::new();
        (without_addresses(text, &mut found), found)
    }

    #[test]
    fn addresses_and_uuids_become_zeros() {
        let (text, found) =
            without("eth0: 52:54:00:ab:CD:ef, root=UUID=6b29fc40-ca47-1067-b31d-00dd010662da.");
        assert_eq!(
            text,
            "eth0: 00:00:00:00:00:00, root=UUID=00000000-0000-0000-0000-000000000000."
        );
        assert_eq!(found, ["MAC addresses", "UUIDs"]);
        assert_eq!(without("BOOTIF=01-52-54-00-ab-cd-ef").0, "BOOTIF=00-00-00-00-00-00-00");
        assert_eq!(without("wwn 50:06:01:60:3b:20:1f:aa:").0, "wwn 00:00:00:00:00:00:00:00:");
        assert_eq!(
            without("/sys/class/net/enx525400abcdef/mtu").0,
            "/sys/class/net/enx000000000000/mtu"
        );
        assert_eq!(
            without("rocex525400fffeabcdef, ibx525400fffeabcdef").0,
            "rocex0000000000000000, ibx0000000000000000"
        );
        assert_eq!(
            without("pod6b29fc40_ca47_1067_b31d_00dd010662da").0,
            "pod00000000_0000_0000_0000_000000000000"
        );
    }

    #[test]
    fn addresses_stay_distinct() {
        let mut numbered = NumberedAddresses::default();
        [
            "enx525400abcdef/6b29fc40-ca47-1067-b31d-00dd010662da",
            "enx525400abcdef",
            "52:54:00:ab:cd:ef",
        ]
        .iter()
        .for_each(|text| numbered.learn(text));
        let written = |text: &str| numbered.written(text, &mut Vec::new());
        assert_eq!(written("enx525400abcdef"), "enx000000000000");
        assert_eq!(
            written("6b29fc40-ca47-1067-b31d-00dd010662da"),
            "00000000-0000-0000-0000-000000000001"
        );
        assert_eq!(written("at 52:54:00:ab:cd:ef"), "at 00:00:00:00:00:02");
        assert_eq!(written("52:54:00:ff:ff:ff"), "00:00:00:00:00:00");
        assert_eq!(overwritten("52:54:00:ab:cd:ef", 1234), "00:00:00:00:12:34");
    }

    #[test]
    fn other_numbers_are_kept() {
        for text in [
            "0000:3b:00.0",
            "[mem 0x00000000fec00000-0x00000000fec003ff]",
            "00000000,0000ffff",
            "10:20:30",
            "0x525400abcdef",
            "enx525400",
            "1:2:3:4:5:6",
            "aa:bb:cc:dd:ee",
            "6b29fc40-ca47-1067-b31d-00dd010662",
            "é 52:54",
        ] {
            assert_eq!(without(text), (text.to_owned(), Vec::new()));
        }
    }
}
