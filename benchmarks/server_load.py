"""The server under load, beside moto_server: ``python -m benchmarks.server_load``.

Each server is a process of its own, which is started anew for each row. The clients are threads of this process, which
send plain HTTP, so that their own time is small and the same for both.
"""

from __future__ import annotations

import argparse
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from email.utils import formatdate
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.counting import MIB

FAKESTORE, MOTO = "fakestore", "moto_server"
BUCKET = "/photos"
CONTENT = b"meow" * 2560
_PIECE = bytes(MIB)
#: How long a client waits for an answer before it counts as hanging, in seconds.
_PATIENCE = 60.0
MALFORMED = (
    b"GET\r\n\r\n",
    b"GET / HTTP/3.0\r\n\r\n",
    b"GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
    b"PUT /photos/a HTTP/1.1\r\nHost: a\r\nContent-Length: four\r\n\r\nmeow",
    b"PUT /photos/a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(40) + b"\n\n",
    bytes(range(1, 256)) + b"\r\n\r\n",
)


class Result(NamedTuple):
    """What a server did in a row of the table.

    Args:
        seconds: How long it took, by which the servers are compared.
        lost: How many requests had no answer or a wrong one.
        notes: Further figures.
    """

    seconds: float
    lost: int
    notes: str = ""


class Server(NamedTuple):
    """A running server."""

    port: int
    process: subprocess.Popen[bytes]

    def connect(self) -> HTTPConnection:
        """Return a connection, which is opened by its first request."""
        return HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE)

    def peak(self) -> int:
        """Return the largest memory that the process has had, in MiB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) // 1024


@contextmanager
def started(name: str) -> Iterator[Server]:
    """Start a server with an empty bucket."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    fakestore = ["fakestore", "serve", "--dialect", "s3", "--any-access-key", "--port", str(port)]
    command = fakestore if name == FAKESTORE else ["moto.server", "-p", str(port)]
    quiet = subprocess.DEVNULL
    with subprocess.Popen([sys.executable, "-m", *command], stdout=quiet, stderr=quiet) as process:
        server = Server(port, process)
        try:
            _create_bucket(server)
            yield server
        finally:
            process.kill()


def _create_bucket(server: Server) -> None:
    for _ in range(200):
        with suppress(OSError):
            send(server.connect(), "PUT", BUCKET, b"")
            return
        time.sleep(0.1)
    raise TimeoutError("the server does not answer")


def signed() -> dict[str, str]:
    """Return headers that both servers accept."""
    return {"Authorization": "AWS any:signature", "Date": formatdate(usegmt=True), "Connection": "keep-alive"}


def send(connection: HTTPConnection, method: str, path: str, body: bytes | None = None) -> bytes:
    """Send a request and return the body of the answer.

    Raises:
        OSError: If the server does not answer, or answers with an error.
    """
    connection.request(method, path, body, signed())
    try:
        response = connection.getresponse()
        content = response.read()
    except HTTPException as error:
        raise OSError(error) from None
    if response.status != 200:
        raise OSError(f"{response.status} {content[:200]!r}")
    return content


# -- the rows


def many_clients(server: Server, clients: int = 64, rounds: int = 25) -> Result:
    """Let clients put and get objects at the same time, each on a connection of its own."""

    def work(number: int) -> int:
        connection, lost = server.connect(), 0
        for index in range(rounds):
            path = f"{BUCKET}/{number}/{index}"
            try:
                send(connection, "PUT", path, CONTENT)
                lost += send(connection, "GET", path) != CONTENT
            except OSError:
                lost += 1
                connection.close()
        connection.close()
        return lost

    begun = time.monotonic()
    with ThreadPoolExecutor(clients) as pool:
        lost = sum(pool.map(work, range(clients)))
    seconds = time.monotonic() - begun
    return Result(seconds, lost, f"{2 * clients * rounds / seconds:,.0f} requests/s")


def kept_alive(server: Server, connections: int = 1000, rounds: int = 3) -> Result:
    """Send a few requests on each of many connections, which all stay open."""
    opened = [server.connect() for _ in range(connections)]
    kept = 0

    def work(connection: HTTPConnection) -> int:
        nonlocal kept
        before = connection.sock
        try:
            send(connection, "GET", f"{BUCKET}/cat")
        except OSError:
            connection.close()
            return 1
        kept += before is not None and before is connection.sock
        return 0

    send(server.connect(), "PUT", f"{BUCKET}/cat", CONTENT)
    begun = time.monotonic()
    with ThreadPoolExecutor(32) as pool:
        lost = sum(sum(pool.map(work, opened)) for _ in range(rounds))
    seconds = time.monotonic() - begun
    for connection in opened:
        connection.close()
    return Result(seconds, lost, f"{kept:,} of them on an open connection, peak {server.peak():,} MiB")


