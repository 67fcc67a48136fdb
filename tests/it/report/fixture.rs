//! A small catalog, workloads and answers of the search, built by hand.

use gpuadvise::advise::{Advice, NearMiss, Performance, Recommendation, Rejection, fit};
use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::gpu::{Family, Gpu, GpuId, Peaks};
use gpuadvise::catalog::instance::{Instance, InstanceId, Provider, ProviderId, Tier, Unit};
use gpuadvise::catalog::knowledge::{Rule, Scenario, ScenarioWorkload};
use gpuadvise::catalog::preset::Preset;
use gpuadvise::catalog::price::{Billing, Currency, More, Price, Seldom, Upfront};
use gpuadvise::catalog::provenance::{AsOf, Source, SourceId};
use gpuadvise::catalog::region::{Region, RegionId};
use gpuadvise::diag::{Assumption, Warning};
use gpuadvise::estimate::{
    Basis, Layout, MemoryEstimate, MemoryTerms, Range, ServingSpeed, TrainingSpeed, Unplannable, Verdict,
};
use gpuadvise::model::{Architecture, Attention, Kind, Moe, Origin};
use gpuadvise::money::{BilledHours, Usd, UsdPerHour};
use gpuadvise::price::Cost;
use gpuadvise::price::listing::CostRow;
use gpuadvise::price::part::Parts;
use gpuadvise::price::spot::SpotRun;
use gpuadvise::workload::precision::{Precision, Quantization};
use gpuadvise::workload::{
    AttentionKernel, Job, KvRule, Layouts, Method, Offload, Optimizer, Pins, Recompute, Serving, Sharding,
    Task, Training, Workload,
};

const GIB: f64 = 1_073_741_824.0;

fn source(text: &str, as_of: AsOf) -> Source {
    Source { text: text.to_owned(), as_of }
}

fn waived(code: &str, reason: &str) -> Seldom {
    More { allow: vec![(code.into(), reason.into())], ..More::default() }.into()
}

/// Two accelerators, three machines, four price rows: one unknown, one in euros, one from an overlay.
pub(super) fn catalog() -> Catalog {
    let july = AsOf::Day("2026-07-20".parse().unwrap());
    let november = AsOf::Between("2025-11-01".parse().unwrap(), "2025-11-30".parse().unwrap());
    let here = SourceId(0);
    let provider = |name: &str, display: &str, tier| Provider {
        name: name.into(),
        display: display.into(),
        aliases: vec![],
        tier,
        operator: None,
        source: here,
    };
    let region = |provider, name: &str, country: &str| Region {
        provider: ProviderId(provider),
        name: name.into(),
        display: None,
        country: Some(country.into()),
        jurisdictions: vec![],
        operator_country: None,
        source: here,
    };
    Catalog {
        token_prices: Vec::new(),
        carbon: Vec::new(),
        currencies: vec![],
        sources: vec![
            source("vendor data sheet, table 1", july),
            source("price list of aws", november),
            source("private, \"agreement\" =7", july),
        ],
        gpus: vec![h100(), l4()],
        families: vec![Family { name: "H100".into(), members: vec![GpuId(0)], aliases: vec![] }],
        providers: vec![
            provider("aws", "Amazon Web Services", Tier::Hyperscaler),
            provider("scaleway", "Scaleway", Tier::Specialist),
        ],
        regions: vec![region(0, "us-east-1", "US"), region(0, "eu-west-1", "IE"), region(1, "fr-par", "FR")],
        instances: vec![
            instance(0, "p5.48xlarge", 0, 8.0, 80.0),
            instance(0, "g6f.large", 1, 0.125, 3.0),
            instance(1, "H100-1-80G", 0, 1.0, 80.0),
        ],
        prices: vec![
            price(0, 0, Billing::OnDemand, Some("55.04")),
            Price { upfront: Some(Upfront::No), ..price(0, 0, Billing::Savings3y, Some("23.77")) },
            price(0, 1, Billing::Spot, None),
            Price { overridden: true, source: SourceId(2), ..price(1, 0, Billing::OnDemand, Some("0.2022")) },
            Price {
                currency: Currency(*b"EUR"),
                seldom: waived("spot-not-below-on-demand", "listed so"),
                ..price(2, 2, Billing::OnDemand, Some("2.52"))
            },
        ],
        presets: vec![preset()],
        rules: vec![rule()],
        scenarios: vec![scenario()],
        ..Catalog::default()
    }
}

