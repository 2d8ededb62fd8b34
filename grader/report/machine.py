"""What a machine can do, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from grader.report.text import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType
    from rich.table import Table

    from grader.machine import Examination


def examination(found: Examination) -> RenderableType:
    """Return a machine's examination: its tier and what each attack came to, devices, versions, what is missing."""
    from rich.console import Group
    from rich.padding import Padding

    parts: list[RenderableType] = [
        plain(f"Isolation: tier {found.survey.tier} of 3: {found.survey.words}.", style="bold"),
        _pairs({f"attack {name}": _result(result) for name, result in found.survey.probes.items()}),
        plain("Devices", style="bold"),
        _pairs({device["device"]: _device(device) for device in found.devices}),
        plain("Versions", style="bold"),
        _pairs(found.versions),
        plain("Missing" if found.missing else "Nothing is missing.", style="bold"),
    ]
    return Group(*parts, *(Padding(plain(f"- {one}"), (0, 0, 0, 2)) for one in found.missing))


def _result(result: str) -> str:
    signs = {"contained": "✓ contained", "open": "✗ open"}
    return signs.get(result, f"- {result}")


def _device(device: Mapping[str, Any]) -> str:
    if "cores" in device:
        return f"{device['name']}, {device['cores']} cores for this process"
    gpu = ", ".join(filter(None, (device["name"], device.get("uuid", ""))))
    return f"{gpu}, {device['memory_gib']} GiB, compute capability {device['capability']}"


def _pairs(pairs: Mapping[str, str]) -> Table:
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in pairs.items():
        table.add_row(plain(f"  {name}"), plain(value))
    return table
