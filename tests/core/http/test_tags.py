"""The modules of `service.core.http.resources` and the tags of their operations."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from service.core.http import resources
from service.core.http.reference.routes import ROUTES
from service.core.http.reference.tags import TAG_OF, TAGS

MODULES = [each.name for each in pkgutil.iter_modules(resources.__path__)]


def declared_in(module):
    """The tags of the operations that a module declares."""
    name = importlib.import_module(f"{resources.__name__}.{module}").__name__.rpartition(".")[2]
    return {docs.tag for endpoint, docs in ROUTES.items() if endpoint.partition(".")[0] == name}


@pytest.mark.parametrize("module", MODULES)
def test_module_declares_operations_of_one_tag(module):
    assert declared_in(module) == {TAG_OF[module]}


def test_module_named_like_a_tag_declares_operations_of_that_tag():
    assert {name: TAG_OF[name] for name in MODULES if name in TAGS and TAG_OF[name] != name} == {}


def test_every_module_belongs_to_one_tag():
    listed = [module for _, modules in TAGS.values() for module in modules]

    assert sorted(listed) == sorted(MODULES)
