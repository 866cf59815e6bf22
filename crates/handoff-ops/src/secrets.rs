//! Secrets, before they leave: finding them, and letting through what is none.

mod allow;
mod scan;

pub use allow::{AllowSecret, SecretsAllowed};
pub use scan::{ScanSecrets, SecretsFound};
