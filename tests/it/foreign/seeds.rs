//! Files to begin with, and what becomes of them: bytes flipped, put in, taken out, cut, doubled, and two files joined.

use super::targets::Target;
use std::fs;
use std::path::Path;

/// Largest seed, bytes: more only makes a round slower.
const LARGEST: u64 = 64 << 10;

/// Pieces that parsers of these formats stumble over.
const PIECES: &[&str] = &[
    "\0",
    "\u{feff}",
    "\u{1b}[31m",
    "\u{202e}",
    "NaN",
    "1e308",
    "-1",
    "0",
    "18446744073709551616",
    "\"",
    "[",
    "[[",
    "{",
    "}",
    "]",
    ",",
    ";",
    "\n",
    "\r\n",
    "\t",
    "=",
    ":",
    "'",
    "\\u0000",
    "null",
    "1/0",
    "%",
    " GiB",
    "折",
    "&#x0;",
    "<",
    "[[price]]\n",
];

/// The seeds of a target, in the order of their paths; built ones where it has no files.
pub(crate) fn of(target: &Target) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = if root.ends_with("fuzz") { root.parent().unwrap_or(root) } else { root };
    let mut files = Vec::new();
    let mut left: Vec<_> = target.seeds.iter().map(|seed| root.join(seed)).collect();
    while let Some(path) = left.pop() {
        match fs::read_dir(&path) {
            Ok(entries) => left.extend(entries.flatten().map(|entry| entry.path())),
            Err(_) => files.push(path),
        }
    }
    files.sort();
    let small = |path: &&std::path::PathBuf| fs::metadata(path).is_ok_and(|found| found.len() <= LARGEST);
    let mut seeds: Vec<Vec<u8>> = files.iter().filter(small).filter_map(|path| fs::read(path).ok()).collect();
    seeds.extend(built(target.name));
    seeds
}

fn built(name: &str) -> Vec<Vec<u8>> {
    let texts: &[&str] = match name {
        "project" => &[
            "[defaults]\nmodel = \"llama-3-8b\"\ntask = \"infer\"\n\n[[workload]]\nname = \"a\"\n[budget]\ntotal = 5\n",
        ],
        "hf_config" => &[
            "{\"model_type\":\"llama\",\"hidden_size\":4096,\"intermediate_size\":14336,\"num_hidden_layers\":32,\"num_attention_heads\":32,\"num_key_value_heads\":8,\"vocab_size\":128256}",
        ],
        "index" => &[
            "{\"metadata\":{\"total_size\":16},\"weight_map\":{\"a\":\"model-00001-of-00001.safetensors\"}}",
        ],
        "policy" => &[
            "total_usd > 100.0 && provider == \"aws\"\ncosts {total_usd}",
            "has(a.b) || [1, 2].all(x, x > 0)\nno",
        ],
        "quantity" => &["80 GiB", "1.5T", "3 days", "12,345.6", "85%", "八五折", "1:30", "1e9"],
        "usage" => &["hour,instances\n0,1\n1,2.5\n", "hour,instances\n2026-01-31T15:00Z,3\n"],
        "quota" => &[
            "[[quota]]\nprovider = \"aws\"\nregion = \"us-*\"\ninstance = \"p5.*\"\nbilling = \"on-demand\"\nmax-vcpus = 192\n",
        ],
        "history" => &[
            "provider,instance,region,billing,upfront,currency,changes\naws,,,,,,2026-11-01 2026-11-09\naws,p5.48xlarge,us-east-1,spot,,USD,2026-11-01=20.5 2026-11-09=\n",
        ],
        "answer" => &[
            "{\"Items\":[],\"NextPageLink\":\"https://example.com/a?b=c&d\"}",
            "{\"nextPageToken\":\"a b/c\"}",
            "//example.com/x",
            "../x?y#z",
        ],
        "names" => &[
            "A100-80GB:8",
            "24GB..80GB",
            "NVIDIA H100 80GB HBM3",
            "aws/p5.48xlarge",
            "us-east-*",
            "spot,reserved-1y",
        ],
        "image" => return sections(),
        "measurements" => &["gpu,gpus,params,tokens_per_s,batch\nH100,8,70B,1234.5,16\n"],
        "safetensors" => {
            return vec![with_header(
                b"{\"a\":{\"dtype\":\"BF16\",\"shape\":[2,2],\"data_offsets\":[0,8]}}",
                8,
            )];
        }
        "gguf" => return vec![gguf()],
        _ => &[],
    };
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

/// The sections of the program's own catalog, each behind its number and cut where it is long.
fn sections() -> Vec<Vec<u8>> {
    use gpuadvise::catalog::{image, load};
    let catalog = load::embedded(load::Sections::ALL).unwrap_or_default();
    let section = |(number, name): (usize, &&str)| {
        let mut bytes = image::write(name, &catalog, &[]).unwrap_or_default();
        bytes.truncate(LARGEST as usize);
        bytes.insert(0, number as u8);
        bytes
    };
    image::SECTIONS.iter().enumerate().map(section).collect()
}

fn with_header(header: &[u8], data: usize) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header, &vec![0; data]].concat()
}

fn gguf() -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let mut bytes = b"GGUF\x03\0\0\0".to_vec();
    bytes.extend([1_u64.to_le_bytes(), 1_u64.to_le_bytes()].concat());
    bytes.extend(text("general.architecture"));
    bytes.extend(8_u32.to_le_bytes());
    bytes.extend(text("llama"));
    bytes.extend(text("token_embd.weight"));
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend([32_u64.to_le_bytes(), 4_u64.to_le_bytes()].concat());
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend([0; 600]);
    bytes
}

/// A source of numbers that is alike in every run.
pub(crate) struct Dice(u64);

impl Dice {
    /// Begins at a seed.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `below`, which is at least 1.
    pub(crate) fn roll(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % below.max(1)
    }
}

/// One of the seeds, harmed in one to four ways.
pub(crate) fn harm(seeds: &[Vec<u8>], dice: &mut Dice) -> Vec<u8> {
    let Some(seed) = seeds.get(dice.roll(seeds.len())) else { return Vec::new() };
    let mut bytes = seed.clone();
    for _ in 0..=dice.roll(4) {
        let at = dice.roll(bytes.len() + 1);
        match dice.roll(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << dice.roll(8),
            1 if at < bytes.len() => bytes[at] = dice.roll(256) as u8,
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..(at + dice.roll(40)).min(bytes.len()))),
            4 => {
                let again: Vec<u8> = bytes[at..(at + dice.roll(200)).min(bytes.len())].to_vec();
                bytes.splice(at..at, again);
            }
            5 => {
                let other = &seeds[dice.roll(seeds.len())];
                bytes.truncate(at);
                bytes.extend_from_slice(&other[dice.roll(other.len() + 1)..]);
            }
            6 => {
                let many = PIECES[dice.roll(PIECES.len())].repeat(1 << dice.roll(12));
                bytes.splice(at..at, many.into_bytes());
            }
            _ => {
                let piece = PIECES[dice.roll(PIECES.len())].bytes();
                bytes.splice(at..at, piece);
            }
        }
    }
    bytes
}