def large(server: Server, size: int) -> tuple[Result, Result]:
    """Upload an object and download it."""
    connection = server.connect()
    begun, before = time.monotonic(), server.peak()
    lost = 0
    try:
        pieces = (_PIECE for _ in range(size // MIB))
        connection.request("PUT", f"{BUCKET}/large", pieces, {**signed(), "Content-Length": str(size)})
        response = connection.getresponse()
        response.read()
        lost = response.status != 200
    except OSError:
        lost = 1
    up = Result(time.monotonic() - begun, lost, f"memory {before:,} -> {(uploaded := server.peak()):,} MiB")
    begun, received = time.monotonic(), 0
    connection = server.connect()
    with suppress(OSError):
        connection.request("GET", f"{BUCKET}/large", None, signed())
        response = connection.getresponse()
        while count := len(response.read(MIB)):
            received += count
    down = Result(time.monotonic() - begun, received != size, f"memory {uploaded:,} -> {server.peak():,} MiB")
    return up, down


def slow_clients(server: Server, clients: int = 400, requests: int = 500) -> Result:
    """Send requests while other clients are stuck inside headers or bodies."""
    send(server.connect(), "PUT", f"{BUCKET}/cat", CONTENT)
    head = "".join(f"{name}: {value}\r\n" for name, value in signed().items())
    body = f"PUT {BUCKET}/slow HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n{head}Content-Length: 9\r\n\r\nme".encode()
    times, lost = [], 0
    with ExitStack() as stack:
        for number in range(clients):
            stuck = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=_PATIENCE))
            stuck.sendall(body if number % 2 else body[:20])
        for _ in range(requests):
            begun = time.monotonic()
            try:
                send(server.connect(), "GET", f"{BUCKET}/cat")
            except OSError:
                lost += 1
            times.append(time.monotonic() - begun)
    notes = f"median {median(times) * 1000:.1f} ms, longest {max(times) * 1000:,.0f} ms"
    return Result(sum(times), lost, notes)


def malformed(server: Server, rounds: int = 125) -> Result:
    """Send requests that are not HTTP. Each must have an answer or an end soon, and no later request may suffer."""
    begun, hanging, failed = time.monotonic(), 0, 0
    for _ in range(rounds):
        for sent in MALFORMED:
            with socket.create_connection(("127.0.0.1", server.port), timeout=2) as connection:
                connection.sendall(sent.replace(b"Host: a", b"Host: 127.0.0.1:%d" % server.port))
                with suppress(ConnectionError):
                    try:
                        response = HTTPResponse(connection)
                        response.begin()
                        failed += response.status == 500
                    except TimeoutError:
                        hanging += 1
                    except HTTPException:
                        pass
        if hanging > len(MALFORMED):
            break
    seconds = time.monotonic() - begun
    lost = hanging
    try:
        send(server.connect(), "PUT", f"{BUCKET}/cat", CONTENT)
    except OSError:
        lost += 1
    return Result(seconds, lost, f"{hanging} without an answer, {failed} answered 500")


# -- the table

ROWS: dict[str, Callable[[Server], Result]] = {
    "64 clients, 3,200 PUT and GET": many_clients,
    "1,000 connections, 3,000 GET": kept_alive,
    "500 GET beside 400 stuck clients": slow_clients,
    "1,000 malformed requests": malformed,
}


def measure(names: tuple[str, ...], size: int, rounds: int) -> Iterator[tuple[str, dict[str, Result]]]:
    """Yield each row: what it is, and the fastest of its results for each server. The servers run in turns."""
    for row, run in ROWS.items():
        results: dict[str, list[Result]] = {name: [] for name in names}
        for _ in range(rounds):
            for name in names:
                with started(name) as server:
                    results[name].append(run(server))
        yield row, {name: _fastest(each) for name, each in results.items()}
    pairs: dict[str, list[tuple[Result, Result]]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            with started(name) as server:
                pairs[name].append(large(server, size))
    for number, direction in enumerate(("up", "down")):
        results = {name: [pair[number] for pair in each] for name, each in pairs.items()}
        yield f"{size // MIB:,} MiB {direction}", {name: _fastest(each) for name, each in results.items()}


def _fastest(results: list[Result]) -> Result:
    """Return the fastest result, with the requests that were lost in any."""
    return min(results)._replace(lost=sum(each.lost for each in results))


def main() -> int:
    """Print the table, and return 1 if fakestore lost a request or was slower."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1024, help="the size of the large object in MiB (default: 1024)")
    parser.add_argument("--rounds", type=int, default=3, help="how often each row is measured (default: 3)")
    parser.add_argument("--alone", action="store_true", help="measure only fakestore")
    options = parser.parse_args()
    is_good = True
    names = (FAKESTORE,) if options.alone else (FAKESTORE, MOTO)
    for row, results in measure(names, options.size * MIB, options.rounds):
        print(row)
        for name, result in results.items():
            print(f"  {name:12} {result.seconds:8.2f} s   lost {result.lost:<6} {result.notes}", flush=True)
        own = results[FAKESTORE]
        is_good &= own.lost == 0 and own.seconds == min(each.seconds for each in results.values())
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
