use super::{MAX_BYTES, parse};
use crate::model::{Architecture, Attention, Kind, Moe, Origin, Reading, Window};
use proptest::prelude::{any, prop_assert, proptest};
use serde_json::{Value, json};

fn read(value: &Value) -> Reading {
    parse("config.json", &value.to_string()).unwrap()
}

fn shape(value: &Value) -> Architecture {
    read(value).architecture
}

fn refused(value: &Value) -> String {
    parse("config.json", &value.to_string()).unwrap_err().to_string()
}

/// Merges `changes` into `base`; `null` takes a key away.
fn with(base: &Value, changes: &Value) -> Value {
    let mut merged = base.as_object().unwrap().clone();
    for (key, value) in changes.as_object().unwrap() {
        if value.is_null() {
            merged.remove(key)
        } else {
            merged.insert(key.clone(), value.clone())
        };
    }
    Value::Object(merged)
}

fn llama() -> Value {
    json!({
        "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128_256,
        "max_position_embeddings": 8192, "tie_word_embeddings": false, "torch_dtype": "bfloat16",
    })
}

#[test]
fn a_llama_config_gives_its_published_count() {
    let reading = read(&llama());
    let arch = &reading.architecture;
    assert_eq!(arch.params as u64, 8_030_261_248);
    assert_eq!((arch.heads, arch.kv_heads, arch.head_dim), (32, 8, 128));
    assert_eq!(arch.native_context, Some(8192));
    assert_eq!(arch.origin, Origin::HuggingFace);
    assert_eq!(arch.name, "config.json");
    assert_eq!(reading.checkpoint.as_deref(), Some("bfloat16"));
    assert!(reading.notes.is_empty(), "{:?}", reading.notes);
}

#[test]
fn a_declared_head_width_wins() {
    // P016: Mistral Nemo has 32 heads of 128 on a width of 5,120.
    assert_eq!(shape(&with(&llama(), &json!({"hidden_size": 5120, "head_dim": 128}))).head_dim, 128);
    assert_eq!(shape(&with(&llama(), &json!({"hidden_size": 5120, "head_dim": null}))).head_dim, 160);
    let error = refused(&with(&llama(), &json!({"num_attention_heads": 24, "num_key_value_heads": 8})));
    assert!(error.contains("no key `head_dim`"), "{error}");
}

