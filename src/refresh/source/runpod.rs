//! `RunPod` GraphQL API, `gpuTypes`: a price per GPU in the secure cloud and in the community cloud.
//!
//! Quirks: a cloud that does not have the GPU still has a placeholder price (0.5), its flag is false; the community spot
//! price equals the community price and is none; terms of weeks and months have no billing kind here.

use crate::catalog::price::Billing;
use crate::refresh::json::{Loose, Walk, walk};
use crate::refresh::{Amount, Fault, Hardware, Ledger, Offer, Reason};
use serde::Deserialize;
use std::io::Read;

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct GpuType {
    id: Loose,
    memory_in_gb: Loose,
    secure_cloud: Loose,
    community_cloud: Loose,
    secure_price: Loose,
    community_price: Loose,
    secure_spot_price: Loose,
    community_spot_price: Loose,
    one_week_price: Loose,
    one_month_price: Loose,
    three_month_price: Loose,
    six_month_price: Loose,
}

struct Types<'l, 'c> {
    ledger: &'l mut Ledger<'c>,
    items: u64,
}

/// Reads the answer.
pub(super) fn read(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    walk(from, &mut Types { ledger, items: 0 })
}

impl Walk for Types<'_, '_> {
    type Item = GpuType;

    fn paths(&self) -> &'static [&'static [&'static str]] {
        &[&["data", "gpuTypes"]]
    }

    fn item(&mut self, _: usize, _: &str, item: GpuType) -> Result<(), Fault> {
        self.items += 1;
        let clouds = [
            ("runpod", &item.secure_cloud, &item.secure_price, &item.secure_spot_price),
            ("runpod-community", &item.community_cloud, &item.community_price, &item.community_spot_price),
        ];
        for (provider, offered, price, spot) in clouds {
            for (billing, amount) in [(Billing::OnDemand, price), (Billing::Spot, spot)] {
                let text = amount.text();
                if text.is_empty() && billing == Billing::Spot {
                    continue;
                }
                let what = format!("{} {provider} {} {text}", item.id.text(), billing.name());
                if offered.flag() == Some(false) {
                    self.ledger.skip(Reason::NotOffered, self.items, &what);
                    continue;
                }
                let mut offer = Offer::new("", "global", Amount::Text(text));
                offer.provider = provider;
                offer.billing = billing;
                offer.line = self.items;
                offer.hardware = Hardware {
                    gpu: item.id.text(),
                    memory_gib: item.memory_in_gb.number(),
                    gpus: Some(1.0),
                    ..Hardware::default()
                };
                self.ledger.offer(&offer)?;
            }
        }
        let terms =
            [&item.one_week_price, &item.one_month_price, &item.three_month_price, &item.six_month_price];
        for term in terms.into_iter().filter(|term| term.number().is_some()) {
            let what = format!("{} for a term: {}", item.id.text(), term.text());
            self.ledger.skip(Reason::NoBillingKind, self.items, &what);
        }
        Ok(())
    }
}
