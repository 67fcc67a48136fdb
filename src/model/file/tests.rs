//! Headers as files have them, and as hostile files have them.
#![allow(clippy::float_cmp, reason = "counts and bytes are exact")]

use super::*;
use crate::model::{Attention, Origin};
use proptest::prelude::*;
use serde_json::json;

/// A safetensors file with these tensors, one behind the other.
fn safetensors_bytes(tensors: &[(&str, &str, &[u64], u64)]) -> Vec<u8> {
    let (mut header, mut at) = (serde_json::Map::new(), 0);
    header.insert("__metadata__".into(), json!({ "format": "pt" }));
    for &(name, dtype, shape, bytes) in tensors {
        header
            .insert(name.into(), json!({ "dtype": dtype, "shape": shape, "data_offsets": [at, at + bytes] }));
        at += bytes;
    }
    let text = serde_json::Value::Object(header).to_string();
    let mut file = (text.len() as u64).to_le_bytes().to_vec();
    file.extend(text.as_bytes());
    file.extend(vec![0; at as usize]);
    file
}

fn read_safetensors(bytes: &[u8]) -> Result<Tensors, InputError> {
    safetensors("m.safetensors", &mut &bytes[..], bytes.len() as u64)
}

/// A network of two layers: 64 wide, four heads of 32, two KV heads, MLP 96, vocabulary 100.
fn small() -> Vec<(&'static str, &'static str, &'static [u64], u64)> {
    vec![
        ("model.embed_tokens.weight", "BF16", &[100, 64], 12_800),
        ("model.layers.0.self_attn.q_proj.weight", "BF16", &[128, 64], 16_384),
        ("model.layers.0.self_attn.k_proj.weight", "BF16", &[64, 64], 8192),
        ("model.layers.0.self_attn.v_proj.weight", "BF16", &[64, 64], 8192),
        ("model.layers.0.self_attn.o_proj.weight", "BF16", &[64, 128], 16_384),
        ("model.layers.0.self_attn.q_norm.weight", "BF16", &[32], 64),
        ("model.layers.0.mlp.gate_proj.weight", "BF16", &[96, 64], 12_288),
        ("model.layers.0.mlp.up_proj.weight", "BF16", &[96, 64], 12_288),
        ("model.layers.0.mlp.down_proj.weight", "BF16", &[64, 96], 12_288),
        ("model.layers.1.input_layernorm.weight", "BF16", &[64], 128),
        ("model.rotary_emb.inv_freq", "F32", &[16], 64),
    ]
}

#[test]
fn a_shape_is_read_from_matrices_alone() {
    let tensors = read_safetensors(&safetensors_bytes(&small())).expect("tensors");
    let reading = safetensors_reading("m.safetensors", tensors, None).expect("a reading");
    let arch = &reading.architecture;
    assert_eq!((arch.layers, arch.hidden, arch.heads, arch.kv_heads, arch.head_dim), (2, 64, 4, 2, 32));
    assert_eq!((arch.ffn, arch.vocab, arch.gated_mlp, arch.tied_embeddings), (96, 100, true, true));
    assert_eq!(arch.origin, Origin::Safetensors);
    let params = 6400.0 + 8192.0 + 4096.0 * 2.0 + 8192.0 + 32.0 + 6144.0 * 3.0 + 64.0;
    assert_eq!((arch.params, arch.active_params), (params, params));
    let stored = reading.stored.expect("what is stored");
    assert_eq!((stored.format.as_str(), stored.bytes), ("bfloat16", 2.0 * params + 64.0));
}

#[test]
fn a_configuration_gives_the_shape_and_the_tensors_the_count() {
    let config = json!({
        "model_type": "llama", "num_hidden_layers": 1, "hidden_size": 64, "num_attention_heads": 2, "intermediate_size": 96,
        "vocab_size": 100, "tie_word_embeddings": true
    });
    let tensors = read_safetensors(&safetensors_bytes(&small())).expect("tensors");
    let reading = safetensors_reading("m", tensors, Some(&config.to_string())).expect("a reading");
    assert_eq!((reading.architecture.layers, reading.architecture.head_dim), (1, 32));
    // The layer behind the last is left out, and said.
    assert_eq!(reading.architecture.params, 6400.0 + 8192.0 * 2.0 + 4096.0 * 2.0 + 32.0 + 6144.0 * 3.0);
    assert!(reading.notes.iter().any(|note| note.contains("multi-token")), "{:?}", reading.notes);
}

