//! The kernel's own buffer of its log: `/dev/kmsg`, one record a read.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;

/// Where it is.
pub(crate) const BUFFER: &str = "/dev/kmsg";

/// `O_NONBLOCK` of every architecture but MIPS, Alpha, SPARC and PA-RISC: reading stops where the
/// buffer ends.
const WITHOUT_WAITING: i32 = 0o4000;
/// How many records a buffer can have: of 64 MiB, the largest, with a byte each.
const MAX_RECORDS: usize = 4 << 20;
/// The longest record.
const MAX_RECORD_BYTES: usize = 8 << 10;

/// Gives each record's message, with its head: "6,339,5140900,-;words". A record may go on with
/// lines about devices, which are left out.
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
            // Records that were overwritten meanwhile.
            Err(error)
                if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::Interrupted) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
