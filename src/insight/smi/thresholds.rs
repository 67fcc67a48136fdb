//! The thresholds of the judgement: constants of the catalog, each with its source there.

use crate::catalog::Catalog;
use crate::catalog::knowledge::Constant;
use crate::units::GIB;

/// Where lines are drawn. Shares are of 1, activity is of 1 too.
#[derive(Clone, Debug, PartialEq)]
pub struct Thresholds {
    /// Fewest polls that are a series.
    pub series: f64,
    /// Polls from which a series is long.
    pub long_series: f64,
    /// Hours that a series must cover before it may stand for the workload.
    pub long_hours: f64,
    /// Fewest polls before a GPU is called idle, and before memory is called growing.
    pub idle_series: f64,
    /// Activity up to which it is idle.
    pub idle: f64,
    /// Activity below which a GPU is used poorly.
    pub poor: f64,
    /// Share of memory from which the next allocation may fail.
    pub full: f64,
    /// Share of memory from which memory is what holds the workload on this GPU.
    pub bound: f64,
    /// Share of memory below which half a GPU would hold it.
    pub roomy: f64,
    /// Activity of device memory from which bandwidth is the limit.
    pub bandwidth: f64,
    /// Power over its limit below which a utilisation of 100 % means few busy SMs.
    pub faint_power: f64,
    /// Added to the peak memory when a smaller GPU is looked for.
    pub memory_headroom: f64,
    /// Added to the activity when a smaller GPU is looked for.
    pub compute_headroom: f64,
    /// Growth of memory from the first third of a series to the last one, over its peak, from which it still grows; and
    /// what part of that growth the last third must have in itself.
    pub growth: f64,
    /// Peak of activity above its 95th percentile, of 1, from which work comes in bursts.
    pub burst: f64,
    /// Share of memory from which something is loaded.
    pub loaded: f64,
    /// Hours of a stretch in which nothing runs that are worth stopping a machine for.
    pub stop_hours: f64,
    /// Hours that polls must cover before a rhythm of work and rest is seen in them.
    pub rhythm_hours: f64,
    /// Share of time that such stretches must take.
    pub rest: f64,
    /// Memory that moves less than this share of its peak is flat.
    pub flat: f64,
    /// A total that is so far, as a share, off that of a card is of another one: no driver keeps so much for itself.
    pub other_memory: f64,
    /// A total up to so far off is that of the card.
    pub same_memory: f64,
    /// A limit of power up to so far, as a share, off the board power is that of the card.
    pub same_power: f64,
    /// Memory in bytes that a MIG instance shows with nothing on it.
    pub empty_slice_bytes: f64,
    /// Programs that take memory ahead of need, in small letters, with the share that they take by default.
    pub preallocate: Vec<(String, f64)>,
}

impl Thresholds {
    /// Those of a catalog; the error is the key that it lacks.
    pub fn of(catalog: &Catalog) -> Result<Self, &'static str> {
        let get = |key: &'static str| {
            catalog.constant(key, None, None, None, 1).map(|constant| constant.value).ok_or(key)
        };
        let named = |constant: &Constant| Some((constant.class.clone()?, constant.value));
        Ok(Self {
            series: get("rightsize-series")?,
            long_series: get("rightsize-long-series")?,
            long_hours: get("rightsize-long-hours")?,
            idle_series: get("rightsize-idle-series")?,
            idle: get("rightsize-idle")?,
            poor: get("rightsize-poor-activity")?,
            full: get("rightsize-full")?,
            bound: get("rightsize-memory-bound")?,
            roomy: get("rightsize-roomy")?,
            bandwidth: get("rightsize-bandwidth-bound")?,
            faint_power: get("rightsize-faint-power")?,
            memory_headroom: get("rightsize-memory-headroom")?,
            compute_headroom: get("rightsize-compute-headroom")?,
            growth: get("rightsize-growth")?,
            burst: get("rightsize-burst")?,
            loaded: get("rightsize-loaded")?,
            stop_hours: get("rightsize-stop-hours")?,
            rhythm_hours: get("rightsize-rhythm-hours")?,
            rest: get("rightsize-rest")?,
            flat: get("rightsize-flat")?,
            other_memory: get("rightsize-other-memory")?,
            same_memory: get("rightsize-same-memory")?,
            same_power: get("rightsize-same-power")?,
            empty_slice_bytes: get("rightsize-empty-slice-mib")? * GIB / 1024.0,
            preallocate: catalog
                .constants
                .iter()
                .filter(|constant| constant.key == "rightsize-preallocates")
                .filter_map(named)
                .collect(),
        })
    }
}