#[test]
fn packed_weights_need_a_configuration_that_says_how() {
    let packed: &[(&str, &str, &[u64], u64)] = &[
        ("model.embed_tokens.weight", "F16", &[100, 64], 12_800),
        ("model.layers.0.self_attn.q_proj.qweight", "I32", &[8, 12_800], 409_600),
    ];
    let config = |quantization: serde_json::Value| {
        json!({
            "model_type": "llama", "num_hidden_layers": 1, "hidden_size": 64, "num_attention_heads": 2,
            "intermediate_size": 96, "vocab_size": 100, "quantization_config": quantization
        })
        .to_string()
    };
    let tensors = || read_safetensors(&safetensors_bytes(packed)).expect("tensors");
    let awq = config(json!({ "quant_method": "awq", "bits": 4 }));
    let stored = safetensors_reading("m", tensors(), Some(&awq)).expect("a reading").stored.expect("stored");
    assert_eq!((stored.format.as_str(), stored.bytes), ("awq", 422_400.0));
    let unsaid = safetensors_reading("m", tensors(), None).expect_err("no shape");
    assert!(unsaid.hint.contains("config.json"), "{unsaid:?}");
    let plain = config(serde_json::Value::Null).replace(",\"quantization_config\":null", "");
    assert!(
        safetensors_reading("m", tensors(), Some(&plain)).expect_err("no format").message.contains("I32")
    );
}

#[test]
fn an_adapter_is_no_model() {
    let adapter: &[(&str, &str, &[u64], u64)] =
        &[("base_model.model.layers.0.self_attn.q_proj.lora_A.weight", "F32", &[8, 64], 2048)];
    let tensors = read_safetensors(&safetensors_bytes(adapter)).expect("tensors");
    assert!(safetensors_reading("m", tensors, None).expect_err("an adapter").message.contains("adapter"));
}

#[test]
fn lengths_of_a_safetensors_header_are_not_trusted() {
    let good = safetensors_bytes(&small());
    let mut huge = good.clone();
    huge[..8].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(read_safetensors(&huge).expect_err("too long").message.contains("header"));
    for (from, to) in [("[0,12800]", "[0,12801]"), ("[100,64]", "[1844674407370955,64]"), ("BF16", "BF17")] {
        let text = String::from_utf8_lossy(&good).replacen(from, to, 1).into_bytes();
        let mut bad = text;
        let length =
            u64::from_le_bytes(good[..8].try_into().expect("8 bytes")) + (to.len() - from.len()) as u64;
        bad[..8].copy_from_slice(&length.to_le_bytes());
        assert!(read_safetensors(&bad).is_err(), "{from} as {to}");
    }
    let twice = br#"{"a":{"dtype":"F16","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"F16","shape":[0],"data_offsets":[0,0]}}"#;
    let mut file = (twice.len() as u64).to_le_bytes().to_vec();
    file.extend(twice);
    assert!(read_safetensors(&file).expect_err("twice").message.contains("twice"));
}

