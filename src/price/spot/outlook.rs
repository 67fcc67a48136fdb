//! How spot is survived on a machine: interruption rates, waits and times from the flags, else from the catalog's sourced
//! constants, with the assumptions that this makes. Bytes of a checkpoint are somebody else's.

use super::{Checkpoints, SpotTerms};
use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;
use crate::catalog::knowledge::Constant;
use crate::diag::Assumption;
use std::collections::BTreeSet;

/// The spot flags; `None` takes the catalog's sourced figures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpotFlags {
    /// Interruptions per node and hour.
    pub interruptions_per_node_hour: Option<f64>,
    /// Hours between checkpoints, `auto`, or `none`.
    pub checkpoints: Checkpoints,
    /// Hours that writing one checkpoint takes.
    pub checkpoint_hours: Option<f64>,
    /// Billed hours from a restart until work goes on.
    pub restart_hours: Option<f64>,
    /// Hours without machines after an interruption.
    pub capacity_wait_hours: Option<f64>,
    /// Go on on demand after so many interruptions.
    pub fallback_after: Option<u32>,
}

impl SpotFlags {
    /// Whether the job writes checkpoints.
    pub fn saves(&self) -> bool {
        self.checkpoints != Checkpoints::Never
    }
}

/// Interruptions as the data have them: a range, never one certain rate.
#[derive(Clone, Debug, PartialEq)]
pub struct SpotOutlook {
    /// Fewest interruptions that a source supports.
    pub low: SpotTerms,
    /// Expected.
    pub expected: SpotTerms,
    /// Most interruptions that a source supports.
    pub high: SpotTerms,
    /// Interruptions of one machine for an hour in which it runs, expected.
    pub per_node_hour: f64,
    /// The wall time that the chance to be done is asked for.
    pub deadline_hours: Option<f64>,
    /// What is known of the notice before an interruption.
    pub notes: Vec<String>,
}

impl SpotOutlook {
    /// No interruption at all: for contracts that cannot be interrupted.
    pub const CALM: Self = Self {
        low: SpotTerms::CALM,
        expected: SpotTerms::CALM,
        high: SpotTerms::CALM,
        per_node_hour: 0.0,
        deadline_hours: None,
        notes: Vec::new(),
    };
}

/// A gang of machines with one accelerator at one provider.
#[derive(Clone, Copy, Debug)]
pub struct Gang<'a> {
    /// The accelerator.
    pub gpu: &'a Gpu,
    /// Short name of the provider.
    pub provider: &'a str,
    /// Machines that run together: one that is lost stops all.
    pub nodes: u32,
}

impl Gang<'_> {
    fn constant<'c>(&self, catalog: &'c Catalog, key: &str) -> Option<&'c Constant> {
        catalog.constant(key, Some(self.gpu), None, Some(self.provider), self.nodes)
    }

    fn value(&self, catalog: &Catalog, key: &str, unknown: f64) -> f64 {
        self.constant(catalog, key).map_or(unknown, |constant| constant.value)
    }

    /// Interruptions of the whole gang in an hour, lowest, expected, highest: stated ones are of machines that are taken
    /// independently, measured ones come together. Without a sourced rate spot is hopeless.
    fn interruptions(&self, catalog: &Catalog, flags: &SpotFlags) -> [f64; 3] {
        let nodes = f64::from(self.nodes);
        if let Some(asked) = flags.interruptions_per_node_hour {
            return [asked * nodes; 3];
        }
        let range = |key: &str, unknown: f64| {
            let constant = self.constant(catalog, key);
            constant.map_or([unknown; 3], |c| {
                let (low, high) = c.range.unwrap_or((c.value, c.value));
                [low, c.value, high]
            })
        };
        let (rates, powers) = (range("spot-interruptions", f64::INFINITY), range("spot-gang-exponent", 1.0));
        [0, 1, 2].map(|end| rates[end] * nodes.powf(powers[end]))
    }
}

/// Rates and times for one gang. `checkpoint_hours` is the time to write a checkpoint of the job, where the job is known;
/// a stated one comes first.
pub fn of(
    catalog: &Catalog,
    gang: &Gang,
    checkpoint_hours: Option<f64>,
    flags: &SpotFlags,
    deadline_hours: Option<f64>,
) -> SpotOutlook {
    let value = |key: &str, unknown: f64| gang.value(catalog, key, unknown);
    let rate = gang.interruptions(catalog, flags);
    let stated = flags.checkpoint_hours.or(checkpoint_hours);
    let wait = flags.capacity_wait_hours.unwrap_or_else(|| match flags.interruptions_per_node_hour {
        Some(_) => 0.0,
        None => value("spot-capacity-wait-hours", 0.0),
    });
    let terms = |interruptions_per_hour| SpotTerms {
        interruptions_per_hour,
        checkpoints: flags.checkpoints,
        checkpoint_hours: stated.unwrap_or_else(|| value("checkpoint-hours-unknown-job", 0.0)),
        shortest_interval_hours: value("checkpoint-shortest-hours", 0.0),
        restart_hours: flags.restart_hours.unwrap_or_else(|| value("restart-hours", 0.0)),
        capacity_wait_hours: wait,
        fallback_after: flags.fallback_after,
        never_ends_hours: value("spot-never-ends-hours", f64::INFINITY),
    };
    let [low, expected, high] = rate.map(terms);
    let per_node_hour =
        flags.interruptions_per_node_hour.unwrap_or_else(|| value("spot-interruptions", f64::INFINITY));
    let notes = notice(catalog, gang, &expected);
    SpotOutlook { low, expected, high, per_node_hour, deadline_hours, notes }
}

