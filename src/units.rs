//! Quantities as people write them: bytes, counts, durations and days, with parse and display.
//!
//! Inside, one representation a quantity; units exist only where text is read or written. `parse(print(x)) = x`.

use std::fmt;
use std::str::FromStr;

/// Why a text is not a quantity; prints as one sentence that names the text and what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuantityError {
    text: String,
    expected: &'static str,
}

impl QuantityError {
    fn new(text: &str, expected: &'static str) -> Self {
        Self { text: text.to_owned(), expected }
    }
}

impl fmt::Display for QuantityError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not {}", self.text, self.expected)
    }
}

impl std::error::Error for QuantityError {}

/// Splits `"1.5 TiB"` into the number and the unit behind it; `None` when no finite number stands in front.
fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|&(i, c)| {
            let exponent_sign = (c == '+' || c == '-') && i > 0 && matches!(&text[i - 1..i], "e" | "E");
            let exponent = (c == 'e' || c == 'E')
                && text[i + 1..].starts_with(|d: char| d.is_ascii_digit() || d == '+' || d == '-');
            !(c.is_ascii_digit()
                || c == '.'
                || c == '_'
                || exponent
                || exponent_sign
                || (i == 0 && (c == '-' || c == '+')))
        })
        .map_or(text.len(), |(i, _)| i);
    let number: f64 = text[..end].replace('_', "").parse().ok()?;
    number.is_finite().then(|| (number, text[end..].trim()))
}

/// A number of bytes. Reads `80GB` (10^9), `80GiB` (2^30), `256 MiB`, `1.5TB`; a bare number is GiB, the unit that
/// drivers and frameworks count in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

/// Bytes in one GiB.
pub const GIB: f64 = 1_073_741_824.0;

impl Bytes {
    /// `n` GiB, rounded to whole bytes.
    pub fn from_gib(n: f64) -> Self {
        Self((n * GIB).round() as u64)
    }

    /// This amount in GiB (2^30).
    pub fn gib(self) -> f64 {
        self.0 as f64 / GIB
    }
}

impl FromStr for Bytes {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || {
            QuantityError::new(
                text,
                "an amount of memory such as `80GB`, `79.6GiB` or `512MiB` (a bare number is GiB)",
            )
        };
        let (number, unit) = number_and_unit(text).ok_or_else(error)?;
        let scale = match unit.to_ascii_lowercase().as_str() {
            "" | "gib" | "gi" => GIB,
            "b" => 1.0,
            "kb" => 1e3,
            "mb" => 1e6,
            "gb" | "g" => 1e9,
            "tb" | "t" => 1e12,
            "kib" | "ki" => 1024.0,
            "mib" | "mi" => 1_048_576.0,
            "tib" | "ti" => 1024.0 * GIB,
            _ => return Err(error()),
        };
        let bytes = (number * scale).round();
        if !(0.0..=9.2e18).contains(&bytes) {
            return Err(error());
        }
        Ok(Self(bytes as u64))
    }
}

impl fmt::Display for Bytes {
    /// The largest binary unit that shows the value exactly, so that `parse(print(x)) = x`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] {
            if self.0 > 0 && self.0.trailing_zeros() >= shift {
                return write!(f, "{}{unit}", self.0 >> shift);
            }
        }
        write!(f, "{}B", self.0)
    }
}

/// A count of parameters, tokens or samples. Reads `1e9`, `7B`, `1.5T`, `50M`, `2k`, case-blind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(pub u64);

impl FromStr for Count {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || QuantityError::new(text, "a positive count such as `1e9`, `7B`, `1.5T` or `50M`");
        let (number, unit) = number_and_unit(text).ok_or_else(error)?;
        let scale = match unit.to_ascii_lowercase().as_str() {
            "" => 1.0,
            "k" => 1e3,
            "m" => 1e6,
            "b" | "g" => 1e9,
            "t" => 1e12,
            _ => return Err(error()),
        };
        let exact = number * scale;
        let count = exact.round();
        // `0.5` and `1.7` are slips; what is left of `1.1B` in binary is not.
        if (exact - count).abs() > 1e-9 * exact.abs() {
            return Err(error());
        }
        // 2^53: above it a whole number no longer survives the way through f64.
        if !(1.0..=9_007_199_254_740_992.0).contains(&count) {
            return Err(error());
        }
        Ok(Self(count as u64))
    }
}

