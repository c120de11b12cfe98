//! Numbers by which programs name the driver's objects.

use std::collections::BTreeMap;

use crate::codes::{Answer, Code};

/// Objects of one kind.
#[derive(Debug)]
pub(crate) struct Handles<T> {
    next: usize,
    objects: BTreeMap<usize, T>,
}

impl<T> Handles<T> {
    /// None yet. Numbers of different kinds begin at different numbers, so that none is another
    /// kind's.
    pub(crate) fn starting_at(first: usize) -> Self {
        Self { next: first, objects: BTreeMap::new() }
    }

    /// A new object's number.
    pub(crate) fn add(&mut self, object: T) -> usize {
        let handle = self.next;
        self.next += 16;
        self.objects.insert(handle, object);
        handle
    }

    pub(crate) fn get(&mut self, handle: usize) -> Answer<&mut T> {
        self.objects.get_mut(&handle).ok_or(Code::INVALID_HANDLE)
    }

    pub(crate) fn remove(&mut self, handle: usize) -> Answer<T> {
        self.objects.remove(&handle).ok_or(Code::INVALID_HANDLE)
    }

    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(&T) -> bool) {
        self.objects.retain(|_, object| is_kept(object));
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.objects.values_mut()
    }
}
