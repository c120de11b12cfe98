//! Fewer of many, evenly: a picture with thousands of dots shows no more than one with hundreds.

/// At most `most` of the items, evenly over all of them and in their order, the first and the last
/// among them.
pub(crate) fn thinned<T>(items: &[T], most: usize) -> impl Iterator<Item = &T> {
    let (count, kept) = (items.len(), items.len().min(most));
    (0..kept)
        .filter_map(move |k| items.get(if kept < 2 { 0 } else { k * (count - 1) / (kept - 1) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_and_last_stay() {
        let many: Vec<u32> = (0..1000).collect();
        let few: Vec<u32> = thinned(&many, 4).copied().collect();
        assert_eq!(few, [0, 333, 666, 999]);
        assert_eq!(thinned(&many[..3], 9).count(), 3);
        assert_eq!(thinned::<u32>(&[], 9).count(), 0);
    }
}