#[test]
fn older_names_of_the_same_sizes_are_read() {
    let gpt2 = json!({
        "model_type": "gpt2", "n_embd": 768, "n_head": 12, "n_layer": 12, "n_positions": 1024, "n_ctx": 1024,
        "n_inner": null, "vocab_size": 50257, "activation_function": "gelu_new",
    });
    let arch = shape(&gpt2);
    assert_eq!(arch.params as u64, 124_439_808);
    assert!(arch.tied_embeddings && !arch.gated_mlp);

    let falcon_7b = json!({
        "model_type": "falcon", "hidden_size": 4544, "num_attention_heads": 71, "num_hidden_layers": 32,
        "multi_query": true, "new_decoder_architecture": false, "num_kv_heads": 71, "vocab_size": 65024,
    });
    let arch = shape(&falcon_7b);
    assert_eq!((arch.kv_heads, arch.head_dim, arch.ffn), (1, 64, 4 * 4544));
    assert!((arch.params / 6.92e9 - 1.0).abs() < 0.01, "{}", arch.params);
    let falcon_40b = with(
        &falcon_7b,
        &json!({
            "hidden_size": 8192, "num_attention_heads": 128, "num_hidden_layers": 60,
            "new_decoder_architecture": true, "num_kv_heads": 8,
        }),
    );
    assert_eq!(shape(&falcon_40b).kv_heads, 8);

    let chatglm2 = json!({
        "model_type": "chatglm", "hidden_size": 4096, "ffn_hidden_size": 13696, "num_layers": 28,
        "num_attention_heads": 32, "multi_query_attention": true, "multi_query_group_num": 2,
        "kv_channels": 128, "padded_vocab_size": 65024, "seq_length": 32768, "add_qkv_bias": true,
    });
    let arch = shape(&chatglm2);
    assert_eq!((arch.kv_heads, arch.layers, arch.native_context), (2, 28, Some(32768)));
    assert!((arch.params / 6.24e9 - 1.0).abs() < 0.01, "{}", arch.params);

    let mpt = json!({
        "model_type": "mpt", "d_model": 4096, "n_heads": 32, "n_layers": 32, "expansion_ratio": 4,
        "max_seq_len": 2048, "vocab_size": 50432, "attn_config": {"attn_type": "multihead_attention"},
    });
    let arch = shape(&mpt);
    assert_eq!((arch.ffn, arch.kv_heads), (16384, 32));
    assert!((arch.params / 6.65e9 - 1.0).abs() < 0.01, "{}", arch.params);

    let bloom = json!({"model_type": "bloom", "hidden_size": 14336, "n_layer": 70, "n_head": 112, "vocab_size": 250_880});
    assert!((shape(&bloom).params / 176.2e9 - 1.0).abs() < 0.01);
    let older = json!({"model_type": "bloom", "n_embed": 14336, "n_layer": 70, "num_attention_heads": 112, "vocab_size": 250_880});
    assert!((shape(&older).params - shape(&bloom).params).abs() < 1.0);
    let opt = json!({
        "model_type": "opt", "hidden_size": 4096, "ffn_dim": 16384, "num_hidden_layers": 32,
        "num_attention_heads": 32, "vocab_size": 50272, "max_position_embeddings": 2048,
    });
    assert!((shape(&opt).params / 6.66e9 - 1.0).abs() < 0.01);
    let qwen = json!({
        "model_type": "qwen", "hidden_size": 4096, "intermediate_size": 22016, "num_hidden_layers": 32,
        "num_attention_heads": 32, "kv_channels": 128, "seq_length": 8192, "vocab_size": 151_936,
        "tie_word_embeddings": false,
    });
    assert_eq!(shape(&qwen).ffn, 11008);
    let starcoder = json!({
        "model_type": "gpt_bigcode", "n_embd": 6144, "n_head": 48, "n_layer": 40, "n_inner": 24576,
        "n_positions": 8192, "vocab_size": 49152,
    });
    assert_eq!(shape(&starcoder).kv_heads, 1);
}

#[test]
fn nested_language_models_are_found() {
    let maverick = json!({
        "model_type": "llama4", "quantization_config": null,
        "text_config": {
            "model_type": "llama4_text", "hidden_size": 5120, "intermediate_size": 8192,
            "intermediate_size_mlp": 16384, "num_hidden_layers": 48, "num_attention_heads": 40,
            "num_key_value_heads": 8, "head_dim": 128, "num_local_experts": 128, "num_experts_per_tok": 1,
            "interleave_moe_layer_step": 2, "attention_chunk_size": 8192, "vocab_size": 202_048,
            "max_position_embeddings": 1_048_576,
        },
        "vision_config": {"hidden_size": 1408, "num_hidden_layers": 34},
    });
    let arch = shape(&maverick);
    assert_eq!((arch.layers, arch.hidden, arch.ffn), (48, 5120, 16384));
    assert_eq!(arch.window, Some(Window { tokens: 8192, global_every: 4 }));
    assert_eq!(arch.moe_layers(), 24);
    assert!((arch.params / 400.7e9 - 1.0).abs() < 0.01, "{}", arch.params);
    assert!((arch.active_params / 17.2e9 - 1.0).abs() < 0.01, "{}", arch.active_params);

    let twice = json!({"thinker_config": {"text_config": llama()}});
    assert_eq!(shape(&twice).params as u64, 8_030_261_248);
    let error = refused(&json!({"text_config": {"model_type": "llama", "vocab_size": 32064}}));
    assert!(error.contains("`text_config.num_hidden_layers`") && error.contains("by hand"), "{error}");
    // The key of the whole holds where the part is silent.
    let silent = with(&llama(), &json!({"tie_word_embeddings": null}));
    assert!(shape(&json!({"tie_word_embeddings": true, "text_config": silent})).tied_embeddings);
}