fn h100() -> Gpu {
    let tera = 1e12;
    Gpu {
        name: "H100-SXM".into(),
        vendor: "NVIDIA".into(),
        architecture: "Hopper".into(),
        year: 2023,
        form_factor: "SXM5".into(),
        memory_bytes: (80.0 * GIB) as u64,
        usable_bytes: 81_559 << 20,
        usable_measured: true,
        usable_source: Some(SourceId(0)),
        memory_type: "HBM3".into(),
        bandwidth_bytes_per_s: 3350e9,
        peaks: Peaks {
            fp64: Some(34.0 * tera),
            fp32: Some(66.9 * tera),
            tf32: Some(494.7 * tera),
            fp16: Some(989.4 * tera),
            bf16: Some(989.4 * tera),
            fp8: Some(1978.9 * tera),
            int8: Some(1978.9 * tera),
            fp4: None,
        },
        link_bytes_per_s: Some(900e9),
        pcie_gen: Some(5),
        tdp_w: Some(700.0),
        mig_max_instances: 7,
        mig_profiles: vec!["1g.10gb x7".into(), "2g.20gb x3".into()],
        compute_capability: Some("9.0".into()),
        bf16: true,
        fp8: true,
        aliases: vec!["NVIDIA H100 80GB HBM3".into()],
        ..Gpu::empty(SourceId(0))
    }
}

fn l4() -> Gpu {
    Gpu {
        name: "L4".into(),
        vendor: "NVIDIA".into(),
        architecture: "Ada".into(),
        year: 2023,
        form_factor: "PCIe".into(),
        memory_bytes: (24.0 * GIB) as u64,
        usable_bytes: (22.5 * GIB) as u64,
        memory_type: "GDDR6".into(),
        bandwidth_bytes_per_s: 300e9,
        note: Some("a|b `c` <i>\u{1b}[31m".into()),
        ..Gpu::empty(SourceId(0))
    }
}

fn instance(provider: u16, name: &str, gpu: u16, gpus: f64, gpu_gib: f64) -> Instance {
    Instance {
        provider: ProviderId(provider),
        name: name.into(),
        gpu: GpuId(gpu),
        gpus,
        gpu_memory_bytes: (gpu_gib * GIB) as u64,
        vcpus: Some(24.0 * gpus.max(0.5)),
        ram_gib: Some(256.0 * gpus),
        nvme_gb: None,
        smallest_count: 1,
        network_gbps: (gpus > 1.0).then_some(3200.0),
        unit: Unit::Instance,
        source: SourceId(0),
        note: None,
    }
}

fn price(instance: u16, region: u16, billing: Billing, usd: Option<&str>) -> Price {
    Price {
        instance: InstanceId(instance),
        region: RegionId(region),
        billing,
        upfront: None,
        per_hour: usd.map(|text| text.parse().unwrap()),
        currency: Currency::USD,
        stat: None,
        source: SourceId(1),
        overridden: false,
        fee: None,
        seldom: Seldom::default(),
    }
}

fn preset() -> Preset {
    Preset {
        name: "llama-3-8b".into(),
        aliases: vec!["meta-llama/Meta-Llama-3-8B".into()],
        family: "llama".into(),
        kind: "decoder".into(),
        params: 8_030_261_248,
        active_params: 8_030_261_248,
        layers: 32,
        hidden: 4096,
        heads: 32,
        kv_heads: 8,
        head_dim: 128,
        ffn: 14_336,
        gated_mlp: true,
        vocab: 128_256,
        native_context: 8192,
        attention: "gqa".into(),
        ..Preset::default()
    }
}

fn rule() -> Rule {
    Rule {
        id: "memory-headroom".into(),
        level: "warn".into(),
        when: "row.memory.verdict == 'tight'".into(),
        message: "only {row.memory.margin_gib} GiB are left".into(),
        explain: "Allocators fragment.".into(),
        saves_usd: None,
        source: SourceId(0),
        overridden: false,
    }
}

