//! What a rule may speak of: every field with its kind and unit. The only list; checks, samples and help come from it.

/// What a field holds. All numbers are doubles in an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Number,
    /// A text; a date is a text such as `2026-07-20`, its earliest day.
    Text,
    /// True or false.
    Flag,
    /// A list of texts.
    Texts,
    /// A list of objects; their fields follow under `name[]`.
    Objects,
    /// A group of fields.
    Group,
}

impl Kind {
    /// For messages: `a number`, `a text` …
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Flag => "true or false",
            Self::Texts => "a list of texts",
            Self::Objects => "a list of objects",
            Self::Group => "a group of fields",
        }
    }
}

/// One field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Path from the root; `[]` stands for any element of a list.
    pub path: &'static str,
    /// What it holds where it is known.
    pub kind: Kind,
    /// Unit or allowed values; empty where the name says it.
    pub unit: &'static str,
}

/// The names that expressions begin with.
pub const ROOTS: [&str; 11] = [
    "row",
    "gpu",
    "instance",
    "region",
    "workload",
    "spot",
    "on_demand",
    "commitment",
    "elsewhere",
    "sibling",
    "sooner",
];

/// The kind of what a path names; `None` when there is no such field.
pub fn kind_of(path: &str) -> Option<Kind> {
    if let Some(field) = FIELDS.iter().find(|field| field.path == path) {
        return Some(field.kind);
    }
    match path.strip_suffix("[]").map(kind_of) {
        Some(Some(Kind::Texts)) => return Some(Kind::Text),
        Some(Some(Kind::Objects)) => return Some(Kind::Group),
        _ => {}
    }
    if let Some((root, rest)) = cost_alias(path) {
        return if rest.is_empty() { Some(Kind::Group) } else { kind_of(&format!("row.costs[].{rest}")) }
            .filter(|_| ROOTS.contains(&root));
    }
    FIELDS.iter().any(|field| within(path, field.path)).then_some(Kind::Group)
}

/// The names directly under a path, for "did you mean".
pub fn names_under(path: &str) -> Vec<&'static str> {
    let path = if cost_alias(path).is_some_and(|(_, rest)| rest.is_empty()) { "row.costs[]" } else { path };
    let mut names: Vec<&str> = FIELDS
        .iter()
        .filter(|field| within(path, field.path))
        .filter_map(|field| field.path[path.len() + 1..].split(['.', '[']).next())
        .collect();
    names.dedup();
    names
}

/// `spot` and `on_demand` are rows of `row.costs`.
fn cost_alias(path: &str) -> Option<(&str, &str)> {
    let (root, rest) = path.split_once('.').unwrap_or((path, ""));
    matches!(root, "spot" | "on_demand").then_some((root, rest))
}

/// Whether `path` is a group that holds `field`.
fn within(path: &str, field: &str) -> bool {
    field.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'))
}

const fn number(path: &'static str, unit: &'static str) -> Field {
    Field { path, kind: Kind::Number, unit }
}

const fn text(path: &'static str, unit: &'static str) -> Field {
    Field { path, kind: Kind::Text, unit }
}

const fn flag(path: &'static str) -> Field {
    Field { path, kind: Kind::Flag, unit: "" }
}

