//! Which board a machine has, where its name may change.

use sha2::{Digest, Sha256};

use crate::source::Source;

/// Serial numbers, the best one first: of the board, else of the system. Root alone reads them.
const SERIALS: [&str; 2] = ["/sys/class/dmi/id/board_serial", "/sys/class/dmi/id/product_uuid"];
/// What a hash begins with, so that it is none of a serial number alone. Who tries all serial
/// numbers of a vendor finds it: a hash is to be kept like the number.
const PREFIX: &[u8] = b"nearfar board\n";
/// Bytes of a hash that are kept: of a million boards, two are alike with a probability of 3e-8.
const HASH_BYTES: usize = 8;
/// What vendors write where there is no serial number, without spaces and marks.
const NO_SERIAL: [&str; 21] = [
    "none",
    "na",
    "notapplicable",
    "notavailable",
    "notspecified",
    "notprovided",
    "default",
    "defaultstring",
    "unknown",
    "empty",
    "tobefilledbyoem",
    "0123456789",
    "123456789",
    "1234567890",
    "systemserialnumber",
    "baseboardserialnumber",
    "chassisserialnumber",
    "oem",
    "null",
    "invalid",
    // AMI's UUID of many boards.
    "03000200040005000006000700080009",
];

impl Source {
    /// A hash of the board's serial number: 16 hexadecimal digits. `None` where it is not readable,
    /// or the vendor set none.
    ///
    /// # References
    ///
    /// Documentation/ABI/testing/sysfs-class-dmi
    pub fn board(&self) -> Option<String> {
        let serial = SERIALS.iter().find_map(|path| self.text(path).filter(|it| is_serial(it)))?;
        let hash = Sha256::new().chain_update(PREFIX).chain_update(serial).finalize();
        Some(hash.iter().take(HASH_BYTES).map(|byte| format!("{byte:02x}")).collect())
    }
}

fn is_serial(text: &str) -> bool {
    let plain: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let plain = plain.to_ascii_lowercase();
    let mut characters = plain.chars();
    let first = characters.next();
    // Of one character alone: "0000000", "ffffffff", "xxxx".
    let is_one = characters.all(|other| Some(other) == first);
    !is_one && !NO_SERIAL.contains(&plain.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "/sys/class/dmi/id/board_serial";
    const SYSTEM: &str = "/sys/class/dmi/id/product_uuid";

    fn board(files: &[(&str, &str)]) -> Option<String> {
        Source::from_files(files.iter().copied()).board()
    }

    #[test]
    fn a_board_has_a_hash_of_its_serial_number() {
        let one = board(&[(BOARD, "ZM187S012345\n")]).unwrap();
        // printf 'nearfar board\nZM187S012345' | sha256sum
        assert_eq!(one, "0d6674c11fb004fb");
        assert_ne!(Some(&one), board(&[(BOARD, "ZM187S012346\n")]).as_ref());
        let with_both = [(BOARD, "ZM187S012345"), (SYSTEM, "4c4c4544-0042-3510-8054-b4c04f4e3332")];
        assert_eq!(Some(one), board(&with_both));
        assert!(board(&with_both[1..]).is_some());
    }

    #[test]
    fn what_vendors_write_where_there_is_none_is_no_serial_number() {
        let none = [
            "",
            "None",
            "Default string",
            "To be filled by O.E.M.",
            "00000000-0000-0000-0000-000000000000",
            "FFFFFFFF",
            "N/A",
            "0123456789",
            "System Serial Number",
            "03000200-0400-0500-0006-000700080009",
            ".....",
            "x",
        ];
        for text in none {
            assert_eq!(board(&[(BOARD, text)]), None, "{text}");
        }
        assert!(board(&[(BOARD, "Not Specified"), (SYSTEM, "4c4c4544-0042")]).is_some());
        assert_eq!(board(&[]), None);
    }
}