#[test]
fn latent_attention_is_read() {
    let deepseek = json!({
        "model_type": "deepseek_v3", "hidden_size": 7168, "intermediate_size": 18432, "num_hidden_layers": 61,
        "num_attention_heads": 128, "num_key_value_heads": 128, "kv_lora_rank": 512, "q_lora_rank": 1536,
        "qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "v_head_dim": 128, "n_routed_experts": 256,
        "n_shared_experts": 1, "num_experts_per_tok": 8, "moe_intermediate_size": 2048,
        "first_k_dense_replace": 3, "moe_layer_freq": 1, "vocab_size": 129_280,
        "max_position_embeddings": 163_840, "tie_word_embeddings": false, "head_dim": 64,
        "quantization_config": {"quant_method": "fp8", "fmt": "e4m3", "weight_block_size": [128, 128]},
    });
    let reading = read(&deepseek);
    let arch = &reading.architecture;
    assert_eq!(arch.attention, Attention::Latent { kv_lora_rank: 512, rope_dim: 64 });
    assert_eq!((arch.head_dim, arch.kv_heads), (192, 128));
    assert!((arch.params / 671.026e9 - 1.0).abs() < 1e-5, "{}", arch.params);
    assert_eq!(reading.checkpoint.as_deref(), Some("fp8"));
    let error = refused(&with(&deepseek, &json!({"qk_rope_head_dim": null})));
    assert!(error.contains("qk_rope_head_dim"), "{error}");
}

#[test]
fn windows_follow_their_pattern() {
    let window = |changes: Value| shape(&with(&llama(), &changes)).window;
    let mistral = json!({"model_type": "mistral", "sliding_window": 4096});
    assert_eq!(window(mistral), Some(Window { tokens: 4096, global_every: 0 }));
    assert_eq!(window(json!({"model_type": "mistral", "sliding_window": null})), None);
    assert_eq!(window(json!({"sliding_window": 4096, "use_sliding_window": false})), None);
    let qwen2 = json!({"model_type": "qwen2", "sliding_window": 4096, "max_window_layers": 28});
    assert_eq!(window(qwen2), None, "off unless it says on");
    let on = |first: u32| json!({"model_type": "qwen2", "sliding_window": 4096, "use_sliding_window": true, "max_window_layers": first});
    assert_eq!(window(on(0)), Some(Window { tokens: 4096, global_every: 0 }));
    assert_eq!(window(on(16)), Some(Window { tokens: 4096, global_every: 2 }));
    assert_eq!(window(on(32)), None);
    let gemma3 = json!({"model_type": "gemma3_text", "sliding_window": 1024, "num_hidden_layers": 62});
    assert_eq!(window(gemma3), Some(Window { tokens: 1024, global_every: 6 }));
    let pattern = json!({"model_type": "cohere2", "sliding_window": 4096, "sliding_window_pattern": 4});
    assert_eq!(window(pattern), Some(Window { tokens: 4096, global_every: 4 }));
    let letters = json!({"model_type": "exaone4", "sliding_window": 4096, "sliding_window_pattern": "LLLG"});
    assert_eq!(window(letters), Some(Window { tokens: 4096, global_every: 4 }));
    let types: Vec<&str> =
        (0..36).map(|i| if i % 2 == 0 { "sliding_attention" } else { "full_attention" }).collect();
    let gpt_oss = json!({"sliding_window": 128, "num_hidden_layers": 36, "layer_types": types});
    assert_eq!(window(gpt_oss), Some(Window { tokens: 128, global_every: 2 }));
}