/// Every field, group by group. `spot` and `on_demand` hold what `row.costs[]` holds.
pub const FIELDS: &[Field] = &[
    number("row.rank", ""),
    text("row.provider", ""),
    text("row.region", ""),
    Field { path: "row.also_in", kind: Kind::Texts, unit: "regions" },
    text("row.tier", "hyperscaler, specialist, marketplace"),
    text("row.instance_type", ""),
    text("row.gpu", ""),
    number("row.gpus_per_node", "a share is below 1"),
    number("row.nodes", ""),
    number("row.replicas", ""),
    number("row.total_gpus", ""),
    number("row.vcpus", "per node"),
    number("row.ram_gib", "GiB per node"),
    text("row.precision", "arithmetic on this GPU: bf16, fp16 …"),
    text("row.ranked_billing", "the contract that the row is ranked by"),
    number("row.ranked_total_usd", "USD, whole job, expected"),
    flag("row.ranked_at_least"),
    number("row.parallelism.dp", ""),
    number("row.parallelism.tp", ""),
    number("row.parallelism.pp", ""),
    number("row.parallelism.ep", ""),
    number("row.parallelism.cp", ""),
    text("row.parallelism.sharding", "ddp, zero1, zero2, zero3"),
    number("row.parallelism.micro_batch", "sequences"),
    number("row.parallelism.grad_accumulation", ""),
    text("row.parallelism.recompute", "none, selective, full"),
    text("row.parallelism.offload", "none, optimizer, all"),
    number("row.memory.per_gpu_capacity_gib", "GiB"),
    number("row.memory.usable_gib", "GiB"),
    number("row.memory.total_gib", "GiB, expected"),
    number("row.memory.low_gib", "GiB"),
    number("row.memory.high_gib", "GiB"),
    number("row.memory.margin_gib", "GiB"),
    number("row.memory.margin_pct", "per cent of usable"),
    text("row.memory.verdict", "fits, tight, no"),
    number("row.memory.host_ram_gib", "GiB"),
    Field {
        path: "row.memory.estimated_terms",
        kind: Kind::Texts,
        unit: "terms that are no count of the shape",
    },
    number("row.memory.terms.weights_gib", "GiB"),
    number("row.memory.terms.gradients_gib", "GiB"),
    number("row.memory.terms.optimizer_gib", "GiB"),
    number("row.memory.terms.master_weights_gib", "GiB"),
    number("row.memory.terms.activations_gib", "GiB"),
    number("row.memory.terms.logits_gib", "GiB"),
    number("row.memory.terms.kv_cache_gib", "GiB"),
    number("row.memory.terms.workspace_gib", "GiB"),
    number("row.memory.terms.communication_gib", "GiB"),
    number("row.memory.terms.framework_gib", "GiB"),
    number("row.performance.tokens_per_s", ""),
    number("row.performance.tokens_per_s_per_gpu", ""),
    number("row.performance.samples_per_s", ""),
    number("row.performance.tflops_per_gpu", ""),
    number("row.performance.mfu", "0 to 1"),
    number("row.performance.communication_share", "0 to 1"),
    number("row.performance.scaling_efficiency", "0 to 1; 1 for a single node"),
    number("row.performance.ttft_ms", "ms"),
    number("row.performance.ttft_low_ms", "ms"),
    number("row.performance.ttft_high_ms", "ms"),
    number("row.performance.tpot_ms", "ms"),
    number("row.performance.tpot_low_ms", "ms"),
    number("row.performance.tpot_high_ms", "ms"),
    number("row.performance.output_tokens_per_s", ""),
    number("row.performance.requests_per_s", ""),
    number("row.performance.max_concurrency", ""),
    number("row.performance.running_requests", "worked on at once; others wait"),
    text("row.performance.bound", "compute, memory, communication, latency"),
    text("row.performance.dominant_assumption", ""),
    text("row.performance.basis", "measured, calibrated, formula"),
    number("row.duration_hours.low", "hours"),
    number("row.duration_hours.expected", "hours"),
    number("row.duration_hours.high", "hours"),
    Field { path: "row.costs", kind: Kind::Objects, unit: "one for each contract" },
    text("row.costs[].billing", "on-demand, spot, reserved-1y …"),
    text("row.costs[].upfront", "none, partial, all"),
    number("row.costs[].usd_per_hour", "USD, whole configuration"),
    number("row.costs[].usd_per_gpu_hour", "USD"),
    number("row.costs[].billed_hours", "hours"),
    text("row.costs[].price_unit", "hour"),
    number("row.costs[].billing_increment_s", "seconds; unknown where a term is owed"),
    number("row.costs[].billing_minimum_s", "seconds; unknown where a term is owed"),
    number("row.costs[].parts.compute_usd", "USD"),
    number("row.costs[].parts.startup_usd", "USD"),
    number("row.costs[].parts.idle_usd", "USD"),
    number("row.costs[].parts.storage_usd", "USD"),
    number("row.costs[].parts.egress_usd", "USD"),
    number("row.costs[].total_usd", "USD, whole job, expected"),
    flag("row.costs[].at_least"),
    number("row.costs[].low_usd", "USD"),
    number("row.costs[].high_usd", "USD"),
    number("row.costs[].commitment_usd", "USD owed in all"),
    number("row.costs[].upfront_usd", "USD"),
    number("row.costs[].saves_pct", "per cent below on-demand"),
    number("row.costs[].usd_per_million_output_tokens", "USD"),
    number("row.costs[].expected_interruptions", ""),
    number("row.costs[].expected_wall_hours", "hours"),
    number("row.costs[].checkpoint_interval_hours", "hours; unknown without checkpoints"),
    number("row.costs[].effective_usd_per_hour", "USD"),
    number("row.costs[].deadline_probability", "0 to 1"),
    number("row.costs[].on_demand_hours", "billed hours on demand where spot gives way to it"),
    text("row.costs[].price_as_of", "earliest day"),
    text("row.costs[].price_source", ""),
    flag("row.costs[].overridden"),
    Field { path: "row.costs[].notes", kind: Kind::Texts, unit: "" },
    text("gpu.name", ""),
    text("gpu.vendor", ""),
    text("gpu.architecture", ""),
    number("gpu.year", ""),
    text("gpu.form_factor", ""),
    text("gpu.stack", "cuda, rocm, xla, neuron, gaudi, cann"),
    number("gpu.memory_gib", "GiB on the label"),
    number("gpu.usable_gib", "GiB"),
    number("gpu.bandwidth_gb_s", "GB/s of its memory"),
    number("gpu.pcie_gen", ""),
    text("gpu.compute_capability", "of CUDA: 8.0, 9.0 …"),
    number("gpu.link_gb_s", "GB/s, both directions"),
    number("gpu.mig_max_instances", "0 without MIG"),
    number("gpu.tdp_w", "W"),
    flag("gpu.bf16"),
    flag("gpu.fp8"),
    number("instance.vcpus", "per machine"),
    number("instance.ram_gib", "GiB per machine"),
    number("instance.nvme_gb", "GB per machine"),
    number("instance.network_gbps", "Gbit/s per machine"),
    number("instance.gpus", "a share is below 1"),
    flag("instance.fractional"),
    text("instance.unit", "instance, chip, host, slice"),
    text("region.name", ""),
    text("region.display", ""),
    text("region.country", "ISO 3166 code"),
    Field { path: "region.jurisdictions", kind: Kind::Texts, unit: "eu, eea, us, us-gov, cn …" },
    text("region.operator_country", "ISO 3166 code; where the company behind it has its seat"),
    number("region.carbon_g_per_kwh", "g CO2e for a kWh of the local grid"),
    number("region.egress_usd_per_gb", "USD, the first GB of a month to the internet"),
    text("commitment.billing", "the term contract that pays soonest here"),
    number("commitment.usd_per_hour", "USD, one machine"),
    number("commitment.term_hours", "hours owed"),
    number("commitment.break_even_hours", "hours of use from which it is cheaper than on demand"),
    text("elsewhere.region", "where this machine costs least, under no other law"),
    number("elsewhere.usd_per_hour", "USD, one machine, on demand"),
    text("sibling.instance_type", "same provider, region and GPU, another number of GPUs"),
    number("sibling.gpus", "per machine"),
    number("sibling.usd_per_gpu_hour", "USD, on demand"),
    number(
        "sooner.rank",
        "of the row done first for at most `sooner-for-at-most` times the total; known beside rank 1",
    ),
    text("sooner.provider", ""),
    text("sooner.instance_type", ""),
    number("sooner.machines", "how many of it"),
    number("sooner.total_gpus", ""),
    number("sooner.hours", "hours, expected"),
    number("sooner.total_usd", "USD, whole job, expected"),
    text("workload.task", "train, finetune, infer"),
    text("workload.model", ""),
    text("workload.origin", "preset, hugging-face, by-hand, inferred"),
    text("workload.kind", "decoder, encoder, encoder-decoder, cnn, detector, vit, diffusion, speech"),
    text("workload.model_source", ""),
    number("workload.params", ""),
    number("workload.active_params", ""),
    number("workload.layers", ""),
    number("workload.hidden", ""),
    number("workload.heads", ""),
    number("workload.kv_heads", ""),
    number("workload.head_dim", ""),
    number("workload.ffn", ""),
    number("workload.vocab", ""),
    flag("workload.gated_mlp"),
    flag("workload.tied_embeddings"),
    text("workload.attention_type", "mha, mqa, gqa, mla"),
    number("workload.kv_lora_rank", "values a token and layer; mla"),
    number("workload.rope_dim", "values a token and layer; mla"),
    number("workload.native_context", "tokens"),
    number("workload.sliding_window", "tokens"),
    number("workload.full_attention_layers", ""),
    number("workload.experts", ""),
    number("workload.experts_per_token", ""),
    number("workload.expert_ffn", ""),
    number("workload.shared_experts", ""),
    text("workload.method", "full, lora, qlora"),
    number("workload.lora_rank", ""),
    text("workload.precision", "as asked, or auto; row.precision is what it comes to"),
    flag("workload.strict"),
    text("workload.optimizer", ""),
    number("workload.seq_len", "tokens"),
    number("workload.global_batch", "sequences"),
    number("workload.micro_batch", "sequences"),
    number("workload.tokens", ""),
    number("workload.samples", ""),
    number("workload.epochs", "passes over the samples"),
    number("workload.evaluations", "passes of the network for one sample"),
    text("workload.recompute", "as asked, or auto"),
    text("workload.sharding", "as asked, or auto"),
    text("workload.offload", "none, optimizer, all"),
    text("workload.attention", "flash, eager"),
    text("workload.framework", "class of the software"),
    text("workload.software", "as it was named, narrower than its class"),
    number("workload.goodput", "0 to 1"),
    number("workload.scaling_efficiency", "0 to 1, as asked"),
    flag("workload.fused_loss"),
    text("workload.quantization", "none, fp8, int8, int4, awq …"),
    number("workload.quantization_bits", "bits a weight, scales included"),
    text("workload.kv_precision", ""),
    text("workload.kv_rule", "windowed, full-pages, expanded"),
    number("workload.input_len", "tokens"),
    number("workload.output_len", "tokens"),
    number("workload.concurrency", "requests"),
    number("workload.rps", "requests per second"),
    number("workload.ttft_ms", "ms"),
    number("workload.tpot_ms", "ms"),
    number("workload.max_model_len", "tokens"),
    text("workload.engine", "class of the software"),
    number("workload.hours", "hours"),
    number("workload.dp", "pinned"),
    number("workload.tp", "pinned"),
    number("workload.pp", "pinned"),
    number("workload.ep", "pinned"),
    number("workload.cp", "pinned"),
];
