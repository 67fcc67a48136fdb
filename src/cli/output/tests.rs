//! Files are written wholly or not at all.

use super::*;

#[test]
fn a_file_is_replaced_and_nothing_is_left_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answer.json");
    write(Some(&path), b"one").unwrap();
    write(Some(&path), b"two").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"two");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_failure_leaves_the_old_file_and_no_temporary_one() {
    let folder = tempfile::tempdir().unwrap();
    let error = write(Some(&folder.path().join("none/answer.json")), b"x").unwrap_err();
    assert!(format!("{error:#}").contains("answer.json"), "{error:#}");
    let error = write(Some(folder.path()), b"x").unwrap_err();
    assert!(format!("{error:#}").contains("director"), "{error:#}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    fs::write(&file, "old").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    write(Some(&link), b"new").unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read(&file).unwrap(), b"new");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
}

#[cfg(unix)]
#[test]
fn a_device_is_written_to_as_it_is() {
    write(Some(Path::new("/dev/null")), b"x").unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}
