//! AWS Price List bulk offer file of `AmazonEC2`: `products` by SKU, then `terms` by kind, SKU and term. Gigabytes long, so only
//! the SKUs of machines with GPUs are kept while it streams.
//!
//! Quirks: the amount of "Quantity" is the upfront of the whole term; convertible reservations are another contract; Windows,
//! RHEL, licensed software, dedicated tenancy, capacity reservations and local zones are other products.

use crate::catalog::price::{Billing, Upfront};
use crate::refresh::json::{Few, Loose, Walk, walk};
use crate::refresh::ledger::{MOST_PRICES, decimal};
use crate::refresh::{Amount, Fault, Hardware, Ledger, Offer, Reason};
use rust_decimal::Decimal;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::Read;

/// A product, or one term of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Entry {
    product_family: Loose,
    attributes: Attributes,
    sku: Loose,
    price_dimensions: Few<Dimension>,
    term_attributes: Term,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Attributes {
    instance_type: Loose,
    region_code: Loose,
    location_type: Loose,
    operating_system: Loose,
    tenancy: Loose,
    pre_installed_sw: Loose,
    capacitystatus: Loose,
    license_model: Loose,
    marketoption: Loose,
    vcpu: Loose,
    memory: Loose,
    gpu: Loose,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Dimension {
    unit: Loose,
    price_per_unit: BTreeMap<String, Loose>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Term {
    #[serde(rename = "LeaseContractLength")]
    length: Loose,
    #[serde(rename = "OfferingClass")]
    class: Loose,
    #[serde(rename = "PurchaseOption")]
    option: Loose,
}

/// A machine in a region.
struct Product {
    machine: String,
    region: String,
    vcpus: Option<f64>,
    ram_gib: Option<f64>,
    gpus: Option<f64>,
}

struct Reader<'l, 'c> {
    ledger: &'l mut Ledger<'c>,
    /// Products that are wanted, by SKU.
    products: BTreeMap<String, Product>,
    seen_products: bool,
    items: u64,
}

/// Reads an offer file.
pub(super) fn read(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    let mut reader = Reader { ledger, products: BTreeMap::new(), seen_products: false, items: 0 };
    walk(from, &mut reader)?;
    if !reader.seen_products {
        let hint = "expected an offer file of AmazonEC2 with `products` and `terms`, not an index of files";
        return Err(Fault::at(1, 1, "the file has no products", hint));
    }
    Ok(())
}

impl Walk for Reader<'_, '_> {
    type Item = Entry;

    fn paths(&self) -> &'static [&'static [&'static str]] {
        &[&["products"], &["terms", "OnDemand", "*"], &["terms", "Reserved", "*"]]
    }

    fn scalar(&mut self, key: &str, value: &Loose) {
        if key == "publicationDate"
            && let Some(Ok(day)) = value.text().get(..10).map(str::parse)
        {
            self.ledger.said(day);
        }
    }

    fn item(&mut self, path: usize, key: &str, item: Entry) -> Result<(), Fault> {
        self.items += 1;
        match path {
            0 => self.product(key, &item),
            _ => self.term(path == 2, key, &item),
        }
    }
}

impl Reader<'_, '_> {
    fn product(&mut self, sku: &str, entry: &Entry) -> Result<(), Fault> {
        self.seen_products = true;
        let own = &entry.attributes;
        let machine = own.instance_type.text();
        let known = super::super::hardware::named;
        let aws = self.ledger.need_provider()?;
        let gpus = own.gpu.number();
        if !entry.product_family.text().starts_with("Compute Instance")
            || (gpus.is_none() && known(self.ledger.catalog(), aws, machine).is_none())
        {
            let reason = if machine.is_empty() { Reason::OtherProduct } else { Reason::NoGpu };
            self.ledger.skip(reason, self.items, &format_args!("{sku} {machine}"));
            return Ok(());
        }
        if let Some(reason) = other(own) {
            self.ledger.skip(reason, self.items, &format_args!("{sku} {machine}"));
            return Ok(());
        }
        if self.products.len() >= MOST_PRICES {
            return Err(Fault::new(format!("more than {MOST_PRICES} products"), "import it in parts"));
        }
        let ram = own.memory.text().trim_end_matches("GiB").trim().replace(',', "");
        let product = Product {
            machine: machine.to_owned(),
            region: own.region_code.text().to_owned(),
            vcpus: own.vcpu.number(),
            ram_gib: ram.parse().ok(),
            gpus,
        };
        if self.products.insert(sku.to_owned(), product).is_some() {
            return Err(Fault::new(format!("product `{}` stands twice", crate::refresh::shown(sku)), ""));
        }
        Ok(())
    }

    fn term(&mut self, reserved: bool, key: &str, entry: &Entry) -> Result<(), Fault> {
        if !self.seen_products {
            let hint = "an offer file has `products` before `terms`; this one cannot be read as a stream";
            return Err(Fault::new("terms come before products", hint));
        }
        let sku =
            if entry.sku.text().is_empty() { key.split('.').next().unwrap_or(key) } else { entry.sku.text() };
        let Some(product) = self.products.get(sku) else {
            // Its product was counted.
            return Ok(());
        };
        let what = format!("{} {} {key}", product.machine, product.region);
        let kind = if reserved { contract(&entry.term_attributes) } else { Some((Billing::OnDemand, None)) };
        let Some((billing, upfront)) = kind else {
            self.ledger.skip(Reason::NoBillingKind, self.items, &what);
            return Ok(());
        };
        let parts = parts(&entry.price_dimensions.0, billing).and_then(|(fee, rest, currency)| {
            Ok((amount(fee, rest, upfront).ok_or(Reason::PriceNotUsable)?, currency))
        });
        let (amount, currency) = match parts {
            Ok(found) => found,
            Err(reason) => {
                self.ledger.skip(reason, self.items, &what);
                return Ok(());
            }
        };
        let mut offer = Offer::new(&product.machine, &product.region, amount);
        offer.billing = billing;
        offer.upfront = upfront;
        offer.currency = &currency;
        offer.line = self.items;
        // The list tells the number of GPUs but not which.
        offer.hardware = Hardware {
            gpus: product.gpus,
            vcpus: product.vcpus,
            ram_gib: product.ram_gib,
            ..Hardware::default()
        };
        self.ledger.offer(&offer)
    }
}

/// Why a product is not a plain Linux machine of a region.
fn other(own: &Attributes) -> Option<Reason> {
    let is =
        |value: &Loose, wanted: &str| value.text().is_empty() || value.text().eq_ignore_ascii_case(wanted);
    if !is(&own.location_type, "AWS Region") {
        return Some(Reason::LocalZone);
    }
    if !is(&own.operating_system, "Linux")
        || !is(&own.pre_installed_sw, "NA")
        || !is(&own.license_model, "No License required")
    {
        return Some(Reason::OtherSoftware);
    }
    if !is(&own.tenancy, "Shared") || !is(&own.capacitystatus, "Used") {
        return Some(Reason::OtherTenancy);
    }
    (!is(&own.marketoption, "OnDemand")).then_some(Reason::NoBillingKind)
}

/// The kind of a reservation; convertible ones have none.
fn contract(term: &Term) -> Option<(Billing, Option<Upfront>)> {
    if !term.class.text().eq_ignore_ascii_case("standard") {
        return None;
    }
    let billing = match term.length.text() {
        "1yr" => Billing::Reserved1y,
        "3yr" => Billing::Reserved3y,
        _ => return None,
    };
    let upfront = match term.option.text() {
        "No Upfront" => Upfront::No,
        "Partial Upfront" => Upfront::Partial,
        "All Upfront" => Upfront::All,
        _ => return None,
    };
    Some((billing, Some(upfront)))
}

/// What is paid at the start and for each hour, as the way of paying has it; `None` where the two contradict it.
fn amount<'a>(fee: Decimal, rest: Decimal, upfront: Option<Upfront>) -> Option<Amount<'a>> {
    match (upfront, fee.is_zero(), rest.is_zero()) {
        (None | Some(Upfront::No), true, _) => Some(Amount::Exact(rest)),
        (Some(Upfront::Partial), false, false) | (Some(Upfront::All), false, true) => {
            Some(Amount::Parts(fee, rest))
        }
        _ => None,
    }
}

/// What is paid at the start, what for each hour, and the currency.
fn parts(dimensions: &[Dimension], billing: Billing) -> Result<(Decimal, Decimal, String), Reason> {
    let (mut fee, mut rest) = (Decimal::ZERO, Decimal::ZERO);
    let mut currency: Option<&str> = None;
    for dimension in dimensions {
        let mut prices = dimension.price_per_unit.iter();
        let (Some((code, price)), None) = (prices.next(), prices.next()) else {
            return Err(Reason::CurrencyNotKnown);
        };
        if *currency.get_or_insert(code) != code {
            return Err(Reason::CurrencyNotKnown);
        }
        let amount = decimal(price.text()).ok_or(Reason::PriceNotUsable)?;
        if amount < Decimal::ZERO {
            return Err(Reason::PriceNotUsable);
        }
        let sum = match (dimension.unit.text(), billing.term_hours()) {
            ("Hrs" | "Hours", _) => &mut rest,
            ("Quantity", Some(_)) => &mut fee,
            _ => return Err(Reason::PriceNotUsable),
        };
        *sum = sum.checked_add(amount).ok_or(Reason::PriceNotUsable)?.normalize();
    }
    currency.map(|code| (fee, rest, code.to_owned())).ok_or(Reason::NoPrice)
}
