"""A Varlink server on a Unix socket, in a thread: stands for journald."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

Answer = Callable[[socket.socket, threading.Event], None]


class Server:
    """calls: the messages that came in, without their NUL."""

    def __init__(self) -> None:
        self.calls: list[bytes] = []


def say(reply: bytes, *, piece: int = 0) -> Answer:
    """Answer with some bytes, whole or piece by piece."""

    def answer(connection: socket.socket, stop: threading.Event) -> None:
        step = piece or len(reply) or 1
        for at in range(0, len(reply), step):
            connection.sendall(reply[at : at + step])

    return answer


def endless(connection: socket.socket, stop: threading.Event) -> None:
    """A reply that never ends, as fast as it is taken."""
    while not stop.is_set():
        connection.sendall(b'"' * 4_096)


def dripping(connection: socket.socket, stop: threading.Event) -> None:
    """A reply that never ends, a byte now and then."""
    while not stop.wait(0.02):
        connection.sendall(b" ")


def silent(connection: socket.socket, stop: threading.Event) -> None:
    """No reply."""
    stop.wait(30)


@contextmanager
def serving(path: Path, answer: Answer | None = None) -> Iterator[Server]:
    """Listen at path until the block ends; by default every call is answered well."""
    answer = answer or say(b'{"parameters":{}}\0')
    server, stop = Server(), threading.Event()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen()
        listener.settimeout(0.05)

        def work() -> None:
            while not stop.is_set():
                try:
                    connection, _ = listener.accept()
                except TimeoutError:
                    continue
                with connection:
                    connection.settimeout(5)
                    call = b""
                    try:
                        while not call.endswith(b"\0") and (piece := connection.recv(4_096)):
                            call += piece
                        server.calls.append(call[:-1])
                        answer(connection, stop)
                    except OSError:
                        continue

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            stop.set()
            thread.join(10)
