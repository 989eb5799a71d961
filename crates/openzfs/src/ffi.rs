//! The shim's functions, as shim.h declares them.

use std::ffi::{c_char, c_double, c_int, c_void};

#[repr(C)]
pub struct Geometry {
    pub size: u64,
    pub logical: u32,
    pub physical: u32,
    pub rotational: u32,
}

#[repr(C)]
pub struct Io {
    pub op: u32,
    pub priority: u32,
    pub offset: u64,
    pub length: u64,
    pub buf: *mut c_void,
    pub zio: *mut c_void,
    pub started: i64,
    pub log: u32,
}

#[repr(C)]
pub struct DiskOps {
    pub open: extern "C" fn(*const c_char, *mut Geometry) -> c_int,
    pub submit: extern "C" fn(c_int, *mut Io),
    pub forget: extern "C" fn(c_int, u64, u64),
}

#[repr(C)]
pub struct Vdev {
    pub class: u32,
    pub layout: u32,
    pub parity: u32,
    pub data: u32,
    pub spares: u32,
    pub children: u32,
    pub paths: *const *const c_char,
}

#[repr(C)]
pub struct Pair {
    pub name: *const c_char,
    pub value: *const c_char,
}

#[repr(C)]
#[derive(Default)]
pub struct Space {
    pub size: u64,
    pub allocated: u64,
    pub dspace: u64,
    pub slop: u64,
    pub log_size: u64,
    pub embedded_log_size: u64,
    pub special_size: u64,
    pub available: u64,
    pub metaslabs: u64,
    pub metaslab_size: u64,
    pub log_metaslabs: u64,
    pub health: u64,
}

#[repr(C)]
#[derive(Default)]
pub struct StatFs {
    pub used: u64,
    pub available: u64,
    pub files: u64,
    pub files_available: u64,
}

#[repr(C)]
#[derive(Default)]
pub struct Attr {
    pub id: u64,
    pub size: u64,
    pub blocks: u64,
    pub links: u64,
    pub generation: u64,
    pub rdev: u64,
    pub mode: u32,
    pub uid: u32,
    pub gid: u32,
    pub blksize: u32,
    pub atime: [i64; 2],
    pub mtime: [i64; 2],
    pub ctime: [i64; 2],
}

#[repr(C)]
#[derive(Default)]
pub struct Stages {
    pub range_lock: i64,
    pub throttle: i64,
    pub record_read: i64,
    pub commit: i64,
    pub commits: u64,
    pub log_write: i64,
    pub log_flush: i64,
}

#[repr(C)]
pub struct Fs {
    _opaque: [u8; 0],
}

#[repr(C)]
pub struct Node {
    _opaque: [u8; 0],
}

pub type LostFn = extern "C" fn(arg: *mut c_void, path: *const c_char, log: c_int);
pub type EntryFn =
    extern "C" fn(arg: *mut c_void, name: *const c_char, id: u64, kind: u32, next: u64) -> c_int;

