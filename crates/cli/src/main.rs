//! The binary `coact`: a thin user of the library. Only this crate prints and exits.

mod args;
mod check;
mod compare;
mod ending;
mod export;
mod figures;
mod info;
mod run;
mod say;
mod validate;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;

use args::{Arguments, Command};
use ending::Ending;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    draw_errors();
    write_logs(arguments.verbose, arguments.quiet);
    let result = dispatch(&arguments);
    if let Err(error) = &result {
        say::error(error);
    }
    ending::exit_code(&result)
}

fn dispatch(arguments: &Arguments) -> miette::Result<Ending> {
    let loudness = say::Loudness::new(arguments.verbose, arguments.quiet);
    match &arguments.command {
        Command::Run(a) => run::run(a, loudness),
        Command::Check(a) => check::check(a),
        Command::Info => info::info(),
        Command::Validate(a) => validate::validate(a, loudness),
        Command::Compare(a) => compare::compare(a),
        Command::Export(a) => export::export(a),
    }
}

/// Errors with their piece of the file, in color only on a terminal.
fn draw_errors() {
    let terminal = std::io::stderr().is_terminal();
    let colored = terminal && std::env::var_os("NO_COLOR").is_none();
    // Fails only when a hook is set already, which nobody else does.
    let _ = miette::set_hook(Box::new(move |_| {
        let options = miette::MietteHandlerOpts::new().color(colored).unicode(true);
        Box::new(if terminal { options } else { options.width(100) }.build())
    }));
}

/// Log lines to standard error; `RUST_LOG` overrides the flags.
fn write_logs(verbose: u8, quiet: bool) {
    let level = match (quiet, verbose) {
        (true, _) => "error",
        (_, 0) => "warn",
        (_, 1) => "info",
        _ => "debug",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .without_time()
        .init();
}
