//! Numbers as numactl's options take them: decimal, `0x` for hexadecimal, a leading `0` for octal;
//! sizes with K, M, G or T (times 1024).

use nearfar_model::Bytes;

/// A size in bytes.
pub fn bytes(text: &str) -> Option<Bytes> {
    let (number, shift) = match text.char_indices().last()? {
        (at, 'k' | 'K') => (&text[..at], 10),
        (at, 'm' | 'M') => (&text[..at], 20),
        (at, 'g' | 'G') => (&text[..at], 30),
        (at, 't' | 'T') => (&text[..at], 40),
        _ => (text, 0),
    };
    self::number(number)?.checked_mul(1 << shift).map(Bytes)
}

/// A number in the base of its prefix.
pub fn number(text: &str) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return in_base(digits, 16);
    }
    match text.strip_prefix('0') {
        Some(digits) if !digits.is_empty() => in_base(digits, 8),
        _ => in_base(text, 10),
    }
}

/// A file mode, octal as chmod takes it.
pub fn mode(text: &str) -> Option<u32> {
    in_base(text, 8).and_then(|mode| u32::try_from(mode).ok()).filter(|&mode| mode <= 0o7777)
}

/// Digits alone: `from_str_radix` would let a sign through.
fn in_base(digits: &str, base: u32) -> Option<u64> {
    let clean = digits.chars().all(|c| c.is_digit(base));
    clean.then(|| u64::from_str_radix(digits, base).ok())?
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_read_with_their_units_and_bases() {
        for (text, size) in [
            ("4096", 4096),
            ("0x1000", 4096),
            ("010k", 8 << 10),
            ("20m", 20 << 20),
            ("1G", 1 << 30),
            ("2T", 2 << 40),
            ("0", 0),
        ] {
            assert_eq!(bytes(text), Some(Bytes(size)), "{text}");
        }
    }

    #[test]
    fn wrong_units_and_overflow_are_refused() {
        for text in [
            "",
            "k",
            "10x",
            "1.5G",
            "-1",
            "+1",
            "1 m",
            "09",
            "0x",
            "99999999999999999999",
            "99999999999T",
            "1kb",
            "ä",
        ] {
            assert_eq!(bytes(text), None, "{text}");
        }
    }

    #[test]
    fn modes_are_octal() {
        assert_eq!(mode("0640"), Some(0o640));
        for text in ["", "8", "-1", "77777", "rw"] {
            assert_eq!(mode(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,12}") {
            bytes(&text);
            mode(&text);
        }

        #[test]
        fn written_sizes_are_read_back(size in 0u64..1 << 40) {
            prop_assert_eq!(bytes(&size.to_string()), Some(Bytes(size)));
            prop_assert_eq!(bytes(&format!("{size:#x}")), Some(Bytes(size)));
        }
    }
}
