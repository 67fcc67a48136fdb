//! `RunPod` GraphQL API, `gpuTypes`: a price per GPU in the secure cloud and in the community cloud.
//!
//! Quirks: a cloud that does not have the GPU still has a placeholder price (0.5), its flag is false; the community spot
//! price equals the community price and is none; terms of weeks and months have no billing kind here.

use crate::catalog::price::Billing;
use crate::refresh::json::{Loose, each};
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

/// Reads the answer.
pub(super) fn read(from: &mut dyn Read, ledger: &mut Ledger<'_>) -> Result<(), Fault> {
    each(from, &[&["data", "gpuTypes"]], |number, _, item: GpuType| gpu(ledger, number, &item))
}

fn gpu(ledger: &mut Ledger<'_>, number: u64, item: &GpuType) -> Result<(), Fault> {
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
                ledger.skip(Reason::NotOffered, number, &what);
                continue;
            }
            let mut offer = Offer::new("", "global", Amount::Text(text));
            offer.provider = provider;
            offer.billing = billing;
            offer.line = number;
            offer.hardware = Hardware {
                gpu: item.id.text(),
                memory_gib: item.memory_in_gb.number(),
                gpus: Some(1.0),
                ..Hardware::default()
            };
            ledger.offer(&offer)?;
        }
    }
    let terms = [&item.one_week_price, &item.one_month_price, &item.three_month_price, &item.six_month_price];
    for term in terms.into_iter().filter(|term| term.number().is_some()) {
        let what = format!("{} for a term: {}", item.id.text(), term.text());
        ledger.skip(Reason::NoBillingKind, number, &what);
    }
    Ok(())
}
