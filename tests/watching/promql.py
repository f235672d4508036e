"""Evaluate the part of PromQL that the alert rules and the dashboard use over scrapes of a service.

promql-parser parses the text. The evaluation follows the Prometheus documentation with one exception: `rate` and `increase`
use the first and last scrape within their range and do not extrapolate.
"""

from __future__ import annotations

import math
import operator
import re
from collections import defaultdict
from itertools import pairwise

import promql_parser as promql

ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul}
COMPARING = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
GATHERING = {"sum": sum, "max": max, "min": min}


def fits(op, pattern, value):
    """Whether a label value satisfies the matcher."""
    if op in (promql.MatchOp.Equal, promql.MatchOp.NotEqual):
        return (pattern == value) == (op == promql.MatchOp.Equal)
    return (re.fullmatch(pattern, value) is not None) == (op == promql.MatchOp.Re)


class Scrapes:
    """Consecutive scrapes of one target: pairs of seconds and samples in the format of `figures.read`."""

    def __init__(self):
        self.taken = []

    def take(self, seconds, samples, job="oraclewheel"):
        """Add a scrape; ``samples`` is None if the target did not answer."""
        up = {("up", frozenset({("job", job)})): float(samples is not None)}
        self.taken.append((seconds, {**(samples or {}), **up}))
        return self

    def value(self, text):
        """Value of an expression at the last scrape: a number, or values by labels."""
        return self._of(promql.parse(text))

    def fires(self, text):
        """Whether an alert with this expression would become pending."""
        return bool(self.value(text))

    def _of(self, node):
        match node:
            case promql.NumberLiteral():
                return node.val
            case promql.ParenExpr():
                return self._of(node.expr)
            case promql.VectorSelector():
                return self._selected(node, self.taken[-1][1])
            case promql.Call():
                return self._called(node)
            case promql.AggregateExpr():
                return self._gathered(node)
            case promql.BinaryExpr():
                return self._both(node)
            case _:
                raise NotImplementedError(type(node).__name__)

    def _selected(self, node, samples):
        wanted = [(each.name, each.op, each.value) for each in node.matchers.matchers]
        found = {}
        for (name, labels), value in samples.items():
            has = dict(labels)
            if name == node.name and all(fits(op, pattern, has.get(label, "")) for label, op, pattern in wanted):
                found[labels] = value
        return found

    def _called(self, node):
        match node.func.name:
            case "rate" | "increase" as name:
                return self._risen(node.args[0], per_second=name == "rate")
            case "histogram_quantile":
                return quantile(self._of(node.args[0]), self._of(node.args[1]))
            case "absent":
                return {} if self._of(node.args[0]) else {frozenset(): 1.0}
            case other:
                raise NotImplementedError(other)

    def _risen(self, node, *, per_second):
        last = self.taken[-1][0]
        within = [(at, samples) for at, samples in self.taken if at > last - node.range.total_seconds()]
        seen = defaultdict(list)
        for at, samples in within:
            for labels, value in self._selected(node.vector_selector, samples).items():
                seen[labels].append((at, value))
        risen = {}
        for labels, values in seen.items():
            if len(values) < 2:
                continue  # a rate needs two samples
            steps = pairwise(values)
            total = sum(now - before if now >= before else now for (_, before), (_, now) in steps)
            risen[labels] = total / (values[-1][0] - values[0][0]) if per_second else total
        return risen

    def _gathered(self, node):
        kept, together = set(), defaultdict(list)
        if node.modifier is not None:
            assert node.modifier.type == promql.AggModifierType.By
            kept = set(node.modifier.labels)
        for labels, value in self._of(node.expr).items():
            together[frozenset(pair for pair in labels if pair[0] in kept)].append(value)
        return {labels: float(GATHERING[str(node.op)](values)) for labels, values in together.items()}

    def _both(self, node):
        assert node.modifier is None or node.modifier.matching is None, "labels are matched as they are"
        left, right, op = self._of(node.lhs), self._of(node.rhs), str(node.op)
        match op:
            case "and":
                return {labels: value for labels, value in left.items() if labels in right}
            case "or":
                return {**right, **left}
        if not isinstance(left, dict):
            raise NotImplementedError("a number on the left")
        others = right if isinstance(right, dict) else dict.fromkeys(left, right)
        pairs = {labels: (value, others[labels]) for labels, value in left.items() if labels in others}
        if op in COMPARING:
            return {labels: pair[0] for labels, pair in pairs.items() if COMPARING[op](*pair)}
        if op == "/":
            return {labels: divided(*pair) for labels, pair in pairs.items()}
        return {labels: ARITHMETIC[op](*pair) for labels, pair in pairs.items()}


def divided(over, under):
    """Divide as IEEE 754 does: 0 / 0 is NaN, which fails every comparison."""
    if under:
        return over / under
    return math.nan if not over or math.isnan(over) else math.copysign(math.inf, over)


def quantile(share, buckets):
    """Like `histogram_quantile`: linear within a bucket; the lower bound of the last bucket."""
    together = defaultdict(dict)
    for labels, count in buckets.items():
        bound = float(dict(labels)["le"])
        together[frozenset(pair for pair in labels if pair[0] != "le")][bound] = count
    found = {}
    for labels, counted in together.items():
        bounds = sorted(counted)
        total = counted[bounds[-1]]
        if not total:
            found[labels] = math.nan
            continue
        rank = share * total
        place = next(place for place, bound in enumerate(bounds) if counted[bound] >= rank)
        below, before = (bounds[place - 1], counted[bounds[place - 1]]) if place else (0.0, 0.0)
        if bounds[place] == math.inf:
            found[labels] = below
        else:
            part = (rank - before) / (counted[bounds[place]] - before)
            found[labels] = below + (bounds[place] - below) * part
    return found


def selectors(text):
    """Every selector of an expression: its name and its label matchers."""
    found, look = [], [promql.parse(text)]
    while look:
        node = look.pop()
        match node:
            case promql.VectorSelector():
                found.append((node.name, [(each.name, each.op, each.value) for each in node.matchers.matchers]))
            case promql.MatrixSelector():
                look.append(node.vector_selector)
            case promql.Call():
                look += node.args
            case promql.BinaryExpr():
                look += [node.lhs, node.rhs]
            case promql.AggregateExpr() | promql.ParenExpr() | promql.UnaryExpr() | promql.SubqueryExpr():
                look.append(node.expr)
            case promql.NumberLiteral() | promql.StringLiteral():
                pass
            case _:
                raise NotImplementedError(type(node).__name__)
    return found


def counted(text):
    """Two sets of names: those within `rate` or `increase`, which must be counters, and all others."""
    rising, all_names, look = set(), set(), [promql.parse(text)]
    while look:
        node = look.pop()
        match node:
            case promql.VectorSelector():
                all_names.add(node.name)
            case promql.Call():
                if node.func.name in ("rate", "increase"):
                    rising.add(node.args[0].vector_selector.name)
                else:
                    look += node.args
            case promql.BinaryExpr():
                look += [node.lhs, node.rhs]
            case promql.AggregateExpr() | promql.ParenExpr():
                look.append(node.expr)
    return rising, all_names
