"""An operator who rewrites a game and makes everything else consistent with the change."""

import hashlib
import json

from service.store.codec import canonical
from service.store.seal import digest, head_of, salt
from tests.audit.games import SIGNER


class Forger:
    """The lines of an export, which a test may change; `file` numbers, salts, hashes and signs them again.

    Values in `headers`, `salts` and `ends` replace the computed ones.
    """

    def __init__(self, data, signer=SIGNER):
        self.lines = [json.loads(line) for line in data.splitlines()]
        self.setup, *self.commits, self.end = self.lines
        self.log = self.commits.pop() if self.commits[-1]["line"] == "log" else None
        self.seed = self.commits.pop() if self.commits[-1]["line"] == "seed" else None
        self.signer = signer
        self.headers, self.salts = {}, {}
        """By seq: header fields, and the salt of a commit, that replace the correct ones."""
        self.ends = {}
        """The same for the last line."""

    def body(self, seq):
        return self.commits[seq - 1]["body"]

    def find(self, wanted):
        return next(seq for seq in range(1, len(self.commits) + 1) if wanted(self.body(seq)))

    def origin(self):
        """The head before commit 1."""
        return "0" * 64 if self.setup["number"] == 1 else hashlib.sha256(canonical(self.setup)).hexdigest()

    def file(self):
        seed = bytes.fromhex(self.seed["seed"]) if self.seed else None
        previous = self.origin()
        for seq, commit in enumerate(self.commits, 1):
            header = commit["header"]
            header |= {"seq": seq, "previous": previous}
            if seed is not None:
                commit["salt"] = self.salts.get(seq, salt(seed, seq).hex())
                header["digest"] = digest(bytes.fromhex(commit["salt"]), canonical(commit["body"]))
            header |= self.headers.get(seq, {})
            previous = head_of(canonical(header))
        lines = [self.setup, *self.commits, *filter(None, [self.seed, self.log])]
        return self._ended(b"".join(canonical(line) + b"\n" for line in lines), previous)

    def _ended(self, data, head):
        told = {"head": head, "sha256": hashlib.sha256(data).hexdigest(), **self.ends}
        end = self.end | {"commits": len(self.commits), **told}
        if "signatures" not in self.ends:
            end["signatures"] = [self.signed(each["of"], end) for each in self.end["signatures"]]
        return data + canonical(end) + b"\n"

    def signed(self, of, end):
        over = end["head" if of == "head" else "sha256"]
        return {
            "of": of,
            "key": self.signer.key_id,
            "public": self.signer.public.hex(),
            "signature": self.signer.sign(over),
        }

    def running(self, upto):
        """Cut the export to a running game with so many commits."""
        self.commits = [{"line": "commit", "header": commit["header"]} for commit in self.commits[:upto]]
        self.seed = None
        if self.setup["number"] == 1:
            self.setup["status"] = "running"
        else:
            self.end["status"] = "running"
        return self


def event(body, type_):
    """The first event of a type in a body."""
    return next((e for e in body.get("events", ()) if e["type"] == type_), None)
