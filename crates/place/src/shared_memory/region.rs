//! Which bytes of a segment or file are requested, and whether they exist.

use nearfar_model::Bytes;

use crate::place_error::PlaceError;
use crate::shared_memory::RegionRequest;

/// A checked part of shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SharedRegion {
    /// Its start in bytes.
    pub(crate) offset: u64,
    /// Its length in bytes: whole pages, at least one, within the address space.
    length: u64,
    /// The page size in bytes.
    pub(crate) page: u64,
}

impl SharedRegion {
    /// The requested part of `whole` bytes.
    pub(crate) fn new(
        name: &str,
        request: &RegionRequest,
        whole: u64,
        page: u64,
    ) -> Result<Self, PlaceError> {
        let error = |why: String| PlaceError::Region { name: name.to_owned(), why };
        let offset = request.offset.0;
        check_aligned(name, request, page)?;
        let rounded = whole.checked_next_multiple_of(page).unwrap_or(u64::MAX);
        if offset >= rounded {
            return Err(error(format!("the offset {offset} is beyond its {whole} bytes")));
        }
        let length = request.length.map_or(rounded - offset, |length| length.0);
        let fits = offset.checked_add(length).is_some_and(|end| end <= rounded);
        if !fits || length > i64::MAX.unsigned_abs() {
            return Err(error(format!(
                "offset {offset} and length {length} exceed its {whole} bytes"
            )));
        }
        Ok(Self { offset, length, page })
    }

    pub(crate) fn length(&self) -> usize {
        // Fits a `usize` on the 64-bit targets that this crate supports.
        self.length as usize
    }

    /// The offsets of its pages, from its own start.
    pub(crate) fn pages(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.length()).step_by(self.page as usize)
    }
}

/// The size of memory that is created for a request.
pub(crate) fn length_to_create(name: &str, request: &RegionRequest) -> Result<u64, PlaceError> {
    let error = |why: &str| PlaceError::Region { name: name.to_owned(), why: why.to_owned() };
    let length =
        request.length.ok_or_else(|| error("it does not exist; give a length to create it"))?;
    let whole =
        request.offset.0.checked_add(length.0).filter(|&whole| whole <= i64::MAX.unsigned_abs());
    whole.ok_or_else(|| error("offset and length exceed the address space"))
}

/// Checks that offset and length are whole pages.
pub(crate) fn check_aligned(
    name: &str,
    request: &RegionRequest,
    page: u64,
) -> Result<(), PlaceError> {
    let error = |why: String| Err(PlaceError::Region { name: name.to_owned(), why });
    if request.offset.0 % page != 0 {
        return error(format!(
            "the offset {} is not a multiple of its page, {}",
            request.offset.0,
            Bytes(page)
        ));
    }
    match request.length {
        Some(Bytes(0)) => error("the length is 0".to_owned()),
        Some(Bytes(length)) if length % page != 0 => {
            error(format!("the length {length} is not a multiple of its page, {}", Bytes(page)))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(offset: u64, length: Option<u64>, whole: u64) -> Result<(u64, usize), String> {
        let request = RegionRequest {
            offset: Bytes(offset),
            length: length.map(Bytes),
            ..RegionRequest::default()
        };
        let region = SharedRegion::new("pool", &request, whole, 4096)
            .map_err(|place_error| place_error.to_string())?;
        Ok((region.offset, region.length()))
    }

    #[test]
    fn an_offset_may_exceed_the_length() {
        assert_eq!(part(8192, Some(4096), 40960), Ok((8192, 4096)));
        assert_eq!(part(8192, Some(8192), 16384), Ok((8192, 8192)));
    }

    #[test]
    fn without_a_length_the_part_ends_with_the_last_page() {
        assert_eq!(part(0, None, 40960), Ok((0, 40960)));
        assert_eq!(part(4096, None, 5000), Ok((4096, 4096)));
    }

    #[test]
    fn impossible_parts_are_refused() {
        let message = |offset, length, whole| part(offset, length, whole).unwrap_err();
        assert_eq!(
            message(5000, None, 40960),
            "pool: the offset 5000 is not a multiple of its page, 4 KiB"
        );
        assert_eq!(
            message(0, Some(5000), 40960),
            "pool: the length 5000 is not a multiple of its page, 4 KiB"
        );
        assert_eq!(message(0, Some(0), 40960), "pool: the length is 0");
        assert_eq!(message(40960, None, 40960), "pool: the offset 40960 is beyond its 40960 bytes");
        assert_eq!(
            message(4096, Some(40960), 40960),
            "pool: offset 4096 and length 40960 exceed its 40960 bytes"
        );
        assert!(length_to_create("pool", &RegionRequest::default()).is_err());
    }

    proptest! {
        #[test]
        fn no_request_makes_it_panic(
            offset: u64,
            length: Option<u64>,
            whole: u64,
            page in prop::sample::select(vec![4096u64, 65536, 1 << 21, 1 << 30]),
        ) {
            let offset = Bytes(offset / page * page);
            let length = length.map(Bytes);
            let request = RegionRequest { offset, length, ..RegionRequest::default() };
            let _ = length_to_create("pool", &request);
            if let Ok(region) = SharedRegion::new("pool", &request, whole, page) {
                prop_assert!(region.length() > 0 && region.length() as u64 % page == 0);
            }
        }
    }
}
