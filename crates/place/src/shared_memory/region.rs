//! Which bytes of a segment or file are meant, and whether that can be.

use nearfar_model::Bytes;

use crate::place_error::PlaceError;
use crate::shared_memory::Wish;

/// A checked part of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Region {
    /// Where it begins.
    pub(crate) offset: u64,
    /// How long it is: whole pages, at least one, and an address space holds it.
    length: u64,
    /// The size of its pages.
    pub(crate) page: u64,
}

impl Region {
    /// The part of `whole` bytes that is wished for.
    pub(crate) fn of(name: &str, wish: &Wish, whole: u64, page: u64) -> Result<Self, PlaceError> {
        let refuse = |why: String| PlaceError::Region { name: name.to_owned(), why };
        let offset = wish.offset.0;
        check_aligned(name, wish, page)?;
        let rounded = whole.checked_next_multiple_of(page).unwrap_or(u64::MAX);
        if offset >= rounded {
            return Err(refuse(format!("the offset {offset} lies beyond its {whole} bytes")));
        }
        let length = wish.length.map_or(rounded - offset, |length| length.0);
        let fits = offset.checked_add(length).is_some_and(|end| end <= rounded);
        if !fits || length > i64::MAX.unsigned_abs() {
            return Err(refuse(format!(
                "offset {offset} and length {length} reach beyond its {whole} bytes"
            )));
        }
        Ok(Self { offset, length, page })
    }

    pub(crate) fn length(&self) -> usize {
        // As large as an address on the 64-bit targets that this crate is for.
        self.length as usize
    }

    /// Where its pages begin, counted from its own beginning.
    pub(crate) fn pages(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.length()).step_by(self.page as usize)
    }
}

/// How long memory has to be that is made for a wish.
pub(crate) fn length_to_make(name: &str, wish: &Wish) -> Result<u64, PlaceError> {
    let refuse = |why: &str| PlaceError::Region { name: name.to_owned(), why: why.to_owned() };
    let length = wish
        .length
        .ok_or_else(|| refuse("it does not exist yet, and is made only when a length is given"))?;
    let whole =
        wish.offset.0.checked_add(length.0).filter(|&whole| whole <= i64::MAX.unsigned_abs());
    whole.ok_or_else(|| refuse("offset and length together are beyond sense"))
}

/// Whether offset and length are whole pages.
pub(crate) fn check_aligned(name: &str, wish: &Wish, page: u64) -> Result<(), PlaceError> {
    let refuse = |why: String| Err(PlaceError::Region { name: name.to_owned(), why });
    if wish.offset.0 % page != 0 {
        return refuse(format!(
            "the offset {} is no multiple of its page, {}",
            wish.offset.0,
            Bytes(page)
        ));
    }
    match wish.length {
        Some(Bytes(0)) => refuse("a length of 0 is no part of it".to_owned()),
        Some(Bytes(length)) if length % page != 0 => {
            refuse(format!("the length {length} is no multiple of its page, {}", Bytes(page)))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(offset: u64, length: Option<u64>, whole: u64) -> Result<(u64, usize), String> {
        let wish = Wish { offset: Bytes(offset), length: length.map(Bytes), ..Wish::default() };
        let region = Region::of("pool", &wish, whole, 4096)
            .map_err(|place_error| place_error.to_string())?;
        Ok((region.offset, region.length()))
    }

    #[test]
    fn an_offset_may_be_larger_than_the_length() {
        assert_eq!(part(8192, Some(4096), 40960), Ok((8192, 4096)));
        assert_eq!(part(8192, Some(8192), 16384), Ok((8192, 8192)));
    }

    #[test]
    fn without_a_length_the_part_reaches_to_the_end_of_the_last_page() {
        assert_eq!(part(0, None, 40960), Ok((0, 40960)));
        assert_eq!(part(4096, None, 5000), Ok((4096, 4096)));
    }

    #[test]
    fn what_cannot_be_is_said() {
        let said = |offset, length, whole| part(offset, length, whole).unwrap_err();
        assert_eq!(
            said(5000, None, 40960),
            "pool: the offset 5000 is no multiple of its page, 4 KiB"
        );
        assert_eq!(
            said(0, Some(5000), 40960),
            "pool: the length 5000 is no multiple of its page, 4 KiB"
        );
        assert_eq!(said(0, Some(0), 40960), "pool: a length of 0 is no part of it");
        assert_eq!(said(40960, None, 40960), "pool: the offset 40960 lies beyond its 40960 bytes");
        assert_eq!(
            said(4096, Some(40960), 40960),
            "pool: offset 4096 and length 40960 reach beyond its 40960 bytes"
        );
        assert!(length_to_make("pool", &Wish::default()).is_err());
    }

    proptest! {
        #[test]
        fn no_wish_makes_it_panic(
            offset: u64, length: Option<u64>, whole: u64, page in prop::sample::select(vec![4096u64, 65536, 1 << 21, 1 << 30])
        ) {
            let wish = Wish { offset: Bytes(offset / page * page), length: length.map(Bytes), ..Wish::default() };
            let _ = length_to_make("pool", &wish);
            if let Ok(region) = Region::of("pool", &wish, whole, page) {
                prop_assert!(region.length() > 0 && region.length() as u64 % page == 0);
            }
        }
    }
}
