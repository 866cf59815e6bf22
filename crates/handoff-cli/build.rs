//! How the binaries are linked.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // A binary that may lie anywhere is put right at each start, page by page: about a fifth of what a short command takes.
    // That each of the tens of thousands of places is known beforehand is worth more to a program that is started all
    // the time; the libraries it uses still lie where chance has it.
    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") && env::var("PROFILE").as_deref() == Ok("release") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
