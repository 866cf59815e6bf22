//! Both kinds of handle are held to the same behaviour.

use std::os::unix::fs::symlink;

use super::*;

macro_rules! behaves {
    ($module:ident, $handle:ty) => {
        mod $module {
            use super::*;

            fn root() -> (tempfile::TempDir, $handle) {
                let dir = tempfile::tempdir().unwrap();
                let handle = <$handle>::open_root(dir.path()).unwrap();
                (dir, handle)
            }

            #[test]
            fn files_are_made_read_replaced_and_removed() {
                let (_dir, root) = root();
                root.create_synced("a", b"one").unwrap();
                assert!(root.create_synced("a", b"two").is_err());
                assert_eq!(root.read("a", 10).unwrap(), b"one");
                root.create_synced("b", b"two").unwrap();
                root.replace("b", &root, "a").unwrap();
                assert_eq!(root.read("a", 10).unwrap(), b"two");
                root.append_loose("a", b"!").unwrap();
                assert_eq!(root.read("a", 10).unwrap(), b"two!");
                root.write_loose("a", b"xyz").unwrap();
                assert_eq!(root.read("a", 10).unwrap(), b"xyz");
                root.overwrite_loose("a", b"ab").unwrap();
                assert_eq!(root.read("a", 10).unwrap(), b"abz");
                std::io::Write::write_all(&mut root.open_to_append("a").unwrap(), b"+").unwrap();
                assert_eq!(root.read("a", 10).unwrap(), b"abz+");
                root.remove_file("a").unwrap();
                assert_eq!(root.kind("a").unwrap(), None);
            }

            #[test]
            fn a_rename_never_covers_what_is_there() {
                let (_dir, root) = root();
                assert_eq!(root.make_dir("a").unwrap(), Made::New);
                assert_eq!(root.make_dir("a").unwrap(), Made::Present);
                assert_eq!(root.make_private_dir("b").unwrap(), Made::New);
                let refused = root.rename_to_free("a", &root, "b").unwrap_err();
                assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
                root.rename_to_free("a", &root.open_dir("b").unwrap(), "c").unwrap();
                assert!(root.descend("b/c").is_ok());
                root.open_dir("b").unwrap().remove_empty_dir("c").unwrap();
                root.sync().unwrap();
            }

            #[test]
            fn links_and_other_things_are_never_followed() {
                let (dir, root) = root();
                let outside = tempfile::tempdir().unwrap();
                root.create_synced("real", b"secret").unwrap();
                symlink("real", dir.path().join("link")).unwrap();
                symlink(outside.path(), dir.path().join("away")).unwrap();
                assert!(root.read("link", 10).is_err());
                assert!(root.write_loose("link", b"x").is_err());
                assert!(root.append_loose("link", b"x").is_err());
                assert!(root.open_lock("link").is_err());
                assert!(root.open_dir("away").is_err());
                assert!(root.descend("away").is_err());
                assert!(<$handle>::open_root(&dir.path().join("away")).is_err());
                assert_eq!(root.kind("away").unwrap(), Some(Kind::Link));
                assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
            }

            #[test]
            fn a_fifo_is_refused_without_waiting() {
                let (dir, root) = root();
                let made = std::process::Command::new("mkfifo").arg(dir.path().join("pipe")).status().unwrap();
                assert!(made.success());
                assert!(root.read("pipe", 10).is_err());
                assert!(root.write_loose("pipe", b"x").is_err());
                assert_eq!(root.list().unwrap()[0].kind, Kind::Other);
            }

            #[test]
            fn no_name_leads_out() {
                let (_dir, root) = root();
                for name in ["..", ".", "", "a/b", "/etc/passwd", "a\0b", "..\\x"] {
                    assert!(root.read(name, 10).is_err(), "{name:?}");
                    assert!(root.open_dir(name).is_err(), "{name:?}");
                    assert!(root.make_dir(name).is_err(), "{name:?}");
                    assert!(root.make_private_dir(name).is_err(), "{name:?}");
                    assert!(root.kind(name).is_err(), "{name:?}");
                }
                assert!(root.descend("a/../..").is_err());
            }

            #[test]
            fn a_file_over_the_limit_is_refused() {
                let (_dir, root) = root();
                root.create_synced("big", b"12345").unwrap();
                assert!(root.read("big", 4).is_err());
                assert!(root.read("big", 5).is_ok());
            }

            #[test]
            fn a_stamp_changes_with_the_file() {
                let (_dir, root) = root();
                assert_eq!(root.stamp("a").unwrap(), None);
                // Not synced: that may take longer than a tick.
                root.write_loose("a", b"one").unwrap();
                let (_, before) = root.read_stamped("a", 10).unwrap();
                assert_eq!(root.stamp("a").unwrap(), Some(before));
                assert_eq!(before.settled(Clock::Any), None, "it could change again within the same tick");
                root.write_loose("a", b"four").unwrap();
                assert_ne!(root.stamp("a").unwrap(), Some(before));
            }

            #[test]
            fn stamps_below_a_directory_are_those_of_the_files_there_and_of_a_link_itself() {
                let (dir, root) = root();
                root.make_dir("d").unwrap();
                let inner = root.open_dir("d").unwrap();
                inner.create_synced("a", b"one").unwrap();
                symlink("a", dir.path().join("d/link")).unwrap();
                assert_eq!(root.stamp_below(b""), root.own_stamp().ok());
                assert_eq!(root.stamp_below(b"d"), inner.own_stamp().ok());
                assert_eq!(root.stamp_below(b"d/a"), inner.stamp("a").unwrap());
                assert_ne!(root.stamp_below(b"d/link"), root.stamp_below(b"d/a"));
                assert_eq!(root.stamp_below(b"d/b"), None);
                assert!(root.identity().is_none_or(|identity| Some(identity) == root.identity()));
            }

            #[test]
            fn a_file_is_read_from_any_place_and_never_beyond_its_end() {
                let (dir, root) = root();
                root.create_synced("a", b"0123").unwrap();
                symlink("a", dir.path().join("link")).unwrap();
                let file = root.open_to_read("a").unwrap();
                let mut two = [0; 2];
                read_at(&file, &mut two, 1).unwrap();
                assert_eq!(&two, b"12");
                assert!(read_at(&file, &mut two, 3).is_err());
                assert!(root.open_to_read("link").is_err());
                assert!(root.open_to_read("b").is_err());
            }

            #[test]
            fn a_directory_tells_when_it_changed() {
                let (_dir, root) = root();
                let before = root.changed_at().unwrap();
                std::thread::sleep(std::time::Duration::from_millis(20));
                root.create_synced("a", b"").unwrap();
                assert!(root.changed_at().unwrap() > before);
            }
        }
    };
}