unsafe extern "C" {
    pub fn pw_clock_start(origin: i64, k: c_double);
    pub fn pw_clock_now() -> i64;
    pub fn pw_disk_register(ops: *const DiskOps);
    pub fn pw_io_done(io: *mut Io, error: c_int);
    pub fn pw_init(memory: u64, processors: u32);
    pub fn pw_fini();
    pub fn pw_version() -> *const c_char;
    pub fn pw_is_debug() -> c_int;
    pub fn pw_feed_pace(share: c_double);
    pub fn pw_pool_create(
        name: *const c_char,
        ashift: u32,
        vdevs: *const Vdev,
        count: usize,
        properties: *const Pair,
        nproperties: usize,
        config_path: *const c_char,
    ) -> c_int;
    pub fn pw_pool_import(name: *const c_char, config_path: *const c_char, flags: u32) -> c_int;
    pub fn pw_pool_export(name: *const c_char) -> c_int;
    pub fn pw_pool_add(
        name: *const c_char,
        ashift: u32,
        vdevs: *const Vdev,
        count: usize,
        config_path: *const c_char,
    ) -> c_int;
    pub fn pw_pool_remove(
        name: *const c_char,
        path: *const c_char,
        config_path: *const c_char,
    ) -> c_int;
    pub fn pw_pool_drain(name: *const c_char) -> c_int;
    pub fn pw_pool_scrub(name: *const c_char) -> c_int;
    pub fn pw_pool_space(name: *const c_char, out: *mut Space) -> c_int;
    pub fn pw_pool_asize(name: *const c_char, psize: u64, asize: *mut u64) -> c_int;
    pub fn pw_pool_handle(name: *const c_char, pool: *mut *mut c_void) -> c_int;
    pub fn pw_pool_lost_drives(pool: *mut c_void, f: LostFn, arg: *mut c_void) -> c_int;
    pub fn pw_dataset_create(name: *const c_char) -> c_int;
    pub fn pw_dataset_set(
        name: *const c_char,
        property: *const c_char,
        value: *const c_char,
    ) -> c_int;
    pub fn pw_fs_open(name: *const c_char, out: *mut *mut Fs, replayed: *mut u64) -> c_int;
    pub fn pw_fs_close(fs: *mut Fs);
    pub fn pw_fs_root(fs: *mut Fs) -> u64;
    pub fn pw_fs_recordsize(fs: *mut Fs) -> u64;
    pub fn pw_fs_sync(fs: *mut Fs);
    pub fn pw_fs_stat(fs: *mut Fs, out: *mut StatFs);
    pub fn pw_node_hold(fs: *mut Fs, id: u64, out: *mut *mut Node) -> c_int;
    pub fn pw_node_rele(node: *mut Node);
    pub fn pw_node_attr(node: *mut Node, out: *mut Attr);
    pub fn pw_node_setattr(node: *mut Node, mask: u32, attr: *const Attr) -> c_int;
    pub fn pw_read(
        node: *mut Node,
        offset: u64,
        length: u64,
        buf: *mut c_void,
        flags: u32,
        done: *mut u64,
        stages: *mut Stages,
    ) -> c_int;
    pub fn pw_write(
        node: *mut Node,
        offset: u64,
        length: u64,
        buf: *const c_void,
        flags: u32,
        done: *mut u64,
        stages: *mut Stages,
    ) -> c_int;
    pub fn pw_fsync(node: *mut Node, stages: *mut Stages) -> c_int;
    pub fn pw_free_space(node: *mut Node, offset: u64, length: u64) -> c_int;
    pub fn pw_extend(node: *mut Node, size: u64) -> c_int;
    pub fn pw_seek(node: *mut Node, hole: c_int, offset: *mut u64) -> c_int;
    pub fn pw_lookup(dir: *mut Node, name: *const c_char, id: *mut u64) -> c_int;
    pub fn pw_create(
        dir: *mut Node,
        name: *const c_char,
        mode: u32,
        uid: u32,
        gid: u32,
        rdev: u64,
        target: *const c_char,
        id: *mut u64,
    ) -> c_int;
    pub fn pw_remove(dir: *mut Node, name: *const c_char, directory: c_int) -> c_int;
    pub fn pw_rename(
        from: *mut Node,
        name: *const c_char,
        to: *mut Node,
        newname: *const c_char,
        flags: u32,
    ) -> c_int;
    pub fn pw_link(node: *mut Node, dir: *mut Node, name: *const c_char) -> c_int;
    pub fn pw_readlink(node: *mut Node, buf: *mut c_char, size: usize, length: *mut usize)
    -> c_int;
    pub fn pw_readdir(dir: *mut Node, cookie: u64, f: EntryFn, arg: *mut c_void) -> c_int;
    pub fn pw_counter_count() -> usize;
    pub fn pw_counter_name(i: usize) -> *const c_char;
    pub fn pw_counter_is_level(i: usize) -> c_int;
    pub fn pw_counters(pool: *mut c_void, out: *mut u64);
    pub fn pw_tunable_set(name: *const c_char, value: i64) -> c_int;
    pub fn pw_tunable_get(name: *const c_char, value: *mut i64) -> c_int;
}
