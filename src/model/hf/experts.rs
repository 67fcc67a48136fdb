//! Mixtures of experts in a `config.json`.

use super::class::Class;
use super::config::Config;
use crate::diag::InputError;
use crate::model::Moe;
use serde_json::Value;

/// Names of the number of experts that a token uses.
const PER_TOKEN: [&str; 8] = [
    "num_experts_per_tok",
    "num_experts_per_token",
    "experts_per_token",
    "moe_topk",
    "moe_top_k",
    "moe_k",
    "top_k_experts",
    "moe_router_topk",
];

/// Reads the experts; `None` for a dense network.
pub(super) fn moe(
    config: &Config<'_>,
    class: &Class,
    layers: u32,
    notes: &mut Vec<String>,
) -> Result<Option<Moe>, InputError> {
    let nested = config.nested("ffn_config");
    let look_up = |keys: &[&str]| match (config.first(keys)?, &nested) {
        (None, Some(nested)) => nested.first(keys),
        (found, _) => Ok(found),
    };
    let experts = look_up(&["num_local_experts", "n_routed_experts", "num_experts", "moe_num_experts"])?;
    let Some(experts) = experts.filter(|&n| n > 1) else { return Ok(None) };
    let experts_per_token = look_up(&PER_TOKEN)?.ok_or_else(|| config.missing(&PER_TOKEN[..1]))?;
    let expert_ffn =
        look_up(&["moe_intermediate_size", "moe_ffn_hidden_size", "intermediate_size", "ffn_hidden_size"])?
            .ok_or_else(|| config.missing(&["moe_intermediate_size"]))?;
    let (dense_first_layers, every) = placement(config, layers, notes)?;
    Ok(Some(Moe {
        experts,
        experts_per_token,
        expert_ffn,
        shared_experts: shared(config, class, expert_ffn)?,
        dense_first_layers,
        every,
    }))
}

/// Shared experts in units of one expert's width.
fn shared(config: &Config<'_>, class: &Class, expert_ffn: u32) -> Result<f64, InputError> {
    if let Some(count) =
        config.first(&["n_shared_experts", "num_shared_experts", "moe_num_shared_experts"])?
    {
        return Ok(f64::from(count));
    }
    let width = config.first(&["shared_expert_intermediate_size", "shared_intermediate_size"])?;
    Ok(width.map_or(class.shared_experts, |width| f64::from(width) / f64::from(expert_ffn.max(1))))
}

/// Dense layers in front, and the distance between mixture layers behind them.
fn placement(config: &Config<'_>, layers: u32, notes: &mut Vec<String>) -> Result<(u32, u32), InputError> {
    if let Some(Value::Array(list)) = config.own("moe_layer_freq") {
        let dense = list.iter().take_while(|layer| layer.as_u64() == Some(0)).count();
        if list[dense..].iter().any(|layer| layer.as_u64() != Some(1)) {
            return Err(config.refused("`moe_layer_freq` has no regular pattern, which is not modelled"));
        }
        return Ok(((dense as u32).min(layers), 1));
    }
    if let Some(kinds) = config.texts("mlp_layer_types") {
        let dense = kinds.iter().take_while(|kind| **kind == "dense").count();
        if kinds[dense..].contains(&"dense") {
            return Err(config.refused("`mlp_layer_types` has no regular pattern, which is not modelled"));
        }
        return Ok(((dense as u32).min(layers), 1));
    }
    let every = config.first(&[
        "decoder_sparse_step",
        "interleave_moe_layer_step",
        "moe_layer_interval",
        "moe_layer_freq",
    ])?;
    let mut dense = config.first(&["first_k_dense_replace", "moe_layer_start_index"])?.unwrap_or(0);
    if let Some(Value::Array(list)) =
        config.own("mlp_only_layers").filter(|list| list.as_array().is_some_and(|l| !l.is_empty()))
    {
        dense = dense.max(list.len() as u32);
        notes.push(format!(
            "the {} dense layers of `mlp_only_layers` are counted as the first ones",
            list.len()
        ));
    }
    Ok((dense.min(layers), every.unwrap_or(1).max(1)))
}
