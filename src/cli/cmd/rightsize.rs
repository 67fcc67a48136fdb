//! `rightsize`: is more GPU rented than is used?

use crate::advise::smaller::{self, Offer, Piece};
use crate::catalog::Catalog;
use crate::catalog::gpu::GpuId;
use crate::catalog::load::Sections;
use crate::catalog::price::Billing;
use crate::catalog::select::Filter;
use crate::cli::constraint::FilterArgs;
use crate::cli::exit::Outcome;
use crate::cli::frame::{self, Frame};
use crate::cli::rightsize_args::{LogArgs, RightsizeArgs};
use crate::cli::{discount, limit};
use crate::diag::{InputError, Warning};
use crate::insight::smi::{self, Judged, Log, Place, Series, Thresholds, Usage, Verdict};
use crate::report::rightsize::{Group, Member, Rightsize, said};
use crate::units::GIB;
use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Answers `rightsize`.
pub fn run(frame: &Frame, args: RightsizeArgs) -> anyhow::Result<Outcome> {
    let RightsizeArgs { files, log, filter } = args;
    let asked = frame.group(filter)?;
    let log = read(&files, &log)?;
    frame.step("logs read");
    let sections = Sections { constants: true, ..Sections::PRICES };
    let mut catalog = frame.catalog_for(sections, Rightsize::nothing)?;
    let mut assumptions = discount::apply(frame.project()?, &mut catalog)?;
    let filter = filter_of(&asked, &catalog, frame)?;
    let thresholds = Thresholds::of(&catalog).map_err(|key| anyhow::anyhow!("the catalog lacks `{key}`"))?;
    let rented = rented_gpu(&filter, &catalog)?;
    let (members, unknown) = members(&catalog, &log, rented.as_deref(), &thresholds)?;
    let groups = groups(&catalog, &filter, &members, &thresholds);
    frame.step("machines compared");
    let body = Rightsize::new(&catalog, &log, &groups, &thresholds);
    assumptions.extend(said::assumptions(&catalog, &groups, &thresholds, !filter.instances.is_empty()));
    let mut warnings: Vec<Warning> = unknown.into_values().collect();
    warnings.extend(said::warnings(&log, &groups));
    frame.answer(&catalog, &assumptions, &warnings, body)?;
    Ok(Outcome::Answered)
}

/// All files as one log.
fn read(files: &[PathBuf], how: &LogArgs) -> Result<Log, InputError> {
    let stdin = [PathBuf::from("-")];
    let files = if files.is_empty() { &stdin } else { files };
    if files.iter().filter(|path| path.as_path() == Path::new("-")).count() > 1 {
        return Err(InputError::new("`-` stands there twice", "stdin can be read once"));
    }
    if files == stdin && std::io::stdin().is_terminal() {
        let hint = "name a file, or pipe one in: `nvidia-smi | gpuadvise rightsize -`";
        return Err(InputError::new("no log is named", hint));
    }
    let several = files.len() > 1 && how.same_host != Some(true);
    let hosts = host_names(files);
    let mut log = Log::default();
    for (path, host) in files.iter().zip(&hosts) {
        let name = if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() };
        let bytes = frame::measurements(path)?;
        let host = if several { host.as_str() } else { "" };
        log.join(match &how.columns {
            Some(columns) => smi::read_rows(&name, host, &bytes, columns)?,
            None => smi::read(&name, host, &bytes)?,
        });
    }
    Ok(log)
}

/// Names of hosts by file: the bare name, the whole path where two would be the same.
fn host_names(files: &[PathBuf]) -> Vec<String> {
    let bare = |path: &PathBuf| {
        path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
    };
    let same = |path: &PathBuf| files.iter().filter(|other| bare(other) == bare(path)).count() > 1;
    files.iter().map(|path| if same(path) { path.display().to_string() } else { bare(path) }).collect()
}

/// The constraints, on demand unless other contracts are asked for.
fn filter_of(asked: &FilterArgs, catalog: &Catalog, frame: &Frame) -> anyhow::Result<Filter> {
    let mut filter = limit::search_filter(asked, catalog, frame.today()?)?;
    if filter.billing.is_empty() {
        filter.billing = vec![Billing::OnDemand];
    }
    if filter.instances.len() > 1 {
        let message = "`--instance` names several machines";
        return Err(InputError::new(message, "name the one that is rented now").into());
    }
    Ok(filter)
}

