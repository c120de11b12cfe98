//! A column's dictionary as it is written.

use std::collections::HashMap;

/// Words of a column by number.
#[derive(Default)]
pub(super) struct Words {
    numbers: HashMap<String, u32>,
    /// The dictionary page's bytes.
    pub(super) page: Vec<u8>,
}

impl Words {
    pub(super) fn number(&mut self, word: &str) -> u32 {
        if let Some(&known) = self.numbers.get(word) {
            return known;
        }
        let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(word.to_owned(), number);
        self.page.extend_from_slice(&u32::try_from(word.len()).unwrap_or(u32::MAX).to_le_bytes());
        self.page.extend_from_slice(word.as_bytes());
        number
    }

    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }
}
