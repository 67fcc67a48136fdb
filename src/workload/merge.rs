//! Settings over settings: what the command line says wins over the environment, a file, the defaults.

use super::Task;
use super::settings::WorkloadArgs;

/// A group of settings: which of its flags are set, and how to drop them all.
macro_rules! group {
    ($set:ident, $drop:ident, $($flag:literal $field:ident),* $(,)?) => {
        /// The flags of this group that are set, in order.
        pub fn $set(&self) -> Vec<&'static str> {
            let all = [$(($flag, self.$field.is_some())),*];
            all.into_iter().filter(|&(_, set)| set).map(|(flag, _)| flag).collect()
        }

        fn $drop(&mut self) {
            $(self.$field = None;)*
        }
    };
}

impl WorkloadArgs {
    group! { shape_flags, drop_shape,
        "layers" layers, "hidden" hidden, "heads" heads, "kv-heads" kv_heads, "head-dim" head_dim, "ffn" ffn,
        "vocab" vocab, "experts" experts, "experts-per-token" experts_per_token, "expert-ffn" expert_ffn,
        "plain-mlp" plain_mlp, "tied-embeddings" tied_embeddings,
    }

    group! { training_flags, drop_training,
        "method" method, "lora-rank" lora_rank, "strict" strict, "optimizer" optimizer, "seq-len" seq_len,
        "global-batch" global_batch, "micro-batch" micro_batch, "tokens" tokens, "samples" samples,
        "epochs" epochs, "recompute" recompute, "sharding" sharding, "offload" offload,
        "attention" attention, "framework" framework, "goodput" goodput,
        "scaling-efficiency" scaling_efficiency, "fused-loss" fused_loss, "ep" ep, "cp" cp,
    }

    group! { serving_flags, drop_serving,
        "quantization" quantization, "kv-precision" kv_precision, "input-len" input_len,
        "output-len" output_len, "concurrency" concurrency, "rps" rps, "ttft" ttft, "tpot" tpot,
        "max-model-len" max_model_len, "engine" engine, "kv-rule" kv_rule, "hours" hours,
    }

    /// These settings over `lower` ones (flags over environment over file over defaults). What excludes each other goes
    /// together: `--params` on the command line puts aside a `model` of the file, `--tokens` its `samples`, and a task
    /// the settings of the other sort of work.
    #[must_use]
    pub fn over(self, mut lower: Self) -> Self {
        lower.give_way_to(&self);
        macro_rules! first {
            ($($field:ident),* $(,)?) => { Self { $($field: self.$field.or(lower.$field)),* } };
        }
        first!(
            task,
            model,
            params,
            active_params,
            layers,
            hidden,
            heads,
            kv_heads,
            head_dim,
            ffn,
            vocab,
            experts,
            experts_per_token,
            expert_ffn,
            plain_mlp,
            tied_embeddings,
            method,
            lora_rank,
            precision,
            strict,
            optimizer,
            seq_len,
            global_batch,
            micro_batch,
            tokens,
            samples,
            epochs,
            recompute,
            sharding,
            offload,
            attention,
            framework,
            goodput,
            scaling_efficiency,
            fused_loss,
            quantization,
            kv_precision,
            input_len,
            output_len,
            concurrency,
            rps,
            ttft,
            tpot,
            max_model_len,
            engine,
            kv_rule,
            hours,
            dp,
            tp,
            pp,
            ep,
            cp,
        )
    }

    fn give_way_to(&mut self, upper: &Self) {
        if upper.model.is_some() || upper.params.is_some() || upper.layers.is_some() {
            (self.model, self.params, self.active_params) = (None, None, None);
            self.drop_shape();
        }
        if upper.tokens.is_some() {
            (self.samples, self.epochs) = (None, None);
        }
        if upper.samples.is_some() {
            self.tokens = None;
        }
        if upper.rps.is_some() {
            self.concurrency = None;
        }
        if upper.concurrency.is_some() {
            self.rps = None;
        }
        match upper.task {
            Some(Task::Infer) if self.task != Some(Task::Infer) => self.drop_training(),
            Some(Task::Train | Task::Finetune) if matches!(self.task, None | Some(Task::Infer)) => {
                self.drop_serving();
            }
            _ => {}
        }
    }
}