fn scenario() -> Scenario {
    Scenario {
        name: "light-development".into(),
        title: "Trying things out".into(),
        guide_gpu: "V100-16GB".into(),
        guide_gpus: 1,
        guide_vcpus: 8,
        workloads: vec![
            ScenarioWorkload {
                name: "BERT-base".into(),
                flags: vec![("model".into(), "bert-base".into()), ("task".into(), "train".into())],
                not_judged: None,
            },
            ScenarioWorkload {
                name: "MNIST".into(),
                flags: vec![],
                not_judged: Some("vision is not modelled".into()),
            },
        ],
        source: SourceId(0),
        note: None,
    }
}

fn architecture() -> Architecture {
    Architecture {
        name: "inferred-1.0B".into(),
        origin: Origin::Inferred,
        kind: Kind::Decoder,
        params: 1e9,
        active_params: 1e9,
        layers: 24,
        hidden: 1792,
        heads: 14,
        kv_heads: 14,
        head_dim: 128,
        ffn: 4864,
        gated_mlp: true,
        vocab: 32_000,
        tied_embeddings: false,
        native_context: None,
        attention: Attention::Heads,
        window: None,
        moe: None,
        kv_caveat: None,
        source: "inferred from 1e9 parameters".into(),
    }
}

/// Training of one billion parameters.
pub(super) fn training() -> Workload {
    Workload {
        model: architecture(),
        job: Job::Training(Training {
            task: Task::Train,
            method: Method::Full,
            lora_rank: 16,
            precision: None,
            strict: false,
            optimizer: Optimizer::Adamw,
            seq_len: 2048,
            global_batch: 512,
            micro_batch: None,
            tokens: 2e10,
            recompute: None,
            sharding: None,
            offload: Offload::None,
            attention: AttentionKernel::Flash,
            framework: "generic".into(),
            goodput: None,
            scaling_efficiency: None,
            fused_loss: false,
            software: "generic".into(),
            layouts: Layouts::default(),
        }),
        pins: Pins::default(),
        assumptions: vec![Assumption {
            id: "tokens",
            value: "20.0B".into(),
            why: "20 tokens per parameter".into(),
            source: "Hoffmann et al. 2022".into(),
        }],
        warnings: vec![Warning { id: "shape-inferred", message: "the shape is a guess".into() }],
    }
}

/// Serving of a mixture of experts.
pub(super) fn serving() -> Workload {
    let moe = Moe {
        experts: 64,
        experts_per_token: 6,
        expert_ffn: 1408,
        shared_experts: 2.0,
        dense_first_layers: 1,
        every: 1,
    };
    Workload {
        model: Architecture {
            name: "small-moe".into(),
            params: 16e9,
            active_params: 2.4e9,
            attention: Attention::Latent { kv_lora_rank: 512, rope_dim: 64 },
            moe: Some(moe),
            ..architecture()
        },
        job: Job::Serving(Serving {
            precision: Some(Precision::Bf16),
            quantization: Quantization {
                name: "none".into(),
                bits: 16.0,
                embeddings_too: true,
                compute: None,
            },
            kv_bytes: 2.0,
            kv_precision: "bf16".into(),
            input_len: 1024,
            output_len: 256,
            concurrency: 8,
            rps: Some(0.5),
            ttft_ms: None,
            tpot_ms: Some(50.0),
            max_model_len: 8192,
            engine: "vllm".into(),
            kv_rule: KvRule::Windowed,
            software: "vllm".into(),
            hours: 730.0,
        }),
        pins: Pins { tp: Some(1), ..Pins::default() },
        assumptions: vec![],
        warnings: vec![],
    }
}

fn memory() -> MemoryEstimate {
    MemoryEstimate {
        terms: MemoryTerms {
            weights: 2.000_4 * GIB,
            gradients: 2.000_4 * GIB,
            optimizer: 8.000_4 * GIB,
            master_weights: 4.000_4 * GIB,
            activations: 21.1 * GIB,
            logits: 1.5 * GIB,
            framework: 0.9 * GIB,
            ..MemoryTerms::default()
        },
        low: 35.0 * GIB,
        high: 46.25 * GIB,
        host_ram: 0.0,
    }
}

fn layout() -> Layout {
    Layout {
        dp: 8,
        tp: 1,
        pp: 1,
        ep: 1,
        cp: 1,
        sharding: Sharding::Zero1,
        offload: Offload::None,
        recompute: Recompute::Selective,
        micro_batch: 8,
        grad_accumulation: 8,
    }
}