/// The GPUs that flags say are rented now.
fn rented_gpu(filter: &Filter, catalog: &Catalog) -> Result<Option<Vec<GpuId>>, InputError> {
    if let [id] = filter.instances.as_slice() {
        return Ok(Some(vec![catalog.instance(*id).gpu]));
    }
    match filter.gpus.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one.gpus.clone())),
        _ => Err(InputError::new("`--gpu` names several GPUs", "name the one that is rented now")),
    }
}

type Unknown = BTreeMap<String, Warning>;

/// The GPUs of a log with what they are and what their use says. A name that is not in the catalog is told, and the use
/// is summed up all the same.
fn members<'l>(
    catalog: &Catalog,
    log: &'l Log,
    rented: Option<&[GpuId]>,
    thresholds: &Thresholds,
) -> Result<(Vec<Member<'l>>, Unknown), InputError> {
    let mut unknown = Unknown::new();
    let mut members = Vec::new();
    for (place, series) in &log.gpus {
        let mut usage = Usage::of(series, thresholds.idle * 100.0);
        let (gpu, or) = match card(catalog, place, series, &usage, rented, thresholds)? {
            Ok(found) => found,
            Err(warning) => {
                if let Some(warning) = warning {
                    unknown.insert(warning.message.clone(), warning);
                }
                (None, Vec::new())
            }
        };
        if let (None, Some(id)) = (usage.memory_total, gpu) {
            usage.memory_of(series, Some(catalog.gpu(id).memory_bytes as f64));
        }
        let judged = smi::judge(series, &usage, gpu.map(|id| catalog.gpu(id)), thresholds);
        members.push(Member { place, series, usage, gpu, or, judged });
    }
    Ok((members, unknown))
}

/// A GPU of the catalog and others of the same name, or what to tell where there is none.
type Carded = Result<(Option<GpuId>, Vec<GpuId>), Option<Warning>>;

/// The card by its name in the log; by what is rented where the log has no name. Both must agree.
fn card(
    catalog: &Catalog,
    place: &Place,
    series: &Series,
    usage: &Usage,
    rented: Option<&[GpuId]>,
    lines: &Thresholds,
) -> Result<Carded, InputError> {
    let Some(name) = &series.name else {
        let gpu = rented.and_then(|gpus| gpus.first().copied());
        return same_memory(catalog, place, series, usage, gpu, lines).map(|()| Ok((gpu, Vec::new())));
    };
    let found = match smi::card(catalog, name, usage.memory_total, usage.power_limit, lines) {
        Ok(found) => found,
        Err(error) => {
            let message = format!("{error}").split("\n\n").next().unwrap_or_default().to_owned();
            let message = format!("{message}; its use is summed up, and nothing else is advised for it");
            return Ok(Err(Some(Warning { id: "gpu-not-in-catalog", message })));
        }
    };
    let all = || found.or.iter().copied().chain([found.gpu]);
    let Some(gpus) = rented else { return Ok(Ok((Some(found.gpu), found.or))) };
    if let Some(id) = all().find(|id| gpus.contains(id)) {
        return same_memory(catalog, place, series, usage, Some(id), lines)
            .map(|()| Ok((Some(id), Vec::new())));
    }
    let asked: Vec<&str> = gpus.iter().map(|&id| catalog.gpu(id).name.as_str()).collect();
    let (seen, index) = (&catalog.gpu(found.gpu).name, place.index);
    let message =
        format!("GPU {index} of the log is `{name}` ({seen}), and the flags name {}", asked.join(", "));
    Err(InputError::new(message, "name the machine that the log is of"))
}

/// A log that shows another size of memory than the GPU of the flags has is of another machine.
fn same_memory(
    catalog: &Catalog,
    place: &Place,
    series: &Series,
    usage: &Usage,
    gpu: Option<GpuId>,
    lines: &Thresholds,
) -> Result<(), InputError> {
    let Some((gpu, total)) = gpu.map(|id| catalog.gpu(id)).zip(usage.memory_total) else { return Ok(()) };
    if !smi::is_other_memory(gpu, series, Some(total), lines) {
        return Ok(());
    }
    let (index, name) = (place.index, &gpu.name);
    let message = format!(
        "GPU {index} of the log has {:.1} GiB of memory, and {name}, which the flags name, has {:.1} GiB",
        total / GIB,
        gpu.usable_bytes as f64 / GIB
    );
    Err(InputError::new(message, "name the machine that the log is of"))
}

