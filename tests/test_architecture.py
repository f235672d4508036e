"""Structure of the code: no import cycles, packages with a docstring, and an architecture page that matches the code."""

import ast
import pkgutil
import re
import tomllib
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from service.features import FEATURES
from tests import architecture
from tests.rooms import PACKAGES, ROOT, folders, graph, sentence


def named(path):
    return str(path.relative_to(ROOT))


def test_imports_have_no_cycles():
    """Imports within functions and only for types count too."""
    imports = graph()
    arrows = {module: imports.find_modules_directly_imported_by(module) for module in imports.modules}

    order = [*TopologicalSorter(arrows).static_order()]

    assert len(order) == len(imports.modules) > 300


def test_import_cycle_is_detected():
    imports = graph()
    imports.add_import(importer="domain.kernel.terms", imported="domain.registry")
    arrows = {module: imports.find_modules_directly_imported_by(module) for module in imports.modules}

    with pytest.raises(CycleError):
        [*TopologicalSorter(arrows).static_order()]


def test_every_package_is_in_one_layer():
    """`service.ops` has packages above and below the core, so each of them has a layer of its own."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = [name.strip() for layer in contracts[0]["layers"] for name in layer.split("|")]
    found = [*graph().find_children("service") - {"service.ops"}, *graph().find_children("service.ops")]

    assert sorted([*found, "domain", "tools", "workers"]) == sorted(layers)


@pytest.mark.parametrize("room", [named(folder) for folder in folders()])
def test_package_has_a_docstring(room):
    assert sentence(ROOT / room / "__init__.py").endswith(".")


def test_drawing_matches_the_layers():
    """Run ``make architecture`` if this fails."""
    assert architecture.DRAWING.read_text(encoding="utf-8") == architecture.drawing()


def test_architecture_page_matches_the_packages():
    """Run ``make architecture`` if this fails."""
    text = architecture.PAGE.read_text(encoding="utf-8")

    assert text == architecture.page(text)


def test_every_file_named_on_the_architecture_page_exists():
    text = architecture.PAGE.read_text(encoding="utf-8")
    spoken = {
        word
        for word in text.split("`")[1::2]
        if word.startswith(("domain/", "service/", "workers/", "tests/", "docs/"))
    }

    assert spoken
    assert [] == [word for word in sorted(spoken) if not Path(ROOT / word).exists()]


def test_each_folder_of_tests_is_in_one_soak_group():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    grouped = [
        folder
        for line in makefile.splitlines()
        if line.startswith("SOAK_")
        for folder in line.partition(":=")[2].split()
    ]
    folders_of_tests = {f"tests/{path.parent.name}" for path in (ROOT / "tests").glob("*/__init__.py")}

    assert sorted(folders_of_tests) == sorted(grouped)


def test_product_uses_no_private_attribute_of_a_library():
    """Ruff reports them (SLF001); no waiver is allowed."""
    waived = [
        named(path)
        for folder in ("domain", "service", "workers", "tools")
        for path in (ROOT / folder).rglob("*.py")
        if "SLF001" in path.read_text()
    ]
    assert [] == waived


SIZES = {
    "service/ops": 6000,
    "service/console": 1200,
    "workers": 2000,
    "service/core": 18_100,
    "service/store": 10_000,
    "service/api_reference": 900,
} | {f"service/features/{each.name}": 1200 for each in FEATURES}
"""Lines of Python that a package may have."""


SCRIPT_SIZES = {"append.lua": 120, "*.lua": 800}
"""Lines of Lua that these scripts may have together."""


@pytest.mark.parametrize("pattern", SCRIPT_SIZES)
def test_scripts_are_not_too_large(pattern):
    scripts = [*(ROOT / "service/store/redis/lua").glob(pattern)]

    assert 0 < sum(len(each.read_bytes().splitlines()) for each in scripts) <= SCRIPT_SIZES[pattern]


@pytest.mark.parametrize("folder", SIZES)
def test_package_is_not_too_large(folder):
    assert sum(len(each.read_bytes().splitlines()) for each in (ROOT / folder).rglob("*.py")) <= SIZES[folder]


DOCUMENTED = {"_deserialize"}
"""Methods with an underscore that their library documents as extension points (marshmallow's custom fields)."""


def library_bases(tree):
    """Each class of a module with each base class from outside the project."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {(each.asname or each.name): each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {(each.asname or each.name): f"{node.module}.{each.name}" for each in node.names}
    for node in ast.walk(tree):
        for base in node.bases if isinstance(node, ast.ClassDef) else ():
            first, _, rest = ast.unparse(base).partition("[")[0].partition(".")
            path = names.get(first, "")
            if path and path.partition(".")[0] not in PACKAGES:
                yield node, pkgutil.resolve_name(f"{path}.{rest}".rstrip("."))


def test_product_overrides_no_private_method_of_a_library():
    found = [
        f"{named(path)}: {cls.name}.{method.name}"
        for folder in PACKAGES
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"^    def _[a-z]", text := path.read_text(encoding="utf-8"), re.MULTILINE)
        for cls, base in library_bases(ast.parse(text))
        for method in cls.body
        if isinstance(method, ast.FunctionDef)
        and method.name.startswith("_")
        and not method.name.startswith("__")
        and method.name not in DOCUMENTED
        and hasattr(base, method.name)
    ]
    assert [] == found


TWICE = {
    "Meta": "marshmallow's name for the settings of a schema",
    "Take": "the name of a command in Fronela and in Nim, which their logs contain",
}
"""Names of classes that may occur twice, with the reason."""


def test_no_class_name_is_used_twice():
    places = defaultdict(list)
    for folder in ("domain", "service", "workers"):
        for file in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and node.name not in TWICE:
                    places[node.name].append(f"{file.relative_to(ROOT)}:{node.lineno}")

    assert {} == {name: found for name, found in places.items() if len(found) > 1}
