//! Time of one optimizer step under a split: rooflines of a micro-batch, what cannot be hidden, and the pipeline.
//!
//! A split is boiled down to coefficients once; a micro-batch then costs a few multiplications. Sources of the formulas
//! stand at each term, constants come from the catalog.

use super::TrainingModel;
use super::numeric;
use super::split::Split;
use crate::workload::{Method, Offload, Recompute, Sharding};

/// Seconds of one step by cause. Their sum is the step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StepParts {
    /// Matrix products and attention.
    pub(super) compute: f64,
    /// Memory traffic of everything else, and of the optimizer.
    pub(super) traffic: f64,
    /// Waiting for kernel launches.
    pub(super) latency: f64,
    /// Waiting while the pipeline fills and drains, but for the communication meanwhile.
    pub(super) bubble: f64,
    /// Communication that nothing hides.
    pub(super) communication: f64,
    /// Share of the bubble that is as long as the matrix products of other stages.
    pub(super) bubble_compute_share: f64,
}

impl StepParts {
    pub(super) fn total(&self) -> f64 {
        self.compute + self.traffic + self.latency + self.bubble + self.communication
    }
}

/// Coefficients of a split: seconds per sequence, per micro-batch and per step.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitTime {
    compute_per_sequence: f64,
    traffic_per_sequence: f64,
    traffic_per_pass: f64,
    floor_per_pass: f64,
    /// Waiting of the host for the routing of each layer with experts.
    routing_per_pass: f64,
    /// Exposed tensor- and pipeline-parallel communication.
    exposed_per_sequence: f64,
    exposed_per_pass: f64,
    /// Gathers that run beside the compute.
    gather_per_pass: f64,
    gather_exposed: f64,
    /// Data-parallel reduction of a step, and the share of one pass that hides it.
    reduction_per_step: f64,
    reduction_hidden: f64,
    optimizer_per_step: f64,
    /// Passes that the pipeline waits for filling and draining.
    bubble_passes: f64,
    jitter: f64,
}

impl SplitTime {
    /// Parts of a step of `passes` micro-batches with `sequences` in all for each data-parallel rank.
    pub(super) fn parts(&self, sequences: f64, passes: f64) -> StepParts {
        let micro_batch = sequences / passes;
        let compute = micro_batch * self.compute_per_sequence;
        let traffic = micro_batch * self.traffic_per_sequence + self.traffic_per_pass;
        let busy = compute + traffic;
        let latency = (self.floor_per_pass - busy).max(0.0) + self.routing_per_pass;
        let running = busy + latency;
        let gather = self.gather_per_pass;
        let gathers = (gather - running).max(0.0) + self.gather_exposed * gather.min(running);
        let exposed = micro_batch * self.exposed_per_sequence + self.exposed_per_pass + gathers;
        let reduction = (self.reduction_per_step - self.reduction_hidden * running).max(0.0);
        let own = passes * self.jitter;
        let bubble = self.bubble_passes * self.jitter;
        StepParts {
            compute: own * compute,
            traffic: own * traffic + self.optimizer_per_step,
            latency: own * latency,
            bubble: bubble * running,
            communication: (own + bubble) * exposed + reduction,
            bubble_compute_share: if running > 0.0 { compute / running } else { 0.0 },
        }
    }
}

/// Matrix and attention passes over the model in units of one forward pass.
#[derive(Clone, Copy)]
struct Passes {
    compute: f64,
    recomputed: f64,
}

