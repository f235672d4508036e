"""Builds the OpenAPI document of an app from its routes and schemas; `service.openapi` writes it to a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import yaml
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from apispec.ext.marshmallow.common import resolve_schema_instance
from apispec.ext.marshmallow.openapi import OpenAPIConverter
from flask import Flask
from marshmallow import EXCLUDE, INCLUDE

from domain import RELEASE
from service.api_reference.components import add_components, problems
from service.api_reference.introduction import INTRODUCTION
from service.api_reference.operations import operation
from service.api_reference.tags import TAG_OF, TAGS
from service.core.feature import Feature, load
from service.core.http.reference.parameters import ALWAYS
from service.core.http.reference.routes import ROUTES
from service.core.http.schemas.fields import ComponentField, UnionField

TITLE = "Oracle Wheel"
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
CONTACT = {"name": "The operator of this server"}
WIDTH = 150
"""Width of a line of the document as text."""

BESIDE = ("web.", "console.")
"""Prefixes of endpoints of the browser client and of the operators' pages, which are not part of the contract."""


def document(app: Flask) -> dict[str, Any]:
    """The complete document."""
    features: Sequence[Feature] = app.extensions["oraclewheel"].features
    tag_of = {**TAG_OF, **{load(code).blueprint.name: tag for each in features for code, tag in each.api.items()}}
    tags = {name: text for name, (text, _) in TAGS.items()} | {n: t for each in features for n, t in each.tags.items()}
    contracts = [load(each.contract) for each in features if each.contract]
    plugin = _Plugin(schema_name_resolver=_name)
    about = {"title": TITLE, "version": RELEASE, "description": INTRODUCTION, "contact": CONTACT}
    spec = APISpec(
        TITLE,
        RELEASE,
        "3.1.0",
        plugins=[plugin],
        info={**about, "license": {"name": "MIT", "identifier": "MIT"}},
        servers=[{"url": "/", "description": "The server that serves this document."}],
        security=[{}, {"token": []}],
    )
    assert isinstance(plugin.converter, _Converter)
    plugin.converter.game_fields = app.extensions["oraclewheel"].game_fields.fields
    for made in (_either, _reference):
        plugin.converter.add_attribute_function(made)  # type: ignore[no-untyped-call]
    add_components(spec, {name: schema for each in contracts for name, schema in each.SCHEMAS.items()})
    pages = tuple(f"{load(code).blueprint.name}." for each in features for code in each.pages)
    used = set()
    for rule in sorted(app.url_map.iter_rules(), key=lambda rule: rule.rule):
        if rule.endpoint.startswith((*BESIDE, *pages)):
            continue
        docs = ROUTES[rule.endpoint]
        tag = tag_of[rule.endpoint.partition(".")[0]]
        used.add(tag)
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        for method in sorted(set(METHODS) & (rule.methods or set())):
            spec.path(path, operations={method.lower(): operation(docs, tag, method, path)})
    for name, text in sorted(tags.items()):
        if name in used:
            spec.tag({"name": name, "description": text})
    made_of = spec.to_dict()
    made_of["webhooks"] = {name: path for each in contracts for name, path in each.WEBHOOKS.items()}
    first = ("openapi", "info", "servers", "security", "tags", "paths", "webhooks", "components")
    return {
        **{name: made_of[name] for name in first if made_of[name]},
        "x-common-headers": list(ALWAYS),
        "x-problems": problems(),
    }


class _Converter(OpenAPIConverter):
    """Also sets additionalProperties for schemas with a description, which apispec sets only for the others.

    Adds the fields of features (`service.core.lobbies.game_fields`) to the schemas of games. They are not required, because a
    service without the feature has none.
    """

    game_fields: Mapping[str, Any] = MappingProxyType({})

    def schema2jsonschema(self, schema: Any) -> dict[str, Any]:
        made: dict[str, Any] = super().schema2jsonschema(schema)  # type: ignore[no-untyped-call]
        instance = resolve_schema_instance(schema)
        unknown = instance.unknown
        if getattr(instance, "has_game_fields", False):
            made["properties"] |= {name: self.field2property(field) for name, field in self.game_fields.items()}
        return made if unknown == EXCLUDE else {**made, "additionalProperties": unknown == INCLUDE}


class _Plugin(MarshmallowPlugin):
    Converter = _Converter


def _name(schema: Any) -> str:
    """The name of a schema: that of its class, without the ending that distinguishes the class from what it describes."""
    return (schema if isinstance(schema, type) else type(schema)).__name__.removesuffix("Reply")


def _either(self: Any, field: Any, ret: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - the form that apispec calls
    if not isinstance(field, UnionField):
        return {}
    return {"oneOf": [self.field2property(each) for each in field.alternatives]}


def _reference(self: Any, field: Any, ret: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG001 - the form that apispec calls
    return {"$ref": f"#/components/schemas/{field.component}"} if isinstance(field, ComponentField) else {}


# -- as text ---------------------------------------------------------------------------------------------------------


def as_yaml(made: Mapping[str, Any]) -> str:
    """The document in its committed form. What fits into a line is written in one."""
    text: str = yaml.dump(
        made, Dumper=_Dumper, default_flow_style=False, sort_keys=False, allow_unicode=True, width=WIDTH
    )
    return text


class _Dumper(yaml.SafeDumper):
    """Repeats values instead of using references, and writes multi-line texts as blocks."""

    def ignore_aliases(self, _data: Any) -> bool:
        return True

    def represent_mapping(self, *made: Any, **how: Any) -> yaml.MappingNode:
        node = super().represent_mapping(*made, **how)
        node.flow_style = _length(node) <= WIDTH
        return node

    def represent_sequence(self, *made: Any, **how: Any) -> yaml.SequenceNode:
        node = super().represent_sequence(*made, **how)
        node.flow_style = _length(node) <= WIDTH
        return node


def _length(node: yaml.Node) -> int:
    """About how many characters the node has in one line; more than fit if it has a text of several lines."""
    if isinstance(node, yaml.ScalarNode):
        return WIDTH + 1 if "\n" in node.value else len(node.value)
    parts = [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else node.value
    return sum(_length(part) + 2 for part in parts)


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text.strip() else None)


_Dumper.add_representer(str, _text)
