//! What a file is that should be a log and is none: packed, in another encoding, of another
//! program.

/// How much of a file's beginning is looked at.
pub(super) const HEAD_BYTES: usize = 4096;

/// What a file is instead, with what makes text of it; none where it may be a log.
pub fn binary_format(content: &[u8]) -> Option<&'static str> {
    let head = &content[..content.len().min(HEAD_BYTES)];
    Some(match head {
        [0x1f, 0x8b, ..] => "it is packed by gzip: 'zcat FILE' shows it",
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => "it is packed by bzip2: 'bzcat FILE' shows it",
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => "it is packed by xz: 'xzcat FILE' shows it",
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "it is packed by zstd: 'zstdcat FILE' shows it",
        [b'P', b'K', 3, 4, ..] => "it is a zip archive: unpack it",
        [b'L', b'P', b'K', b'S', b'H', b'H', b'R', b'H', ..] => {
            "it is a journal's own file: 'journalctl -k --file FILE' shows it"
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            "it is UTF-16 text: 'iconv -f UTF-16 -t UTF-8 FILE' makes UTF-8 of it"
        }
        _ if is_wide(head) => {
            "it is UTF-16 text: 'iconv -f UTF-16LE -t UTF-8 FILE' makes UTF-8 of it"
        }
        _ => return None,
    })
}

/// Text with a NUL beside every letter, and no mark before it.
fn is_wide(head: &[u8]) -> bool {
    let pairs = head.chunks_exact(2).take(64);
    head.len() >= 32
        && [0, 1].into_iter().any(|at| pairs.clone().all(|pair| pair[at] == 0 && pair[1 - at] != 0))
}

/// Whether bytes are hardly text: a console's log may hold a few others.
pub(super) fn is_binary(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let odd = text.chars().filter(|&one| {
        one == char::REPLACEMENT_CHARACTER || one.is_control() && !one.is_whitespace()
    });
    odd.count() * 4 > text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_no_logs_are_named() {
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
