// SPDX-License-Identifier: Apache-2.0
//! Build script of every module: its name, and the versions of the crates that its manifest pins.
use std::{env, fs};

fn main() {
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    assert!(features.split(',').any(|f| f == "avx2"), "peers are built by scripts/setup peers");
    let manifest = fs::read_to_string("Cargo.toml").expect("Cargo.toml");
    let pinned: Vec<String> = manifest
        .lines()
        .filter_map(|line| {
            let (name, rest) = line.split_once(" = ")?;
            let (_, version) = rest.split_once("\"=")?;
            Some(format!("{} {}", name, version.split('"').next()?))
        })
        .collect();
    let package = env::var("CARGO_PKG_NAME").expect("a package");
    println!("cargo:rustc-env=PEER_NAME={}", package.trim_start_matches("peer-"));
    println!("cargo:rustc-env=PEER_VERSION={}, for x86-64-v3", pinned.join(", "));
    println!("cargo:rerun-if-changed=Cargo.toml");
}
