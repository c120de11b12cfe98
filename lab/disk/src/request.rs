//! A request of a guest: a header, buffers, and a byte for its status.
//!
//! Source: Virtual I/O Device (VIRTIO) 1.2, section 5.2.6.

use virtio_bindings::virtio_blk::{
    VIRTIO_BLK_ID_BYTES, VIRTIO_BLK_S_IOERR, VIRTIO_BLK_S_OK, VIRTIO_BLK_S_UNSUPP,
    VIRTIO_BLK_T_GET_ID, VIRTIO_BLK_T_IN, VIRTIO_BLK_T_OUT,
};
use virtio_queue::desc::split::Descriptor;
use vm_memory::{Bytes, GuestAddress, GuestMemoryMmap};

use crate::content;

const SECTOR: u64 = 512;
const HEADER_BYTES: u32 = 16;

/// What a guest asks for.
#[derive(Debug)]
pub(crate) struct Request {
    kind: u32,
    sector: u64,
    buffers: Vec<Descriptor>,
    pub(crate) status_at: GuestAddress,
}

/// What became of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Served {
    pub(crate) status: u8,
    /// Bytes written to the guest's memory, the status not among them.
    pub(crate) written: u32,
}

impl Request {
    /// The request of a chain of descriptors; none where it is malformed.
    pub(crate) fn parse(memory: &GuestMemoryMmap, chain: &[Descriptor]) -> Option<Self> {
        let [header, buffers @ .., status] = chain else { return None };
        if header.is_write_only() || header.len() < HEADER_BYTES || !status.is_write_only() {
            return None;
        }
        let kind: u32 = memory.read_obj(header.addr()).ok()?;
        let sector: u64 = memory.read_obj(GuestAddress(header.addr().0.checked_add(8)?)).ok()?;
        let buffers = buffers.to_vec();
        Some(Self { kind: u32::from_le(kind), sector, buffers, status_at: status.addr() })
    }

    /// The addresses and bytes of what is transferred.
    pub(crate) fn buffers(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.buffers.iter().map(|buffer| (buffer.addr().0, u64::from(buffer.len())))
    }

    /// Does it. What is written is forgotten.
    pub(crate) fn serve(&self, memory: &GuestMemoryMmap, bytes: u64, serial: &str) -> Served {
        let done = |written: Option<u32>| match written {
            Some(written) => Served { status: VIRTIO_BLK_S_OK as u8, written },
            None => Served { status: VIRTIO_BLK_S_IOERR as u8, written: 0 },
        };
        match self.kind {
            VIRTIO_BLK_T_IN => done(self.read(memory, bytes)),
            VIRTIO_BLK_T_OUT => done(self.range(bytes).map(|_| 0)),
            VIRTIO_BLK_T_GET_ID => done(self.identify(memory, serial)),
            _ => Served { status: VIRTIO_BLK_S_UNSUPP as u8, written: 0 },
        }
    }

    /// Its first byte on the disk, where all of it is on the disk.
    fn range(&self, bytes: u64) -> Option<u64> {
        let start = self.sector.checked_mul(SECTOR)?;
        let length: u64 = self.buffers().map(|(_, length)| length).sum();
        (start.checked_add(length)? <= bytes).then_some(start)
    }

    fn read(&self, memory: &GuestMemoryMmap, bytes: u64) -> Option<u32> {
        let start = self.range(bytes)?;
        let mut offset = start;
        let mut text = Vec::new();
        for buffer in &self.buffers {
            text.resize(buffer.len() as usize, 0);
            content::read(offset, &mut text);
            memory.write_slice(&text, buffer.addr()).ok()?;
            offset += u64::from(buffer.len());
        }
        u32::try_from(offset - start).ok()
    }

    fn identify(&self, memory: &GuestMemoryMmap, serial: &str) -> Option<u32> {
        let mut text = serial.as_bytes().to_vec();
        text.resize(VIRTIO_BLK_ID_BYTES as usize, 0);
        let buffer = self.buffers.first().filter(|buffer| buffer.len() >= VIRTIO_BLK_ID_BYTES)?;
        memory.write_slice(&text, buffer.addr()).ok()?;
        Some(VIRTIO_BLK_ID_BYTES)
    }
}

