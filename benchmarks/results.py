"""What was measured, as a page to read and a chart to look at."""

from __future__ import annotations

import datetime
import os
import platform
from importlib.metadata import version
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks.contenders import BARE, FAKESTORE, MOTO, REQUESTS
from benchmarks.figures import Figure
from benchmarks.requests_side_by_side import Counted, Times

_COLOURS = {FAKESTORE.name: "#2a78d6", BARE.name: "#a8a7a0", MOTO.name: "#e07b39"}


def page(
    figures: list[Figure],
    times: Times,
    counted: dict[str, Counted],
    floor_counted: dict[str, Counted],
    activation: dict[str, float],
    imports: dict[str, float],
    load: float,
) -> str:
    """The page in Markdown; ``load`` is the machine's before anything was measured."""
    aimed = [figure for figure in figures if figure.has_target]
    warned = warning(load)
    lines = [
        "# What fakestore costs",
        "",
        "Written by `make bench`; the targets are the project's own. Everything is measured in one run, the contenders",
        "taking turns: *fakestore* with authentication, access control and journal on; the *bare callback*, which is",
        "`responses` with a dictionary and MD5 behind it, the least that such a fake can cost; and *moto*.",
        "",
        f"{sum(figure.holds for figure in aimed)} of {len(aimed)} figures hold their targets.",
        "",
        *([f"**{warned}**", ""] if warned else []),
        "![Microseconds for a request, by contender](chart.svg)",
        "",
        "## Where",
        "",
        *(f"- {name}: {value}" for name, value in machine(load).items()),
        "",
        "## One request",
        "",
        "Bodies of 1 KiB, one `requests.Session`, the Authorization header given. In microseconds: of each round what",
        "it took at least, and of these the median, for every contender alike, since what else a machine does only",
        "adds. Calls are calls of Python functions for one request, those of fakestore's own code in brackets; KiB is",
        "what a request allocates at most, what the store keeps included. These two are the same on every machine.",
        "",
        "| request | bare callback | fakestore | to the bare callback | moto | moto to fakestore | calls, bare |"
        " calls, fakestore | KiB, bare | KiB, fakestore |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        *(_row(request, times, counted, floor_counted) for request in REQUESTS),
        "",
        "moto has no HEAD here: its answer announces a body, and `requests` ends in IncompleteRead.",
        "",
        "## Every figure and its target",
        "",
        "| topic | figure | measured | target | holds |",
        "|---|---|---:|---|---|",
        *(f"| {each.topic} | {each.name} | {each.shown} | {each.target} | {_verdict(each)} |" for each in figures),
        "",
        f"For comparison: entering and leaving `RequestsMock` takes {activation['RequestsMock']:.2f} ms, `mock_aws`"
        f" {activation['mock_aws']:.2f} ms; importing moto's S3 takes {imports['moto']:.0f} ms on top of `responses`.",
        "",
    ]
    return "\n".join(lines)


def warning(load: float) -> str | None:
    """What is to be said of times that are measured under this load, if anything."""
    cores = os.cpu_count() or 1
    if load <= cores / 2:
        return None
    return f"The machine was busy: load {load:.1f} on {cores} cores before the run. Do not trust its times."


def machine(load: float) -> dict[str, str]:
    """Where it was measured, and with what."""
    packages = ("fakestore", "requests", "urllib3", "responses", "moto")
    cores = f"{os.cpu_count()} cores"
    return {
        "date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
        "machine": f"{_processor()}, {cores}, {platform.system()}; load {load:.1f} before the run",
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": ", ".join(f"{name} {version(name)}" for name in packages),
    }


def _processor() -> str:
    try:
        described = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        described = []
    names = [line.partition(":")[2].strip() for line in described if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _verdict(figure: Figure) -> str:
    if not figure.has_target:
        return "-"
    return "yes" if figure.holds else "**no**"


def _row(request: str, times: Times, counted: dict[str, Counted], floor_counted: dict[str, Counted]) -> str:
    bare, ours = times.of(BARE, request), times.of(FAKESTORE, request)
    ratio = times.ratio(FAKESTORE, BARE, request)
    if request in MOTO.unable:
        moto = "-", "-"
    else:
        moto = f"{times.of(MOTO, request):,.0f}", f"{times.ratio(MOTO, FAKESTORE, request):.1f}"
    floor, found = floor_counted[request], counted[request]
    return (
        f"| {request} | {bare:,.0f} | {ours:,.0f} | {ratio:.2f} | {moto[0]} | {moto[1]} |"
        f" {floor.calls:,} | {found.calls:,} ({found.own}) | {floor.memory / 1024:.1f} | {found.memory / 1024:.1f} |"
    )


def chart(times: Times) -> str:
    """The table of requests as bars, in SVG."""
    left, top, bar, gap, width = 90, 66, 16, 18, 720
    shown = {
        (contender.name, request): times.of(contender, request)
        for request in REQUESTS
        for contender in (BARE, FAKESTORE, MOTO)
        if request not in contender.unable
    }
    scale = (width - left - 90) / max(shown.values())
    parts = []
    y = top
    for request in REQUESTS:
        present = [contender for contender in (BARE, FAKESTORE, MOTO) if request not in contender.unable]
        middle = y + len(present) * bar / 2 + 5
        parts.append(_text(left - 12, middle, request, anchor="end", weight="600"))
        for contender in present:
            microseconds = shown[contender.name, request]
            length = max(2.0, microseconds * scale)
            colour = _COLOURS[contender.name]
            parts.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{bar - 2}" rx="2" fill="{colour}"/>')
            parts.append(_text(left + length + 6, y + 11, f"{microseconds:,.0f}", size=11, fill="#52514e"))
            y += bar
        y += gap
    legend_x = left
    for contender in (BARE, FAKESTORE, MOTO):
        parts.append(f'<rect x="{legend_x}" y="38" width="12" height="12" rx="2" fill="{_COLOURS[contender.name]}"/>')
        parts.append(_text(legend_x + 18, 48, contender.name, size=12))
        legend_x += 130 if contender is BARE else 100
    height = y + 4
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            ' font-family="system-ui, sans-serif" role="img" aria-label="Microseconds for a request, by contender">',
            f'<rect width="{width}" height="{height}" rx="8" fill="#fcfcfb"/>',
            _text(left, 24, "Microseconds for a request of 1 KiB (less is better)", size=14, weight="600"),
            *parts,
            "</svg>",
            "",
        ]
    )


def _text(
    x: float, y: float, text: str, *, anchor: str = "start", size: int = 13, weight: str = "400", fill: str = "#0b0b0b"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" font-weight="{weight}" fill="{fill}"'
        f' text-anchor="{anchor}">{escape(text)}</text>'
    )