impl TrainingModel<'_> {
    /// Backward costs two forwards, one when the weights are frozen (no weight gradient); recomputation adds to it.
    fn passes(&self, recompute: Recompute) -> Passes {
        let recomputed = match recompute {
            Recompute::None => 0.0,
            Recompute::Selective => self.constants.time.selective_pass,
            Recompute::Full => self.constants.time.full_pass,
        };
        Passes { compute: self.useful_passes() + recomputed, recomputed }
    }

    /// Passes without recomputation: 3 for full training, 2 for adapters.
    pub(super) fn useful_passes(&self) -> f64 {
        if self.method == Method::Full { 3.0 } else { 2.0 }
    }

    /// Seconds that a step of these sequences cannot go below, from compute and memory traffic alone: cheap enough to ask
    /// before the communication of a split is worked out.
    pub(super) fn least_seconds(&self, split: &Split, sequences: f64) -> f64 {
        let passes = self.passes(split.recompute);
        let stage_share = self.stage_layers(split) / self.shape.layers;
        let compute = self.compute_per_sequence(split, passes, stage_share);
        let traffic = self.traffic(split, passes, stage_share).0;
        sequences * (compute + traffic) * self.jitter()
    }

    /// Loss to stragglers with every doubling of the nodes.
    fn jitter(&self) -> f64 {
        1.0 + self.constants.time.jitter * self.fabric.nodes(f64::from(self.total_gpus)).log2()
    }

    /// The coefficients of a split.
    pub(super) fn split_time(&self, split: &Split) -> SplitTime {
        let c = &self.constants.time;
        let passes = self.passes(split.recompute);
        let stage_share = self.stage_layers(split) / self.shape.layers;
        let layers = stage_share * self.shape.layers;
        let interleave = c.interleave.min(layers).max(1.0);
        let communication = self.communication(split, passes, stage_share, interleave);
        let (traffic_per_sequence, traffic_per_pass) = self.traffic(split, passes, stage_share);
        let gathers = if split.sharding == Sharding::Zero3 { passes.compute / 3.0 } else { 0.0 };
        let moe_share = self.shape.moe_layers / self.shape.layers;
        SplitTime {
            compute_per_sequence: self.compute_per_sequence(split, passes, stage_share),
            traffic_per_sequence,
            traffic_per_pass,
            floor_per_pass: layers
                * (passes.compute / 3.0 * c.layer_latency_s + gathers * c.gather_latency_s),
            routing_per_pass: passes.compute / 3.0 * moe_share * layers * c.expert_latency_s,
            exposed_per_sequence: communication.exposed_per_sequence,
            exposed_per_pass: communication.exposed_per_pass,
            gather_per_pass: communication.gather_per_pass + self.host_seconds(split, passes, stage_share),
            gather_exposed: c.gather_exposed,
            reduction_per_step: communication.reduction_per_step,
            reduction_hidden: c.reduction_hidden,
            optimizer_per_step: self.optimizer_seconds(split, stage_share),
            bubble_passes: (split.pp - 1.0) / interleave,
            jitter: self.jitter(),
        }
    }

    /// Share of the output matrix and the loss that the slowest stage works on: all of it, unless the software gives the
    /// last stage fewer layers.
    fn head_share(&self, split: &Split) -> f64 {
        let balance = self.constants.time.pipeline_balance;
        balance / split.pp + (1.0 - balance)
    }

    /// Matrix products at 2 FLOPs a parameter and token, attention besides (Kaplan et al. 2020); narrow formats serve
    /// the layers only. Stages count their share of the layers and an even share of the output matrix.
    fn compute_per_sequence(&self, split: &Split, passes: Passes, stage_share: f64) -> f64 {
        let c = &self.constants.time;
        let shape = &self.shape;
        let local_width = shape.hidden / split.tp;
        let misaligned = local_width % 64.0 != 0.0;
        let aligned = if misaligned { c.misaligned } else { 1.0 };
        let efficiency = c.efficiency.expected * c.stack_efficiency * aligned;
        let dense = shape.body_flop_params - shape.expert_flop_params;
        let routed = shape.expert_flop_params / self.expert_factor(split);
        let body = 2.0 * (dense + routed) * stage_share / self.peak;
        let head = 2.0 * shape.vocab * shape.hidden * self.head_share(split) / self.wide_peak;
        let attention = shape.attention_flops_per_token(self.seq_len) * stage_share
            / (self.wide_peak * c.attention_efficiency);
        passes.compute * self.seq_len / (split.tp * split.cp) * ((body + head) / efficiency + attention)
    }

    /// Share of the efficiency of large products that the grouped products of experts reach: it falls with the width that a
    /// rank holds of each, as that of any product does with its narrowest side. 1 without experts.
    fn expert_factor(&self, split: &Split) -> f64 {
        let c = &self.constants.time;
        if self.shape.expert_flop_params <= 0.0 {
            return 1.0;
        }
        let width = self.shape.expert_width * split.ep / split.expert_parts();
        c.expert_efficiency.expected * width / (width + c.expert_half_width)
    }

    /// What is not a matrix product moves memory: values kept and rebuilt per token, logits and loss, weights once a
    /// pass, dequantised copies for 4-bit weights. Per sequence and per micro-batch.
    fn traffic(&self, split: &Split, passes: Passes, stage_share: f64) -> (f64, f64) {
        let c = &self.constants.time;
        let shape = &self.shape;
        let element = numeric::element_bytes(self.precision);
        let bandwidth = self.machine.bandwidth() * c.bandwidth_efficiency * split.tp;
        let values = shape.kept_values * element * c.elementwise_traffic * shape.layers * stage_share;
        let adapted = shape.adapted_values * element * c.adapter_traffic * shape.layers * stage_share;
        let loss =
            if self.fused_loss { 0.0 } else { shape.vocab * c.loss_traffic_bytes * self.head_share(split) };
        let per_sequence = self.seq_len / split.cp * (passes.compute * (values + adapted) + loss) / bandwidth;
        // A pass reads every expert that a rank holds, however few tokens each gets.
        let dense = shape.body_flop_params - shape.expert_flop_params;
        let weights = (dense + shape.expert_params * split.tp / split.expert_parts()) * stage_share;
        let stored = match self.method {
            Method::Qlora => element + c.dequantize_bytes,
            Method::Full | Method::Lora => element,
        };
        (per_sequence, passes.compute * weights * stored / bandwidth)
    }

    /// Reading and writing weights, gradients and moments once a step.
    fn optimizer_seconds(&self, split: &Split, stage_share: f64) -> f64 {
        let c = &self.constants.time;
        let sharing = if split.sharding >= Sharding::Zero1 { split.replicas() } else { 1.0 };
        let trained = self.trained_params(split, stage_share) / sharing;
        let bytes = trained * c.optimizer_traffic_bytes;
        if split.offload == Offload::None {
            // Moments in shared memory come from the host and go back, where the GPU has no room to keep them.
            let memory = &self.constants.memory;
            let moved = if memory.paged { 2.0 * trained * memory.optimizer_bytes } else { 0.0 };
            return bytes / (self.machine.bandwidth() * c.bandwidth_efficiency) + moved / c.host_link;
        }
        // The step runs on the host: gradients go there, weights come back, and all ranks of a node share its memory
        // (Ren et al. 2021, ZeRO-Offload, section 4).
        let element = numeric::element_bytes(self.precision);
        let ranks = split.ranks().min(f64::from(self.machine.gpus_per_node));
        2.0 * trained * element / c.host_link + bytes * ranks / c.host_bandwidth
    }

    /// Seconds to fetch the weights of a stage from the host in every pass (Rajbhandari et al. 2021, ZeRO-Infinity).
    fn host_seconds(&self, split: &Split, passes: Passes, stage_share: f64) -> f64 {
        if !split.offloads(Offload::All) {
            return 0.0;
        }
        let sharing = if split.sharding == Sharding::Zero3 { split.replicas() } else { 1.0 };
        (passes.compute - 1.0) * self.gathered_bytes(split, stage_share)
            / sharing
            / self.constants.time.host_link
    }

    /// Trainable parameters of one rank.
    fn trained_params(&self, split: &Split, stage_share: f64) -> f64 {
        let shape = &self.shape;
        match self.method {
            Method::Full => {
                let matrices = if shape.tied { 1.0 } else { 2.0 };
                let embeddings = matrices * shape.embedding_params / split.pp;
                let dense = shape.body_params - shape.expert_params;
                (dense * stage_share + embeddings) / split.tp
                    + shape.expert_params * stage_share / split.expert_parts()
            }
            Method::Lora | Method::Qlora => shape.adapter_params * stage_share / split.tp,
        }
    }

    /// Tensor parallel: two all-reduces of the activations per layer forward and two backward (Shoeybi et al. 2019),
    /// again when recomputed. ZeRO 3: weights are gathered forward and backward and gradients scattered for every
    /// micro-batch; ZeRO 2 scatters gradients every micro-batch and gathers weights once (Rajbhandari et al. 2020).
    /// DDP and ZeRO 1 reduce once a step. Pipeline: activations go forward, their gradients back.
    fn communication(
        &self,
        split: &Split,
        passes: Passes,
        stage_share: f64,
        interleave: f64,
    ) -> Communication {
        let c = &self.constants.time;
        let element = numeric::element_bytes(self.precision);
        let activations = self.seq_len / split.cp * self.shape.hidden * element;
        let tensor = self.fabric.group(split.tp, 1.0);
        let data = self.fabric.group(split.replicas(), split.tp);
        let pipeline = self.fabric.group(split.pp, split.tp * split.replicas());
        let reductions = (4.0 + 2.0 * passes.recomputed) * self.shape.layers * stage_share;
        let tensor_latency = tensor.all_reduce(0.0);
        let tensor_per_sequence = reductions * (tensor.all_reduce(activations) - tensor_latency);
        let hops = 2.0 * interleave;
        let pipeline_per_sequence = hops * (pipeline.send(activations / split.tp) - pipeline.send(0.0));
        // Keys and values go around the ranks of a context forward, with their gradients backward (Liu et al. 2023).
        let context = self.fabric.group(split.cp, split.tp);
        let keys = 2.0 * self.seq_len * self.shape.key_width / split.tp * element;
        let context_latency = context.gather(0.0);
        let turns = (3.0 + passes.recomputed) * self.shape.full_layers * stage_share;
        let context_per_sequence = turns * (context.gather(keys) - context_latency);
        // Each token goes to its experts and comes back, forward and backward (Lepikhin et al. 2020, section 3.1).
        let experts = self.fabric.exchange(split.ep);
        let routed = activations / split.tp * self.shape.experts_per_token;
        let exchanges = (4.0 + 2.0 * passes.recomputed) * self.shape.moe_layers * stage_share;
        let gradients = self.trained_params(split, stage_share) * element;
        let weights = self.gathered_bytes(split, stage_share);
        let (gather_per_pass, reduction_per_step) = match split.sharding {
            Sharding::Ddp | Sharding::Zero1 => (0.0, data.all_reduce(gradients)),
            Sharding::Zero2 => (data.gather(gradients), data.gather(gradients)),
            Sharding::Zero3 => (2.0 * data.gather(weights) + data.gather(gradients), 0.0),
        };
        Communication {
            exposed_per_sequence: c.tensor_exposed
                * (tensor_per_sequence + pipeline_per_sequence + context_per_sequence)
                + c.expert_exposed * exchanges * routed * experts.seconds_per_byte,
            exposed_per_pass: c.tensor_exposed
                * (reductions * tensor_latency + hops * pipeline.send(0.0) + turns * context_latency)
                + c.expert_exposed * exchanges * experts.latency_s,
            gather_per_pass,
            reduction_per_step,
        }
    }

    /// Bytes of the weights of one rank when gathered.
    fn gathered_bytes(&self, split: &Split, stage_share: f64) -> f64 {
        let shape = &self.shape;
        let element = numeric::element_bytes(self.precision);
        let matrices = if shape.tied { 1.0 } else { 2.0 };
        let body_bytes =
            if self.method == Method::Qlora { self.constants.memory.qlora_bytes } else { element };
        let embeddings = matrices * shape.embedding_params / split.pp * element;
        let dense = (shape.body_params - shape.expert_params) * stage_share * body_bytes;
        let experts = shape.expert_params * stage_share * body_bytes;
        (dense + embeddings) / split.tp + experts / split.expert_parts()
    }
}

/// Seconds of communication of a split.
struct Communication {
    exposed_per_sequence: f64,
    exposed_per_pass: f64,
    gather_per_pass: f64,
    reduction_per_step: f64,
}
