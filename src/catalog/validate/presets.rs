//! `[[model]]` rows: public networks by name.

use std::collections::{BTreeMap, BTreeSet};

use super::findings::Findings;
use super::gpus::required;
use super::merge::lay_over;
use super::{FileTable, Layer};
use crate::catalog::codes;
use crate::catalog::lookup::names::squeeze;
use crate::catalog::preset::{Preset, SAMPLE_KINDS, TOKEN_KINDS};
use crate::catalog::raw::Row;

/// What attention a network may have.
const ATTENTION: &[&str] = &["mha", "gqa", "mqa", "mla"];

impl<'t> Layer<'t> {
    pub(super) fn read_presets(&mut self, tables: &[FileTable<'t>]) {
        let mut presets = Vec::new();
        let mut names: BTreeSet<String> = BTreeSet::new();
        for table in tables {
            for mut row in table.rows("model") {
                let Some(preset) = self.read_preset(&mut row, table) else { continue };
                if names.insert(preset.name.clone()) {
                    presets.push(preset);
                } else {
                    self.duplicate_name(&row, &preset.name);
                }
            }
        }
        if !presets.is_empty() {
            lay_over(&mut self.catalog.presets, presets, |preset| preset.name.clone());
            self.check_model_names();
        }
    }

    fn read_preset(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<Preset> {
        let source = self.source_of(row, table);
        let f = &mut self.findings;
        let name = required(row, f, "name");
        let mut preset = read_names(row, f);
        if preset.works_on_samples() {
            read_sample(row, f, &mut preset);
        } else {
            read_shape(row, f, &mut preset);
            read_variants(row, f, &mut preset);
        }
        let waivers = row.waivers(f);
        row.finish(f);
        if row.is_sound() {
            check_shape(row, f, &preset);
        }
        self.name_note("model", name.as_deref(), row.spot, waivers);
        if !row.is_sound() {
            return None;
        }
        Some(Preset { name: name?, source: source?, ..preset })
    }

    /// Every name and alias must mean one network.
    fn check_model_names(&mut self) {
        let mut meanings: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for preset in &self.catalog.presets {
            for text in preset.aliases.iter().chain([&preset.name]) {
                meanings.entry(squeeze(text)).or_default().insert(&preset.name);
            }
        }
        let mut found = Vec::new();
        for (text, owners) in meanings.into_iter().filter(|(_, owners)| owners.len() > 1) {
            let rows = self
                .names
                .iter()
                .filter(|(kind, name, _)| *kind == "model" && owners.contains(name.as_str()));
            let Some(&(_, _, row)) = rows.max_by_key(|(_, _, row)| row.index()) else { continue };
            let listed: Vec<String> = owners.iter().map(|name| format!("`{name}`")).collect();
            found.push((row, format!("`{text}` would mean several models: {}", listed.join(", "))));
        }
        for (row, message) in found {
            let spot = self.rows[row.index()].spot;
            self.findings.push(spot, &codes::AMBIGUOUS_ALIAS, message, "keep the text on one row");
        }
    }
}

fn read_names(row: &mut Row<'_>, f: &mut Findings) -> Preset {
    let family = required(row, f, "family");
    let kinds = [TOKEN_KINDS, SAMPLE_KINDS].concat();
    let kind = row.choice(f, "kind", &kinds, |kind| kinds.contains(&kind).then(|| kind.to_owned()));
    let kind = row.need(f, "kind", kind);
    Preset {
        aliases: row.owned_texts(f, "aliases"),
        family: family.unwrap_or_default(),
        kind: kind.unwrap_or_default(),
        checkpoint_dtype: row.owned(f, "checkpoint-dtype"),
        kv_caveat: row.owned(f, "kv-caveat"),
        note: row.owned(f, "note"),
        ..Preset::default()
    }
}

/// The figures of a network that works on samples.
fn read_sample(row: &mut Row<'_>, f: &mut Findings, preset: &mut Preset) {
    let mut count = |key: &'static str| row.whole::<u64>(f, key, 1);
    let params = count("params");
    preset.flops_per_sample = count("flops-per-sample");
    preset.activations = count("activations");
    preset.companion_params = count("companion-params");
    preset.params = row.need(f, "params", params).unwrap_or_default();
    preset.active_params = preset.params;
    row.need(f, "flops-per-sample", preset.flops_per_sample);
    preset.image_size = row.whole(f, "image-size", 1);
    preset.window_s = row.rate(f, "window-s");
    preset.layers = row.whole(f, "layers", 1).unwrap_or_default();
    preset.hidden = row.whole(f, "hidden", 1).unwrap_or_default();
    preset.ffn = row.whole(f, "ffn", 1).unwrap_or_default();
}

/// The figures that every network of tokens has.
fn read_shape(row: &mut Row<'_>, f: &mut Findings, preset: &mut Preset) {
    let attention = row.choice(f, "attention", ATTENTION, |kind| {
        Some(kind.to_owned()).filter(|kind| ATTENTION.contains(&kind.as_str()))
    });
    preset.attention = row.need(f, "attention", attention).unwrap_or_default();
    let mut large = |key: &'static str| {
        let count = row.whole::<u64>(f, key, 1);
        row.need(f, key, count).unwrap_or_default()
    };
    preset.params = large("params");
    preset.active_params = large("active-params");
    let mut count = |key: &'static str, least: u64| {
        let count = row.whole::<u32>(f, key, least);
        row.need(f, key, count).unwrap_or_default()
    };
    preset.layers = count("layers", 1);
    preset.hidden = count("hidden", 1);
    preset.heads = count("heads", 1);
    preset.kv_heads = count("kv-heads", 1);
    preset.head_dim = count("head-dim", 1);
    preset.ffn = count("ffn", 0);
    preset.vocab = count("vocab", 1);
    let mut flag = |key: &'static str| {
        let flag = row.flag(f, key);
        row.need(f, key, flag).unwrap_or_default()
    };
    preset.gated_mlp = flag("gated-mlp");
    preset.tied_embeddings = flag("tied-embeddings");
    preset.native_context = row.whole(f, "native-context", 0).unwrap_or_default();
}

