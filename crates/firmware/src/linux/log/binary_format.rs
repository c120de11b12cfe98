//! Detects files that are no log: compressed, in another encoding, of another program.

/// Number of bytes at the start of a file that are examined.
pub(super) const HEAD_BYTES: usize = 4096;

/// The format of a file that is not text, and the command that converts it; `None` if it may be a
/// log.
pub fn binary_format(content: &[u8]) -> Option<&'static str> {
    let head = &content[..content.len().min(HEAD_BYTES)];
    Some(match head {
        [0x1f, 0x8b, ..] => "it is compressed with gzip: use 'zcat FILE'",
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => "it is compressed with bzip2: use 'bzcat FILE'",
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => "it is compressed with xz: use 'xzcat FILE'",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "it is compressed with zstd: use 'zstdcat FILE'",
        [b'P', b'K', 3, 4, ..] => "it is a zip archive: unpack it",
        [b'L', b'P', b'K', b'S', b'H', b'H', b'R', b'H', ..] => {
            "it is a journal file: use 'journalctl -k --file FILE'"
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            "it is UTF-16 text: use 'iconv -f UTF-16 -t UTF-8 FILE'"
        }
        _ if is_wide(head) => "it is UTF-16 text: use 'iconv -f UTF-16LE -t UTF-8 FILE'",
        _ => return None,
    })
}

/// Whether it is UTF-16 without a byte order mark: a NUL beside every letter.
fn is_wide(head: &[u8]) -> bool {
    let pairs = head.chunks_exact(2).take(64);
    head.len() >= 32
        && [0, 1].into_iter().any(|at| pairs.clone().all(|pair| pair[at] == 0 && pair[1 - at] != 0))
}

/// Whether bytes are mostly not text; a console's log may have a few unprintable bytes.
pub(super) fn is_binary(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let odd = text.chars().filter(|&character| {
        character == char::REPLACEMENT_CHARACTER
            || character.is_control() && !character.is_whitespace()
    });
    odd.count() * 4 > text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_other_than_text_are_detected() {
        let utf16: Vec<u8> =
            "[    0.000000] Linux version 6.1.0".bytes().flat_map(|byte| [byte, 0]).collect();
        for (head, name) in [
            (&[0x1f, 0x8b, 8, 0][..], "gzip"),
            (&b"BZh9"[..], "bzip2"),
            (&[0xfd, b'7', b'z', b'X', b'Z', 0][..], "xz"),
            (&[0x28, 0xb5, 0x2f, 0xfd][..], "zstd"),
            (&b"LPKSHHRH\0"[..], "journal"),
            (&[0xff, 0xfe, b'L', 0][..], "UTF-16"),
            (&utf16[..], "UTF-16"),
        ] {
            assert!(binary_format(head).is_some_and(|what| what.contains(name)), "{name}");
        }
        for log in
            [&b""[..], b"[    0.0] Linux version", b"BZh is a word", "\u{feff}[ 0.0] x".as_bytes()]
        {
            assert_eq!(binary_format(log), None);
            assert!(!is_binary(log));
        }
        assert!(is_binary(&[0, 1, 2, 0x80, 0xff, 7, 7, 7]));
    }
}