#[test]
fn a_pattern_that_no_period_expresses_counts_as_full_and_says_so() {
    let types: Vec<&str> =
        (0..32).map(|i| if i < 2 { "sliding_attention" } else { "full_attention" }).collect();
    let reading = read(&with(&llama(), &json!({"sliding_window": 128, "layer_types": types})));
    assert_eq!(reading.architecture.window, None);
    assert!(reading.notes[0].contains("2 of 32 layers"), "{:?}", reading.notes);
}

#[test]
fn experts_are_read_under_all_their_names() {
    let moe = |changes: Value| shape(&with(&llama(), &changes)).moe.unwrap();
    let mixtral = json!({"model_type": "mixtral", "num_local_experts": 8, "num_experts_per_tok": 2});
    let plain = Moe {
        experts: 8,
        experts_per_token: 2,
        expert_ffn: 14336,
        shared_experts: 0.0,
        dense_first_layers: 0,
        every: 1,
    };
    assert_eq!(moe(mixtral.clone()), plain);
    assert_eq!(shape(&with(&llama(), &mixtral)).ffn, 0);
    let qwen2_moe = json!({
        "model_type": "qwen2_moe", "num_experts": 60, "num_experts_per_tok": 4, "moe_intermediate_size": 1408,
        "shared_expert_intermediate_size": 5632, "decoder_sparse_step": 1, "mlp_only_layers": [],
    });
    assert!((moe(qwen2_moe).shared_experts - 4.0).abs() < 1e-9);
    let dbrx = json!({
        "model_type": "dbrx", "intermediate_size": null,
        "ffn_config": {"ffn_hidden_size": 10752, "moe_num_experts": 16, "moe_top_k": 4},
        "attn_config": {"kv_n_heads": 8},
    });
    assert_eq!(moe(dbrx.clone()), Moe { experts: 16, experts_per_token: 4, expert_ffn: 10752, ..plain });
    assert_eq!(shape(&with(&llama(), &with(&dbrx, &json!({"x": 1})))).kv_heads, 8);
    let listed = json!({
        "n_routed_experts": 256, "num_experts_per_tok": 8, "moe_intermediate_size": 2048,
        "moe_layer_freq": [0, 1, 1, 1],
    });
    assert_eq!(moe(listed).dense_first_layers, 1);
    let kinds = json!({
        "num_local_experts": 64, "num_experts_per_tok": 4, "moe_intermediate_size": 1536,
        "mlp_layer_types": ["dense", "sparse", "sparse"],
    });
    assert_eq!(moe(kinds).dense_first_layers, 1);
    assert_eq!(shape(&with(&llama(), &json!({"num_local_experts": 0}))).moe, None, "no experts");
    let error = refused(&with(&llama(), &json!({"num_local_experts": 8})));
    assert!(error.contains("num_experts_per_tok"), "{error}");
}

#[test]
fn ties_follow_the_file_then_the_class() {
    let tied = |changes: Value| shape(&with(&llama(), &changes)).tied_embeddings;
    assert!(!tied(json!({"tie_word_embeddings": null})), "llama");
    assert!(tied(json!({"tie_word_embeddings": null, "model_type": "gemma2"})));
    assert!(tied(json!({"tie_word_embeddings": null, "model_type": "brand_new"})));
    assert!(tied(json!({"tie_word_embeddings": true})));
}

