//! What is known of a server like the rented machine: as asked, else the catalog's sourced figures, else unknown.

use super::CONVENTION;
use super::machine::Chosen;
use crate::catalog::Catalog;
use crate::catalog::gpu::Gpu;
use crate::cli::tco_args::OwnArgs;
use crate::cli::value::Amount;
use crate::diag::{Assumption, InputError};
use crate::money::Usd;
use crate::price::own::Server;

/// GPUs of the servers that the catalog's figures are of.
const CATALOG_GPUS: f64 = 8.0;

/// kWh of one `MWh`.
const MWH: f64 = 1e3;

/// The server.
pub(super) fn of(
    catalog: &Catalog,
    (own, years): (&OwnArgs, u32),
    chosen: &Chosen,
    assumptions: &mut Vec<Assumption>,
) -> Result<Server, InputError> {
    let instance = catalog.instance(chosen.machine.instance);
    // The figures of the catalog are of whole servers of eight.
    let whole = (instance.gpus - CATALOG_GPUS).abs() < 1e-9;
    let gpu = Some(catalog.gpu(instance.gpu)).filter(|_| whole);
    let mut known = Known { catalog, assumptions };
    let price = match own.server_price {
        Some(amount) => Some(amount.usd()),
        None => known.of_gpu("server-price", "own-node-price-usd", gpu).and_then(Usd::from_f64),
    };
    let power_kw = match own.server_kw {
        Some(kw) => Some(kw.0),
        None => known.of_gpu("server-kw", "own-node-power-kw", gpu),
    };
    let life_years = match own.useful_life {
        Some(years) if years.0 > 0.0 => years.0,
        Some(_) => {
            return Err(InputError::new("`--useful-life 0` writes off at once", "give years above 0"));
        }
        None => known.needed("useful-life", "server-life-years")?,
    };
    let pue = match own.pue {
        Some(ratio) if ratio.0 >= 1.0 => ratio.0,
        Some(_) => {
            let message = "`--pue` below 1: a building uses at least what its servers use";
            return Err(InputError::new(message, "give 1 or more"));
        }
        None => known.needed("pue", "pue")?,
    };
    let colocation_per_kw_month = match own.colocation {
        Some(amount) => Some(amount.usd()),
        None => Usd::from_f64(known.needed("colocation", "colocation-usd-per-kw-month")?),
    };
    if own.residual.is_none() {
        let why = "what a server is worth after its life is in no source that is good enough".to_owned();
        let source = CONVENTION.to_owned();
        assumptions.push(Assumption { id: "residual", value: "0 %".to_owned(), why, source });
    }
    let server = Server {
        price,
        residual: own.residual.map_or(0.0, |percent| percent.0 / 100.0),
        life_years,
        power_kw,
        pue,
        colocation_per_kw_month,
        electricity_per_mwh: own.electricity.and_then(|per_kwh| Usd::from_f64(per_kwh.0 * MWH)),
        staff_per_year: own.staff.map(Amount::usd),
    };
    if let Some(left) = server.book_value(chosen.machine.nodes, years) {
        let why = "what is still in use when the years end counts as sold at its book value, straight line over its life; \
                   sold for nothing, owning costs that much more"
            .to_owned();
        let source = CONVENTION.to_owned();
        assumptions.push(Assumption { id: "book-value", value: format!("{left} USD"), why, source });
    }
    Ok(server)
}

/// Figures of the catalog, each listed as an assumption where it is taken.
struct Known<'a> {
    catalog: &'a Catalog,
    assumptions: &'a mut Vec<Assumption>,
}

impl Known<'_> {
    /// A figure of servers with this GPU; `None` where there is none.
    fn of_gpu(&mut self, id: &'static str, key: &str, gpu: Option<&Gpu>) -> Option<f64> {
        let row = self.catalog.constant(key, Some(gpu?), None, None, 1)?;
        let range = row.range.map(|(low, high)| format!("; {low} to {high} are seen")).unwrap_or_default();
        let why = format!("{}{range}", row.note.as_deref().unwrap_or("figure of the catalog"));
        let source = self.catalog.source(row.source);
        let source = format!("{} as of {}", source.text, source.as_of);
        self.assumptions.push(Assumption { id, value: row.value.to_string(), why, source });
        Some(row.value)
    }

    /// A figure that holds for all servers.
    fn needed(&mut self, id: &'static str, key: &str) -> Result<f64, InputError> {
        let any = self.catalog.gpus.first();
        self.of_gpu(id, key, any).ok_or_else(|| missing(key))
    }
}

fn missing(key: &str) -> InputError {
    InputError::new(format!("the catalog has no constant `{key}`"), "add a [[constant]] row")
}
