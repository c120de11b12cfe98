//! Socket, node and channel of a memory slot, parsed from its two names.
//!
//! SMBIOS has no field for them, and names are free text. Only patterns of known boards are
//! recognised; everything else stays unknown.
//!
//! | names | board |
//! |---|---|
//! | `P1-DIMMA1`, `P0_Node0_Channel0_Dimm0` | Supermicro, Xeon E5 |
//! | `P1_1A`, `0` | Supermicro, Opteron 6100 |
//! | `DIMM 1`, `P0 CHANNEL A` | AMD's reference BIOS |
//! | `Controller0-ChannelA-DIMM0`, `BANK 0` | Intel's reference BIOS, one socket |
//! | `PROC 1 DIMM 3` | HPE |
//! | `CPU1_DIMM_A1` | Gigabyte, Lenovo and others |
//! | `A3` | Dell: the letter is the socket; the channel is not named |

use serde::Serialize;

/// Location of a memory slot, as far as its names show it. Numbers and letters are the board's own:
/// some boards count from 0, others from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SlotLocation {
    /// The socket: "0" in "P0 CHANNEL A", "1" in "CPU1_DIMM_A1".
    pub socket: Option<String>,
    /// The node, where the board names one: "0" in "P0_Node0_Channel0_Dimm0".
    pub node: Option<String>,
    /// The channel: "A" in "P0 CHANNEL A", "0" in "P0_Node0_Channel0_Dimm0", "1A" in
    /// "Controller1-ChannelA-DIMM0".
    pub channel: Option<String>,
}

pub(super) fn read(locator: &str, bank: &str) -> SlotLocation {
    let (locator, bank) = (words(locator), words(bank));
    // The bank's name first: if it names anything, it is complete.
    let find = |look: fn(&[String]) -> Option<String>| look(&bank).or_else(|| look(&locator));
    let mut slot = SlotLocation {
        socket: find(socket),
        node: find(|words| after(words, &["NODE"])),
        channel: find(channel),
    };
    if slot.socket.is_none() {
        slot.socket = lone_letter(&locator);
    }
    slot
}

/// Splits a name into words and numbers: "P1-DIMMA1" gives P, 1, DIMMA, 1.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut kind = None;
    for letter in name.chars() {
        let now = (letter.is_ascii_alphanumeric()).then(|| letter.is_ascii_digit());
        match words.last_mut() {
            Some(word) if now.is_some() && now == kind => word.push(letter.to_ascii_uppercase()),
            _ if now.is_some() => words.push(letter.to_ascii_uppercase().to_string()),
            _ => {}
        }
        kind = now;
    }
    words
}

/// The word after one of `names`.
fn after(words: &[String], names: &[&str]) -> Option<String> {
    let at = words.iter().position(|word| names.contains(&word.as_str()))?;
    words.get(at + 1).cloned()
}

fn socket(words: &[String]) -> Option<String> {
    after(words, &["P", "PROC", "CPU", "SOCKET"]).filter(|word| is_number(word))
}

/// The word after "CHANNEL", or the letter of "ChannelA", "DIMMA", "DIMM A", prefixed with the
/// number of a "Controller".
fn channel(words: &[String]) -> Option<String> {
    let named = || after(words, &["CHANNEL"]);
    let joined = || words.iter().find_map(|word| joined_letter(word));
    let apart = || after(words, &["DIMM"]).filter(|word| word.len() == 1 && !is_number(word));
    let channel = named().or_else(joined).or_else(apart)?;
    Some(after(words, &["CONTROLLER"]).unwrap_or_default() + &channel)
}

fn joined_letter(word: &str) -> Option<String> {
    let rest = word.strip_prefix("CHANNEL").or_else(|| word.strip_prefix("DIMM"))?;
    Some(rest.to_owned()).filter(|rest| rest.len() == 1)
}

/// Dell's "A3": exactly one letter and one number.
fn lone_letter(words: &[String]) -> Option<String> {
    match words {
        [letter, number] if letter.len() == 1 && is_number(number) => Some(letter.clone()),
        _ => None,
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_board_names_are_parsed() {
        for (locator, bank, socket, node, channel) in [
            ("P1-DIMMA1", "P0_Node0_Channel0_Dimm0", "0", "0", "0"),
            ("P2-DIMMH2", "P1_Node1_Channel3_Dimm1", "1", "1", "3"),
            ("P1-DIMMA1", "", "1", "", "A"),
            ("P3_2B", "18", "3", "", ""),
            ("DIMM 1", "P0 CHANNEL B", "0", "", "B"),
            ("Controller1-ChannelA-DIMM0", "BANK 0", "", "", "1A"),
            ("PROC 1 DIMM 3", "", "1", "", ""),
            ("CPU1_DIMM_A1", "NODE 1", "1", "1", "A"),
            ("B12", "", "B", "", ""),
            ("DIMM 0", "BANK 2", "", "", ""),
            ("", "", "", "", ""),
        ] {
            let name = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            let expected =
                SlotLocation { socket: name(socket), node: name(node), channel: name(channel) };
            assert_eq!(read(locator, bank), expected, "{locator} / {bank}");
        }
    }
}