/// The figures that only some networks have.
fn read_variants(row: &mut Row<'_>, f: &mut Findings, preset: &mut Preset) {
    preset.mla_kv_lora_rank = row.whole(f, "mla-kv-lora-rank", 1);
    preset.mla_rope_dim = row.whole(f, "mla-rope-dim", 0);
    preset.sliding_window = row.whole(f, "sliding-window", 0);
    preset.global_every = row.whole(f, "global-every", 0);
    preset.experts = row.whole(f, "experts", 1);
    preset.experts_per_token = row.whole(f, "experts-per-token", 1);
    preset.expert_ffn = row.whole(f, "expert-ffn", 1);
    preset.shared_experts = row.amount(f, "shared-experts", 0.0);
    preset.dense_first_layers = row.whole(f, "dense-first-layers", 0);
    preset.moe_every = row.whole(f, "moe-every", 1);
}

/// Figures of a row that contradict each other.
fn check_shape(row: &mut Row<'_>, f: &mut Findings, preset: &Preset) {
    let mut refuse = |message: String| {
        row.refuse(f, row.spot, &codes::BAD_VALUE, message, "check the row against its source");
    };
    if preset.active_params > preset.params {
        refuse(format!("active-params {} above params {}", preset.active_params, preset.params));
    }
    if preset.kv_heads > preset.heads {
        refuse(format!("kv-heads {} above heads {}", preset.kv_heads, preset.heads));
    }
    if let (Some(experts), Some(per_token)) = (preset.experts, preset.experts_per_token)
        && per_token > experts
    {
        refuse(format!("experts-per-token {per_token} above experts {experts}"));
    }
    if preset.experts.is_some() && (preset.experts_per_token.is_none() || preset.expert_ffn.is_none()) {
        refuse("a mixture of experts needs `experts`, `experts-per-token` and `expert-ffn`".to_owned());
    }
    if preset.attention == "mla" && preset.mla_kv_lora_rank.is_none() {
        refuse("attention `mla` needs `mla-kv-lora-rank`".to_owned());
    }
}
