#!/usr/bin/env python3
"""A device for `kane haptics --device udp:PORT`: the reference for programs that drive a real one.

    kane haptics models/shopping_cart.yaml --device udp:5005 --key secret.key --duration 10
    python3 examples/haptic_device.py --port 5005 --key secret.key --axes 3 --seconds 10

It needs Python's standard library only. A simulated hand moves every axis; put your device's driver in its place (class
Hand: sense() and display()). docs/haptics-link.md describes the packets and why the account of energy is kept here."""

import argparse
import hashlib
import hmac
import math
import os
import socket
import struct
import time

TAG = 16


def sign(key, message):
    return hmac.new(key, message, hashlib.sha256).digest()


class Port:
    """One axis: of all forces that take out no more energy than came in, the one nearest to the wanted one.

    A force f (opposed to the motion) is held for a tick, so its work is exactly f (x_next - x). It is predicted with the
    mass m: x_next - x = T v - c f with c = T^2 / (2 m)."""

    def __init__(self, period, mass, stored, max_force):
        self.period, self.give, self.stored = period, period**2 / (2 * mass), stored
        self.limit = max_force if max_force > 0 else math.inf
        self.came_in = self.went_out = self.least = 0.0
        self.flow, self.last = 0.0, None

    def show(self, x, v, wanted, returned):
        """`wanted`: the force received; `returned`: what the model gave back so far, loan included."""
        if self.last is not None:
            work = self.flow * (x - self.last)
            self.came_in += max(work, 0.0)
            self.went_out += max(-work, 0.0)
            self.least = min(self.least, self.came_in - self.went_out)
        self.last = x
        store = min(self.came_in - self.went_out + self.stored, max(0.0, returned - self.went_out))
        ahead, c = self.period * v, self.give
        root = math.sqrt(max(0.0, ahead * ahead + 4 * c * store))
        flow = min(max(-wanted, (ahead - root) / (2 * c)), (ahead + root) / (2 * c))
        self.flow = min(max(flow, -self.limit), self.limit)
        return -self.flow


class Link:
    """The device's end: sessions, tags, numbers, and a Port for every axis."""

    def __init__(self, address, key, axes, period, mass):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.connect(address)
        self.socket.setblocking(False)
        self.key, self.axes, self.period, self.mass = key, axes, period, mass
        self.nonce, self.session, self.last_hello = os.urandom(16), None, -1e9
        self.welcomed = False

    def receive(self, t):
        while True:
            try:
                packet = self.socket.recv(2048)
            except (BlockingIOError, ConnectionRefusedError):
                return
            kind, body, tag = packet[:4], packet[:-TAG], packet[-TAG:]
            if kind == b"KHW2" and not self.session and hmac.compare_digest(sign(self.key, body)[:TAG], tag):
                self.take_welcome(body, t)
            elif kind == b"KHF2" and self.session and hmac.compare_digest(sign(self.loop_key, body)[:TAG], tag):
                self.take_force(body, t)

    def take_welcome(self, body, t):
        if struct.unpack_from("<I", body, 4)[0] != self.axes or body[8:24] != self.nonce:
            return
        nonces = body[8:40]
        self.motion, _, _, self.loan = struct.unpack_from("<IIdd", body, 40)
        if self.motion:
            raise SystemExit("this example displays forces; start kane haptics without --display admittance")
        self.session = sign(self.key, b"session" + nonces)[:8]
        self.device_key, self.loop_key = sign(self.key, b"device" + nonces), sign(self.key, b"loop" + nonces)
        self.origin, self.ports = [], []
        for i in range(self.axes):
            origin, stored, max_force = struct.unpack_from("<ddd", body, 64 + 24 * i)
            self.origin.append(origin)
            self.ports.append(Port(self.period, self.mass, stored, max_force))
        self.number = self.heard = 0
        self.loop_time, self.arrival = 0.0, t
        self.force, self.returned = [0.0] * self.axes, [0.0] * self.axes
        self.welcomed = True

    def take_force(self, body, t):
        session, number, loop_time, _ = struct.unpack_from("<8sQdd", body, 8)
        if session != self.session or number <= self.heard:
            return
        self.heard, self.loop_time, self.arrival = number, loop_time, t
        for i in range(self.axes):
            self.force[i], _, self.returned[i] = struct.unpack_from("<ddd", body, 40 + 24 * i)

    def tick(self, t, positions, speeds, sensed):
        """Forces to display until the next tick."""
        self.receive(t)
        if self.session and t - self.arrival > 1:
            self.session, self.nonce = None, os.urandom(16)  # the loop has gone; ask anew
        if not self.session:
            if t - self.last_hello > 0.1:
                self.last_hello = t
                self.send(self.key, struct.pack("<4sI", b"KHH2", self.axes) + self.nonce)
            return [0.0] * self.axes
        heard = t - self.arrival <= 0.1
        shown = [
            port.show(positions[i], speeds[i], self.force[i] if heard else 0.0, self.returned[i] + self.loan)
            for i, port in enumerate(self.ports)
        ]
        self.number += 1
        packet = struct.pack("<4sI8sQdd", b"KHD2", self.axes, self.session, self.number, t, self.loop_time)
        for i, port in enumerate(self.ports):
            packet += struct.pack("<5d", positions[i], speeds[i], sensed[i], port.came_in, port.went_out)
        self.send(self.device_key, packet)
        return shown

    def send(self, key, body):
        try:
            self.socket.send(body + sign(key, body)[:TAG])
        except (BlockingIOError, ConnectionRefusedError):
            pass