fn usd(amount: f64) -> Option<Usd> {
    Usd::from_f64(amount)
}

fn hourly(text: &str) -> Option<UsdPerHour> {
    text.parse().ok()
}

/// Nothing but hours of work.
fn parts(total: f64) -> Parts {
    let nothing = usd(0.0);
    Parts { compute: usd(total), startup: nothing, idle: nothing, storage: nothing, egress: nothing }
}

/// The same contract sold in blocks at a price that nobody tells.
fn without_a_price(on_demand: &Cost) -> Cost {
    Cost {
        billing: Billing::CapacityBlock,
        usd_per_hour: None,
        usd_per_gpu_hour: None,
        increment_s: None,
        minimum_s: None,
        terms: vec![],
        parts: Parts::default(),
        total: None,
        low: None,
        high: None,
        ratio_to_on_demand: None,
        ..on_demand.clone()
    }
}

/// On-demand, a commitment, spot from an overlay, and one contract whose price is unknown.
fn costs() -> Vec<Cost> {
    let on_demand = Cost {
        billing: Billing::OnDemand,
        upfront: None,
        usd_per_hour: hourly("55.04"),
        usd_per_gpu_hour: hourly("6.88"),
        billed_hours: BilledHours::from_f64(12.345_678),
        increment_s: Some(60),
        minimum_s: Some(60),
        parts: parts(679.51),
        total: usd(679.51),
        at_least: false,
        low: usd(550.4),
        high: usd(1234.5),
        commitment: None,
        upfront_paid: None,
        ratio_to_on_demand: Some(1.0),
        spot: None,
        listed: None,
        source: SourceId(1),
        more_sources: vec![],
        overridden: false,
        terms: vec!["priced by the hour, billed by the minute".into()],
        notes: vec![],
    };
    let committed = Cost {
        billing: Billing::Savings3y,
        upfront: Some(Upfront::No),
        usd_per_hour: hourly("23.77"),
        usd_per_gpu_hour: hourly("2.97125"),
        increment_s: None,
        minimum_s: None,
        terms: vec![],
        parts: parts(293.46),
        total: usd(293.46),
        low: usd(237.7),
        high: usd(533.1),
        commitment: usd(624_675.6),
        upfront_paid: usd(0.0),
        ratio_to_on_demand: Some(0.431_87),
        notes: vec!["the whole term is owed".into()],
        ..on_demand.clone()
    };
    let spot = spot_cost(&on_demand);
    let unknown = without_a_price(&on_demand);
    vec![on_demand, spot, committed, unknown]
}

/// Spot beside an on-demand row.
fn spot_cost(on_demand: &Cost) -> Cost {
    Cost {
        billing: Billing::Spot,
        usd_per_hour: hourly("20.123456"),
        usd_per_gpu_hour: hourly("2.515432"),
        billed_hours: BilledHours::from_f64(13.5),
        parts: parts(271.67),
        total: usd(271.67),
        low: usd(230.0),
        high: usd(600.0),
        ratio_to_on_demand: Some(0.4),
        spot: Some(SpotRun {
            billed_hours: 13.5,
            on_demand_hours: 0.0,
            wall_hours: 13.75,
            interruptions: 0.135,
            checkpoint_interval_hours: Some(0.75),
            fallback_probability: None,
            deadline_probability: Some(0.875),
        }),
        source: SourceId(2),
        overridden: true,
        ..on_demand.clone()
    }
}

fn recommendation() -> Recommendation {
    Recommendation {
        instance: InstanceId(0),
        nodes: 1,
        replicas: 8,
        total_gpus: 8.0,
        region: RegionId(0),
        also_in: vec![RegionId(1)],
        layout: layout(),
        memory: memory(),
        capacity_bytes: 80.0 * GIB,
        usable_bytes: 81_559.0 * 1_048_576.0,
        verdict: Verdict::Fits,
        performance: Performance::Training(TrainingSpeed {
            step_s: Range { low: 2.0, expected: 2.33, high: 4.0 },
            tokens_per_s: 450_000.123,
            flops_per_gpu: 412.345e12,
            mfu: 0.416_77,
            communication_share: 0.031_2,
            scaling_efficiency: 0.982,
            bound: "compute",
            dominant_assumption: "train-efficiency 0.46 (measured)".into(),
            basis: Basis::Formula,
        }),
        duration_hours: Range { low: 10.0, expected: 12.345_678, high: 22.43 },
        costs: costs(),
        ranked_total: usd(679.51).unwrap(),
        at_least: false,
        ranked_billing: Billing::OnDemand,
    }
}

