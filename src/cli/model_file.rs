//! Opens what `--model` names: a configuration, weight files, or the folder of either. Only headers are read.

use super::frame::read_text;
use crate::diag::InputError;
use crate::model::file::{self, Contents, Gguf, Tensors};
use crate::workload::resolve::ACCEPTED;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Name of a configuration in the folder of a model.
const CONFIG: &str = "config.json";
/// Names of the weights in such a folder, first the index of several files.
const WEIGHTS: [&str; 2] = ["model.safetensors.index.json", "model.safetensors"];
/// Most parts of a GGUF model.
const MOST_PARTS: u32 = 1024;

/// What a `--model` argument names; `None` when there is no such file or folder.
pub(super) fn model_file(name: &str) -> Result<Option<Contents>, InputError> {
    let path = PathBuf::from(name);
    if path.is_dir() {
        return folder(&path).map(Some);
    }
    if !path.exists() {
        return Ok(None);
    }
    if ends(&path, ".gguf") {
        return gguf(&path).map(|gguf| Some(Contents::Gguf(gguf)));
    }
    if ends(&path, ".safetensors") {
        let tensors = safetensors(&path)?;
        return Ok(Some(Contents::Safetensors { tensors, config: config_beside(&path)? }));
    }
    if ends(&path, ".safetensors.index.json") {
        let (tensors, config) = (shards(&path)?, config_beside(&path)?);
        let Some(tensors) = tensors else {
            // An index whose files are elsewhere tells no shape; the configuration beside it does.
            return config.map(|text| Some(Contents::Config(text))).ok_or_else(|| {
                let message = format!("`{name}` names files that are not beside it");
                InputError::new(message, "download them, or put the `config.json` of the model beside it")
            });
        };
        return Ok(Some(Contents::Safetensors { tensors, config }));
    }
    text(&path).map(|text| Some(Contents::Config(text)))
}

/// A folder: its weights with its configuration, else what it has of them, else its only GGUF file.
fn folder(path: &Path) -> Result<Contents, InputError> {
    let config = path.join(CONFIG);
    let config = if config.exists() { Some(text(&config)?) } else { None };
    for name in WEIGHTS {
        let weights = path.join(name);
        if !weights.exists() {
            continue;
        }
        let tensors = if ends(&weights, ".json") { shards(&weights)? } else { Some(safetensors(&weights)?) };
        if let Some(tensors) = tensors {
            return Ok(Contents::Safetensors { tensors, config });
        }
    }
    if let Some(text) = config {
        return Ok(Contents::Config(text));
    }
    let mut files = gguf_files(path);
    let shown = path.display();
    match files.len() {
        1 => gguf(&files.remove(0)).map(Contents::Gguf),
        0 => Err(InputError::new(
            format!("the folder `{shown}` has no `{CONFIG}` and no weight files"),
            ACCEPTED,
        )),
        count => {
            let names =
                files.iter().filter_map(|file| Some(file.file_name()?.to_string_lossy().into_owned()));
            let message = format!("the folder `{shown}` has {count} GGUF files");
            let hint = format!("name one: {}", names.collect::<Vec<_>>().join(", "));
            Err(InputError::new(message, hint))
        }
    }
}

/// GGUF files of a folder by name; of a model in parts the first.
fn gguf_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries
        .filter(|path| {
            let name = lower_name(path);
            let part = name.rsplit_once("-of-").is_some_and(|(before, _)| !before.ends_with("-00001"));
            ends(path, ".gguf") && !name.starts_with("mmproj") && !part
        })
        .collect();
    files.sort();
    files
}

fn lower_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default()
}

/// Whether a file is called so, in whatever case.
fn ends(path: &Path, ending: &str) -> bool {
    lower_name(path).ends_with(ending)
}

fn config_beside(path: &Path) -> Result<Option<String>, InputError> {
    let config = path.with_file_name(CONFIG);
    if config.exists() { text(&config).map(Some) } else { Ok(None) }
}

fn text(path: &Path) -> Result<String, InputError> {
    read_text(path).map_err(|message| InputError::new(message, ACCEPTED))
}

/// A file with its length.
fn open(path: &Path) -> Result<(BufReader<File>, u64), InputError> {
    let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), file)));
    match opened {
        Ok((length, file)) => Ok((BufReader::new(file), length)),
        Err(error) => Err(InputError::new(format!("cannot read `{}`: {error}", path.display()), ACCEPTED)),
    }
}

fn safetensors(path: &Path) -> Result<Tensors, InputError> {
    let (mut file, length) = open(path)?;
    file::safetensors(&path.display().to_string(), &mut file, length)
}

/// The tensors of all files that an index names; `None` where none of them is there.
fn shards(path: &Path) -> Result<Option<Tensors>, InputError> {
    let index = file::index(&path.display().to_string(), &text(path)?)?;
    let (mut tensors, mut missing) = (Tensors::default(), Vec::new());
    for name in &index.files {
        let shard = path.with_file_name(name);
        if shard.exists() {
            tensors.extend(&shard.display().to_string(), safetensors(&shard)?)?;
        } else {
            missing.push(name.as_str());
        }
    }
    if missing.len() == index.files.len() {
        return Ok(None);
    }
    if let Some(first) = missing.first() {
        let (count, all) = (missing.len(), index.files.len());
        let message =
            format!("`{}`: {count} of {all} files are missing, the first is `{first}`", path.display());
        return Err(InputError::new(message, "download all of them, or name the `config.json`"));
    }
    Ok(Some(tensors))
}

/// A GGUF file with the other parts of its model, which stand beside it as `NAME-00002-of-00003.gguf`.
fn gguf(path: &Path) -> Result<Gguf, InputError> {
    let read = |path: &Path| {
        let (mut file, length) = open(path)?;
        file::gguf(&path.display().to_string(), &mut file, length)
    };
    let mut whole = read(path)?;
    let parts = whole.parts();
    if parts == 1 {
        return Ok(whole);
    }
    let shown = path.display().to_string();
    let ending = format!("-00001-of-{parts:05}.gguf");
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let Some(stem) = name.strip_suffix(&ending).filter(|_| parts <= MOST_PARTS) else {
        let message = format!("`{shown}` is one of {parts} parts, and not called `…{ending}`");
        return Err(InputError::new(message, "name the first part"));
    };
    for part in 2..=parts {
        let other = path.with_file_name(format!("{stem}-{part:05}-of-{parts:05}.gguf"));
        if !other.exists() {
            let message = format!("`{shown}` has {parts} parts, and `{}` is missing", other.display());
            return Err(InputError::new(message, "put all parts into one folder"));
        }
        whole.extend(&other.display().to_string(), read(&other)?)?;
    }
    Ok(whole)
}
