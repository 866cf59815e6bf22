//! Files that change along with others and are not what a session is about.

/// Names that tools write and rewrite.
const LOCKS: &[&str] = &["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "go.sum"];
const ENDINGS: &[&str] = &[
    ".lock", ".lockb", ".snap", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".ico", ".webp", ".bmp", ".pdf", ".woff",
    ".woff2", ".ttf", ".min.js", ".min.css", ".map",
];
const DIRECTORIES: &[&str] = &["__snapshots__", "snapshots", "handoffs", ".handoff", "node_modules", "vendor"];

/// Whether a file is a by-product: a lock file, a snapshot, an image, a changelog, a handoff.
pub fn is_by_product(path: &str) -> bool {
    let lower = path.to_lowercase();
    let mut parts = lower.rsplit('/');
    let name = parts.next().unwrap_or_default();
    LOCKS.contains(&name)
        || name.starts_with("changelog")
        || ENDINGS.iter().any(|ending| name.ends_with(ending))
        || parts.any(|directory| DIRECTORIES.contains(&directory))
}
