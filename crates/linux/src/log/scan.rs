//! Taking a known message apart: fixed words, and numbers between them.

/// What is left of a line.
#[derive(Clone, Copy)]
pub(super) struct Scan<'a>(pub(super) &'a str);

impl<'a> Scan<'a> {
    /// Fixed words, which have to come now.
    pub(super) fn words(self, words: &str) -> Option<Self> {
        self.0.strip_prefix(words).map(Self)
    }

    /// Everything up to fixed words, and what follows them.
    pub(super) fn up_to(self, words: &str) -> Option<(&'a str, Self)> {
        self.0.split_once(words).map(|(before, rest)| (before, Self(rest)))
    }

    /// A decimal number.
    pub(super) fn number(self) -> Option<(u64, Self)> {
        self.digits(10)
    }

    /// A decimal number of 32 bits.
    pub(super) fn small(self) -> Option<(u32, Self)> {
        let (number, rest) = self.number()?;
        Some((u32::try_from(number).ok()?, rest))
    }

    /// A hexadecimal number with "0x" before it.
    pub(super) fn hex(self) -> Option<(u64, Self)> {
        self.words("0x")?.digits(16)
    }

    /// "[mem 0x00000000-0x3fffffff]".
    pub(super) fn range(self) -> Option<(u64, u64, Self)> {
        let (first, rest) = self.words("[mem ")?.hex()?;
        let (last, rest) = rest.words("-")?.hex()?;
        Some((first, last, rest.words("]")?))
    }

    fn digits(self, radix: u32) -> Option<(u64, Self)> {
        let end = self.0.find(|c: char| !c.is_digit(radix)).unwrap_or(self.0.len());
        let number = u64::from_str_radix(&self.0[..end], radix).ok()?;
        Some((number, Self(&self.0[end..])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges_come_one_after_another() {
        let (node, rest) = Scan("node 12 [mem 0x0-0x4fffffff] x").words("node ").unwrap().small().unwrap();
        let (first, last, rest) = rest.words(" ").unwrap().range().unwrap();
        assert_eq!((node, first, last, rest.0), (12, 0, 0x4fff_ffff, " x"));
    }

    #[test]
    fn what_is_no_number_or_too_large_is_none() {
        assert!(Scan("x").number().is_none() && Scan("").number().is_none());
        assert!(Scan("99999999999").small().is_none());
        assert!(Scan("0x11112222333344445").hex().is_none());
        assert!(Scan("12").hex().is_none());
    }
}
