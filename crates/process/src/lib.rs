//! Programs and their memory: where are threads and pages, what moves them, where do new ones go?
//!
//! - [`ProcessMemory::read`] reads a process: its mappings by kind and policy, its pages by node in
//!   bytes, its threads and their nodes, and the share of its memory that is remote to them.
//!   [`advise`] recommends what to do, in one sentence.
//! - [`moving`] moves a running process: its CPUs, its pages and, as far as the kernel allows,
//!   where its next pages are allocated.
//! - [`ProcessDevices`] are the devices that it has open, and whether it runs near them.
//! - [`Counters`] and [`ProcessUse`] are the memory use of nodes and of processes, with numastat's
//!   categories.
//! - [`Migration`] moves a process's pages between nodes, and counts the pages that stayed.
//! - [`PageSampler`] locates a random sample of a process's pages, at a cost that does not depend
//!   on its size; [`sample_threads`] does the same for threads.
//! - [`UniqueMemory`] counts the memory of several processes, shared pages once.
//! - [`read_page_cache`] shows the cached pages of files by node, [`move_files`] moves them, and
//!   [`warm_files`] reads files onto a program's nodes.
//! - [`workers`] groups the processes of a job by their rank, with what of each does not fit;
//!   [`PlacementCondition`] judges them.
//! - [`PageLayout`] records the node of each page, moves pages elsewhere and back; a [`LayoutNote`]
//!   keeps it in a file, for a kill meanwhile.
//! - [`ProcessObjects`] are the parts of processes' memory that have a name: files, shared memory,
//!   heaps, named mappings; [`move_object`] moves one.
//! - [`launch`] places a program that is started, by numactl's options. [`numactl`] has the other
//!   programs of its package: numastat, migratepages, memhog, migspeed, numademo.
//! - [`Target`] is what a command is about: a process, all of a name, a control group.
//!   [`ProcessSelector`] is numastat's: an ID or a part of a command line.
//!
//! A page is *remote* to a thread if it is on another node than the CPU that the thread last ran
//! on. The kernel reports which pages a process has, not which thread uses them. Remote shares
//! therefore assume that every thread uses all pages equally, weighted by its CPU time.
//!
//! [`text`] has all of it in words; only [`numactl`] prints. This crate reads machines through
//! [`nearfar_machine::Source`], so captured machines work too.

mod bad_target;
mod by_node;
mod condition;
mod counters;
mod descendants;
mod device_nearness;
mod error;
mod find;
mod gpu_memory;
mod job;
mod killed;
mod kind;
pub mod launch;
mod layout_note;
mod locality;
mod mapping;
mod memory;
mod migration;
pub mod moving;
pub mod numactl;
mod numastat;
mod objects;
mod page_cache;
mod page_layout;
mod page_sample;
mod process_selector;
mod rank;
mod target;
pub mod text;
mod thread_cpus;
mod thread_sample;
mod threads;
mod unique_memory;
mod where_document;
mod where_result;
mod worker;

pub use bad_target::{BadTarget, TargetKind};
pub use by_node::BytesByNode;
pub use condition::{BadPlacementCondition, ConditionResult, Holds, PlacementCondition};
pub use counters::{COUNTERS_SCHEMA, Counters, NodeFigures};
pub use descendants::{with_descendants, with_descendants_at_a_glance};
pub use device_nearness::{DeviceNearness, DevicesState, Nearness, ProcessDevices};
pub use error::ProcessError;
pub use find::find_processes;
pub use gpu_memory::GpuNode;
pub use killed::{KilledProcess, killed_of};
pub use kind::MappingKind;
pub use layout_note::{LayoutNote, LayoutUndone};
pub use locality::{
    Locality, NodeWeights, busiest_node, remote_share_of_all, usable_nodes, weight_on,
};
pub use mapping::{FileId, FileRange, MappingMemory};
pub use memory::{ProcessMemory, Subtotal};
pub use migration::{MIGRATION_SCHEMA, MemoryToLeave, Migration, STILL_WITHOUT_MIGRATION};
pub use numastat::{NodeUse, ProcessUse};
pub use objects::{
    MemoryObject, MovableMemory, MovedObject, OBJECT_MOVE_SCHEMA, ObjectKind, ObjectMoveDocument,
    ObjectPart, ProcessObjects, UnmovableObject, UsedMemory, WhyUnmovable, cut_object, mark_unused,
    move_object,
};
pub use page_cache::{
    FILE_MOVE_SCHEMA, FileCache, FileMove, FileMoveDocument, NotSeen, PAGE_CACHE_SCHEMA,
    PageCacheDocument, PageCacheError, StayedPages, Unseen, WarmedFile, move_files,
    read_page_cache, warm_files,
};
pub use page_layout::{
    LayoutResult, PageDose, PageLayout, PagesTakingPart, PlacedRange, SharedPages,
};
pub use page_sample::{PageSample, PageSampler};
pub use process_selector::{BadSelector, ProcessSelector, SelectedProcesses};
pub use rank::Rank;
pub use target::{Target, file_path};
pub use text::advice::{PlacementAdvice, advise};
pub use thread_cpus::ThreadCpus;
pub use thread_sample::{MAX_THREADS, ThreadReading, sample_threads};
pub use threads::{ThreadNode, ThreadPlace, Threads};
pub use unique_memory::UniqueMemory;
pub use where_document::{WHERE_SCHEMA, WhereDocument};
pub use where_result::{UnreadableProcess, WhereResult};
pub use worker::{Misfit, Worker, WorkerDevice, workers};