behaves!(by_handle, unix::Handle);
behaves!(by_path, portable::Handle);

type Change = fn(&unix::Handle);

#[test]
#[expect(clippy::disallowed_methods, reason = "a test that plays tricks with files of its own")]
fn a_file_that_has_another_name_outside_is_not_changed_there() {
    let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let root = unix::Handle::open_root(inside.path()).unwrap();
    let kept = outside.path().join("kept");
    let plant = |name: &str| {
        std::fs::remove_file(inside.path().join(name)).ok();
        std::fs::write(&kept, "theirs").unwrap();
        std::fs::hard_link(&kept, inside.path().join(name)).unwrap();
    };
    let changes: [(Change, &str); 5] = [
        (|root| root.write_loose("a", b"ours").unwrap(), "ours"),
        (|root| root.overwrite_loose("a", b"ours").unwrap(), "oursrs"),
        (|root| root.append_loose("a", b"+").unwrap(), "theirs+"),
        (|root| std::io::Write::write_all(&mut root.open_to_append("a").unwrap(), b"+").unwrap(), "theirs+"),
        (|root| crate::lock::write_holder(&mut root.open_lock("a").unwrap(), "a test"), "theirs"),
    ];
    for (change, expected) in changes {
        plant("a");
        change(&root);
        assert_eq!(std::fs::read_to_string(&kept).unwrap(), "theirs");
        assert_eq!(root.read("a", 20).unwrap(), expected.as_bytes());
        assert_eq!(root.list().unwrap().len(), 1, "nothing is left beside it");
    }
}
