//! The script that each node runs: how many copies or processes, and the program with its flags, as far as rows tell.

use super::chosen::{Chosen, Workload};
use super::quote::Syntax;
use super::rows::{Program, Software};
use super::scope::{devices, whole};
use super::template::{Scope, Value, render};
use crate::catalog::Catalog;
use crate::diag::InputError;

/// Formats that need no other weights than those of the preset.
const AS_PUBLISHED: [&str; 2] = ["none", "auto"];

/// The script of a node. Puts into the scope what the files of the target need to know of it.
pub(super) fn script(
    catalog: &Catalog,
    software: &Software,
    chosen: &Chosen,
    scope: &mut Scope,
    notes: &mut Vec<String>,
) -> Result<String, InputError> {
    let serves = chosen.serves();
    let work = &chosen.workload;
    let name = work.program();
    let damaged = |fault: String| InputError::new(format!("export/software.toml is damaged: {fault}"), "");
    let (program, unknown) = software
        .program(name, serves)
        .ok_or_else(|| damaged("no program for names without a row".to_owned()))?;
    if unknown {
        let what = if serves { "SERVE_COMMAND" } else { "TRAIN_COMMAND" };
        notes.push(format!("no row tells how `{name}` is started: set {what}, which every node runs"));
    }
    let groups = groups(chosen, program)?;
    let mut set = |name: &str, value: Value| drop(scope.insert(name.to_owned(), value));
    let number = |n: u32| Value::Number(n.to_string());
    set("group_nodes", number(groups.nodes));
    set("spans_nodes", Value::Flag(groups.nodes > 1));
    set("groups", number(groups.count));
    set("several_groups", Value::Flag(groups.count > 1));
    set("copies", number(groups.copies));
    let loops = groups.copies > 1 && !program.several_copies;
    set("start_copies", Value::Flag(loops));
    set("several_copies", Value::Flag(groups.copies > 1 && program.several_copies));
    if let Some(port) = program.port.filter(|_| serves) {
        set("port", number(port));
    }
    if let Some(install) = &program.install {
        set("install", Value::Lines(vec![install.clone()]));
    }
    let image = match scope.get("vendor") {
        Some(Value::Text(vendor)) => program.images.get(vendor).cloned(),
        _ => None,
    };
    scope.extend(image.map(|image| ("image".to_owned(), Value::Text(image))));
    layout(chosen, scope);
    if serves {
        serving(catalog, chosen, program, unknown, scope, notes);
        said_of_groups(&groups, loops, notes);
    } else {
        let needs = if unknown { "TRAIN_COMMAND" } else { "TRAIN_SCRIPT" };
        scope.insert("needs".to_owned(), Value::Text(needs.to_owned()));
    }
    let body = render(&program.text, Syntax::Shell, scope).map_err(damaged)?;
    scope.insert("program".to_owned(), Value::Lines(body.lines().map(str::to_owned).collect()));
    render(&software.script, Syntax::Shell, scope).map_err(damaged)
}

/// How nodes work together.
struct Groups {
    /// Nodes that hold one copy, or train together.
    nodes: u32,
    /// Such groups.
    count: u32,
    /// Copies in each node.
    copies: u32,
}

fn groups(chosen: &Chosen, program: &Program) -> Result<Groups, InputError> {
    let row = &chosen.row;
    if !chosen.serves() {
        return Ok(Groups { nodes: row.nodes, count: 1, copies: 1 });
    }
    let devices = devices(row);
    let of_copy = row.parallelism.tp.saturating_mul(row.parallelism.pp);
    if of_copy <= devices {
        let copies = (devices / of_copy).min(row.replicas.div_ceil(row.nodes)).max(1);
        return Ok(Groups { nodes: 1, count: row.nodes, copies });
    }
    let nodes = of_copy.div_ceil(devices);
    if nodes > row.nodes || !row.nodes.is_multiple_of(nodes) {
        let what = format!(
            "a copy takes {of_copy} GPUs, and {} nodes of {devices} hold no whole number of copies",
            row.nodes
        );
        return Err(InputError::new(what, "take another row by --rank"));
    }
    if !program.spans_nodes {
        let name = chosen.workload.program();
        let what = format!("no row tells how `{name}` starts a copy on {nodes} nodes");
        return Err(InputError::new(what, "take a row whose copies fit a node by --rank, or --max-nodes 1"));
    }
    Ok(Groups { nodes, count: row.nodes / nodes, copies: 1 })
}

fn said_of_groups(groups: &Groups, loops: bool, notes: &mut Vec<String>) {
    if groups.count > 1 {
        notes.push(format!(
            "{} servers hold the same model: a load balancer before them is yours to add",
            groups.count
        ));
    }
    if loops {
        notes.push(format!("each node starts {} copies, each at a port of its own", groups.copies));
    }
}

