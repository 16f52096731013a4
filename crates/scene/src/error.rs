//! What is wrong with a scene: the place, the name, and what to write instead.
//!
//! Errors are values. They implement miette's `Diagnostic`, so that the command line can
//! draw them; a library user reads `place`, `message` and `help`.

use std::fmt;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode, SourceSpan};

/// What kind of fault it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A file could not be read.
    Read,
    /// Brackets, commas, quotes.
    Syntax,
    /// A field that does not exist.
    UnknownField,
    /// A choice that does not exist.
    UnknownVariant,
    /// A field that must be there.
    MissingField,
    /// Text where a number belongs, and the like.
    WrongType,
    /// A value outside its range.
    Value,
    /// A name that nothing carries.
    UnknownName,
    /// A name or an owner too many.
    Duplicate,
    /// Something that nobody or the wrong one owns.
    Ownership,
    /// A mesh that cannot be used.
    Mesh,
    /// An override that cannot be applied.
    Override,
    /// What the model, a solver or a coupler refused.
    Build,
}

/// Where a fault is.
#[derive(Clone, Debug)]
pub struct Place {
    source: Arc<NamedSource<String>>,
    span: SourceSpan,
    label: String,
    line: usize,
    column: usize,
}

impl Place {
    /// A place in `text`, which is named `file`; `start` and `len` in bytes.
    pub(crate) fn new(file: &str, text: &str, start: usize, len: usize, label: String) -> Self {
        let start = start.min(text.len());
        let before = &text[..start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        let source = Arc::new(NamedSource::new(file, text.to_owned()));
        Self { source, span: (start, len.min(text.len() - start)).into(), label, line, column }
    }

    /// The file, or the command-line argument.
    pub fn file(&self) -> &str {
        self.source.name()
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Column in characters, from 1.
    pub fn column(&self) -> usize {
        self.column
    }
}

/// One fault of a scene.
#[derive(Clone)]
pub struct SceneError(Box<Content>);

#[derive(Clone)]
struct Content {
    fault: Fault,
    message: String,
    help: Option<String>,
    place: Option<Place>,
}

impl SceneError {
    pub(crate) fn new(fault: Fault, message: impl Into<String>) -> Self {
        Self(Box::new(Content { fault, message: message.into(), help: None, place: None }))
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    pub(crate) fn place(mut self, place: Place) -> Self {
        self.0.place = Some(place);
        self
    }

    /// What kind of fault it is.
    pub fn fault(&self) -> Fault {
        self.0.fault
    }

    /// What is wrong, in one sentence, without the place.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to write instead.
    pub fn remedy(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Where it is; `None` only when the file itself could not be read.
    pub fn at(&self) -> Option<&Place> {
        self.0.place.as_ref()
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

/// `file:line:column: message; remedy`, the one-line form.
impl fmt::Debug for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(p) = &self.0.place {
            write!(f, "{}:{}:{}: ", p.file(), p.line, p.column)?;
        }
        f.write_str(&self.0.message)?;
        match &self.0.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for SceneError {}

impl Diagnostic for SceneError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.0.help.as_ref().map(|h| Box::new(h) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.place.as_ref().map(|p| p.source.as_ref() as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.0.place.as_ref()?;
        let label = LabeledSpan::new_with_span(Some(place.label.clone()), place.span);
        Some(Box::new(std::iter::once(label)))
    }
}
