"""The results as a page and a chart."""

from __future__ import annotations

import datetime
import os
import platform
from importlib.metadata import version
from pathlib import Path
from xml.sax.saxutils import escape

from benchmarks import boto3_side_by_side, whole_test
from benchmarks.boto3_side_by_side import Boto3Times
from benchmarks.contenders import BARE, FAKESTORE, MOTO, REQUESTS
from benchmarks.figure import Figure
from benchmarks.requests_side_by_side import Counted, Times

_COLOURS = {FAKESTORE.name: "#2a78d6", BARE.name: "#a8a7a0", MOTO.name: "#e07b39"}


_PAGE = """\
# The cost of fakestore

`make bench` writes this page. It measures three contenders in turns, in one run:

- *fakestore*, with authentication, access control and journal;
- the *bare callback*: a `responses` callback with a dictionary and MD5. No fake of this kind can cost less;
- *moto*.

{met} of {targets} of our own targets are met.

{warning}![Microseconds per request, by contender](chart.svg)

## Environment

{environment}

## One request

Each request has a body of 1 KiB, uses one `requests.Session`, and has a fixed Authorization header.

- Times are in microseconds: the median of the minima of all rounds. Other work of the machine adds time,
  so the minimum of a round is the time without interruption. `requests` reads all environment variables for
  each request, whichever the contender. With fewer variables, the ratios to the bare callback and to moto are
  both larger.
- Calls are calls of Python functions for one request, with those of fakestore's own code in brackets. The
  session ignores environment variables, because their number changes the number of calls.
- KiB is the peak of the memory that a request allocates, including what the store keeps.

Calls and memory do not depend on the speed of the machine.

| request | bare callback | fakestore | fakestore to bare | moto | moto to fakestore |\
 calls, bare | calls, fakestore | KiB, bare | KiB, fakestore |
|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|
{requests}

HEAD is not measured for moto: it announces a body that it does not send, so `requests` raises an error.

## A whole test with boto3

A test enters the fake, makes a client and a bucket, sends 5 PUT, 5 GET and a listing, and leaves the fake. Times are in
milliseconds, as above. With `boto3.client`, the application uses the default session of boto3. With
`boto3.Session().client`, it makes a session in each test, which reads the description of S3 again.

| client | boto3 alone | fakestore | boto3's part | moto | moto to fakestore |
|---|---:|---:|---:|---:|---:|
{tests}

## One request of boto3

Each request has a body of 1 KiB, or lists a page of 100 keys. Times are in microseconds, as above. *boto3
alone* is the time without a fake: boto3 makes and signs the request, sends it through urllib3 and reads a
response that is ready at once. fakestore cannot make this part faster. moto
answers before botocore calls urllib3, so its times do not include urllib3.

| request | boto3 alone | fakestore | boto3's part | moto | moto to fakestore |
|---|---:|---:|---:|---:|---:|
{boto3}

## Every figure and its target

"A to B" is the ratio of A to B, for example of the calls with 20,000 entries to those with 200. *Left* is the
memory that is still allocated at the end.

| topic | figure | measured | target | met |
|---|---|---:|---|---|
{figures}

For comparison, entering and leaving `RequestsMock` takes {activation[RequestsMock]:.2f} ms, `mock_aws`\
 {activation[mock_aws]:.2f} ms; importing moto's S3 adds {imports[moto]:.0f} ms to the import of `responses`.
"""


def page(
    figures: list[Figure],
    times: Times,
    boto3_times: Boto3Times,
    test_times: whole_test.Times,
    own_counts: dict[str, Counted],
    bare_counts: dict[str, Counted],
    activation: dict[str, float],
    imports: dict[str, float],
    load: float,
) -> str:
    """Return the page in Markdown. ``load`` is the load of the machine before the measurement."""
    with_target = [figure for figure in figures if figure.has_target]
    warning = load_warning(load)
    return _PAGE.format(
        met=sum(figure.is_met for figure in with_target),
        targets=len(with_target),
        warning=f"**{warning}**\n\n" if warning else "",
        environment="\n".join(f"- {name}: {value}" for name, value in machine(load).items()),
        requests="\n".join(_row(request, times, own_counts, bare_counts) for request in REQUESTS),
        tests="\n".join(_test_row(client, by_contender) for client, by_contender in test_times.items()),
        boto3="\n".join(_boto3_row(request, boto3_times) for request in boto3_side_by_side.REQUESTS),
        figures="\n".join(
            f"| {each.topic} | {each.name} | {each.shown} | {each.target} | {_verdict(each)} |" for each in figures
        ),
        activation=activation,
        imports=imports,
    )


