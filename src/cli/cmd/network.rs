//! `network`: is the network of a cluster fast enough?

use crate::catalog::Catalog;
use crate::catalog::load::Sections;
use crate::cli::exit::Outcome;
use crate::cli::frame::{self, Frame};
use crate::cli::model_file::model_file;
use crate::cli::network_args::{NetworkArgs, SaidArgs};
use crate::cli::value::Share;
use crate::diag::{Assumption, InputError, Warning};
use crate::insight::nccl::cluster::Said;
use crate::insight::nccl::expect::Limits;
use crate::insight::nccl::impact::impact;
use crate::insight::nccl::judge::{Judged, judge};
use crate::insight::nccl::verdict::Status;
use crate::insight::nccl::{self, Collective, Log};
use crate::report::network::{Network, NetworkLine};
use crate::workload::Workload;
use crate::workload::resolve::resolve;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// Answers `network`.
pub fn run(frame: &Frame, args: NetworkArgs) -> anyhow::Result<Outcome> {
    let NetworkArgs { files, said: asked, workload } = args;
    let files = inputs(files)?;
    let wanted = workload.workload.is_some()
        || workload.flags.model.is_some()
        || workload.flags.params.is_some()
        || workload.flags.hidden.is_some();
    let logs: Vec<(String, Log)> = files.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
    frame.step("files read");
    let flags = if wanted { Some(frame.workload(workload)?) } else { None };
    let presets = flags.as_ref().is_some_and(|flags| flags.model.is_some());
    let sections = Sections { presets, constants: true, fabrics: true, ..Sections::HARDWARE };
    let catalog = frame.catalog_for(sections, Network::default)?;
    let workload = flags.map(|flags| resolve(&flags, &catalog, &model_file)).transpose()?;
    let said = said(&asked, &catalog)?;
    let limits = Limits::of(&catalog).ok_or_else(|| {
        InputError::new(
            "the catalog lacks the constants that networks are judged with",
            "use its own `network.toml`",
        )
    })?;
    let mut answer =
        Answer { catalog: &catalog, body: Network::default(), assumptions: Vec::new(), warnings: Vec::new() };
    let mut low = Vec::new();
    for (file, log) in &logs {
        for (at, table) in log.tables.iter().enumerate() {
            let judged = judge(&catalog, &limits, file, (log, table), &said);
            let name = if log.tables.len() > 1 { format!("{file} (table {})", at + 1) } else { file.clone() };
            low.extend(too_low(&judged, &name, asked.fail_below));
            answer.take(file, at, log, &judged, &name);
            if let Some(workload) = &workload {
                answer.weigh(workload, &judged, (file, at), asked.gpus);
            }
        }
    }
    if let Some(workload) = &workload {
        answer.assumptions.extend(workload.assumptions.clone());
        answer.warnings.extend(workload.warnings.clone());
        answer.body.workload_is(workload);
    }
    frame.answer(&catalog, &answer.assumptions, &answer.warnings, answer.body)?;
    for line in &low {
        frame.complain(line);
    }
    Ok(if low.is_empty() { Outcome::Answered } else { Outcome::OverLimit })
}

struct Answer<'a> {
    catalog: &'a Catalog,
    body: Network,
    assumptions: Vec<Assumption>,
    warnings: Vec<Warning>,
}

impl Answer<'_> {
    fn take(&mut self, file: &str, at: usize, log: &Log, judged: &Judged, name: &str) {
        let table = &log.tables[at];
        self.assumptions.extend(
            judged.cluster.assumptions.iter().map(|it| Assumption { source: name.to_owned(), ..it.clone() }),
        );
        self.body.add(self.catalog, judged, NetworkLine::new(self.catalog, file, at, table, judged));
    }

    fn weigh(&mut self, workload: &Workload, judged: &Judged, (file, at): (&str, usize), gpus: Option<u32>) {
        match impact(self.catalog, workload, judged, gpus) {
            Ok(plans) => self.body.weigh(file, at, &plans),
            Err(Warning { id, message }) => {
                self.warnings.push(Warning { id, message: format!("{file}: {message}") });
            }
        }
    }
}

/// The files to read, `-` for stdin; with none, stdin unless a person sits there.
fn inputs(files: Vec<PathBuf>) -> Result<Vec<PathBuf>, InputError> {
    let stdin = |file: &PathBuf| file == Path::new("-");
    if files.iter().filter(|file| stdin(file)).count() > 1 {
        return Err(InputError::new(
            "`-` stands there twice, and stdin can be read once",
            "leave one of them out",
        ));
    }
    if !files.is_empty() {
        return Ok(files);
    }
    if std::io::stdin().is_terminal() {
        let hint = "give the output of nccl-tests: `gpuadvise network FILE`, or pipe it in";
        return Err(InputError::new("no file to read", hint));
    }
    Ok(vec![PathBuf::from("-")])
}

fn read(file: &Path) -> Result<(String, Log), InputError> {
    let name = if file == Path::new("-") { "stdin".to_owned() } else { file.display().to_string() };
    let log = nccl::read(&name, &frame::measurements(file)?)?;
    Ok((name, log))
}

fn said(args: &SaidArgs, catalog: &Catalog) -> anyhow::Result<Said> {
    let gpu = args.gpu.as_deref().map(|spec| catalog.resolve_gpu_spec(spec)).transpose()?;
    let instance = args.platform.as_deref().map(|name| catalog.resolve_instance(name)).transpose()?;
    let of_instance = instance.map(|id| catalog.instance(id));
    if let (Some(gpu), Some(instance)) = (&gpu, of_instance)
        && !gpu.gpus.contains(&instance.gpu)
    {
        let name = &catalog.gpu(instance.gpu).name;
        let message =
            format!("`--platform {}` has {name}, not what `--gpu` names", catalog.full_name(instance));
        return Err(InputError::new(message, "leave one of them out").into());
    }
    Ok(Said {
        collective: args.collective.as_deref().and_then(Collective::from_name),
        gpu: of_instance
            .map(|it| vec![it.gpu])
            .or(gpu.as_ref().map(|it| it.gpus.clone()))
            .unwrap_or_default(),
        ranks: args.ranks,
        per_node: gpu.and_then(|it| it.per_node),
        nodes: args.nodes,
        instance,
    })
}

/// Why a table does not pass `--fail-below`, if it does not: broken, or too far below what is expected. What cannot be
/// compared does not pass either.
fn too_low(judged: &Judged, name: &str, limit: Option<Share>) -> Option<String> {
    let Share(limit) = limit?;
    let verdict = judged.verdict.name();
    if judged.status == Status::Fail && judged.share().is_none() {
        return Some(format!("{name}: {verdict}"));
    }
    match judged.share().filter(|_| judged.status != Status::Unknown) {
        Some(share) if share * 100.0 >= limit => None,
        Some(share) => {
            Some(format!("{name}: {verdict}, {:.1} % of what is expected, {limit} % asked", share * 100.0))
        }
        None => Some(format!("{name}: {verdict}, so it is not known how far it is from what is expected")),
    }
}
