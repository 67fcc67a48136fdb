//! Properties over random settings.

use super::{CATALOG, args, no_file};
use gpuadvise::report::workload::WorkloadLine;
use gpuadvise::units::{Count, Hours};
use gpuadvise::workload::choice::{KvPrecision, PrecisionChoice, RecomputeChoice};
use gpuadvise::workload::settings::WorkloadArgs;
use gpuadvise::workload::{Job, Task, resolve};
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, proptest};
use proptest::{collection, option, sample};

/// Flags to draw from, absurd values among them.
const POOL: &[&str] = &[
    "--task=train",
    "--task=finetune",
    "--task=infer",
    "--model=llama-3-8b",
    "--model=mixtral-8x7b",
    "--model=nothing",
    "--params=1e9",
    "--params=7B",
    "--params=1e14",
    "--active-params=1B",
    "--layers=8",
    "--hidden=512",
    "--heads=8",
    "--kv-heads=4294967295",
    "--head-dim=64",
    "--ffn=4294967295",
    "--vocab=7",
    "--experts=8",
    "--experts-per-token=2",
    "--expert-ffn=99",
    "--plain-mlp",
    "--tied-embeddings=false",
    "--method=lora",
    "--method=qlora",
    "--lora-rank=4294967295",
    "--precision=fp8",
    "--precision=int4",
    "--strict",
    "--optimizer=adamw-8bit",
    "--seq-len=4294967295",
    "--seq-len=4096",
    "--global-batch=7",
    "--micro-batch=4294967295",
    "--tokens=9e15",
    "--samples=9e15",
    "--epochs=1e300",
    "--epochs=0.5",
    "--recompute=full",
    "--sharding=zero3",
    "--attention=eager",
    "--framework=nemo",
    "--goodput=85%",
    "--fused-loss",
    "--quantization=awq",
    "--kv-precision=q8_0",
    "--input-len=4294967295",
    "--input-len=1",
    "--output-len=134217728",
    "--concurrency=9",
    "--rps=NaN",
    "--rps=0.25",
    "--ttft=1s",
    "--tpot=20ms",
    "--max-model-len=4096",
    "--engine=eager",
    "--kv-rule=expanded",
    "--hours=1y",
    "--dp=4294967295",
    "--tp=2",
    "--pp=4",
];

fn some_args() -> impl Strategy<Value = WorkloadArgs> {
    let name = |flag: &str| flag.split('=').next().unwrap_or_default().to_owned();
    collection::vec(sample::select(POOL.to_vec()), 0..12).prop_map(move |mut flags| {
        let mut seen = std::collections::BTreeSet::new();
        flags.retain(|flag| seen.insert(name(flag)));
        args(&flags)
    })
}

proptest! {
    #[test]
    fn no_settings_panic(asked in some_args()) {
        if let Ok(workload) = resolve(&asked, &CATALOG, &no_file) {
            prop_assert!(workload.model.check().is_ok());
            prop_assert!(workload.model.params.is_finite());
            if let Job::Training(job) = &workload.job {
                prop_assert!(job.tokens.is_finite() && job.tokens > 0.0 && job.global_batch > 0);
            }
            serde_json::to_value(WorkloadLine::new(&workload)).unwrap();
        }
    }

    #[test]
    fn settings_survive_a_file(asked in some_args(), lower in some_args()) {
        let text = toml::to_string(&asked).unwrap();
        if asked.rps.is_none_or(f64::is_finite) {
            prop_assert_eq!(toml::from_str::<WorkloadArgs>(&text).unwrap(), asked.clone());
            prop_assert_eq!(asked.clone().over(WorkloadArgs::default()), asked.clone());
            prop_assert_eq!(WorkloadArgs::default().over(asked.clone()), asked.clone());
        }
        let merged = asked.clone().over(lower);
        prop_assert!(asked.task.is_none() || merged.task == asked.task);
    }

    #[test]
    fn quantities_in_files_read_as_on_the_command_line(tokens in 1..9_007_199_254_740_992_u64, hours in 1e-3..1e6_f64) {
        let asked = WorkloadArgs {
            tokens: Some(Count(tokens)),
            hours: Some(Hours(hours)),
            recompute: Some(RecomputeChoice::Selective),
            kv_precision: Some(KvPrecision::Q4_0),
            precision: Some(PrecisionChoice::Fp8),
            ..WorkloadArgs::default()
        };
        let text = toml::to_string(&asked).unwrap();
        prop_assert_eq!(toml::from_str::<WorkloadArgs>(&text).unwrap(), asked);
    }

    #[test]
    fn longer_jobs_keep_their_batch(params in 1e8..1e12_f64, tokens in option::of(1e9..1e13_f64), more in any::<bool>()) {
        let flags = |tokens: Option<f64>| WorkloadArgs {
            task: Some(Task::Train),
            params: Some(Count(params as u64)),
            tokens: tokens.map(|tokens| Count(tokens as u64)),
            ..WorkloadArgs::default()
        };
        let batch = |tokens| match resolve(&flags(tokens), &CATALOG, &no_file).unwrap().job {
            Job::Training(job) => job.global_batch,
            Job::Serving(_) | Job::Samples(_) => 0,
        };
        // A batch that followed the length of the job could make a longer job cheaper.
        prop_assert_eq!(batch(tokens), batch(tokens.map(|tokens| if more { tokens * 2.0 } else { tokens * 1.1 })));
    }
}