#[cfg(test)]
mod tests {
    use virtio_bindings::virtio_ring::VRING_DESC_F_WRITE;

    use super::*;

    const DISK: u64 = 1 << 20;

    fn memory() -> GuestMemoryMmap {
        GuestMemoryMmap::from_ranges(&[(GuestAddress(0), 1 << 16)]).unwrap()
    }

    /// A request with its header at 0, one buffer at 0x1000 and its status at 0x100.
    fn request(memory: &GuestMemoryMmap, kind: u32, sector: u64, length: u32) -> Option<Request> {
        memory.write_obj(kind, GuestAddress(0)).unwrap();
        memory.write_obj(sector, GuestAddress(8)).unwrap();
        let write = VRING_DESC_F_WRITE as u16;
        let chain = [(0, 16, 0), (0x1000, length, write), (0x100, 1, write)];
        Request::parse(
            memory,
            &chain.map(|(at, length, flags)| Descriptor::new(at, length, flags, 0)),
        )
    }

    #[test]
    fn a_read_brings_the_content_of_its_place() {
        let memory = memory();
        let request = request(&memory, VIRTIO_BLK_T_IN, 3, 1024).unwrap();
        assert_eq!(request.buffers().collect::<Vec<_>>(), [(0x1000, 1024)]);
        let served = request.serve(&memory, DISK, "lab0");
        assert_eq!((served.status, served.written), (0, 1024));
        let word: u64 = memory.read_obj(GuestAddress(0x1000 + 512)).unwrap();
        assert_eq!(word, 4 * 512);
    }

    #[test]
    fn what_is_not_on_the_disk_is_an_error() {
        let memory = memory();
        for (kind, sector, length, status) in [
            (VIRTIO_BLK_T_IN, DISK / 512 - 1, 512, VIRTIO_BLK_S_OK),
            (VIRTIO_BLK_T_IN, DISK / 512 - 1, 1024, VIRTIO_BLK_S_IOERR),
            (VIRTIO_BLK_T_IN, u64::MAX, 512, VIRTIO_BLK_S_IOERR),
            (VIRTIO_BLK_T_IN, 0, 1 << 17, VIRTIO_BLK_S_IOERR),
            (VIRTIO_BLK_T_OUT, 0, 512, VIRTIO_BLK_S_OK),
            (VIRTIO_BLK_T_GET_ID, 0, 4, VIRTIO_BLK_S_IOERR),
            (99, 0, 512, VIRTIO_BLK_S_UNSUPP),
        ] {
            let served = request(&memory, kind, sector, length).unwrap().serve(&memory, DISK, "");
            assert_eq!(u32::from(served.status), status, "{kind} {sector} {length}");
        }
    }

    #[test]
    fn a_disk_names_its_serial() {
        let memory = memory();
        let request = request(&memory, VIRTIO_BLK_T_GET_ID, 0, 20).unwrap();
        assert_eq!(request.serve(&memory, DISK, "lab7").written, 20);
        let word: u64 = memory.read_obj(GuestAddress(0x1000)).unwrap();
        assert_eq!(word, u64::from_le_bytes(*b"lab7\0\0\0\0"));
    }

    #[test]
    fn malformed_chains_are_no_requests() {
        let memory = memory();
        let write = VRING_DESC_F_WRITE as u16;
        for chain in [
            vec![],
            vec![(0, 16, 0)],
            vec![(0, 8, 0), (0x100, 1, write)],
            vec![(0, 16, write), (0x100, 1, write)],
            vec![(0, 16, 0), (0x100, 1, 0)],
            vec![(1 << 40, 16, 0), (0x100, 1, write)],
        ] {
            let chain: Vec<Descriptor> = chain
                .into_iter()
                .map(|(at, len, flags)| Descriptor::new(at, len, flags, 0))
                .collect();
            assert!(Request::parse(&memory, &chain).is_none(), "{chain:?}");
        }
    }
}
