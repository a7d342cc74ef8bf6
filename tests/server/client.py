"""A small client of the workbench: HTTP and WebSocket by hand, so that it can also misbehave."""

import base64
import json
import os
import re
import signal
import socket
import struct
import subprocess
import time


class Served:
    """kane serve, from its first line to its end."""

    def __init__(self, kane, folder, *options):
        begin = time.monotonic()
        self.process = subprocess.Popen([kane, "serve", folder, "--no-browser", *options], stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.start_seconds = time.monotonic() - begin
        found = re.search(r"http://([0-9.]+):(\d+)/(\w+)/", line)
        assert found, f"no address in {line!r}: {self.process.stderr.read() if self.process.poll() is not None else ''}"
        self.host, self.port, self.token = found[1], int(found[2]), found[3]

    def connect(self):
        s = socket.create_connection((self.host, self.port), timeout=8)
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return s

    def request(self, target, host=None, method="GET", headers=()):
        """(status, headers, body) of one request."""
        s = self.connect()
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host or f'{self.host}:{self.port}'}", "Connection: close", *headers]
        s.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        data = b""
        while chunk := s.recv(65536):
            data += chunk
        s.close()
        head, _, body = data.partition(b"\r\n\r\n")
        return int(head.split()[1]), head.decode(errors="replace"), body.decode(errors="replace")

    def get(self, rest, **options):
        return self.request(f"/{self.token}/{rest}", **options)

    def memory(self):
        """Resident memory, MB."""
        with open(f"/proc/{self.process.pid}/status", encoding="utf8") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024

    def alive(self):
        return self.process.poll() is None and self.get("files")[0] == 200

    def interrupt(self):
        """Ctrl-C; returns the exit code."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=10)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


class Page:
    """One WebSocket."""

    def __init__(self, served, token=None, origin=None, host=None, target="live"):
        self.socket = served.connect()
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET /{served.token if token is None else token}/{target} HTTP/1.1", f"Host: {host or f'{served.host}:{served.port}'}",
                 "Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
        if origin:
            lines.append(f"Origin: {origin}")
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.kept = []  # messages that came while frames were waited for
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            chunk = self.socket.recv(4096)
            if not chunk:
                break
            self.buffer += chunk
        head, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        self.status = int(head.split()[1])

    def raw(self, data):
        self.socket.sendall(data)

    def send(self, message, opcode=1):
        data = message if isinstance(message, bytes) else (message if isinstance(message, str) else json.dumps(message)).encode()
        size = len(data)
        head = bytes([0x80 | opcode]) + (bytes([0x80 | size]) if size < 126 else
                                         bytes([0x80 | 126]) + struct.pack(">H", size) if size < 65536 else
                                         bytes([0x80 | 127]) + struct.pack(">Q", size))
        mask = os.urandom(4)
        repeated = (mask * (size // 4 + 1))[:size]
        self.socket.sendall(head + mask + (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(size, "big"))

    def take(self, count):
        while len(self.buffer) < count:
            chunk = self.socket.recv(1 << 20)
            if not chunk:
                raise ConnectionError("closed")
            self.buffer += chunk
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def receive(self):
        """(opcode, bytes) of the next message, pings answered."""
        whole = b""
        while True:
            first, second = self.take(2)
            size = second & 127
            if size == 126:
                size, = struct.unpack(">H", self.take(2))
            elif size == 127:
                size, = struct.unpack(">Q", self.take(8))
            data = self.take(size)
            opcode = first & 15
            if opcode == 9:
                self.send(data, 10)
                continue
            if opcode == 8:
                raise ConnectionError("closed")
            whole += data
            if opcode:
                kind = opcode
            if first & 128:
                return kind, whole

    def until(self, wanted, seconds=20):
        """The next JSON message of a type."""
        for message in self.kept:
            if message["type"] == wanted:
                self.kept.remove(message)
                return message
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            kind, data = self.receive()
            if kind == 1:
                message = json.loads(data)
                if message["type"] == wanted:
                    return message
        raise TimeoutError(wanted)

    def frame(self, version=None):
        """The next frame: version, t, pace, force, energy at the port, flags, state, row."""
        end = time.monotonic() + 20
        while True:
            if time.monotonic() > end:
                raise TimeoutError("no frame")
            kind, data = self.receive()
            if kind != 2:
                self.kept.append(json.loads(data))
                continue
            magic, number = struct.unpack_from("<II", data, 0)
            assert magic == 0x314E414B
            t, pace, force, energy, residual = struct.unpack_from("<5d", data, 8)
            flags, states, row = struct.unpack_from("<3I", data, 48)
            numbers = struct.unpack_from(f"<{states + row}d", data, 64)
            if version is None or number == version:
                return dict(version=number, t=t, pace=pace, force=force, energy=energy, residual=residual, flags=flags & 0xFF, mark=flags >> 8,
                            state=numbers[:states], row=numbers[states:])

    def open(self, path):
        self.send({"type": "open", "path": path})
        model = self.until("model")
        self.send({"type": "play", "on": True})
        return model

    def close(self):
        self.socket.close()
