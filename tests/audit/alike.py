"""One audit in one process and another on several: whoever asks for a report by this gets both, compared to the byte."""

import json
from unittest.mock import patch

from service.audit import auditor, segments
from service.audit.auditor import audit
from service.cli.commands.audit import text


def told(report):
    """All that is told of a report, as JSON and for a terminal."""
    return json.dumps(report.document()), text(report)


def audited_alike(data, jobs=3, **given):
    """The report of one process, which several must come to as well; even a short game comes to several stretches."""
    one = audit(data, **given)
    with patch.object(segments, "STRETCH", 5), patch.object(auditor, "LONG", 2):
        assert told(one) == told(audit(data, jobs=jobs, **given))
    return one
