//! `[[fabric]]` rows: what the network of clusters was seen to carry.

use std::collections::BTreeSet;

use super::gpus::required;
use super::merge::lay_over;
use super::{FileTable, Layer};
use crate::catalog::codes;
use crate::catalog::fabric::{COLLECTIVES, Fabric, FabricKind};
use crate::catalog::raw::Row;

impl<'t> Layer<'t> {
    pub(super) fn read_fabrics(&mut self, tables: &[FileTable<'t>]) {
        let mut fabrics = Vec::new();
        let mut names = BTreeSet::new();
        for table in tables {
            for mut row in table.rows("fabric") {
                let Some(fabric) = self.read_fabric(&mut row, table) else { continue };
                if names.insert(fabric.name.clone()) {
                    fabrics.push(fabric);
                } else {
                    self.duplicate_name(&row, &fabric.name);
                }
            }
        }
        lay_over(&mut self.catalog.fabrics, fabrics, |fabric| fabric.name.clone());
    }

    fn read_fabric(&mut self, row: &mut Row<'t>, table: &FileTable<'t>) -> Option<Fabric> {
        let source = self.source_of(row, table);
        let f = &mut self.findings;
        let name = required(row, f, "name");
        let platform = required(row, f, "platform");
        let instances = row.texts(f, "instances");
        let gpu = row.text(f, "gpu");
        let gpu = row.need(f, "gpu", gpu);
        let nodes = row.whole(f, "nodes", 1);
        let gpus = row.whole(f, "gpus", 1);
        let link = required(row, f, "link");
        let network_gbps = row.rate(f, "network-gbps");
        let collective = row.choice(f, "collective", COLLECTIVES, |text| {
            COLLECTIVES.contains(&text).then(|| text.to_owned())
        });
        let collective = row.need(f, "collective", collective);
        let size_bytes = row.rate(f, "size-bytes");
        let busbw = row.rate(f, "busbw-gb-s");
        let busbw = row.need(f, "busbw-gb-s", busbw);
        let kind = row.choice(f, "kind", FabricKind::NAMES, FabricKind::from_name);
        let kind = row.need(f, "kind", kind);
        let warn_gb_per_s = row.rate(f, "warn-gb-s");
        let latency_us = row.rate(f, "latency-us");
        let note = row.owned(f, "note");
        let waivers = row.waivers(f);
        row.finish(f);
        if let Some(gpu) = &gpu
            && !self.means_hardware(gpu.value)
        {
            self.unknown_gpu(row, gpu.value, gpu.spot);
        }
        for instance in &instances {
            if let Err(error) = self.catalog.resolve_instance(instance.value) {
                let message = format!("no [[instance]] is called `{}`", instance.value);
                let hint = format!("write `provider/type`; {error}");
                row.refuse(&mut self.findings, instance.spot, &codes::UNKNOWN_INSTANCE, message, hint);
            }
        }
        self.name_note("fabric", name.as_deref(), row.spot, waivers);
        if !row.is_sound() {
            return None;
        }
        Some(Fabric {
            name: name?,
            platform: platform?,
            instances: instances.into_iter().map(|it| it.value.to_owned()).collect(),
            gpu: gpu?.value.to_owned(),
            nodes,
            gpus,
            link: link?,
            network_gbps,
            collective: collective?,
            size_bytes,
            busbw_gb_per_s: busbw?,
            kind: kind?,
            warn_gb_per_s,
            latency_us,
            source: source?,
            note,
            overridden: self.overlay,
        })
    }
}
