//! What contradicts itself or cannot be modelled is refused, with the flag, the reason and near names.

use super::error;

#[test]
fn contradictions_are_refused_by_name() {
    for (flags, word) in [
        (&["--params=7B", "--model=gpt2", "--task=train"][..], "`--model` and `--params`"),
        (&["--model=gpt2", "--layers=3", "--task=train"], "`--layers` and `--model`"),
        (&["--params=7B", "--heads=8", "--task=train"], "`--heads`"),
        (&["--layers=8", "--task=train"], "`--layers` and `--hidden`"),
        (&["--task=train"], "model is not said"),
        (&["--params=7B", "--task=infer", "--tokens=1B"], "`--tokens`"),
        (&["--params=7B", "--task=infer", "--lora-rank=8"], "`--lora-rank`"),
        (&["--params=7B", "--task=train", "--concurrency=8"], "`--concurrency`"),
        (&["--params=7B", "--task=train", "--lora-rank=8"], "`--lora-rank` with `--method full`"),
        (&["--params=7B", "--task=train", "--epochs=2"], "`--epochs` without `--samples`"),
        (&["--params=7B", "--task=train", "--tokens=1B", "--samples=5"], "exclude"),
        (&["--params=7B", "--task=train", "--precision=int8"], "`--precision int8`"),
        (&["--params=7B", "--task=train", "--global-batch=10", "--dp=4"], "no multiple"),
        (&["--params=7B", "--task=train", "--seq-len=4", "--cp=8"], "`--cp 8` exceeds the 4 tokens"),
        (&["--params=7B", "--task=infer", "--tp=7"], "`--tp 7`"),
        (&["--params=7B", "--task=infer", "--pp=500"], "`--pp 500`"),
        (&["--params=7B", "--task=infer", "--rps=1", "--concurrency=2"], "exclude"),
        (&["--params=7B", "--task=infer", "--max-model-len=512", "--input-len=600"], "`--max-model-len 512`"),
        (&["--params=7B", "--task=infer", "--ttft=2"], "ten minutes"),
        (&["--params=7B", "--task=infer", "--quantization=q4km"], "did you mean `q4_k_m`"),
        (&["--params=7B", "--task=infer", "--engine=vlm"], "did you mean `vllm`"),
        (&["--params=7B", "--task=infer", "--precision=int4", "--quantization=awq"], "two formats"),
        (&["--params=7B", "--active-params=7B", "--task=infer"], "`--active-params"),
        (&["--params=7B", "--active-params=8B", "--task=infer"], "--active-params"),
        (&["--model=t5-base", "--task=infer"], "encoder-decoder"),
        (&["--model=deepseek-v4-flash", "--task=infer"], "KV cache"),
        (&["--layers=8", "--hidden=1000", "--task=train"], "--heads"),
        (&["--layers=8", "--hidden=1024", "--heads=7", "--task=train"], "`--heads 7`"),
        (&["--layers=8", "--hidden=1024", "--heads=8", "--kv-heads=3", "--task=train"], "KV heads"),
        (&["--layers=8", "--hidden=1024", "--experts=8", "--task=train"], "--experts-per-token"),
        (&["--layers=8", "--hidden=1024", "--experts-per-token=8", "--task=train"], "without `--experts`"),
        (&["--params=1000", "--task=train"], "1M to 100T"),
        (&["--model=weights.pt", "--task=infer"], "without a header"),
        (&["--model=weights.gguf", "--task=infer"], "no such file"),
        (&["--model=model.safetensors", "--task=infer"], "no such file"),
        (&["--model=./nowhere", "--task=infer"], "no such file"),
    ] {
        let error = error(flags);
        assert!(error.contains(word), "{flags:?}: {error}");
    }
}

#[test]
fn unknown_models_offer_near_names() {
    let error = error(&["--model=llama-3-9b", "--task=infer"]);
    assert!(error.contains("unknown model `llama-3-9b`") && error.contains("`llama-3-8b`"), "{error}");
    assert!(error.contains("config.json"), "{error}");
}