/// The layout and the settings of the job.
fn layout(chosen: &Chosen, scope: &mut Scope) {
    let (row, work) = (&chosen.row, &chosen.workload);
    let layout = &row.parallelism;
    let mut set = |name: &str, value: Value| drop(scope.insert(name.to_owned(), value));
    let sizes = [
        ("dp", layout.dp),
        ("tp", layout.tp),
        ("pp", layout.pp),
        ("ep", layout.ep),
        ("cp", layout.cp),
        ("micro_batch", layout.micro_batch),
        ("accumulation", layout.grad_accumulation),
        ("replicas", row.replicas),
        ("last_node", row.nodes - 1),
        ("copy_devices", layout.tp.saturating_mul(layout.pp)),
    ];
    for (name, size) in sizes {
        set(name, Value::Number(size.to_string()));
    }
    for (name, size) in [
        ("several_tp", layout.tp),
        ("several_pp", layout.pp),
        ("several_ep", layout.ep),
        ("several_cp", layout.cp),
    ] {
        set(name, Value::Flag(size > 1));
    }
    set("several_nodes", Value::Flag(row.nodes > 1));
    let texts = [
        ("sharding", Some(&layout.sharding)),
        ("recompute", Some(&layout.recompute)),
        ("offload", Some(&layout.offload)),
        ("precision", Some(&row.precision)),
        ("method", work.method.as_ref()),
        ("optimizer", work.optimizer.as_ref()),
    ];
    for (name, text) in texts {
        set(name, Value::Text(text.cloned().unwrap_or_default()));
        // Words of a template are compared as flags: `sharding_zero1`.
        set(&format!("{name}_{}", text.map_or("", String::as_str)), Value::Flag(true));
    }
    for (name, count) in
        [("seq_len", work.seq_len), ("global_batch", work.global_batch), ("lora_rank", work.lora_rank)]
    {
        if let Some(count) = count {
            set(name, Value::Number(count.to_string()));
        }
    }
    if let Some(tokens) = &work.tokens {
        set("tokens", Value::Number(tokens.to_string()));
    }
}

/// The longest sequence, and what memory was planned for: each request with its prompt and answer.
fn lengths(scope: &mut Scope, work: &Workload) {
    let mut set = |name: &str, value: Value| drop(scope.insert(name.to_owned(), value));
    if let Some(longest) = work.max_model_len {
        set("max_model_len", Value::Number(longest.to_string()));
        let request = work
            .input_len
            .zip(work.output_len)
            .map_or(longest, |(prompt, answer)| prompt.saturating_add(answer));
        set("request_len", Value::Number(request.to_string()));
    }
}

/// What a server is told.
fn serving(
    catalog: &Catalog,
    chosen: &Chosen,
    program: &Program,
    unknown: bool,
    scope: &mut Scope,
    notes: &mut Vec<String>,
) {
    let (row, work) = (&chosen.row, &chosen.workload);
    lengths(scope, work);
    let mut set = |name: &str, value: Value| drop(scope.insert(name.to_owned(), value));
    let a_copy = |all: f64| all / f64::from(row.replicas);
    if let Some(running) = row.performance.running_requests {
        set("max_num_seqs", whole(a_copy(running).ceil()));
    }
    if let Some(held) = row.performance.max_concurrency {
        set("held_seqs", whole(a_copy(held).floor()));
    }
    if unknown {
        set("needs", Value::Text("SERVE_COMMAND".to_owned()));
        return;
    }
    let memory = &row.memory;
    if let Some(share) = program.memory_share.and_then(|share| share.told(memory.high_gib, memory.usable_gib))
    {
        set("memory_share", Value::Number(share));
    }
    let quantization = work.quantization.as_deref().unwrap_or("none");
    let published = AS_PUBLISHED.contains(&quantization);
    // A format that the checkpoint tells brings its own arithmetic: AWQ and GPTQ kernels refuse BF16.
    let told = published || program.quantization.contains_key(quantization);
    if let Some(name) = program.precision.get(&row.precision).filter(|_| told) {
        set("dtype", Value::Text(name.clone()));
    }
    let engine = work.program();
    match program.quantization.get(quantization) {
        Some(name) => set("quantization", Value::Text(name.clone())),
        None if published => {}
        None => notes.push(format!(
            "no row tells what {engine} calls `{quantization}`: the checkpoint has to tell it"
        )),
    }
    let kv = work.kv_precision.as_deref().unwrap_or("auto");
    match program.kv_precision.get(kv) {
        Some(name) => set("kv_cache", Value::Text(name.clone())),
        None if AS_PUBLISHED.contains(&kv) => {}
        None => notes.push(format!(
            "no row tells what {engine} calls a KV cache in `{kv}`: it is left at its default, which may hold less"
        )),
    }
    let any_weights = published || program.quantizes.iter().any(|own| own == quantization);
    let Some((id, others)) = hub_name(catalog, chosen).filter(|_| any_weights && program.hub_names) else {
        set("needs", Value::Text("MODEL".to_owned()));
        notes.push("which checkpoint it is, no row tells: set MODEL to its name or path".to_owned());
        return;
    };
    set("model", Value::Text(id.to_owned()));
    if !others.is_empty() {
        let others = others.join(", ");
        notes.push(format!(
            "the shape of {} is also that of {others}: set MODEL to serve another",
            work.model
        ));
    }
}

/// The Hugging Face id of a preset, and others of the same shape.
fn hub_name<'c>(catalog: &'c Catalog, chosen: &Chosen) -> Option<(&'c str, Vec<&'c str>)> {
    let preset = catalog.presets.iter().find(|preset| preset.name == chosen.workload.model)?;
    let mut ids = preset.aliases.iter().map(String::as_str).filter(|alias| alias.contains('/'));
    (chosen.workload.origin == "preset").then(|| ids.next().map(|id| (id, ids.collect())))?
}