impl fmt::Display for Count {
    /// In the largest unit with one decimal where that is exact, else the plain number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (scale, unit) in [(1_000_000_000_000, "T"), (1_000_000_000, "B"), (1_000_000, "M"), (1_000, "k")]
        {
            if self.0 >= scale {
                if !self.0.is_multiple_of(scale / 10) {
                    break;
                }
                let tenths = self.0 / (scale / 10);
                return if tenths.is_multiple_of(10) {
                    write!(f, "{}{unit}", tenths / 10)
                } else {
                    write!(f, "{}.{}{unit}", tenths / 10, tenths % 10)
                };
            }
        }
        write!(f, "{}", self.0)
    }
}

impl Count {
    /// Rounded to one decimal of the largest unit, for people: 8.03e9 is `8.0B`, 6.74e9 is `6.7B`.
    pub fn rounded(self) -> String {
        let value = self.0 as f64;
        for (scale, unit) in [(1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")] {
            if value >= scale * 0.99995 {
                return format!("{:.1}{unit}", value / scale);
            }
        }
        self.0.to_string()
    }
}

/// A span of time in hours. Reads `72h`, `3d`, `90m`, `45s`, `2w`, `1d12h`, also `6mo` and `1y` (730 h and 8,760 h); a
/// bare number is hours.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Hours(pub f64);

impl FromStr for Hours {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || {
            QuantityError::new(
                text,
                "a positive duration such as `72h`, `3d`, `90m`, `1d12h` or `200ms` (a bare number is hours)",
            )
        };
        let mut rest = text.trim();
        let mut hours = 0.0;
        let mut parts = 0;
        while !rest.is_empty() {
            let (number, behind) = number_and_unit(rest).ok_or_else(error)?;
            let end = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
            let scale = match behind[..end].to_ascii_lowercase().as_str() {
                "" if parts == 0 => 1.0,
                "h" | "hr" | "hrs" | "hour" | "hours" => 1.0,
                "ms" => 1.0 / 3_600_000.0,
                "s" | "sec" | "secs" | "second" | "seconds" => 1.0 / 3600.0,
                "m" | "min" | "mins" | "minute" | "minutes" => 1.0 / 60.0,
                "d" | "day" | "days" => 24.0,
                "w" | "wk" | "week" | "weeks" => 168.0,
                "mo" | "month" | "months" => 730.0,
                "y" | "yr" | "year" | "years" => 8760.0,
                _ => return Err(error()),
            };
            if number < 0.0 {
                return Err(error());
            }
            hours += number * scale;
            parts += 1;
            rest = behind[end..].trim_start();
        }
        // 1e7 hours are 1,141 years: whatever is longer is a slip of the unit.
        if parts == 0 || hours <= 0.0 || hours.is_nan() || hours > 1e7 {
            return Err(error());
        }
        Ok(Self(hours))
    }
}

impl fmt::Display for Hours {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}h", self.0)
    }
}

impl Hours {
    /// This span in milliseconds.
    pub fn ms(self) -> f64 {
        self.0 * 3_600_000.0
    }
}

/// A share between 0 and 1. Reads `0.85` or `85%`; refuses what lies outside, since a utilisation above 100 % is a slip.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Fraction(pub f64);

impl FromStr for Fraction {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || QuantityError::new(text, "a share above 0 and up to 1, such as `0.85` or `85%`");
        let (number, unit) = number_and_unit(text).ok_or_else(error)?;
        let value = match unit {
            "" => number,
            "%" => number / 100.0,
            _ => return Err(error()),
        };
        if value > 0.0 && value <= 1.0 { Ok(Self(value)) } else { Err(error()) }
    }
}

impl fmt::Display for Fraction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Reads a quantity from TOML or JSON as typed on the command line, or as a bare number; writes it as printed.
macro_rules! read_and_write {
    ($($type:ty),*) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl serde::de::Visitor<'_> for Visitor {
                    type Value = $type;
                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str("a number, or a text with its unit")
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }
                    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<$type, E> {
                        number.to_string().parse().map_err(E::custom)
                    }
                    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<$type, E> {
                        number.to_string().parse().map_err(E::custom)
                    }
                    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<$type, E> {
                        number.to_string().parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_any(Visitor)
            }
        }
    )*};
}
read_and_write!(Bytes, Count, Hours, Fraction);

#[cfg(test)]
#[path = "units/tests.rs"]
mod tests;
