//! Names that thousands of machines share, kept once.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Each name has a number.
#[derive(Debug)]
pub(crate) struct Interned<T> {
    numbers: HashMap<Arc<T>, u32>,
    names: Vec<Arc<T>>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), names: Vec::new() }
    }
}

impl<T: Hash + Eq> Interned<T> {
    /// The number of a name.
    pub(crate) fn number(&mut self, name: T) -> u32 {
        if let Some(&known) = self.numbers.get(&name) {
            return known;
        }
        let number = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let name = Arc::new(name);
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    /// The name of a number.
    pub(crate) fn name(&self, number: u32) -> &T {
        &self.names[number as usize]
    }
}
