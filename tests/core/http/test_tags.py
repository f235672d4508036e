"""The modules with routes and the tags of their operations."""

from __future__ import annotations

import pkgutil

from service import features
from service.api_reference.tags import TAG_OF, TAGS
from service.core.feature import load
from service.core.http import resources
from service.features import FEATURES

MODULES = [each.name for each in pkgutil.iter_modules(resources.__path__)]


def test_every_module_of_the_core_belongs_to_one_tag():
    listed = [module for _, modules in TAGS.values() for module in modules]

    assert sorted(listed) == sorted([*MODULES, "api_reference"])


def test_module_named_like_a_tag_declares_operations_of_that_tag():
    assert {name: TAG_OF[name] for name in MODULES if name in TAGS and TAG_OF[name] != name} == {}


def test_operations_of_features_have_a_tag_of_the_core_or_of_their_feature():
    for feature in FEATURES:
        assert {*feature.api.values()} <= {*TAGS, *feature.tags}
        assert {*feature.tags} <= {*feature.api.values()} - {*TAGS}


def test_every_module_of_a_feature_with_routes_is_listed():
    modules = [each.name for each in pkgutil.walk_packages(features.__path__, "service.features.")]

    found = {name for name in modules if hasattr(load(name), "blueprint")}

    assert found == {code for feature in FEATURES for code in (*feature.api, *feature.pages)}


def test_features_are_packages_in_alphabetical_order():
    assert [each.name for each in FEATURES] == [each.name for each in pkgutil.iter_modules(features.__path__)]
