//! The documentation of the scene format, written from its types.
//!
//! The JSON schema of the types holds names, kinds, defaults and doc comments; this turns
//! it into one page of Markdown: a section per struct or choice, in reading order.

use std::fmt::Write;

use schemars::JsonSchema;
use serde_json::{Map, Value};

use crate::file::SceneFile;

const HEAD: &str = "# The scene format

<!-- Written by the tests of coact-scene from the types in crates/scene/src/file. Change them, then run
     COACT_UPDATE_DOCS=1 cargo test -p coact-scene -->

A scene is one [RON](https://github.com/ron-rs/ron) file: `(field: value, …)`, lists in `[…]`, choices by name,
texts in quotes, comments after `//`. Things are called by name; where several may be meant, `*` and `?` match any
text and any character. Units are SI, z is up. A field that has a default may be left out; a field that does not
exist is refused. Files are looked up relative to the scene file. `coact check FILE` explains a scene without running
it, and `--set path=value` overrides any value: `--set run.rate=480`, `--set cloths.sheet.density=0.3`,
`--set bodies.0.mass=2`.

The smallest scene has something that moves and a solver:

```ron
(
    cloths: [(name: \"sheet\", mesh: Grid(cells: (20, 20), size: (1, 1)), pins: [Corners])],
    solvers: [Vbd(name: \"cloth\")],
)
```

So has a rod, here a rubber cable that hangs from one end:

```ron
(
    rods: [(name: \"cable\", line: Straight(to: (1, 0, 0)), section: Circle(radius: 0.005), begin: Clamped)],
    solvers: [Rod(name: \"rods\")],
)
```
";

/// The page `docs/scene-format.md`.
pub fn scene_format_markdown() -> String {
    let root = schemars::schema_for!(SceneFile).to_value();
    let defs = root.get("$defs").and_then(Value::as_object).cloned().unwrap_or_default();
    let mut page = Page { text: HEAD.to_owned(), defs, queue: Vec::new(), seen: Vec::new() };
    page.section(&SceneFile::schema_name(), &root);
    while !page.queue.is_empty() {
        let name = page.queue.remove(0);
        if let Some(schema) = page.defs.get(&name).cloned() {
            page.section(&name, &schema);
        }
    }
    page.text
}

struct Page {
    text: String,
    defs: Map<String, Value>,
    /// Types that were named and are still to be written.
    queue: Vec<String>,
    seen: Vec<String>,
}

impl Page {
    fn section(&mut self, name: &str, schema: &Value) {
        let line = |s: &str| s.replace('\n', " ");
        let _ = write!(self.text, "\n## {name}\n\n{}\n\n", line(description(schema)));
        match schema.get("oneOf").and_then(Value::as_array) {
            Some(choices) => self.choices(choices),
            None => self.fields(schema, ""),
        }
    }

    /// One row per field: the ones that must be given first, then the others by name.
    fn fields(&mut self, schema: &Value, indent: &str) {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
        let required = |name: &str| {
            let list = schema.get("required").and_then(Value::as_array);
            list.is_some_and(|l| l.iter().any(|r| r == name))
        };
        let (must, may): (Vec<_>, Vec<_>) = properties.iter().partition(|(name, _)| required(name));
        let _ = writeln!(self.text, "{indent}| field | value | default | meaning |");
        let _ = writeln!(self.text, "{indent}|---|---|---|---|");
        for (name, field) in must.into_iter().chain(may) {
            let default = match field.get("default") {
                _ if required(name) => "**required**".to_owned(),
                // what JSON cannot say is null, and an object of nothing else is empty
                Some(value) if !value.is_null() && ron(value) != "()" => format!("`{}`", ron(value)),
                _ => "omitted".to_owned(),
            };
            let (kind, text) = (self.kind(field), cell(description(field)));
            let _ = writeln!(self.text, "{indent}| `{name}` | {kind} | {default} | {text} |");
        }
    }

    fn choices(&mut self, choices: &[Value]) {
        for choice in choices {
            if let Some(word) = choice.get("const").and_then(Value::as_str) {
                let _ = writeln!(self.text, "- `{word}`: {}", cell(description(choice)));
                continue;
            }
            let plain = choice.get("enum").and_then(Value::as_array);
            for word in plain.into_iter().flatten().filter_map(Value::as_str) {
                let _ = writeln!(self.text, "- `{word}`");
            }
            let inner = choice.get("properties").and_then(Value::as_object);
            for (word, content) in inner.into_iter().flatten() {
                self.choice(word, content, description(choice));
            }
        }
    }

    fn choice(&mut self, word: &str, content: &Value, text: &str) {
        let text = cell(text);
        if content.get("properties").is_some() {
            let _ = write!(self.text, "- `{word}(…)`: {text}\n\n");
            self.fields(content, "  ");
            self.text.push('\n');
        } else {
            let kind = self.kind(content);
            let _ = writeln!(self.text, "- `{word}(`{kind}`)`: {text}");
        }
    }

    /// A value's kind in words; types get a link and a section of their own.
    fn kind(&mut self, schema: &Value) -> String {
        if let Some(path) = schema.get("$ref").and_then(Value::as_str) {
            return self.link(path.rsplit('/').next().unwrap_or(path));
        }
        if let Some(options) = schema.get("anyOf").and_then(Value::as_array) {
            let real = options.iter().find(|o| o.get("type").is_none_or(|t| t != "null"));
            return real.map_or_else(String::new, |o| self.kind(o));
        }
        let word = match schema.get("type") {
            Some(Value::Array(words)) => words.iter().find(|w| *w != "null").and_then(Value::as_str),
            other => other.and_then(Value::as_str),
        };
        match word {
            Some("number") => "number".to_owned(),
            Some("integer") => "whole number".to_owned(),
            Some("string") => "text".to_owned(),
            Some("boolean") => "`true` or `false`".to_owned(),
            Some("array") => self.array(schema),
            _ => "value".to_owned(),
        }
    }

    fn array(&mut self, schema: &Value) -> String {
        if let Some(parts) = schema.get("prefixItems").and_then(Value::as_array) {
            return format!("{} values", parts.len());
        }
        let item = schema.get("items").cloned().unwrap_or(Value::Null);
        let kind = self.kind(&item);
        match schema.get("minItems").and_then(Value::as_u64) {
            Some(2) => format!("`(a, b)`, {kind}s"),
            Some(3) => format!("`(x, y, z)`, {kind}s"),
            Some(4) => format!("`(x, y, z, w)`, {kind}s"),
            _ => format!("`[…]` of {kind}"),
        }
    }

    fn link(&mut self, name: &str) -> String {
        if !self.seen.iter().any(|s| s == name) {
            self.seen.push(name.to_owned());
            self.queue.push(name.to_owned());
        }
        format!("[{name}](#{})", name.to_lowercase())
    }
}

fn description(schema: &Value) -> &str {
    schema.get("description").and_then(Value::as_str).unwrap_or("")
}

/// Text for a table cell.
fn cell(text: &str) -> String {
    text.replace('\n', " ").replace('|', "\\|")
}

/// A default as it would be written in a scene; what is omitted by default is left out.
fn ron(value: &Value) -> String {
    match value {
        Value::String(s) if s.starts_with(char::is_uppercase) => s.clone(),
        Value::String(s) => format!("{s:?}"),
        Value::Array(items) => {
            let all = items.iter().map(ron).collect::<Vec<_>>().join(", ");
            let numbers = !items.is_empty() && items.iter().all(Value::is_number);
            if numbers { format!("({all})") } else { format!("[{all}]") }
        }
        Value::Object(fields) => object(fields),
        Value::Number(n) => n.as_f64().map_or_else(|| n.to_string(), |x| x.to_string()),
        other => other.to_string(),
    }
}

/// `{"Lame": {…}}` is a choice, anything else a struct.
fn object(fields: &Map<String, Value>) -> String {
    if let Some((name, content)) = fields.iter().next().filter(|(k, _)| k.starts_with(char::is_uppercase)) {
        return match content {
            Value::Object(_) => format!("{name}{}", ron(content)),
            other => format!("{name}({})", ron(other)),
        };
    }
    let given = fields.iter().filter(|(_, v)| !v.is_null());
    format!("({})", given.map(|(k, v)| format!("{k}: {}", ron(v))).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_read_as_in_a_scene() {
        let json = serde_json::json!({"camera": "Auto", "size": [1280, 720], "time": null});
        assert_eq!(ron(&json), "(camera: Auto, size: (1280, 720))");
        assert_eq!(ron(&serde_json::json!({"Lame": {"mu": 1e3}})), "Lame(mu: 1000)");
        assert_eq!(ron(&serde_json::json!(["*"])), "[\"*\"]");
    }

    /// `COACT_UPDATE_DOCS=1 cargo test -p coact-scene` writes the page.
    #[test]
    fn the_page_in_docs_is_up_to_date() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene-format.md");
        let text = scene_format_markdown();
        if std::env::var_os("COACT_UPDATE_DOCS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let there = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            there == text,
            "docs/scene-format.md is stale: COACT_UPDATE_DOCS=1 cargo test -p coact-scene"
        );
    }
}
