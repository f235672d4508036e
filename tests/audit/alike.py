"""Run an audit in one process and in several, and compare the reports byte for byte."""

import json
from unittest.mock import patch

from service.audit import auditor, segments
from service.audit.auditor import audit
from service.cli.commands.audit import text


def told(report):
    """The whole report, as JSON and as terminal text."""
    return json.dumps(report.to_json()), text(report)


def audited_alike(data, jobs=3, **given):
    """The report of one process, after checking that several give the same. Short segments split even a short game."""
    one = audit(data, **given)
    with patch.object(segments, "SEGMENT_SIZE", 5), patch.object(auditor, "MIN_PARALLEL_COMMITS", 2):
        assert told(one) == told(audit(data, jobs=jobs, **given))
    return one
