//! The name of whoever runs the program, as the system knows it.

/// The login name of the user that the process runs as; `None` where the system keeps it elsewhere.
#[cfg(unix)]
pub fn login_name() -> Option<String> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    name_of(&users, rustix::process::getuid().as_raw())
}

#[cfg(not(unix))]
pub fn login_name() -> Option<String> {
    None
}

/// The name with a user id in a file like `/etc/passwd`.
#[cfg(unix)]
fn name_of(users: &str, user_id: u32) -> Option<String> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, id) = (fields.next()?, fields.nth(1)?);
        (id.parse() == Ok(user_id) && !name.is_empty()).then(|| name.to_owned())
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_user_is_found_by_id() {
        let users = "root:x:0:0:root:/root:/bin/sh\n# 7\nann:x:1000:1000::/home/ann:/bin/sh\n";
        assert_eq!(name_of(users, 1000).as_deref(), Some("ann"));
        assert_eq!(name_of(users, 7), None);
    }
}