/// Whether the notice suffices to write a checkpoint. The estimate never counts on it: only jobs that listen for it gain.
fn notice(catalog: &Catalog, gang: &Gang, terms: &SpotTerms) -> Vec<String> {
    let provider = gang.provider;
    let own = |key: &str| gang.constant(catalog, key).filter(|constant| constant.class.is_some());
    let mut notes = Vec::new();
    if let Some(seconds) = own("spot-notice-seconds").map(|constant| constant.value) {
        let needed = terms.checkpoint_hours * 3600.0;
        notes.push(if terms.checkpoints == Checkpoints::Never {
            format!("{provider} gives {seconds} s of notice, which a job without checkpoints cannot use")
        } else if needed <= seconds {
            format!(
                "{provider} gives {seconds} s of notice, a checkpoint takes {needed:.0} s: a job that listens for the notice can \
                 save its work, which is not counted here"
            )
        } else {
            format!("{provider} gives {seconds} s of notice, too short for a checkpoint of {needed:.0} s")
        });
    } else {
        notes.push(format!("no source tells how long before an interruption {provider} gives notice"));
    }
    if let Some(hours) = own("spot-longest-run-hours").map(|constant| constant.value) {
        notes.push(format!(
            "priced as Spot VM: the legacy preemptible VMs of {provider} are stopped after {hours} h at the latest"
        ));
    }
    notes
}

/// What the outlooks of these gangs took for granted, for the list of assumptions. `reruns` is a job that loses work; a
/// service writes no checkpoint. `job_known` is false where nothing is known of what runs.
pub fn assumptions(
    catalog: &Catalog,
    flags: &SpotFlags,
    gangs: &[Gang],
    (reruns, job_known): (bool, bool),
) -> Vec<Assumption> {
    let mut list = Vec::new();
    let mut add = |id, key: &str, unit: &str, why: &str| {
        let used: BTreeSet<usize> = gangs
            .iter()
            .filter_map(|gang| gang.constant(catalog, key))
            .filter_map(|own| catalog.constants.iter().position(|constant| constant == own))
            .collect();
        list.extend(used.into_iter().map(|at| assumption(catalog, &catalog.constants[at], id, unit, why)));
    };
    if flags.interruptions_per_node_hour.is_none() {
        let why = "no --interruptions-per-hour given: measured losses; other regions and days may be calmer or worse";
        add("spot-interruptions", "spot-interruptions", "per machine and hour", why);
        if gangs.iter().any(|gang| gang.nodes > 1) {
            let why = "no --interruptions-per-hour given: machines of a gang are lost together";
            add("spot-gang", "spot-gang-exponent", "is the power of the number of machines", why);
        }
    }
    let saves = reruns && flags.saves();
    if saves && flags.checkpoint_hours.is_none() {
        if job_known {
            let why = "no --checkpoint-time given: bytes of the checkpoint over the write rate of each node";
            add("checkpoint-write", "checkpoint-write-bytes-per-s", "bytes/s per node", why);
        } else {
            let why = "no --checkpoint-time given, and no job is known: that of a very large one";
            add("checkpoint-time", "checkpoint-hours-unknown-job", "h", why);
        }
    }
    if flags.restart_hours.is_none() {
        add("restart-time", "restart-hours", "h", "no --restart-time given");
    }
    match (flags.capacity_wait_hours, flags.interruptions_per_node_hour) {
        (Some(_), _) => {}
        (None, None) => {
            let why = "no --capacity-wait given: measured with the losses, in one zone; more zones wait less";
            add("capacity-wait", "spot-capacity-wait-hours", "h", why);
        }
        (None, Some(_)) => list.push(Assumption {
            id: "capacity-wait",
            value: "0 h".to_owned(),
            why: "interruptions are stated and no --capacity-wait is: machines are taken as there again at once".to_owned(),
            source: "default of gpuadvise".to_owned(),
        }),
    }
    if reruns {
        list.extend(plan(flags));
    }
    list
}

/// What is done about interruptions, where nobody said it.
fn plan(flags: &SpotFlags) -> Option<Assumption> {
    (flags.checkpoints == Checkpoints::Auto).then(|| Assumption {
        id: "checkpoint-interval",
        value: "auto".to_owned(),
        why: "the interval with the least expected time; the job must write checkpoints and resume by itself"
            .to_owned(),
        source: "Daly 2006, Future Generation Computer Systems 22(3), eq. 20, minimised".to_owned(),
    })
}

fn assumption(catalog: &Catalog, constant: &Constant, id: &'static str, unit: &str, why: &str) -> Assumption {
    let range = constant.range.map_or(String::new(), |(low, high)| format!(" ({low} to {high})"));
    let only = |name: &Option<String>| name.as_ref().map_or(String::new(), |name| format!("{name}: "));
    Assumption {
        id,
        value: format!("{}{}{}{range} {unit}", only(&constant.class), only(&constant.gpu), constant.value),
        why: why.to_owned(),
        source: catalog.source(constant.source).text.clone(),
    }
}
