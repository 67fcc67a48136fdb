//! Why a quote of a source is not in the overlay. The glossary of the command line has the paragraphs.

use serde::Serialize;

macro_rules! reasons {
    ($($reason:ident = $name:literal;)*) => {
        /// Why a quote was left out.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        #[expect(missing_docs, reason = "each is explained by `gpuadvise explain NAME`")]
        pub enum Reason { $(#[serde(rename = $name)] $reason,)* }

        impl Reason {
            /// All reasons, by name.
            pub const ALL: &[Self] = &[$(Self::$reason,)*];

            /// Stable kebab-case name.
            pub fn name(self) -> &'static str {
                match self { $(Self::$reason => $name,)* }
            }
        }
    };
}

reasons! {
    CommitmentNotBelow = "commitment-not-below-on-demand";
    ConflictingPrices = "conflicting-prices";
    CurrencyNotKnown = "currency-not-known";
    DateNotUsable = "date-not-usable";
    GpuAmbiguous = "gpu-ambiguous";
    GpuCountDiffers = "gpu-count-differs";
    GpuMemoryDiffers = "gpu-memory-differs";
    GpuNotKnown = "gpu-not-known";
    LocalZone = "local-zone";
    MachineNotKnown = "machine-not-known";
    NameNotUsable = "name-not-usable";
    NoBillingKind = "no-billing-kind";
    NoGpu = "no-gpu";
    NoPrice = "no-price";
    NotAPrice = "not-a-price";
    NotInForce = "not-in-force";
    NotOffered = "not-offered-there";
    OlderQuote = "older-quote";
    OtherProduct = "other-product";
    OtherSoftware = "other-software";
    OtherTenancy = "other-tenancy";
    PartsMissing = "parts-missing";
    PriceNotUsable = "price-not-usable";
    ProviderNotKnown = "provider-not-known";
    RowMalformed = "row-malformed";
    SecondaryMeter = "secondary-meter";
    SpotEqualsOnDemand = "spot-equals-on-demand";
    ThreeYearAbove = "three-year-not-below-one-year";
    TooManyQuotes = "too-many-quotes";
}

impl Reason {
    /// Whether its example must name the GPU.
    pub(super) fn is_about_gpu(self) -> bool {
        matches!(
            self,
            Self::GpuAmbiguous | Self::GpuCountDiffers | Self::GpuMemoryDiffers | Self::GpuNotKnown
        )
    }
}
