//! Weight files as `--model`: written here, a few KB each, with the shapes of real ones.

use crate::program::Program;
use serde_json::json;
use std::fs;
use std::path::Path;

/// A safetensors file of these tensors.
fn safetensors(path: &Path, tensors: &[(&str, &str, Vec<u64>, u64)]) {
    let (mut header, mut at) = (serde_json::Map::new(), 0);
    for (name, dtype, shape, bytes) in tensors {
        header.insert(
            (*name).into(),
            json!({ "dtype": dtype, "shape": shape, "data_offsets": [at, at + bytes] }),
        );
        at += bytes;
    }
    let text = serde_json::Value::Object(header).to_string();
    let mut file = (text.len() as u64).to_le_bytes().to_vec();
    file.extend(text.as_bytes());
    fs::write(path, &file).expect("a file");
    // The weights themselves are a hole: nobody reads them.
    let sparse = fs::OpenOptions::new().write(true).open(path).expect("the file");
    sparse.set_len(file.len() as u64 + at).expect("a longer file");
}

const CONFIG: &str = r#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 2,
    "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 8192}"#;

fn layer(number: u32) -> Vec<(String, Vec<u64>)> {
    let name = |part: &str| format!("model.layers.{number}.{part}.weight");
    vec![
        (name("self_attn.q_proj"), vec![4096, 4096]),
        (name("self_attn.k_proj"), vec![1024, 4096]),
        (name("self_attn.v_proj"), vec![1024, 4096]),
        (name("self_attn.o_proj"), vec![4096, 4096]),
        (name("mlp.gate_proj"), vec![14_336, 4096]),
        (name("mlp.up_proj"), vec![14_336, 4096]),
        (name("mlp.down_proj"), vec![4096, 14_336]),
    ]
}

fn plain(path: &Path, tensors: &[(String, Vec<u64>)]) {
    let rows: Vec<_> = tensors
        .iter()
        .map(|(name, shape)| (name.as_str(), "BF16", shape.clone(), 2 * shape.iter().product::<u64>()))
        .collect();
    safetensors(path, &rows);
}

/// A model in two files with its index and configuration.
fn sharded(program: &Program) {
    let at = |name: &str| program.folder().join(name);
    let embedding = |name: &str| (name.to_owned(), vec![128_256, 4096]);
    let mut first = layer(0);
    first.push(embedding("model.embed_tokens.weight"));
    let mut second = layer(1);
    second.push(embedding("lm_head.weight"));
    plain(&at("model-00001-of-00002.safetensors"), &first);
    plain(&at("model-00002-of-00002.safetensors"), &second);
    let map: serde_json::Map<_, _> = [(first, 1), (second, 2)]
        .into_iter()
        .flat_map(|(tensors, part)| tensors.into_iter().map(move |(name, _)| (name, part)))
        .map(|(name, part)| (name, json!(format!("model-0000{part}-of-00002.safetensors"))))
        .collect();
    fs::write(at("model.safetensors.index.json"), json!({ "weight_map": map }).to_string())
        .expect("an index");
}