/// A training answer with two rows and one reason for rejection.
pub(super) fn advice() -> Advice {
    let mut small = Recommendation {
        instance: InstanceId(2),
        replicas: 1,
        total_gpus: 1.0,
        region: RegionId(2),
        also_in: vec![],
        layout: Layout { dp: 1, sharding: Sharding::Ddp, recompute: Recompute::None, ..layout() },
        verdict: Verdict::Tight,
        duration_hours: Range { low: 0.05, expected: 0.062_345_6, high: 0.1 },
        ..recommendation()
    };
    small.costs.truncate(1);
    small.costs[0].notes.push("price in EUR: 2.52".into());
    Advice {
        recommendations: vec![recommendation(), small],
        considered: 37,
        rejected: rejected(),
        ..Advice::default()
    }
}

fn rejected() -> Vec<Rejection> {
    vec![
        Rejection {
            reason: "memory",
            count: 120,
            nearest: Some(NearMiss {
                instance: InstanceId(1),
                nodes: 1,
                limit: Some(2.8),
                actual: Some(39.500_000_1),
                unit: "GiB",
                message: "needs 39.5 GiB of 2.8 GiB usable".into(),
            }),
        },
        Rejection { reason: "region", count: 3, nearest: None },
    ]
}

/// Nothing qualifies.
pub(super) fn nothing() -> Advice {
    Advice { rejected: rejected(), ..Advice::default() }
}

/// A serving answer: three replicas on shares of a GPU.
pub(super) fn serving_advice() -> Advice {
    let speed = ServingSpeed {
        ttft_ms: Range { low: 80.0, expected: 120.5, high: 200.0 },
        tpot_ms: Range { low: 10.0, expected: 12.0, high: 20.0 },
        output_tokens_per_s: 500.0,
        requests_per_s: 1.9,
        running: 16.0,
        max_concurrency: 41,
        kv_capacity_tokens: 100_000,
        bound: "memory",
        dominant_assumption: "decode-bandwidth 0.6".into(),
        basis: Basis::Formula,
    };
    let row = Recommendation {
        instance: InstanceId(1),
        nodes: 3,
        replicas: 3,
        total_gpus: 0.375,
        layout: Layout { dp: 3, sharding: Sharding::Ddp, recompute: Recompute::None, ..layout() },
        performance: Performance::Serving(speed),
        duration_hours: Range { low: 730.0, expected: 730.0, high: 730.0 },
        ..recommendation()
    };
    Advice { recommendations: vec![row], considered: 1, ..Advice::default() }
}

/// One GPU that fits, one node that does not, one that cannot be judged.
pub(super) fn fits() -> Vec<fit::Fit> {
    let judged = |verdict| fit::Judged {
        layout: layout(),
        memory: memory(),
        verdict,
        max_micro_batch: Some(16),
        max_seq_len: Some(8192),
        max_concurrency: None,
        warnings: Vec::new(),
    };
    let one = |gpu, gpus, usable: f64, judged| fit::Fit {
        gpu: GpuId(gpu),
        gpus,
        capacity_bytes: usable * 1.02 * GIB,
        usable_bytes: usable * GIB,
        judged,
    };
    let refused = Unplannable { id: "precision", message: "L4 has no FP4".into() };
    vec![
        one(1, 8, 22.5, Ok(judged(Verdict::No))),
        one(0, 1, 79.647, Ok(judged(Verdict::Fits))),
        one(1, 1, 22.5, Err(refused)),
    ]
}

/// Rows of `cost`.
pub(super) fn cost_rows() -> Vec<CostRow> {
    costs()
        .into_iter()
        .map(|cost| CostRow {
            instance: InstanceId(0),
            region: RegionId(0),
            nodes: 1,
            break_even_hours: cost.commitment.map(|owed| owed.to_f64() / 55.04),
            cost,
        })
        .collect()
}
