//! Parses a list into items, independent of the machine.

use nearfar_model::MAX_ID;

use crate::attribute::shorten;
use crate::device_node::ListedDevice;

#[derive(Debug, PartialEq)]
pub(super) struct NodeOrCpuList {
    /// `!`: everything but the items.
    pub(super) inverted: bool,
    /// `+`: numbers are indexes into the usable ones.
    pub(super) relative: bool,
    pub(super) items: Vec<ListItem>,
}

/// One item of a list.
#[derive(Debug, PartialEq)]
pub(super) enum ListItem {
    All,
    Same,
    Number(u32),
    Range(u32, u32),
    ListedDevice(ListedDevice),
}

impl NodeOrCpuList {
    /// Parses a list. `file_exists` decides where a path with commas ends.
    pub(super) fn parse(text: &str, file_exists: impl Fn(&str) -> bool) -> Result<Self, String> {
        let text = text.trim();
        let (inverted, text) = after(text, '!');
        let (relative, text) = after(text, '+');
        if text.is_empty() {
            return Err("it is empty: give numbers, ranges such as 0-3, or 'all'".to_owned());
        }
        let mut items = Vec::new();
        let mut rest = Some(text);
        while let Some(text) = rest {
            let (item, after) = first(text, &file_exists);
            items.push(ListItem::parse(item)?);
            rest = after;
        }
        Ok(Self { inverted, relative, items })
    }
}

impl NodeOrCpuList {
    /// Whether it needs a previous list: `same`.
    pub(super) fn repeats(&self) -> bool {
        self.items.contains(&ListItem::Same)
    }
}

fn after(text: &str, sign: char) -> (bool, &str) {
    text.strip_prefix(sign).map_or((false, text), |rest| (true, rest.trim_start()))
}

/// The first item, and the text after its comma. Paths may have commas: the longest existing one is
/// used.
fn first(text: &str, file_exists: impl Fn(&str) -> bool) -> (&str, Option<&str>) {
    let mut end = text.find(',');
    if let Some(path) = text.trim_start().strip_prefix("file:") {
        let start = text.len() - path.len();
        let ends = [path.len()].into_iter().chain(path.rmatch_indices(',').map(|(at, _)| at));
        let longest = ends.map(|at| start + at).find(|&at| file_exists(&text[start..at]));
        end = longest.or(end);
    }
    match end {
        Some(end) => (&text[..end], text.get(end + 1..)),
        None => (text, None),
    }
}

impl ListItem {
    fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        match text {
            "" => return Err("an item is missing beside a comma".to_owned()),
            "all" => return Ok(Self::All),
            "same" => return Ok(Self::Same),
            _ => {}
        }
        if text.starts_with(['!', '+']) {
            return Err(format!(
                "'{}': '!' and '+' are allowed once, before the whole list, in this order",
                shorten(text)
            ));
        }
        if let Some(device) = ListedDevice::parse(text)? {
            return Ok(Self::ListedDevice(device));
        }
        match text.split_once('-') {
            None => Ok(Self::Number(number(text)?)),
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                if last < first {
                    return Err(format!("the range {first}-{last} is descending"));
                }
                Ok(Self::Range(first, last))
            }
        }
    }
}

