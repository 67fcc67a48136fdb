//! A named scenario: the guide's machine held against its workloads, its price, and what is better today.

use super::fit::{Fit, fit};
use super::limits::Limits;
use super::{Advice, advise};
use crate::catalog::Catalog;
use crate::catalog::knowledge::Scenario;
use crate::catalog::lookup::LookupError;
use crate::workload::Workload;

/// One workload of a scenario, judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The workload with its defaults filled in.
    pub workload: Workload,
    /// The guide's node against the memory need: one entry for each accelerator that its name means.
    pub fits: Vec<Fit>,
    /// Machines of the catalog like the guide's, with their price.
    pub guide: Advice,
    /// The best of the whole catalog under the same limits.
    pub today: Advice,
}

/// Judges one workload of a scenario under the user's limits.
pub fn judge(
    catalog: &Catalog,
    scenario: &Scenario,
    workload: Workload,
    limits: &Limits,
) -> Result<Judged, LookupError> {
    let spec = format!("{}:{}", scenario.guide_gpu, scenario.guide_gpus);
    let selection = catalog.resolve_gpu_spec(&spec)?;
    let fits = fit(catalog, &workload, &selection.gpus, scenario.guide_gpus);
    let mut like_guide = limits.clone();
    like_guide.filter.gpus = vec![selection];
    like_guide.filter.min_vcpus = Some(f64::from(scenario.guide_vcpus));
    like_guide.gpus = Some(scenario.guide_gpus);
    like_guide.max_nodes = Some(1);
    like_guide.top = 1;
    let guide = advise(catalog, &workload, &like_guide);
    let today = advise(catalog, &workload, limits);
    Ok(Judged { workload, fits, guide, today })
}
