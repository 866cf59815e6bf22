//! The files that a patch in Codex' own form touches.

/// Whether a text is such a patch, or a command that carries one.
pub(crate) fn is_patch(text: &str) -> bool {
    text.contains("*** Begin Patch")
}

/// Every file named in its headers, in order, the new name of a moved one included.
pub(crate) fn files(patch: &str) -> Vec<String> {
    const HEADERS: [&str; 4] = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let begin = patch.find("*** Begin Patch").unwrap_or_default();
    let lines = patch[begin..].lines().take_while(|line| line.trim_end() != "*** End Patch");
    let named = lines.filter_map(|line| HEADERS.iter().find_map(|header| line.strip_prefix(header)));
    let mut files: Vec<String> = Vec::new();
    for file in named.map(str::trim).filter(|file| !file.is_empty()) {
        if !files.iter().any(|known| known == file) {
            files.push(file.to_owned());
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_names_each_file_once_and_both_names_of_a_moved_one() {
        let patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: src/a b.rs\n+*** Update File: no.rs\n\
            *** Update File: old.rs\r\n*** Move to: new.rs\n@@\n-x\n+y\n*** Delete File: gone.rs\n\
            *** Update File: old.rs\n*** End Patch\n*** Add File: after.rs\nEOF";
        assert!(is_patch(patch));
        assert_eq!(files(patch), ["src/a b.rs", "old.rs", "new.rs", "gone.rs"]);
        assert!(files("*** Begin Patch").is_empty());
    }
}
