"""``oraclewheel witness``: store and cosign the checkpoints of a transparency log that only grows."""

from __future__ import annotations

import fcntl
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from service.cli.published import BadLog, Rewritten, Source, Unreachable, checkpoint_on, must_continue
from service.ops.keys.signing import BadKey, signer_of
from service.ops.private_files import write
from service.store.transparency.notes import (
    COSIGNER,
    BadNote,
    Checkpoint,
    Key,
    Note,
    cosigned,
    is_signed,
    key_in,
)

CHECKPOINT, KEYS, PRIVATE, EVIDENCE = "checkpoint", "log-keys", "witness.key", "rewritten"


class Refused(Exception):
    """The checkpoint is not cosigned. The message says why."""


class Witness:
    """Stores the checkpoints of one log in a folder, and cosigns those that extend the last one."""

    def __init__(self, folder: Path, name: str, keys: Sequence[Key] = ()) -> None:
        """``keys`` are the keys of the log; they replace those stored at first use."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._signer = signer_of(folder / PRIVATE)
        self.key = Key(name, self._signer.public, COSIGNER)
        self._keys = list(keys)

    def look(self, source: Source, now: int) -> Checkpoint:
        """Fetch the newest checkpoint once, and store it with a cosignature.

        Raises `Refused` if no known key signed it, or if the log does not extend the stored checkpoint. In the second
        case both are stored as evidence, and the stored checkpoint stays. Raises `BadLog` if the log cannot be read or
        is inconsistent.
        """
        if (evidence := self._folder / EVIDENCE).exists():
            raise Refused(
                f"{evidence} contains evidence that the log was rewritten, so this witness cosigns nothing. Examine the file, then"
                " use a new folder or move the file away"
            )
        note, newest = source.checkpoint()
        keys = self._known(source, note)
        if not any(is_signed(note, key) for key in keys if key.name == newest.origin):
            raise Refused(
                f"the checkpoint of {source.prefix} is not signed by any known key of the log ({self._folder / KEYS})"
            )
        kept = self._kept()
        if kept is not None:
            try:
                must_continue(source, kept[1], newest)
            except Rewritten as error:
                write(self._folder / EVIDENCE, f"{kept[0].written.decode()}\n{note.written.decode()}")
                raise Refused(
                    f"{error}. Both checkpoints are in {self._folder / EVIDENCE}; nothing was cosigned"
                ) from error
        # Keys last: if they exist, a checkpoint was stored (`_kept`). After an interruption in between, they are stored
        # again.
        write(self._folder / CHECKPOINT, cosigned(note, self.key, self._signer.sign_text, now).written.decode())
        write(self._folder / KEYS, "".join(f"{key.text}\n" for key in keys))
        return newest

    def _kept(self) -> tuple[Note, Checkpoint] | None:
        path = self._folder / CHECKPOINT
        if not path.exists():
            if (self._folder / KEYS).exists():
                raise Refused(
                    f"{path} is missing, so the witness does not know what it has cosigned. Restore the file, or use a new folder"
                )
            return None
        note, checkpoint = checkpoint_on(path.read_bytes(), str(path))
        if not is_signed(note, self.key):
            raise Refused(
                f"{path} is not signed by this witness: the file or the key was changed. Restore both, or use a new folder"
            )
        return note, checkpoint

    def _known(self, source: Source, note: Note) -> list[Key]:
        """The keys of the log: those given, those stored at first use, or those that the service names now."""
        if self._keys:
            return self._keys
        path = self._folder / KEYS
        if path.exists():
            try:
                return [key_in(line) for line in path.read_text(encoding="utf-8").splitlines()]
            except (BadNote, UnicodeDecodeError) as error:
                raise Refused(f"{path} contains no valid keys: {error}") from error
        return [key for key in source.signing_keys() if is_signed(note, key)]


@click.command("witness")
@click.argument("url")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("witness"),
    show_default=True,
    help="Folder for the witness key and the checkpoints of this log.",
)
@click.option("--name", help="Name of the witness, such as witness.example.org. Default: derived from its key.")
@click.option(
    "--key",
    "keys",
    multiple=True,
    metavar="VKEY",
    help="Trusted key of the log, in the form of /v1/log/key. Default: the keys seen at the first run.",
)
@click.option("--every", type=click.IntRange(1), metavar="SECONDS", help="Repeat at this interval until stopped.")
def command(url: str, folder: Path, name: str | None, keys: tuple[str, ...], every: int | None) -> None:
    """Cosign checkpoints of a transparency log.

    Fetches the newest checkpoint of the transparency log at URL, and cosigns it if it extends the last one that was kept. The result
    in FOLDER/checkpoint is a note signed by the log and the witness. Publish it, or pass it to `oraclewheel audit --log`.

    Exit status: 0 if the checkpoint was cosigned; 1 if the log was rewritten or is inconsistent; 2 if the log cannot be reached or
    FOLDER cannot be written.

    Example: oraclewheel witness https://games.example.org --every 300
    """
    try:
        trusted = [key_in(key) for key in keys]
        with _alone(folder):
            own = signer_of(folder / PRIVATE)
            witness = Witness(folder, name or f"oraclewheel-witness/{own.key_id}", trusted)
            click.echo(f"Witness {witness.key.text}")
            _look(witness, Source(url), every)
    except BadNote as error:
        raise click.BadParameter(str(error), param_hint="--key") from error
    except BadKey as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(2)


def _look(witness: Witness, source: Source, every: int | None) -> None:
    while True:
        try:
            seen = witness.look(source, int(time.time()))
            click.echo(f"{seen.origin}: {seen.size} heads, cosigned.")
        except Unreachable as error:
            click.echo(f"{error}.", err=True)
            if every is None:
                sys.exit(2)
        except (Refused, BadLog) as error:
            click.echo(f"REFUSED: {error}.", err=True)
            sys.exit(1)
        if every is None:
            return
        time.sleep(every)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock the folder, because two witnesses with one key could cosign two different versions of a log."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise click.ClickException(f"Another witness is using {folder}. Stop it, or use another folder.") from error
    else:
        yield
    finally:
        os.close(lock)
