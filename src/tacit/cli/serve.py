"""`tacit serve` and `tacit mcp`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tacit.cli.common.options import examples
from tacit.errors import InputError, MissingExtraError

__all__ = ["mcp_command", "serve_command"]

_LIBRARIES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_SHORTEST = 16  # characters of a token


@click.command(
    "serve",
    epilog=examples(
        "tacit serve library.tacit --open",
        "tacit serve books.tacit films.tacit --port 9000",
        "tacit serve library.tacit --host 0.0.0.0 --allow-host library.example.org --token-file token.txt",
    ),
)
@click.argument("indexes", metavar="INDEX...", nargs=-1, required=True)
@click.option("--host", default="127.0.0.1", show_default=True, metavar="ADDRESS", help="Address to listen on.")
@click.option("--port", type=int, default=8080, show_default=True, metavar="NUMBER", help="Port; 0 is any free one.")
@click.option("--open/--no-open", "open_page", default=False, show_default=True, help="Open the page in a browser.")
@click.option(
    "--token-file",
    metavar="FILE",
    help="File with the token that lets callers change the indexes.  [default: $TACIT_TOKEN; without one, nobody can]",
)
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="Host name that browsers may use for the service, besides localhost. May be repeated; '*' allows any.",
)
@click.option(
    "--log-level",
    type=click.Choice(["debug", "info", "warning", "error"]),
    default="info",
    show_default=True,
    help="What to log; 'info' has a line per request.",
)
def serve_command(
    *,
    indexes: tuple[str, ...],
    host: str,
    port: int,
    open_page: bool,
    token_file: str | None,
    allowed_hosts: tuple[str, ...],
    log_level: str,
) -> None:
    """Serve indexes to a browser and to other programs.

    The explorer is a page with a map, search, suggestions and reasons. Programs use the same through HTTP: the address
    ends in /docs. Other machines can reach it only if --host is given. Press Ctrl+C to stop.
    """
    # Several requests are answered at a time, so threads inside one of them only get in each other's way. The libraries
    # read this when NumPy is loaded, which happens below.
    for name in _LIBRARIES:
        os.environ[name] = "1"
    token = _token(token_file)
    if not 0 <= port <= 65_535:
        raise InputError(f"port is out of range: got {port}, expected 0 to 65,535.")
    try:
        from tacit.serve.app import create_app
        from tacit.serve.run import address_of, run, take_port
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("tacit"):
            raise
        raise MissingExtraError(error.name or "fastapi", "serve", "The service") from error
    listening = take_port(host, port)
    with listening:
        app = create_app(indexes, token=token, allowed_hosts=allowed_hosts, warm=True)
        click.echo(f"Serving {', '.join(app.state.service.indexes)} at {address_of(listening)} (Ctrl+C to stop)")
        run(app, listening, log_level=log_level, open_page=open_page)


@click.command("mcp", epilog=examples("tacit mcp library.tacit", "claude mcp add books -- tacit mcp books.tacit"))
@click.argument("indexes", metavar="INDEX...", nargs=-1, required=True)
def mcp_command(*, indexes: tuple[str, ...]) -> None:
    """Let an agent use indexes, by the Model Context Protocol.

    The agent's program starts this command and speaks to it through standard input and output: it can search, read
    records, look up labels, and ask for suggestions and reasons. Nothing is changed. 'tacit serve' offers the same over
    HTTP, at the address that ends in /mcp.
    """
    # an agent asks one question at a time, for which threads inside NumPy are no gain
    for name in _LIBRARIES:
        os.environ[name] = "1"
    try:
        from tacit.serve.mcp import run_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("tacit"):
            raise
        raise MissingExtraError(error.name or "mcp", "mcp", "The server for agents") from error
    run_stdio(indexes)


def _token(file: str | None) -> str | None:
    """Return the token of the file, or of the environment; None if there is none."""
    if file is None:
        token = os.environ.get("TACIT_TOKEN", "").strip()
        where = "TACIT_TOKEN"
        if not token:
            return None
    else:
        token, where = Path(file).read_text(encoding="utf-8").strip(), f"--token-file {file}"
    if len(token) < _SHORTEST or not token.isascii() or not token.isprintable() or " " in token:
        raise InputError(
            f"{where} has no usable token: got {len(token)} characters, expected at least {_SHORTEST} letters, digits "
            "or signs without spaces. Make one with: python -c 'import secrets; print(secrets.token_urlsafe())'."
        )
    return token
