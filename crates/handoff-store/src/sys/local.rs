//! What is known of file systems by their kind.

use super::Handle;

/// File systems of this machine alone: ext2 to ext4, XFS, Btrfs, tmpfs, ramfs, overlayfs, F2FS, ZFS, bcachefs, JFS,
/// ReiserFS.
const LOCAL: [i128; 11] = [
    0xEF53,
    0x5846_5342,
    0x9123_683E,
    0x0102_1994,
    0x8584_58F6,
    0x794C_7630,
    0xF2F5_2010,
    0x2FC1_2FC1,
    0xCA45_1A4E,
    0x3153_464A,
    0x5265_4973,
];
/// Local ones of other systems, which keep coarse times or none for directories: FAT, exFAT, NTFS.
const FOREIGN: [i128; 3] = [0x4D44, 0x2011_BAB0, 0x7366_746E];

fn kind(dir: &Handle) -> Option<i128> {
    // The field has other widths on other platforms; the numbers have 32 bits.
    rustix::fs::fstatfs(&dir.0).ok().map(|told| i128::from(told.f_type) & 0xFFFF_FFFF)
}

/// Whether no other machine writes to the file system of a directory.
pub(super) fn is_local(dir: &Handle) -> bool {
    kind(dir).is_some_and(|kind| LOCAL.contains(&kind) || FOREIGN.contains(&kind))
}

/// Whether what happens in a directory there shows in its times.
pub(super) fn keeps_times(dir: &Handle) -> bool {
    kind(dir).is_some_and(|kind| LOCAL.contains(&kind))
}
