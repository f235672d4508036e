"""Parse the answer of `/metrics` as Prometheus does."""

from __future__ import annotations

import requests
from prometheus_client.parser import text_string_to_metric_families


def read(text):
    """Map name and labels of each sample to its value."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scraped(url, **headers):
    answer = requests.get(url, headers=headers, timeout=60)
    assert 200 == answer.status_code, answer.text
    return read(answer.text)


def value(samples, name, **labels):
    """Sum of all samples that have this name and these labels; 0 if there are none."""
    wanted = set(labels.items())
    return sum(told for (known, has), told in samples.items() if known == name and wanted <= has)
