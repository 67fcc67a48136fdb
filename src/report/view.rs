//! What people read, before it is drawn: headings, sentences, lists and tables of finished text.

/// One piece of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading.
    Heading(String),
    /// A sentence or two.
    Text(String),
    /// Points.
    List(Vec<String>),
    /// A table.
    Table(Grid),
    /// A picture made of characters: lines as they are, never wrapped.
    Picture(Vec<String>),
}

/// A table of finished text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grid {
    /// Column titles; numbers stand right.
    pub columns: Vec<Column>,
    /// Cells, one for each column.
    pub rows: Vec<Vec<String>>,
}

/// One column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its title, with the unit.
    pub title: String,
    /// Aligned to the right.
    pub number: bool,
    /// Left out where the terminal is too narrow, the highest first; 0 always stays.
    pub expendable: u8,
}

impl Grid {
    /// A table with these columns; a title that begins with `>` stands right.
    pub fn new(titles: &[&str]) -> Self {
        let column = |title: &&str| match title.strip_prefix('>') {
            Some(rest) => Column { title: rest.to_owned(), number: true, expendable: 0 },
            None => Column { title: (*title).to_owned(), number: false, expendable: 0 },
        };
        Self { columns: titles.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Columns that a narrow terminal may do without, the first to go first. One in which nothing is known is left out
    /// anywhere, so this comes after the rows.
    #[must_use]
    pub fn expendable(mut self, titles: &[&str]) -> Self {
        for (rank, title) in (1..).zip(titles.iter().rev()) {
            if let Some(i) = self.columns.iter().position(|column| column.title == *title) {
                let known =
                    |row: &Vec<String>| row.get(i).is_some_and(|cell| !cell.is_empty() && cell != "n/a");
                if self.rows.is_empty() || self.rows.iter().any(known) {
                    self.columns[i].expendable = rank;
                } else {
                    self.remove(i);
                }
            }
        }
        self
    }

    /// Leaves out the column with this title.
    pub(super) fn remove_titled(&mut self, title: &str) {
        if let Some(at) = self.columns.iter().position(|column| column.title == title) {
            self.remove(at);
        }
    }

    /// Takes a column out.
    pub(super) fn remove(&mut self, column: usize) {
        self.columns.remove(column);
        for row in &mut self.rows {
            if column < row.len() {
                row.remove(column);
            }
        }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }
}
