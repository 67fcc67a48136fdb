//! Serving estimates over the embedded catalog: KV cache and memory, plans, known practice, published measurements.
#![allow(clippy::float_cmp, reason = "counts of bytes are exact")]

mod gates;
mod golden;
mod kv;
mod monotone;
mod plans;
mod practice;
mod relations;

use gpuadvise::catalog::Catalog;
use gpuadvise::catalog::load::{Sections, embedded};
use gpuadvise::estimate::serving::ServingModel;
use gpuadvise::estimate::{Machine, Unplannable};
use gpuadvise::model::{Architecture, preset};
use gpuadvise::workload::settings::WorkloadArgs;
use gpuadvise::workload::{Job, Serving, resolve};
use std::sync::LazyLock;

static CATALOG: LazyLock<Catalog> = LazyLock::new(|| embedded(Sections::ALL).unwrap());

/// A serving workload from flags as typed.
struct Work {
    model: Architecture,
    job: Serving,
}

fn work(flags: &str) -> Work {
    use clap::{Args, Command, FromArgMatches};
    let command =
        WorkloadArgs::augment_args(Command::new("test").no_binary_name(true)).mut_args(|a| a.env(None));
    let flags = ["--task", "infer"].into_iter().chain(flags.split_whitespace());
    let matches = command.try_get_matches_from(flags).unwrap();
    let args = WorkloadArgs::from_arg_matches(&matches).unwrap();
    let workload = resolve(&args, &CATALOG, &|_: &str| Ok(None)).unwrap();
    match workload.job {
        Job::Serving(job) => Work { model: workload.model, job },
        Job::Training(_) | Job::Samples(_) => panic!("not serving"),
    }
}

fn architecture(name: &str) -> Architecture {
    preset::architecture(CATALOG.resolve_preset(name).unwrap(), &CATALOG).architecture
}

/// One node of `gpus` GPUs of a name, without a network.
fn node(gpu: &str, gpus: u32) -> Machine<'static> {
    let id = CATALOG.only_gpu_named(gpu).unwrap_or_else(|| panic!("no GPU {gpu}"));
    Machine::of_gpu(&CATALOG, CATALOG.gpu(id), gpus).unwrap()
}

/// The same with a network of 400 Gbit/s for each GPU.
fn networked(gpu: &str, gpus: u32) -> Machine<'static> {
    Machine { inter_bytes_per_s: Some(50e9 * f64::from(gpus)), ..node(gpu, gpus) }
}

impl Work {
    fn on<'a>(&'a self, machine: &'a Machine<'a>) -> ServingModel<'a> {
        self.try_on(machine).unwrap()
    }

    fn try_on<'a>(&'a self, machine: &'a Machine<'a>) -> Result<ServingModel<'a>, Unplannable> {
        ServingModel::new(&CATALOG, &self.model, &self.job, machine)
    }
}

fn close(actual: f64, expected: f64, share: f64) {
    assert!(
        (actual / expected - 1.0).abs() <= share,
        "{actual} is not within {:.1} % of {expected}",
        share * 100.0
    );
}