class Hand:
    """A mass that a hand pulls along a sine through a spring: in place of a device."""

    def __init__(self, axes, mass, amplitude, frequency):
        self.mass, self.amplitude, self.frequency = mass, amplitude, frequency
        self.x, self.v, self.pull = [0.0] * axes, [0.0] * axes, [0.0] * axes
        self.origin = [0.0] * axes

    def start(self, origin):
        self.origin, self.x = list(origin), list(origin)

    def sense(self):
        return self.x, self.v, self.pull

    def display(self, forces, t, span):
        h = span / 10
        for i, force in enumerate(forces):
            w = 2 * math.pi * self.frequency * (1 + 0.3 * i)
            for k in range(10):
                wanted = self.origin[i] + self.amplitude * math.sin(w * (t + k * h))
                self.pull[i] = 300 * (wanted - self.x[i]) - 4 * self.v[i]
                self.v[i] += h * (force + self.pull[i] - 0.5 * self.v[i]) / self.mass
                self.x[i] += h * self.v[i]


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, required=True)
    options.add_argument("--key", help="the key file that the loop has too")
    options.add_argument("--axes", type=int, default=1)
    options.add_argument("--rate", type=float, default=1000)
    options.add_argument("--mass", type=float, default=0.2, help="apparent mass of an axis, kg")
    options.add_argument("--amplitude", type=float, default=0.05)
    options.add_argument("--frequency", type=float, default=0.5)
    options.add_argument("--seconds", type=float, default=10)
    o = options.parse_args()
    key = open(o.key, "rb").read().rstrip(b" \t\r\n") if o.key else b""
    period = 1 / o.rate
    link = Link((o.host, o.port), key, o.axes, period, o.mass)
    hand = Hand(o.axes, o.mass, o.amplitude, o.frequency)
    begin, started, largest, last = time.monotonic(), False, 0.0, 0.0
    while (t := time.monotonic() - begin) < o.seconds:
        link.receive(t)
        if link.welcomed and not started:
            hand.start(link.origin)
            started = True
        forces = link.tick(t, *hand.sense())
        largest = max(largest, *map(abs, forces))
        time.sleep(max(0.0, (math.floor(t / period) + 1) * period - (time.monotonic() - begin)))
        now = time.monotonic() - begin
        if started:
            hand.display(forces, t, now - t)
    if not link.welcomed:
        raise SystemExit("no answer: is kane haptics running, at this port, with this key and this number of axes?")
    for i, port in enumerate(link.ports):
        print(f"axis {i}: in {port.came_in:.4g} J, out {port.went_out:.4g} J, lowest {port.least:.3g} J")
    print(f"largest force {largest:.4g}")


if __name__ == "__main__":
    main()