#[test]
fn a_folder_an_index_and_its_configuration_are_one_model() {
    let program = Program::new().file("config.json", CONFIG);
    sharded(&program);
    let params = 2.0 * (128_256.0 * 4096.0)
        + 2.0 * (2.0 * 4096.0 * 4096.0 + 2.0 * 1024.0 * 4096.0 + 3.0 * 14_336.0 * 4096.0);
    for model in [".", "./model.safetensors.index.json"] {
        let run = program.run(&["fit", "--model", model, "--task", "infer", "--gpu", "L4", "--json"]);
        assert_eq!(run.code, 0, "{}", run.stderr);
        let json = run.json();
        assert_eq!(json["workload"]["params"].as_f64(), Some(params), "{model}");
        assert_eq!(json["workload"]["quantization"], "none");
        let gib = json["results"][0]["memory"]["terms"]["weights_gib"].as_f64().expect("weights");
        assert!((gib - 2.0 * params / f64::from(1 << 30)).abs() < 0.01, "{model}: {gib}");
    }
    fs::remove_file(program.folder().join("model-00002-of-00002.safetensors")).expect("a file less");
    let run = program.run(&["fit", "--model", ".", "--task", "infer", "--gpu", "L4"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("1 of 2 files are missing"), "{}", run.stderr);
}

#[test]
fn weights_alone_tell_their_shape() {
    let program = Program::new();
    let mut tensors = layer(0);
    tensors.push(("model.embed_tokens.weight".to_owned(), vec![128_256, 4096]));
    plain(&program.folder().join("m.safetensors"), &tensors);
    let json = program
        .run(&["fit", "--model", "./m.safetensors", "--task", "infer", "--gpu", "L4", "--json"])
        .json();
    let shape = &json["workload"];
    assert_eq!((&shape["layers"], &shape["kv_heads"], &shape["ffn"]), (&json!(1), &json!(8), &json!(14_336)));
    let warned = json["warnings"].as_array().expect("warnings").iter().any(|w| w["id"] == "model-reading");
    assert!(warned, "the missing configuration is said");
}

/// A GGUF file of one layer of the same network in `Q8_0`, by hand.
fn gguf(parts: u32) -> Vec<u8> {
    let (mut keys, mut tensors, mut data) = (Vec::new(), Vec::new(), 0_u64);
    let text = |to: &mut Vec<u8>, text: &str| {
        to.extend((text.len() as u64).to_le_bytes());
        to.extend(text.as_bytes());
    };
    text(&mut keys, "general.architecture");
    keys.extend(8_u32.to_le_bytes());
    text(&mut keys, "llama");
    let numbers = [
        ("general.file_type", 7),
        ("split.count", parts),
        ("llama.block_count", 1),
        ("llama.embedding_length", 4096),
        ("llama.feed_forward_length", 14_336),
        ("llama.attention.head_count", 32),
        ("llama.attention.head_count_kv", 8),
        ("llama.context_length", 8192),
        ("llama.vocab_size", 32_000),
    ];
    for (key, value) in numbers {
        text(&mut keys, key);
        keys.extend(4_u32.to_le_bytes());
        keys.extend(value.to_le_bytes());
    }
    let rows =
        [("token_embd.weight", 32_000_u64), ("output.weight", 32_000), ("blk.0.ffn_up.weight", 14_336)];
    for (name, count) in rows {
        text(&mut tensors, name);
        tensors.extend(2_u32.to_le_bytes());
        tensors.extend(4096_u64.to_le_bytes());
        tensors.extend(count.to_le_bytes());
        tensors.extend(8_u32.to_le_bytes());
        tensors.extend(data.to_le_bytes());
        data += count * 4096 / 32 * 34;
    }
    let mut file = b"GGUF\x03\0\0\0".to_vec();
    file.extend((rows.len() as u64).to_le_bytes());
    file.extend((numbers.len() as u64 + 1).to_le_bytes());
    file.extend(keys);
    file.extend(tensors);
    file
}

fn write_gguf(path: &Path, parts: u32) {
    fs::write(path, gguf(parts)).expect("a file");
    fs::OpenOptions::new()
        .write(true)
        .open(path)
        .and_then(|file| file.set_len(400 << 20))
        .expect("a longer file");
}

#[test]
fn the_bytes_of_a_gguf_file_are_the_weights() {
    let program = Program::new();
    write_gguf(&program.folder().join("m.gguf"), 1);
    let run = program.run(&["fit", "--model", "./m.gguf", "--task", "infer", "--gpu", "T4", "--json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let json = run.json();
    assert_eq!(
        (&json["workload"]["quantization"], &json["workload"]["engine"]),
        (&json!("q8_0"), &json!("llama.cpp"))
    );
    assert_eq!(json["workload"]["quantization_bits"].as_f64(), Some(8.5));
    let gib = json["results"][0]["memory"]["terms"]["weights_gib"].as_f64().expect("weights");
    // llama.cpp keeps the input embedding, half of the 64,000 rows of the vocabulary, in the memory of the host.
    let bytes = (32_000.0 + 14_336.0) * 4096.0 * 8.5 / 8.0;
    assert!((gib - bytes / f64::from(1 << 30)).abs() < 0.01, "{gib}");
    // As another format when asked: the file tells the shape only.
    let asked =
        ["fit", "--model", "./m.gguf", "--task", "infer", "--gpu", "T4", "--quantization", "none", "--json"];
    let wide =
        program.run(&asked).json()["results"][0]["memory"]["terms"]["weights_gib"].as_f64().expect("weights");
    assert!(wide > 1.8 * gib, "{wide} beside {gib}");
}

#[test]
fn parts_that_are_missing_and_files_to_choose_from_are_named() {
    let program = Program::new();
    write_gguf(&program.folder().join("m-00001-of-00002.gguf"), 2);
    let run = program.run(&["fit", "--model", ".", "--task", "infer", "--gpu", "T4"]);
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("m-00002-of-00002.gguf` is missing"), "{}", run.stderr);
    write_gguf(&program.folder().join("other.gguf"), 1);
    let run = program.run(&["fit", "--model", ".", "--task", "infer", "--gpu", "T4"]);
    assert!(run.stderr.contains("name one: m-00001-of-00002.gguf, other.gguf"), "{}", run.stderr);
}
