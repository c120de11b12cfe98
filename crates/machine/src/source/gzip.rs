//! Unpacks gzip: several members, and zero padding after the last, as on tapes (gzip(1) skips it,
//! too).

use std::io::{self, BufRead, ErrorKind, Read};

use flate2::bufread::GzDecoder;

/// A compressed stream; checksums of all members are verified.
pub(super) struct Gzip<R: BufRead> {
    /// `None` at the end.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Gzip<R> {
    pub(super) fn new(file: R) -> Self {
        Self { member: Some(GzDecoder::new(file)) }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            self.member =
                self.member.take().map(|ended| next(ended.into_inner())).transpose()?.flatten();
        }
        Ok(0)
    }
}

/// The next member, if there is one.
fn next<R: BufRead>(mut file: R) -> io::Result<Option<GzDecoder<R>>> {
    let mut is_padded = false;
    loop {
        let buffered = match file.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            buffered => buffered?,
        };
        let zeros = buffered.iter().take_while(|&&byte| byte == 0).count();
        match buffered.get(zeros) {
            Some(_) if is_padded || zeros > 0 => {
                return Err(io::Error::new(
                    ErrorKind::InvalidData,
                    "more follows the zeros behind a gzip member",
                ));
            }
            Some(_) => return Ok(Some(GzDecoder::new(file))),
            None if zeros == 0 => return Ok(None),
            None => is_padded = true,
        }
        file.consume(zeros);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn packed(text: &str) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(parts: &[&[u8]]) -> Result<String, String> {
        let mut plain = String::new();
        let file = parts.concat();
        let read = Gzip::new(&file[..]).read_to_string(&mut plain);
        read.map(|_| plain).map_err(|error| error.to_string())
    }

    #[test]
    fn several_members_and_padding_are_read() {
        let [near, far] = ["near", "far"].map(packed);
        assert_eq!(unpacked(&[&near, &far]).unwrap(), "nearfar");
        assert_eq!(unpacked(&[&near, &far, &[0; 100_000]]).unwrap(), "nearfar");
        assert_eq!(unpacked(&[&packed("")]).unwrap(), "");
    }

    #[test]
    fn other_bytes_are_refused() {
        let near = packed("near");
        assert!(unpacked(&[&near, b"far"]).is_err());
        assert!(
            unpacked(&[&near, &[0; 512], &near]).unwrap_err().contains("more follows the zeros")
        );
        let mut damaged = near.clone();
        *damaged.last_mut().unwrap() ^= 1;
        assert!(unpacked(&[&damaged]).is_err() && unpacked(&[&near, &damaged]).is_err());
        assert!((1..near.len()).all(|length| unpacked(&[&near[..length]]).is_err()));
    }
}
