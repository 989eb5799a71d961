//! What can go wrong, as the operating system names it.

/// An operation of the library failed with an errno.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}", std::io::Error::from_raw_os_error(*.0))]
pub struct Error(pub i32);

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// 0 is success, anything else an errno.
pub(crate) fn check(errno: i32) -> Result<()> {
    if errno == 0 {
        Ok(())
    } else {
        Err(Error(errno))
    }
}
