//! A disk as the crates of rust-vmm serve it.

use std::io;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use vhost::vhost_user::message::{VhostUserProtocolFeatures, VhostUserVirtioFeatures};
use vhost_user_backend::{VhostUserBackend, VringRwLock, VringT};
use virtio_bindings::virtio_blk::{VIRTIO_BLK_F_BLK_SIZE, VIRTIO_BLK_F_MQ, VIRTIO_BLK_F_SEG_MAX};
use virtio_bindings::virtio_config::VIRTIO_F_VERSION_1;
use virtio_bindings::virtio_ring::VIRTIO_RING_F_INDIRECT_DESC;
use virtio_queue::QueueT;
use virtio_queue::desc::split::Descriptor;
use vm_memory::{Bytes, GuestAddress, GuestAddressSpace, GuestMemoryAtomic, GuestMemoryMmap};
use vmm_sys_util::epoll::EventSet;

use crate::costs::DiskCosts;
use crate::pending::Pending;
use crate::request::{Request, Served};
use crate::transfers::Transfers;

/// Descriptors of a queue. QEMU has to be given this number: its own depends on its version (128,
/// since 10 1,024).
pub const QUEUE_SIZE: u16 = 128;
/// As many as a guest may ask for, as Debian 13's firmware does (QEMU's VIRTQUEUE_MAX_SIZE).
const MAX_QUEUE_SIZE: usize = 1024;
/// Buffers of a request: two of the descriptors are for header and status.
const MAX_SEGMENTS: u32 = QUEUE_SIZE as u32 - 2;
const BLOCK_BYTES: u32 = 512;

/// The guest's memory, as QEMU shares it.
pub(crate) type SharedMemory = GuestMemoryAtomic<GuestMemoryMmap>;

pub(crate) struct DiskBackend {
    costs: DiskCosts,
    memory: SharedMemory,
    transfers: Mutex<(Transfers, u64)>,
    pending: Pending<Completion>,
}

/// A request that only waits for its end.
struct Completion {
    vring: VringRwLock,
    head: u16,
    served: Served,
    status_at: Option<GuestAddress>,
}

impl DiskBackend {
    pub(crate) fn new(costs: DiskCosts, memory: SharedMemory) -> Arc<Self> {
        let transfers = Mutex::new((Transfers::new(costs.clone()), 0));
        Arc::new(Self { costs, memory, transfers, pending: Pending::new() })
    }

    /// Completes requests when they are due; never returns.
    pub(crate) fn complete(&self) {
        loop {
            let Completion { vring, head, served, status_at } = self.pending.next();
            // A guest that gives addresses outside of its memory gets no status.
            if let Some(at) = status_at {
                let _ = self.memory.memory().write_obj(served.status, at);
            }
            let written = served.written + u32::from(status_at.is_some());
            if vring.add_used(head, written).is_ok() {
                let _ = vring.signal_used_queue();
            }
        }
    }

    /// Serves what a queue has.
    fn take(&self, queue: usize, vring: &VringRwLock) {
        let memory = self.memory.memory();
        loop {
            let popped = vring.get_mut().get_queue_mut().pop_descriptor_chain(memory.clone());
            let Some(chain) = popped else { return };
            let now = self.pending.now();
            let head = chain.head_index();
            let descriptors: Vec<Descriptor> = chain.collect();
            let request = Request::parse(&memory, &descriptors);
            let (ends, number) = self.end(now, queue, request.as_ref());
            let served = request.as_ref().map_or(Served { status: 0, written: 0 }, |request| {
                request.serve(memory.deref(), self.costs.bytes, &self.costs.serial)
            });
            let status_at = request.map(|request| request.status_at);
            self.pending.add(
                ends,
                number,
                Completion { vring: vring.clone(), head, served, status_at },
            );
        }
    }

    /// When a request ends, and its number.
    fn end(&self, now: u64, queue: usize, request: Option<&Request>) -> (u64, u64) {
        let mut transfers = self.transfers.lock().unwrap_or_else(PoisonError::into_inner);
        let buffers = request.into_iter().flat_map(Request::buffers);
        let ends = transfers.0.end(now, queue, buffers);
        transfers.1 += 1;
        (ends, transfers.1)
    }

    /// `struct virtio_blk_config`, as far as the offered features need it.
    fn config(&self) -> Vec<u8> {
        let mut config = (self.costs.bytes / u64::from(BLOCK_BYTES)).to_le_bytes().to_vec();
        config.extend([0; 4]);
        config.extend(MAX_SEGMENTS.to_le_bytes());
        config.extend([0; 4]);
        config.extend(BLOCK_BYTES.to_le_bytes());
        config.extend([0; 10]);
        config.extend((self.costs.queues as u16).to_le_bytes());
        config
    }
}

impl VhostUserBackend for DiskBackend {
    type Bitmap = ();
    type Vring = VringRwLock;

    fn num_queues(&self) -> usize {
        self.costs.queues
    }

    fn max_queue_size(&self) -> usize {
        MAX_QUEUE_SIZE
    }

    fn features(&self) -> u64 {
        let bits = [
            VIRTIO_F_VERSION_1,
            VIRTIO_RING_F_INDIRECT_DESC,
            VIRTIO_BLK_F_SEG_MAX,
            VIRTIO_BLK_F_BLK_SIZE,
            VIRTIO_BLK_F_MQ,
        ];
        let protocol = VhostUserVirtioFeatures::PROTOCOL_FEATURES.bits();
        bits.iter().fold(protocol, |features, bit| features | 1 << bit)
    }

    fn protocol_features(&self) -> VhostUserProtocolFeatures {
        VhostUserProtocolFeatures::CONFIG | VhostUserProtocolFeatures::MQ
    }

    fn set_event_idx(&self, _: bool) {}

    fn get_config(&self, offset: u32, size: u32) -> Vec<u8> {
        let from = self.config().into_iter().chain(std::iter::repeat(0));
        from.skip(offset as usize).take(size as usize).collect()
    }

    fn update_memory(&self, _: SharedMemory) -> io::Result<()> {
        Ok(())
    }

    fn handle_event(
        &self,
        queue: u16,
        _: EventSet,
        vrings: &[VringRwLock],
        _: usize,
    ) -> io::Result<()> {
        let queue = usize::from(queue);
        if let Some(vring) = vrings.get(queue) {
            self.take(queue, vring);
        }
        Ok(())
    }
}
