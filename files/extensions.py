"""Imports objects of other packages. Settings name such an object as `module:Name`, or by the name
of an installed entry point.

Importing a module runs the module's code. The program therefore imports only modules that the
settings name. The program trusts the settings as much as its own code.
"""

import os
import sys
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points, packages_distributions, version
from pathlib import Path
from types import ModuleType
from typing import Any

from questloom.records.errors import InputError
from questloom.records.identity import sha256_hex


@dataclass(frozen=True)
class Extension:
    """An object from another package, with the version of the object's code."""

    named: str
    """The name in the settings: an import path or an entry point."""
    path: str
    """The import path of the object, "mypackage:NoSports"."""
    version: str
    """The package and its version (if it is installed), and a hash of the object's file: "mypackage
    1.2, source 3f2a9c…".
    """
    object: Any

    @property
    def identity(self) -> str:
        """A string that changes whenever the object's behaviour may have changed. A change in
        another file of the package changes the string only if the package's version changes too.
        """
        return f"{self.path} ({self.version})"


@cache
def load_extension(named: str, kind: str, key: str) -> Extension:
    """Imports an object that the settings name. Each process imports an object only once.

    Args:
        named: `module:Name`, or the name of an entry point; Python looks for a module in the
            current folder last.
        kind: kind of the object, such as "filters". The kind "filters" uses the entry points of the
            group `questloom.filters`.
        key: key of the settings that names the object, for error messages.

    Raises:
        InputError: there is no object with this name, or its import fails.
    """
    where, group = f"{key}: {named}", f"questloom.{kind}"
    path = named if ":" in named else _entry_point(named, group, where)
    module_name, _, name = path.partition(":")
    module = _module(module_name, where)
    try:
        found = module
        for part in name.split("."):
            found = getattr(found, part)
    except AttributeError:
        has = ", ".join(n for n in vars(module) if not n.startswith("_"))[:300]
        raise InputError(
            where, f"the module {module_name} has no {name!r}", f"It has: {has}."
        ) from None
    return Extension(named, path, _version(module, found), found)


def is_extension(named: str, kind: str) -> bool:
    """Whether a name stands for an object of another package. Such a name is an import path, or an
    installed entry point that does not have one of the program's own names.
    """
    return ":" in named or any(
        each.name == named for each in entry_points(group=f"questloom.{kind}")
    )


def _entry_point(named: str, group: str, where: str) -> str:
    installed = sorted(
        {(each.name, f"{each.module}:{each.attr}") for each in entry_points(group=group)}
    )
    found = [path for name, path in installed if name == named]
    if len(found) == 1:
        return found[0]
    if found:
        raise InputError(
            where, "is an entry point of several packages", f"Write one of {', '.join(found)}."
        )
    known = ", ".join(name for name, _ in installed) or "none"
    raise InputError(
        where,
        f"is no module:Name, and no installed package has it as entry point of {group}",
        f"Write MODULE:NAME. Entry points installed: {known}.",
    )


def _module(name: str, where: str) -> ModuleType:
    if (here := os.getcwd()) not in sys.path:  # workers started with `python -m` have this path too
        sys.path.append(here)
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name and f"{name}.".startswith(f"{error.name}."):
            raise InputError(
                where,
                f"there is no module {error.name!r}",
                "Install its package on every machine that runs the job, or start in the folder of its file.",
            ) from error
        raise InputError(
            where, f"its module needs {error.name!r}, which is missing", "Install that."
        ) from error
    except Exception as error:
        raise InputError(
            where,
            f"importing its module fails ({type(error).__name__}: {error})",
            f"Try it alone: python -c 'import {name}'.",
        ) from error


def _version(module: ModuleType, found: Any) -> str:
    """The version of the package that installed the module, and a hash of the files that define the
    module and the object.
    """
    packages = packages_distributions().get(module.__name__.partition(".")[0], [])
    installed = [f"{package} {version(package)}" for package in sorted(set(packages))]
    own = sys.modules[found.__module__] if isinstance(found, type) else module
    files = dict.fromkeys(getattr(each, "__file__", None) or "" for each in (module, own))
    source = sha256_hex(b"".join(Path(f).read_bytes() for f in files if os.path.isfile(f)))
    return ", ".join([*installed, f"source {source[:12]}"])