/// Parses a number as `strtoul` does with base 0.
fn number(text: &str) -> Result<u32, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err("a number is missing beside a '-'".to_owned());
    }
    if text.contains(char::is_whitespace) {
        return Err(format!(
            "'{}' contains blanks: separate items by commas, as in 0,2-4",
            shorten(text)
        ));
    }
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (digits, base, name) = match (hexadecimal, text.strip_prefix('0')) {
        (Some(digits), _) => (digits, 16, "number in hexadecimal"),
        (None, Some(digits)) if digits.starts_with(|c: char| c.is_ascii_digit()) => {
            (digits, 8, "number in octal (leading 0)")
        }
        (None, _) => (text, 10, "number"),
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(base)) {
        return Err(match text.starts_with(|first: char| first.is_ascii_digit()) {
            true => format!("'{}' is not a {name}", shorten(text)),
            false => format!(
                "'{}' is neither a number, a range, 'all', 'same' nor a device",
                shorten(text)
            ),
        });
    }
    let beyond =
        |_| format!("{} is above the highest number of nodes and CPUs, {MAX_ID}", shorten(text));
    u32::from_str_radix(digits, base).map_err(beyond)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<NodeOrCpuList, String> {
        NodeOrCpuList::parse(text, |_| false)
    }

    fn items(text: &str) -> Vec<ListItem> {
        parse(text).unwrap().items
    }

    fn refusal(text: &str) -> String {
        parse(text).unwrap_err()
    }

    #[test]
    fn numbers_come_in_three_bases() {
        assert_eq!(
            items("7, 0x1F,010,0,00"),
            [
                ListItem::Number(7),
                ListItem::Number(31),
                ListItem::Number(8),
                ListItem::Number(0),
                ListItem::Number(0)
            ]
        );
        assert_eq!(items("0x0-0x3"), [ListItem::Range(0, 3)]);
    }

    #[test]
    fn signs_precede_the_whole_list() {
        let list = parse("!+0,2-3").unwrap();
        assert!(list.inverted && list.relative);
        assert_eq!(list.items, [ListItem::Number(0), ListItem::Range(2, 3)]);
        assert_eq!(items("all"), [ListItem::All]);
        assert_eq!(items("0,same"), [ListItem::Number(0), ListItem::Same]);
        assert!(refusal("0,!1").contains("before the whole list"));
        assert!(refusal("+!1").contains("in this order"));
    }

    #[test]
    fn errors_name_the_item() {
        assert!(refusal("").contains("it is empty") && refusal("!").contains("it is empty"));
        assert!(
            refusal("0,").contains("missing beside a comma") && refusal(",0").contains("missing")
        );
        assert!(
            refusal("-1").contains("missing beside a '-'")
                && refusal("1-").contains("missing beside")
        );
        assert_eq!(refusal("3-1"), "the range 3-1 is descending");
        assert_eq!(refusal("08"), "'08' is not a number in octal (leading 0)");
        assert_eq!(
            refusal("ALL"),
            "'ALL' is neither a number, a range, 'all', 'same' nor a device"
        );
        assert_eq!(refusal("1x"), "'1x' is not a number");
        assert_eq!(refusal("0 1"), "'0 1' contains blanks: separate items by commas, as in 0,2-4");
        assert_eq!(refusal("0g"), "'0g' is not a number");
        let beyond = "4294967296 is above the highest number of nodes and CPUs";
        assert!(
            refusal("4294967296").starts_with(beyond)
                && refusal("0-0x100000000").contains("0x100000000 is above")
        );
        assert_eq!(refusal("0x"), "'0x' is not a number in hexadecimal");
    }

    #[test]
    fn existing_paths_keep_their_commas() {
        let file = |path: &str| ListItem::ListedDevice(ListedDevice::File(path.to_owned()));
        let text = "file:/data/a,0,2";
        let when = |known: &'static [&str]| {
            NodeOrCpuList::parse(text, |path| known.contains(&path)).unwrap().items
        };
        assert_eq!(when(&[]), [file("/data/a"), ListItem::Number(0), ListItem::Number(2)]);
        assert_eq!(when(&["/data/a", "/data/a,0"]), [file("/data/a,0"), ListItem::Number(2)]);
        assert_eq!(when(&["/data/a,0,2"]), [file("/data/a,0,2")]);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed(text in ".{0,60}") {
            let _ = NodeOrCpuList::parse(&text, |path| path.len() % 2 == 0);
        }

        #[test]
        fn almost_valid_lists_are_parsed(text in "[!+]{0,2}[0-9x,\\- a-f:.]{0,20}") {
            let _ = NodeOrCpuList::parse(&text, |path| path.len() % 2 == 0);
        }

        #[test]
        fn numbers_round_trip(numbers in proptest::collection::vec(0u32..70_000, 1..20)) {
            let text: Vec<String> = numbers.iter().map(u32::to_string).collect();
            let expected: Vec<ListItem> = numbers.into_iter().map(ListItem::Number).collect();
            prop_assert_eq!(items(&text.join(",")), expected);
        }
    }
}
