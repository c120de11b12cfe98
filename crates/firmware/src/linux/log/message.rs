//! Parses known messages: fixed words, and numbers and names between them.

use nearfar_model::Id;

use super::event::LogEventKind;

/// A message pattern, similar to the kernel's source, and the function that builds its event. The
/// line may continue after the pattern.
///
/// `%d` is a decimal number, `%3d` one padded with blanks, `%x` a hexadecimal one after `0x`. `%s`
/// is any text up to the following words or the end of the line, and `%*s` such a text that is
/// dropped.
pub(super) type MessagePattern = (&'static str, fn(&mut MessageFields<'_>) -> Option<LogEventKind>);

/// The event of the first pattern that matches a line.
pub(super) fn find(messages: &[MessagePattern], line: &str) -> Option<LogEventKind> {
    // Most lines are none of these messages: their first letters differ.
    let first = line.chars().next();
    messages
        .iter()
        .filter(|(pattern, _)| pattern.starts_with('%') || pattern.chars().next() == first)
        .find_map(|(pattern, meaning)| meaning(&mut MessageFields::parse(pattern, line)?))
}

/// The values of a message, in order.
pub(super) struct MessageFields<'a>(std::vec::IntoIter<MessageField<'a>>);

enum MessageField<'a> {
    Number(u64),
    Text(&'a str),
}

impl<'a> MessageFields<'a> {
    fn parse(pattern: &str, line: &'a str) -> Option<Self> {
        let mut places = pattern.split('%');
        let mut rest = line.strip_prefix(places.next()?)?;
        let mut fields = Vec::new();
        for place in places {
            let text = place.strip_prefix('s');
            if let Some(words) = text.or_else(|| place.strip_prefix("*s")) {
                let (before, after) =
                    if words.is_empty() { (rest, "") } else { rest.split_once(words)? };
                fields.extend(text.map(|_| MessageField::Text(before)));
                rest = after;
                continue;
            }
            let (kind, words) = place.split_at(place.find(['d', 'x'])? + 1);
            let (digits, radix) = match kind {
                "x" => (rest.strip_prefix("0x")?, 16),
                "3d" => (rest.trim_start(), 10),
                _ => (rest, 10),
            };
            let end = digits.find(|letter: char| !letter.is_digit(radix)).unwrap_or(digits.len());
            fields.push(MessageField::Number(u64::from_str_radix(&digits[..end], radix).ok()?));
            rest = digits[end..].strip_prefix(words)?;
        }
        Some(Self(fields.into_iter()))
    }

    /// The next value, a number.
    pub(super) fn number(&mut self) -> Option<u64> {
        match self.0.next()? {
            MessageField::Number(number) => Some(number),
            MessageField::Text(_) => None,
        }
    }

    /// The next value, the number of a node, CPU or domain.
    pub(super) fn id<T: Id>(&mut self) -> Option<T> {
        self.number()?.try_into().ok().map(T::from_number)
    }

    /// The next value, a text.
    pub(super) fn text(&mut self) -> Option<&'a str> {
        match self.0.next()? {
            MessageField::Text(text) => Some(text),
            MessageField::Number(_) => None,
        }
    }

    /// The next value, a text without surrounding blanks.
    pub(super) fn name(&mut self) -> Option<String> {
        self.text().map(|text| text.trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::NodeId;

    use super::*;

    #[test]
    fn numbers_and_texts_are_parsed_in_order() {
        let mut fields =
            MessageFields::parse("node %3d [mem %x-%x]%s", "node   12 [mem 0x0-0x4fffffff] x")
                .unwrap();
        assert_eq!(
            (fields.id(), fields.number(), fields.number()),
            (Some(NodeId(12)), Some(0), Some(0x4fff_ffff))
        );
        assert_eq!((fields.text(), fields.text()), (Some(" x"), None));
        let mut fields =
            MessageFields::parse("CPU %*s is %s of %d", "CPU 0 is one of 12 or so").unwrap();
        assert_eq!(
            (fields.text(), fields.number(), fields.number()),
            (Some("one"), Some(12), None)
        );
    }

    #[test]
    fn invalid_and_too_large_numbers_are_none() {
        assert!(
            MessageFields::parse("%d", "x").is_none() && MessageFields::parse("%d", "").is_none()
        );
        assert!(MessageFields::parse("%d", "99999999999").unwrap().id::<NodeId>().is_none());
        assert!(MessageFields::parse("%x", "0x11112222333344445").is_none());
        assert!(
            MessageFields::parse("%x", "12").is_none()
                && MessageFields::parse("%d", " 12").is_none()
        );
    }
}
