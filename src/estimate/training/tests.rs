//! Tests of the training estimates: known facts, relations, and properties of random jobs.

mod facts;
mod laws;
mod parallel;
mod relations;

use super::TrainingModel;
use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;
use crate::catalog::load::{Sections, embedded};
use crate::estimate::{Layout, Machine, MemoryEstimate, Verdict};
use crate::model::{Architecture, Attention, Kind, Moe, Origin};
use crate::workload::{
    AttentionKernel, Layouts, Method, Offload, Optimizer, Pins, Recompute, Sharding, Task, Training,
};
use std::sync::LazyLock;

/// Any layout.
const FREE: Pins = Pins { dp: None, tp: None, pp: None, ep: None, cp: None };

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| {
    embedded(Sections { constants: true, ..Sections::HARDWARE }).expect("the embedded catalog")
});

fn gpu(name: &str) -> &'static Gpu {
    CATALOG.gpus.iter().find(|gpu| gpu.name == name).unwrap_or_else(|| panic!("no GPU {name}"))
}

/// A node of `gpus`, with a network of so many Gbit/s where one is given.
fn node(name: &str, gpus: u32, gbps: Option<f64>) -> Machine<'static> {
    let machine = Machine::of_gpu(&CATALOG, gpu(name), gpus).expect("links of the GPU");
    Machine { inter_bytes_per_s: gbps.map(|gbps| gbps * 1e9 / 8.0), ..machine }
}

fn model(
    architecture: &Architecture,
    job: &Training,
    machine: &Machine<'static>,
    gpus: u32,
) -> TrainingModel<'static> {
    TrainingModel::new(&CATALOG, architecture, job, machine, gpus).expect("a job that can be planned")
}

/// A gated decoder with untied embeddings; parameters follow from the shape.
fn decoder(layers: u32, hidden: u32, heads: u32, kv_heads: u32, ffn: u32, vocab: u32) -> Architecture {
    let (h, f) = (f64::from(hidden), f64::from(ffn));
    let head_dim = hidden / heads;
    let attention = 2.0 * h * h + 2.0 * h * f64::from(kv_heads * head_dim);
    let params = f64::from(layers) * (attention + 3.0 * h * f) + 2.0 * f64::from(vocab) * h;
    Architecture {
        name: "test".to_owned(),
        origin: Origin::ByHand,
        kind: Kind::Decoder,
        params,
        active_params: params,
        layers,
        hidden,
        heads,
        kv_heads,
        head_dim,
        ffn,
        gated_mlp: true,
        vocab,
        tied_embeddings: false,
        native_context: None,
        attention: Attention::Heads,
        window: None,
        moe: None,
        kv_caveat: None,
        source: String::new(),
    }
}

/// The shape of Llama 2 7B.
fn llama_7b() -> Architecture {
    decoder(32, 4096, 32, 32, 11_008, 32_000)
}

/// The shape of Llama 3 8B.
fn llama_8b() -> Architecture {
    decoder(32, 4096, 32, 8, 14_336, 128_256)
}

/// The shape of Llama 2 70B.
fn llama_70b() -> Architecture {
    decoder(80, 8192, 64, 8, 28_672, 32_000)
}

/// The shape of a network of one billion parameters.
fn one_billion() -> Architecture {
    decoder(22, 2048, 32, 4, 5632, 32_000)
}

/// Pre-training in the default settings.
fn job() -> Training {
    Training {
        task: Task::Train,
        method: Method::Full,
        lora_rank: 0,
        precision: None,
        strict: false,
        optimizer: Optimizer::Adamw,
        seq_len: 2048,
        global_batch: 256,
        micro_batch: None,
        tokens: 1e9,
        recompute: None,
        sharding: None,
        offload: Offload::None,
        attention: AttentionKernel::Flash,
        framework: "generic".to_owned(),
        goodput: None,
        scaling_efficiency: None,
        fused_loss: false,
        software: "generic".to_owned(),
        layouts: Layouts::default(),
    }
}

/// Fine-tuning with adapters of rank 16.
fn adapters(method: Method, seq_len: u32) -> Training {
    Training { task: Task::Finetune, method, lora_rank: 16, seq_len, global_batch: 8, ..job() }
}

fn layout(dp: u32, sharding: Sharding, recompute: Recompute, micro_batch: u32) -> Layout {
    Layout {
        dp,
        tp: 1,
        pp: 1,
        ep: 1,
        cp: 1,
        sharding,
        offload: Offload::None,
        recompute,
        micro_batch,
        grad_accumulation: 1,
    }
}

fn verdict(model: &TrainingModel, memory: &MemoryEstimate) -> Verdict {
    Verdict::of(memory, model.usable_bytes())
}
