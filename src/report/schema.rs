//! JSON Schemas (2020-12) of the documents, for `gpuadvise schema NAME`.

/// Names and texts of all schemas, by name.
pub const ALL: &[(&str, &str)] = &[
    ("accuracy", include_str!("../../schemas/accuracy.json")),
    ("calibrate", include_str!("../../schemas/calibrate.json")),
    ("catalog", include_str!("../../schemas/catalog.json")),
    ("catalog-check", include_str!("../../schemas/catalog-check.json")),
    ("catalog-diff", include_str!("../../schemas/catalog-diff.json")),
    ("catalog-history", include_str!("../../schemas/catalog-history.json")),
    ("catalog-import", include_str!("../../schemas/catalog-import.json")),
    #[cfg(feature = "refresh")]
    ("catalog-update", include_str!("../../schemas/catalog-update.json")),
    ("check", include_str!("../../schemas/check.json")),
    ("commitments", include_str!("../../schemas/commitments.json")),
    ("cost", include_str!("../../schemas/cost.json")),
    ("diff", include_str!("../../schemas/diff.json")),
    ("explain", include_str!("../../schemas/explain.json")),
    ("export", include_str!("../../schemas/export.json")),
    ("fit", include_str!("../../schemas/fit.json")),
    ("listing", include_str!("../../schemas/listing.json")),
    ("network", include_str!("../../schemas/network.json")),
    ("recommend", include_str!("../../schemas/recommend.json")),
    ("rightsize", include_str!("../../schemas/rightsize.json")),
    ("tco", include_str!("../../schemas/tco.json")),
    ("text", include_str!("../../schemas/text.json")),
];

/// The schema with this name.
pub fn schema(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(own, _)| *own == name).map(|(_, text)| *text)
}