/// The GPUs of one model together, with what they cost and what would do.
fn groups<'m>(
    catalog: &Catalog,
    filter: &Filter,
    members: &'m [Member<'m>],
    thresholds: &Thresholds,
) -> Vec<Group<'m>> {
    let mut by_model: BTreeMap<(bool, Option<GpuId>, &str), Vec<&Member>> = BTreeMap::new();
    for member in members {
        let name = if member.gpu.is_some() { "" } else { member.series.name.as_deref().unwrap_or_default() };
        by_model.entry((member.gpu.is_none(), member.gpu, name)).or_default().push(member);
    }
    // A GPU that shows an error instead of its name is one of its host.
    let lost = by_model.remove(&(true, None, ""));
    let mut groups: Vec<Vec<&Member>> = by_model.into_values().collect();
    match (lost, groups.first_mut()) {
        (Some(lost), Some(first)) => first.extend(lost),
        (Some(lost), None) => groups.push(lost),
        _ => {}
    }
    groups.into_iter().map(|members| group(catalog, filter, members, thresholds)).collect()
}

fn group<'m>(
    catalog: &Catalog,
    filter: &Filter,
    members: Vec<&'m Member<'m>>,
    thresholds: &Thresholds,
) -> Group<'m> {
    let judged: Vec<&Judged> = members.iter().map(|member| &member.judged).collect();
    let (verdict, confidence) = smi::together(&judged);
    let mut hosts: BTreeMap<&str, u32> = BTreeMap::new();
    for member in &members {
        *hosts.entry(member.place.host.as_str()).or_default() += 1;
    }
    let gpu = members.iter().find_map(|member| member.gpu);
    let sizes: Vec<u32> = hosts.values().copied().collect();
    let present = gpu.and_then(|gpu| {
        let own = BTreeSet::from([catalog.gpu(gpu).stack]);
        let filter = Filter { stacks: own.into_iter().collect(), ..filter.clone() };
        smaller::rented(catalog, &filter, gpu, &sizes)
    });
    let instead = gpu
        .zip(present.as_ref())
        .and_then(|(gpu, present)| cheaper(catalog, filter, gpu, present, (&members, &sizes), thresholds));
    Group { members, gpu, hosts: sizes.len() as u32, verdict, confidence, present, instead }
}

/// Something cheaper for what runs, where all of it is known.
fn cheaper(
    catalog: &Catalog,
    filter: &Filter,
    gpu: GpuId,
    present: &Offer,
    (members, hosts): (&[&Member], &[u32]),
    thresholds: &Thresholds,
) -> Option<Offer> {
    let card = catalog.gpu(gpu);
    let piece = |member: &&&Member| -> Option<Piece> {
        let need = member.judged.need?;
        // What is used now fits the GPU that it runs on: headroom never asks for more than that.
        let capacity = member.judged.capacity.map_or(card.usable_bytes as f64, |(bytes, _)| bytes);
        let more = |share: f64| (share * (1.0 + thresholds.compute_headroom)).min(1.0);
        Some(Piece {
            memory: (need.memory * (1.0 + thresholds.memory_headroom)).min(capacity),
            compute: more(need.compute),
            bandwidth: more(need.bandwidth),
        })
    };
    let busy = members.iter().filter(|member| member.judged.verdict != Verdict::Idle);
    let pieces: Vec<Piece> =
        busy.filter(|member| !member.is_video()).map(|member| piece(&member)).collect::<Option<_>>()?;
    let any_video = members.iter().any(|member| member.is_video());
    if pieces.is_empty() || any_video {
        return None;
    }
    let filter =
        Filter { instances: Vec::new(), gpus: Vec::new(), stacks: vec![card.stack], ..filter.clone() };
    smaller::smaller(catalog, &filter, gpu, &pieces, hosts.len() as u32, present.share_per_hour)
}