def load_warning(load: float) -> str | None:
    """Return a warning if the machine is too busy for times to be reliable."""
    cores = os.cpu_count() or 1
    if load <= cores / 2:
        return None
    return f"The load was {load:.1f} on {cores} cores before the run, so the times are not reliable."


def machine(load: float) -> dict[str, str]:
    """Return the date, the machine and the versions of the packages."""
    packages = ("fakestore", "requests", "urllib3", "responses", "boto3", "moto")
    cores = f"{os.cpu_count()} cores"
    return {
        "date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
        "machine": f"{_processor()}, {cores}, {platform.system()}; load {load:.1f} before the run",
        "environment variables": str(len(os.environ)),
        "Python": f"{platform.python_implementation()} {platform.python_version()}",
        "packages": ", ".join(f"{name} {version(name)}" for name in packages),
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _verdict(figure: Figure) -> str:
    if not figure.has_target:
        return "-"
    return "yes" if figure.is_met else "**no**"


def _row(request: str, times: Times, own_counts: dict[str, Counted], bare_counts: dict[str, Counted]) -> str:
    bare, ours = times.of(BARE, request), times.of(FAKESTORE, request)
    ratio = times.ratio(FAKESTORE, BARE, request)
    if request in MOTO.unable:
        moto = "-", "-"
    else:
        moto = f"{times.of(MOTO, request):,.0f}", f"{times.ratio(MOTO, FAKESTORE, request):.1f}"
    theirs, counted = bare_counts[request], own_counts[request]
    return (
        f"| {request} | {bare:,.0f} | {ours:,.0f} | {ratio:.2f} | {moto[0]} | {moto[1]} |"
        f" {theirs.calls:,} | {counted.calls:,} ({counted.own}) | {theirs.memory / 1024:.1f} |"
        f" {counted.memory / 1024:.1f} |"
    )


def _boto3_row(request: str, times: Boto3Times) -> str:
    alone, ours, moto = (
        times.of(contender, request)
        for contender in (boto3_side_by_side.ALONE, boto3_side_by_side.FAKESTORE, boto3_side_by_side.MOTO)
    )
    share, gain = times.share(request), times.gain(request)
    return f"| {request} | {alone:,.0f} | {ours:,.0f} | {share:.0%} | {moto:,.0f} | {gain:.1f} |"


def _test_row(client: str, times: dict[str, float]) -> str:
    alone, ours, moto = (
        times[contender]
        for contender in (boto3_side_by_side.ALONE, boto3_side_by_side.FAKESTORE, boto3_side_by_side.MOTO)
    )
    return f"| `{client}` | {alone:.1f} | {ours:.1f} | {alone / ours:.0%} | {moto:.1f} | {moto / ours:.1f} |"


def chart(times: Times) -> str:
    """Return the times of requests as a bar chart in SVG."""
    left, top, bar, gap, width = 90, 66, 16, 18, 720
    bars = {
        (contender.name, request): times.of(contender, request)
        for request in REQUESTS
        for contender in (BARE, FAKESTORE, MOTO)
        if request not in contender.unable
    }
    scale = (width - left - 90) / max(bars.values())
    parts = []
    y = top
    for request in REQUESTS:
        present = [contender for contender in (BARE, FAKESTORE, MOTO) if request not in contender.unable]
        middle = y + len(present) * bar / 2 + 5
        parts.append(_text(left - 12, middle, request, anchor="end", weight="600"))
        for contender in present:
            microseconds = bars[contender.name, request]
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
            ' font-family="system-ui, sans-serif" role="img" aria-label="Microseconds per request, by contender">',
            f'<rect width="{width}" height="{height}" rx="8" fill="#fcfcfb"/>',
            _text(left, 24, "Microseconds per request of 1 KiB (less is better)", size=14, weight="600"),
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