#[test]
fn checkpoint_formats_are_named() {
    let checkpoint =
        |quantization: Value| read(&with(&llama(), &json!({"quantization_config": quantization}))).checkpoint;
    for (quantization, name) in [
        (json!({"quant_method": "awq", "bits": 4, "group_size": 128}), "awq"),
        (json!({"quant_method": "gptq", "bits": 8}), "gptq-int8"),
        (json!({"quant_method": "mxfp4", "modules_to_not_convert": ["lm_head"]}), "mxfp4"),
        (json!({"quant_method": "bitsandbytes", "load_in_4bit": true}), "nf4"),
        (json!({"load_in_4bit": true, "bnb_4bit_quant_type": "nf4"}), "nf4"),
        (json!({"quant_method": "bitsandbytes", "load_in_8bit": true}), "int8"),
        (json!({"quant_method": "modelopt", "quant_algo": "NVFP4"}), "nvfp4"),
        (
            json!({"quant_method": "compressed-tensors",
                   "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "int"}}}}),
            "int4",
        ),
    ] {
        assert_eq!(checkpoint(quantization).as_deref(), Some(name));
    }
}

#[test]
fn unknown_types_with_the_usual_keys_work_and_are_told() {
    let reading = read(&with(&llama(), &json!({"model_type": "brand_new"})));
    assert!(reading.architecture.gated_mlp);
    assert!(reading.notes[0].contains("brand_new"), "{:?}", reading.notes);
}

#[test]
fn encoders_are_encoders() {
    let bert = json!({
        "model_type": "bert", "hidden_size": 768, "intermediate_size": 3072, "num_hidden_layers": 12,
        "num_attention_heads": 12, "max_position_embeddings": 512, "vocab_size": 30522, "hidden_act": "gelu",
    });
    let arch = shape(&bert);
    assert_eq!(arch.kind, Kind::Encoder);
    assert!((arch.params / 109.5e6 - 1.0).abs() < 0.01, "{}", arch.params);
}

#[test]
fn what_cannot_be_modelled_is_refused_with_the_reason() {
    for (changes, word) in [
        (json!({"is_encoder_decoder": true}), "encoder-decoders"),
        (json!({"model_type": "t5"}), "encoder-decoder"),
        (json!({"model_type": "whisper"}), "speech"),
        (json!({"layer_types": ["linear_attention", "full_attention"]}), "`linear_attention` layers"),
        (json!({"mamba_d_state": 128}), "`mamba_d_state`"),
        (json!({"attn_type_list": [0, 1]}), "linear-attention"),
        (json!({"hybrid_override_pattern": "M-M*"}), "hybrid_override_pattern"),
        (json!({"num_hidden_layers": null}), "no key `num_hidden_layers`"),
        (json!({"vocab_size": null}), "vocab_size"),
        (json!({"intermediate_size": null}), "no key `intermediate_size`"),
        (json!({"hidden_size": "4096"}), "expected a whole number"),
        (json!({"hidden_size": 4096.5}), "expected a whole number"),
        (json!({"hidden_size": -1}), "expected a whole number"),
        (json!({"num_hidden_layers": 1_000_000}), "layers 1000000"),
        (json!({"num_hidden_layers": 0}), "layers 0"),
        (json!({"num_attention_heads": 0, "head_dim": 128}), "heads 0"),
        (json!({"num_key_value_heads": 7}), "KV heads"),
        (json!({"num_attention_heads": [32, 32]}), "expected a whole number"),
    ] {
        let error = refused(&with(&llama(), &changes));
        assert!(error.contains(word), "{changes}: {error}");
        assert!(error.contains("config.json") && error.contains("hint"), "{error}");
    }
    let attention_only = json!({"mamba_d_state": 128, "layer_types": ["attention", "attention"]});
    assert_eq!(shape(&with(&llama(), &attention_only)).layers, 32, "a hybrid class with attention alone");
}

#[test]
fn keys_and_values_of_other_shapes_are_a_caveat() {
    let caveat = |changes: Value| shape(&with(&llama(), &changes)).kv_caveat;
    assert_eq!(caveat(json!({})), None);
    assert!(caveat(json!({"head_dim": 192, "v_head_dim": 128})).unwrap().contains("values 128"));
    assert!(caveat(json!({"global_head_dim": 512})).is_some());
}

#[test]
fn texts_that_are_no_config_are_refused() {
    for text in ["", "[]", "null", "{", "{}", "\u{0}", "{\"a\": NaN}"] {
        assert!(parse("x", text).is_err(), "{text}");
    }
    let deep = "{\"text_config\":".repeat(5000) + &"}".repeat(5000);
    assert!(parse("x", &deep).is_err());
    let long = " ".repeat(MAX_BYTES + 1);
    assert!(parse("x", &long).unwrap_err().message.contains("too many"));
}

proptest! {
    #[test]
    fn no_text_panics(text in any::<String>()) {
        let _ = parse("x", &text);
    }

    #[test]
    fn no_value_of_a_key_panics(key in 0..60_usize, number in any::<i64>(), kind in 0..7_u8) {
        const KEYS: [&str; 60] = [
            "model_type", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
            "num_key_value_heads", "vocab_size", "max_position_embeddings", "tie_word_embeddings", "head_dim",
            "kv_lora_rank", "q_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim", "sliding_window",
            "layer_types", "sliding_window_pattern", "use_sliding_window", "max_window_layers",
            "num_local_experts", "n_routed_experts", "num_experts", "num_experts_per_tok",
            "moe_intermediate_size", "n_shared_experts", "shared_expert_intermediate_size",
            "first_k_dense_replace", "decoder_sparse_step", "moe_layer_freq", "mlp_only_layers",
            "quantization_config", "torch_dtype", "text_config", "multi_query", "new_decoder_architecture",
            "multi_query_group_num", "multi_query_attention", "attn_config", "ffn_config", "expansion_ratio",
            "ffn_dim", "n_inner", "ffn_hidden_size", "kv_channels", "attention_bias", "add_qkv_bias",
            "is_encoder_decoder", "attn_type_list", "global_head_dim", "attention_chunk_size", "window_size",
            "mlp_layer_types", "padded_vocab_size", "n_positions", "llm_config", "hidden_act",
            "num_global_key_value_heads", "interleave_moe_layer_step", "moe_layer_interval",
        ];
        let value = match kind {
            0 => json!(number),
            1 => json!(number as f64 / 3.0),
            2 => json!(number.unsigned_abs() % 9),
            3 => json!([number, 1, 0]),
            4 => json!({"hidden_size": number, "kv_n_heads": number, "ffn_hidden_size": number}),
            5 => json!(["full_attention", "sliding_attention"]),
            _ => json!(number % 2 == 0),
        };
        let base = with(&llama(), &json!({"num_local_experts": 8, "num_experts_per_tok": 2, "sliding_window": 4096}));
        if let Ok(reading) = parse("x", &with(&base, &json!({KEYS[key]: value})).to_string()) {
            let arch = reading.architecture;
            prop_assert!(arch.check().is_ok());
            prop_assert!(arch.params.is_finite() && arch.active_params <= arch.params);
        }
    }
}

#[test]
fn an_image_encoder_weighs_and_takes_tokens_of_the_prompt() {
    // CLIP ViT-L/14 at 336 pixels has 0.30 billion parameters and 576 patches (Radford et al. 2021; LLaVA-1.5).
    let clip = json!({
        "hidden_size": 1024, "num_hidden_layers": 24, "intermediate_size": 4096, "patch_size": 14, "image_size": 336,
    });
    let text = shape(&llama());
    let reading = read(&json!({"text_config": llama(), "vision_config": clip}));
    let encoder = (reading.architecture.params - text.params) / 1e9;
    assert!((0.30..0.34).contains(&encoder), "{encoder}");
    assert_eq!(reading.architecture.active_params.to_bits(), text.active_params.to_bits());
    assert_eq!(reading.image_tokens, 576);
    assert!(reading.notes.iter().any(|note| note.contains("336 x 336")), "{:?}", reading.notes);
    let silent = with(&clip, &json!({"image_size": null}));
    let reading = read(&json!({"text_config": llama(), "vision_config": silent}));
    assert_eq!(reading.image_tokens, 73 * 73);
    assert!(reading.notes.iter().any(|note| note.contains("does not say")), "{:?}", reading.notes);
    assert_eq!(read(&llama()).image_tokens, 0);
}
