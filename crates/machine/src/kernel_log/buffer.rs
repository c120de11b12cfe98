//! The kernel's log buffer: `/dev/kmsg`, one record per read.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;

/// Path of the buffer.
pub(crate) const BUFFER: &str = "/dev/kmsg";

/// `O_NONBLOCK` on all architectures except MIPS, Alpha, SPARC and PA-RISC: reading stops at the
/// end of the buffer.
const WITHOUT_WAITING: i32 = 0o4000;
/// Maximum number of records: a buffer of 64 MiB, the largest, with a byte each.
const MAX_RECORDS: usize = 4 << 20;
/// Maximum size of a record.
const MAX_RECORD_BYTES: usize = 8 << 10;

/// Calls `take` with each record's message and prefix: "6,339,5140900,-;words". Additional lines
/// about devices are dropped.
pub(crate) fn each_message(mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut file = OpenOptions::new().read(true).custom_flags(WITHOUT_WAITING).open(BUFFER)?;
    let mut record = vec![0; MAX_RECORD_BYTES];
    for _ in 0..MAX_RECORDS {
        match file.read(&mut record) {
            Ok(0) => break,
            Ok(length) => {
                take(record[..length].split(|&byte| byte == b'\n').next().unwrap_or_default());
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            // Records that have been overwritten.
            Err(error)
                if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
