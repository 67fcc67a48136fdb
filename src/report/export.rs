//! The body of `export`: launch files made from one row, and the row itself.

use super::document::{Body, Csv, Used};
use super::view::Block;
use crate::lang::quoted;
use serde::Serialize;
use serde_json::Value;

/// Launch files with what the reader should know of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LaunchFiles {
    /// The files, the one to start with first.
    pub files: Vec<FileLine>,
    /// What the files cannot hold or leave to the reader.
    pub notes: Vec<String>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileLine {
    /// Its usual name.
    pub name: String,
    /// The whole text.
    pub content: String,
}

/// The answer of `export`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ExportAnswer {
    /// What the files are for.
    pub target: &'static str,
    /// Command of the answer that the row is of: `recommend` or `check`.
    pub from: String,
    /// The row as that answer has it; `null` where it has none.
    pub row: Option<Value>,
    /// The files and notes.
    #[serde(flatten)]
    pub launch: LaunchFiles,
    #[serde(skip)]
    used: Used,
}

impl ExportAnswer {
    /// The answer with the files of a row.
    pub fn new(target: &'static str, from: &str, row: Value, launch: LaunchFiles, used: Used) -> Self {
        Self { target, from: from.to_owned(), row: Some(row), launch, used }
    }

    /// The answer where there is no row.
    pub fn nothing(target: &'static str) -> Self {
        Self { target, from: "recommend".to_owned(), ..Self::default() }
    }
}

impl Body for ExportAnswer {
    fn used(&self) -> &Used {
        &self.used
    }

    fn csv(&self) -> Csv {
        Csv { rows: "files", spread: None, columns: &["name", "content"] }
    }

    fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        if self.launch.files.is_empty() {
            blocks.push(Block::Text("No row to launch: no launch file.".to_owned()));
        }
        for file in &self.launch.files {
            blocks.push(Block::Heading(quoted(&file.name)));
            blocks.push(Block::Picture(file.content.lines().map(quoted).collect()));
        }
        if !self.launch.notes.is_empty() {
            blocks.push(Block::Heading("Notes".to_owned()));
            blocks.push(Block::List(self.launch.notes.clone()));
        }
        blocks
    }
}
