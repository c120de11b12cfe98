//! A library without one of its functions: what a driver that is too old looks like.

/// The bytes of a shared library whose function `symbol` has another name, so that programs do not
/// find it.
pub fn without_symbol(mut library: Vec<u8>, symbol: &str) -> Vec<u8> {
    let name = [b"\0", symbol.as_bytes(), b"\0"].concat();
    let mut from = 0;
    while let Some(at) = library[from..].windows(name.len()).position(|bytes| bytes == name) {
        // Its hash in the library's index stays the old name's: the new name is not found, either.
        library[from + at + 1] = b'_';
        from += at + name.len() - 1;
    }
    library
}

#[cfg(test)]
mod tests {
    use super::without_symbol;

    #[test]
    fn whole_names_are_replaced() {
        let library = b"\0cuInit\0cuInit\0cuInit_v2\0".to_vec();
        assert_eq!(without_symbol(library, "cuInit"), b"\0_uInit\0_uInit\0cuInit_v2\0");
    }
}