#[test]
fn an_index_stays_in_its_folder() {
    let text = |file: &str| {
        json!({ "metadata": { "total_size": 1 }, "weight_map": { "a": file, "b": "x.safetensors" } })
            .to_string()
    };
    let files = index("i", &text("y.safetensors")).expect("an index").files;
    assert_eq!(files.into_iter().collect::<Vec<_>>(), ["x.safetensors", "y.safetensors"]);
    for hostile in ["../x.safetensors", "/etc/passwd", "..", "a\\b", ""] {
        assert!(index("i", &text(hostile)).is_err(), "{hostile}");
    }
    assert!(index("i", r#"{"weight_map":{}}"#).is_err());
    assert!(index("i", "[]").is_err());
}

/// Writes a GGUF file.
#[derive(Default)]
struct Writer {
    keys: Vec<u8>,
    key_count: u64,
    tensors: Vec<u8>,
    tensor_count: u64,
    data: u64,
}

impl Writer {
    fn text(to: &mut Vec<u8>, text: &str) {
        to.extend((text.len() as u64).to_le_bytes());
        to.extend(text.as_bytes());
    }

    fn key(&mut self, key: &str, kind: u32, value: &[u8]) {
        Self::text(&mut self.keys, key);
        self.keys.extend(kind.to_le_bytes());
        self.keys.extend(value);
        self.key_count += 1;
    }

    fn number(mut self, key: &str, value: u32) -> Self {
        self.key(key, 4, &value.to_le_bytes());
        self
    }

    fn string(mut self, key: &str, value: &str) -> Self {
        let mut bytes = Vec::new();
        Self::text(&mut bytes, value);
        self.key(key, 8, &bytes);
        self
    }

    fn tokens(mut self, count: u64) -> Self {
        let mut bytes = 8_u32.to_le_bytes().to_vec();
        bytes.extend(count.to_le_bytes());
        (0..count).for_each(|n| Self::text(&mut bytes, &format!("t{n}")));
        self.key("tokenizer.ggml.tokens", 9, &bytes);
        self
    }

    fn numbers(mut self, key: &str, values: &[u32]) -> Self {
        let mut bytes = 4_u32.to_le_bytes().to_vec();
        bytes.extend((values.len() as u64).to_le_bytes());
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self.key(key, 9, &bytes);
        self
    }

    fn tensor(mut self, name: &str, shape: &[u64], format: u32, bytes: u64) -> Self {
        Self::text(&mut self.tensors, name);
        self.tensors.extend((shape.len() as u32).to_le_bytes());
        self.tensors.extend(shape.iter().flat_map(|side| side.to_le_bytes()));
        self.tensors.extend(format.to_le_bytes());
        self.tensors.extend(self.data.to_le_bytes());
        self.data += bytes.next_multiple_of(32);
        self.tensor_count += 1;
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let mut file = b"GGUF".to_vec();
        file.extend(3_u32.to_le_bytes());
        file.extend(self.tensor_count.to_le_bytes());
        file.extend(self.key_count.to_le_bytes());
        file.extend(&self.keys);
        file.extend(&self.tensors);
        file.resize(file.len().next_multiple_of(32) + self.data as usize, 0);
        file
    }
}

/// A network of one layer: 256 wide, four heads of 64, two KV heads, MLP 512, 512 tokens; `Q4_K` but for the embedding.
fn gguf_small() -> Writer {
    Writer::default()
        .string("general.architecture", "llama")
        .number("general.file_type", 15)
        .number("llama.block_count", 1)
        .number("llama.embedding_length", 256)
        .number("llama.feed_forward_length", 512)
        .number("llama.attention.head_count", 4)
        .numbers("llama.attention.head_count_kv", &[2, 2])
        .number("llama.context_length", 4096)
        .string("tokenizer.chat_template", &"x".repeat(10_000))
        .tokens(512)
        .tensor("token_embd.weight", &[256, 512], 14, 512 * 210)
        .tensor("blk.0.attn_q.weight", &[256, 256], 12, 256 * 144)
        .tensor("blk.0.attn_k.weight", &[256, 128], 12, 128 * 144)
        .tensor("blk.0.attn_v.weight", &[256, 128], 14, 128 * 210)
        .tensor("blk.0.attn_output.weight", &[256, 256], 12, 256 * 144)
        .tensor("blk.0.ffn_gate.weight", &[256, 512], 12, 512 * 144)
        .tensor("blk.0.ffn_up.weight", &[256, 512], 12, 512 * 144)
        .tensor("blk.0.ffn_down.weight", &[512, 256], 12, 512 * 144)
        .tensor("blk.0.attn_norm.weight", &[256], 0, 1024)
}

fn read_gguf(bytes: &[u8]) -> Result<Reading, InputError> {
    let name = "m.gguf";
    gguf(name, &mut &bytes[..], bytes.len() as u64).and_then(|gguf| gguf_reading(name, &gguf))
}

#[test]
fn a_gguf_header_tells_shape_parameters_and_bytes() {
    let reading = read_gguf(&gguf_small().bytes()).expect("a reading");
    let arch = &reading.architecture;
    assert_eq!((arch.layers, arch.hidden, arch.heads, arch.kv_heads, arch.head_dim), (1, 256, 4, 2, 64));
    assert_eq!(
        (arch.ffn, arch.vocab, arch.tied_embeddings, arch.native_context),
        (512, 512, true, Some(4096))
    );
    assert_eq!(arch.params, 131_072.0 + 65_536.0 * 2.0 + 32_768.0 * 2.0 + 131_072.0 * 3.0 + 256.0);
    let stored = reading.stored.expect("what is stored");
    assert_eq!(stored.format, "q4_k_m");
    let bytes = 512.0 * 210.0 + 128.0 * 210.0 + (256.0 * 2.0 + 128.0 + 512.0 * 3.0) * 144.0 + 1024.0;
    assert_eq!(stored.bytes, bytes);
    assert!((stored.bits - 8.0 * bytes / arch.params).abs() < 1e-9);
}

#[test]
fn latent_attention_and_layers_ahead_are_read_as_llama_cpp_writes_them() {
    let latent = |writer: Writer| {
        writer
            .string("general.architecture", "deepseek2")
            .number("deepseek2.block_count", 3)
            .number("deepseek2.nextn_predict_layers", 1)
            .number("deepseek2.embedding_length", 256)
            .number("deepseek2.feed_forward_length", 512)
            .number("deepseek2.attention.head_count", 4)
            .number("deepseek2.attention.head_count_kv", 1)
            .number("deepseek2.attention.kv_lora_rank", 64)
            .number("deepseek2.rope.dimension_count", 32)
            .number("deepseek2.vocab_size", 512)
            .number("deepseek2.expert_count", 8)
            .number("deepseek2.expert_used_count", 2)
            .number("deepseek2.expert_feed_forward_length", 128)
            .number("deepseek2.leading_dense_block_count", 1)
            .tensor("token_embd.weight", &[256, 512], 30, 262_144)
    };
    let old = latent(Writer::default())
        .number("deepseek2.attention.key_length", 96)
        .number("deepseek2.attention.value_length", 48);
    let new = latent(Writer::default())
        .number("deepseek2.attention.key_length", 96)
        .number("deepseek2.attention.value_length", 64)
        .number("deepseek2.attention.key_length_mla", 96)
        .number("deepseek2.attention.value_length_mla", 48);
    for writer in [old, new] {
        let arch = read_gguf(&writer.bytes()).expect("a reading").architecture;
        assert_eq!((arch.layers, arch.head_dim), (2, 96));
        assert_eq!(arch.attention, Attention::Latent { kv_lora_rank: 64, rope_dim: 32 });
        let moe = arch.moe.expect("experts");
        assert_eq!(
            (moe.experts, moe.experts_per_token, moe.expert_ffn, moe.dense_first_layers),
            (8, 2, 128, 1)
        );
    }
}

#[test]
fn what_a_gguf_file_cannot_answer_is_refused_with_a_reason() {
    let refused = |bytes: &[u8]| {
        let error = read_gguf(bytes).expect_err("refused");
        format!("{} | {}", error.message, error.hint)
    };
    let hybrid = gguf_small().number("llama.ssm.conv_kernel", 4);
    assert!(refused(&hybrid.bytes()).contains("not attention"));
    let uneven = gguf_small().numbers("llama.attention.head_count", &[4, 2]);
    assert!(refused(&uneven.bytes()).contains("twice"));
    let unknown = gguf_small().tensor("x", &[256], 99, 0);
    assert!(refused(&unknown.bytes()).contains("format 99"));
    let blocks = gguf_small().tensor("x", &[100], 12, 0);
    assert!(refused(&blocks.bytes()).contains("shape"));
    let huge = gguf_small().tensor("x", &[u64::MAX, 3], 0, 0);
    assert!(refused(&huge.bytes()).contains("shape"));
    let mut short = gguf_small().bytes();
    short.pop();
    assert!(refused(&short).contains("file has"));
    let mut big_endian = gguf_small().bytes();
    big_endian[4..8].copy_from_slice(&3_u32.to_be_bytes());
    assert!(refused(&big_endian).contains("big-endian"));
    let mut endless = gguf_small().bytes();
    endless[16..24].copy_from_slice(&u64::MAX.to_le_bytes());
    assert!(refused(&endless).contains("damaged"));
    assert!(refused(b"GGUF\x03\0\0\0").contains("damaged"));
    let vocabulary = Writer::default().string("general.architecture", "llama");
    assert!(refused(&vocabulary.bytes()).contains("vocabulary"));
}

proptest! {
    #[test]
    fn no_bytes_make_the_readers_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_safetensors(&bytes);
        let _ = read_gguf(&bytes);
        let mut headed = b"GGUF\x03\0\0\0".to_vec();
        headed.extend(&bytes);
        let _ = read_gguf(&headed);
        let mut headed = (bytes.len() as u64).to_le_bytes().to_vec();
        headed.extend(&bytes);
        let _ = read_safetensors(&headed);
    }

    #[test]
    fn no_change_of_a_byte_and_no_cut_makes_the_readers_panic(at in 0_usize..12_000, byte: u8, cut: bool) {
        let files = [gguf_small().bytes(), safetensors_bytes(&small())];
        for (number, mut file) in files.into_iter().enumerate() {
            let at = at % file.len();
            if cut { file.truncate(at) } else { file[at] = byte }
            if number == 0 {
                let _ = read_gguf(&file);
            } else if let Ok(tensors) = read_safetensors(&file) {
                let _ = safetensors_reading("m", tensors, None);
            }
        }
    }
}
