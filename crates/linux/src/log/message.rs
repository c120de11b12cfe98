//! Taking known messages apart: fixed words, and numbers and names between them.

use nearfar_model::Id;

use super::event::LogEventKind;

/// A message, much as the kernel's source has it, and what it means. After its beginning a line may
/// go on.
///
/// `%d` is a decimal number, `%3d` one that blanks fill up, `%x` a hexadecimal one after `0x`; `%s`
/// is any text up to the words that follow, at the end all that is left, and `%*s` such a text that
/// is not kept.
pub(super) type MessagePattern = (&'static str, fn(&mut MessageFields<'_>) -> Option<LogEventKind>);

/// What the first of these messages that a line is means.
pub(super) fn find(messages: &[MessagePattern], line: &str) -> Option<LogEventKind> {
    messages.iter().find_map(|(pattern, meaning)| meaning(&mut MessageFields::of(pattern, line)?))
}

/// What stands in a message's places, in order.
pub(super) struct MessageFields<'a>(std::vec::IntoIter<MessageField<'a>>);

enum MessageField<'a> {
    Number(u64),
    Text(&'a str),
}

impl<'a> MessageFields<'a> {
    fn of(pattern: &str, line: &'a str) -> Option<Self> {
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

    /// The next place, a number.
    pub(super) fn number(&mut self) -> Option<u64> {
        match self.0.next()? {
            MessageField::Number(number) => Some(number),
            MessageField::Text(_) => None,
        }
    }

    /// The next place, the number of a node, CPU or domain.
    pub(super) fn id<T: Id>(&mut self) -> Option<T> {
        self.number()?.try_into().ok().map(T::from_number)
    }

    /// The next place, a text.
    pub(super) fn text(&mut self) -> Option<&'a str> {
        match self.0.next()? {
            MessageField::Text(text) => Some(text),
            MessageField::Number(_) => None,
        }
    }

    /// The same, to be kept.
    pub(super) fn name(&mut self) -> Option<String> {
        self.text().map(|text| text.trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use nearfar_model::NodeId;

    use super::*;

    #[test]
    fn numbers_and_texts_come_one_after_another() {
        let mut fields =
            MessageFields::of("node %3d [mem %x-%x]%s", "node   12 [mem 0x0-0x4fffffff] x")
                .unwrap();
        assert_eq!(
            (fields.id(), fields.number(), fields.number()),
            (Some(NodeId(12)), Some(0), Some(0x4fff_ffff))
        );
        assert_eq!((fields.text(), fields.text()), (Some(" x"), None));
        let mut fields =
            MessageFields::of("CPU %*s is %s of %d", "CPU 0 is one of 12 or so").unwrap();
        assert_eq!(
            (fields.text(), fields.number(), fields.number()),
            (Some("one"), Some(12), None)
        );
    }

    #[test]
    fn what_is_no_number_or_too_large_is_none() {
        assert!(MessageFields::of("%d", "x").is_none() && MessageFields::of("%d", "").is_none());
        assert!(MessageFields::of("%d", "99999999999").unwrap().id::<NodeId>().is_none());
        assert!(MessageFields::of("%x", "0x11112222333344445").is_none());
        assert!(
            MessageFields::of("%x", "12").is_none() && MessageFields::of("%d", " 12").is_none()
        );
    }
}
