//! The program's output: drained so that it never blocks; its end is kept.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// Bytes that are kept of a stream.
const KEPT: usize = 1 << 20;
/// Time to wait for the last output: on a busy machine the reading thread may get no CPU for a
/// while, and descendants that could not be killed may hold the stream open.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// A stream that is being read.
#[derive(Debug)]
pub(super) struct StreamTail {
    kept: Arc<Mutex<LastBytes>>,
    closed: Receiver<()>,
}

/// The last bytes of a stream.
#[derive(Debug, Default)]
struct LastBytes(VecDeque<u8>);

impl StreamTail {
    /// Reads a stream in a thread of its own.
    pub(super) fn new(stream: Option<impl Read + Send + 'static>) -> io::Result<Self> {
        let (closes, closed) = channel();
        let output = Self { kept: Arc::default(), closed };
        let Some(mut stream) = stream else { return Ok(output) };
        let kept = output.kept.clone();
        thread::Builder::new().spawn(move || {
            let _closes = closes;
            let mut piece = vec![0; 64 << 10];
            while let Ok(count @ 1..) = stream.read(&mut piece) {
                if let Ok(mut kept) = kept.lock() {
                    kept.add(&piece[..count]);
                }
            }
        })?;
        Ok(output)
    }

    /// Its end as text, once it is closed or the timeout is over; what is no text is replaced.
    pub(super) fn text(self) -> String {
        let _ = self.closed.recv_timeout(DRAIN_TIMEOUT);
        self.kept.lock().map_or_else(|_| String::new(), |mut kept| kept.text())
    }
}

impl LastBytes {
    fn add(&mut self, piece: &[u8]) {
        self.0.extend(piece);
        let excess = self.0.len().saturating_sub(KEPT);
        self.0.drain(..excess);
    }

    fn text(&mut self) -> String {
        String::from_utf8_lossy(self.0.make_contiguous()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept() {
        let mut tail = LastBytes::default();
        (0..3).for_each(|piece| tail.add(&vec![b'a' + piece; KEPT / 2]));
        let text = tail.text();
        assert_eq!((text.len(), text.starts_with('b'), text.ends_with('c')), (KEPT, true, true));
        tail.add(&[0xff]);
        assert!(tail.text().ends_with('\u{fffd}'));
    }

    #[test]
    fn a_stream_is_read_to_its_end() {
        assert_eq!(StreamTail::new(Some(&b"text"[..])).unwrap().text(), "text");
        assert_eq!(StreamTail::new(None::<&[u8]>).unwrap().text(), "");
    }
}
