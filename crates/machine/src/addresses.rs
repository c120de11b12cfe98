//! Finding addresses and UUIDs in text by their shape alone, so that what is sent to others has none.

/// Text with MAC addresses and UUIDs overwritten with zeros; what was found is added in words.
pub(crate) fn without_addresses(text: &str, found: &mut Vec<&'static str>) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        if let Some((length, what)) = shape(rest.as_bytes(), &kept) {
            found.push(what);
            kept.extend(rest[..length].chars().map(|c| if c.is_ascii_hexdigit() { '0' } else { c }));
            rest = &rest[length..];
        } else {
            kept.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    kept
}

/// Whether what comes before ends in the same number as what follows.
fn is_part(before: &str) -> bool {
    before.ends_with(|letter: char| letter.is_ascii_hexdigit() || letter == ':')
}

/// How long the address or UUID is that a text begins with.
fn shape(text: &[u8], before: &str) -> Option<(usize, &'static str)> {
    // The letters before a UUID may be digits too: "pod6b29fc40-..".
    uuid(text).map(|length| (length, "UUIDs")).or_else(|| {
        let length = address(text).filter(|_| !is_part(before)).or_else(|| in_a_name(text, before))?;
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

/// At least 6 pairs of digits: Ethernet has 6, worldwide names of disks 8, InfiniBand 20.
fn address(text: &[u8]) -> Option<usize> {
    let sign = *text.get(2).filter(|sign| b":-".contains(sign))?;
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
    (pairs >= 6 && !goes_on).then_some(end)
}

/// The 12 digits in the name of a network interface that systemd made of its address: `enx525400abcdef` (systemd.net-naming-scheme(7)).
fn in_a_name(text: &[u8], before: &str) -> Option<usize> {
    const DIGITS: usize = 12;
    let is_name = ["enx", "ibx", "slx", "wlx", "wwx"].iter().any(|kind| before.ends_with(kind));
    digits(text, 0, DIGITS).filter(|()| is_name && !text.get(DIGITS).is_some_and(u8::is_ascii_hexdigit))?;
    Some(DIGITS)
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
    fn addresses_and_uuids_become_zeros_of_the_same_length() {
        let (text, found) = without("eth0: 52:54:00:ab:CD:ef, root=UUID=6b29fc40-ca47-1067-b31d-00dd010662da.");
        assert_eq!(text, "eth0: 00:00:00:00:00:00, root=UUID=00000000-0000-0000-0000-000000000000.");
        assert_eq!(found, ["MAC addresses", "UUIDs"]);
        assert_eq!(without("BOOTIF=01-52-54-00-ab-cd-ef").0, "BOOTIF=00-00-00-00-00-00-00");
        assert_eq!(without("wwn 50:06:01:60:3b:20:1f:aa:").0, "wwn 00:00:00:00:00:00:00:00:");
        assert_eq!(without("/sys/class/net/enx525400abcdef/mtu").0, "/sys/class/net/enx000000000000/mtu");
        assert_eq!(without("pod6b29fc40_ca47_1067_b31d_00dd010662da").0, "pod00000000_0000_0000_0000_000000000000");
    }

    #[test]
    fn other_numbers_stay() {
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
