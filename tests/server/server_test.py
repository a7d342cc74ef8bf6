"""kane serve: server_test.py KANE MODELS"""

import json
import math
import os
import random
import resource
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from client import Page, Served

KANE, MODELS = sys.argv.pop(1), sys.argv.pop(1)


class Server(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.served = Served(KANE, MODELS)

    @classmethod
    def tearDownClass(cls):
        cls.code = cls.served.interrupt()
        assert cls.code == 130, f"Ctrl-C ended it with {cls.code}"

    # ---- who may enter ----------------------------------------------------------------------------------------------------------
    def test_token(self):
        s = self.served
        self.assertEqual(s.get("")[0], 200)
        for target in ["/", "/x/", "/files", f"/{s.token[:-1]}/", f"/{s.token}x/", "//", f"/{s.token.upper()}A/", f"/?token={s.token}"]:
            self.assertEqual(s.request(target)[0], 403, target)
        self.assertEqual(Page(s, token="wrong").status, 403)
        self.assertEqual(Page(s).status, 101)

    def test_host_and_origin(self):
        s = self.served
        for host in ["evil.example", f"evil.example:{s.port}", f"127.0.0.1:{s.port + 1}", "127.0.0.1", ""]:
            self.assertIn(s.get("", host=host or " ")[0], (400, 403), host)
        self.assertEqual(s.get("", host=f"localhost:{s.port}")[0], 200)
        for origin in ["http://evil.example", "null", f"https://127.0.0.1:{s.port}", f"http://127.0.0.1:{s.port}.evil.example"]:
            self.assertEqual(s.get("files", headers=[f"Origin: {origin}"])[0], 403, origin)
            self.assertEqual(Page(s, origin=origin).status, 403, origin)
        self.assertEqual(Page(s, origin=f"http://127.0.0.1:{s.port}").status, 101)

    def test_headers(self):
        _, head, body = self.served.get("")
        policy = next(line for line in head.split("\r\n") if line.lower().startswith("content-security-policy"))
        self.assertIn("script-src 'self';", policy)
        self.assertNotIn("unsafe-eval", policy)
        self.assertNotRegex(body, r"<script(?![^>]*src=)")
        self.assertIn("no-referrer", head)

    def test_paths(self):
        for path in ["../README.md", "%2e%2e/README.md", "..%2f..%2fetc/passwd", "/etc/passwd", "%2fetc%2fpasswd", "x%00.yaml",
                     "../models/fourbar.yaml/../../README.md", "damped_pendulum.csv", "."]:
            self.assertEqual(self.served.get("file/" + path)[0], 404, path)
        self.assertIn("kane: 1", json.loads(self.served.get("file/fourbar.yaml")[2])["text"])
        with tempfile.TemporaryDirectory() as outside, tempfile.TemporaryDirectory() as inside:
            with open(os.path.join(outside, "secret.yaml"), "w", encoding="utf8") as f:
                f.write("kane: 1\nname: secret\n")
            os.symlink(os.path.join(outside, "secret.yaml"), os.path.join(inside, "link.yaml"))
            os.symlink(outside, os.path.join(inside, "folder"))
            s = Served(KANE, inside)
            self.assertEqual(json.loads(s.get("files")[2])["files"], [])
            for path in ["link.yaml", "folder/secret.yaml"]:
                self.assertEqual(s.get("file/" + path)[0], 404, path)
            page = Page(s)
            page.send({"type": "open", "path": "link.yaml"})
            self.assertIn("no model file", page.until("note")["message"])
            self.assertEqual(s.interrupt(), 130)

    # ---- bad clients -------------------------------------------------------------------------------------------------------------
    def test_garbage(self):
        rng = random.Random(7)
        for kind in range(30):
            page = Page(self.served)
            try:
                if kind % 3 == 0:
                    page.raw(rng.randbytes(300))
                elif kind % 3 == 1:
                    page.send(rng.randbytes(200), rng.choice([1, 2, 3, 7, 9, 10]))
                else:
                    page.raw(b"\x81\xff" + struct.pack(">Q", 1 << 60) + b"abcd")
            except OSError:
                pass
            page.close()
            s = self.served.connect()
            s.sendall(rng.randbytes(500))
            s.close()
        page = Page(self.served)
        for text in ["", "[]", "{}", "null", '{"type": 7}', '{"type": "dance"}', '{"type": "speed", "value": "fast"}', "[" * 5000,
                     '{"type": "pull", "body": -1, "point": [0,0,0], "target": [0,0,0]}', '{"type":"edit","text":"x"}', '{"type":"open"}',
                     '{"type":"save","path":"a.yaml","text":"x"}']:
            page.send(text)
            kind, data = page.receive()
            while json.loads(data)["type"] == "hello":
                kind, data = page.receive()
            self.assertIn(json.loads(data)["type"], ("note", "unsaved"), text)
        page.send("x" * 2_100_000)
        with self.assertRaises((ConnectionError, OSError)):
            while True:
                page.receive()
        self.assertTrue(self.served.alive())

    def test_many_clients_and_sudden_ends(self):
        pages = [Page(self.served) for _ in range(200)]
        self.assertEqual({p.status for p in pages}, {101})
        for page in pages:
            page.send({"type": "open", "path": "planar2r.yaml"})
        for page in pages[:20] + pages[-20:]:
            page.until("model")
            page.frame()
        for page in pages:
            page.close()
        time.sleep(0.3)
        page = Page(self.served)
        page.open("planar2r.yaml")
        self.assertGreater(page.frame()["t"], -1)
        page.close()
        self.assertTrue(self.served.alive())

    def test_slow_reader_slows_nobody(self):
        slow, quick = Page(self.served), Page(self.served)
        slow.open("fourbar.yaml")
        quick.open("fourbar.yaml")
        slow.send({"type": "reset"})
        time.sleep(3)  # nothing is read from `slow`
        begin = time.monotonic()
        while time.monotonic() - begin < 0.5:  # what has piled up meanwhile
            first = last = quick.frame()["t"]
        begin = time.monotonic()
        while time.monotonic() - begin < 1:
            last = quick.frame()["t"]
        self.assertGreater(last - first, 0.5)
        slow.close()
        quick.close()

    def test_out_of_files(self):
        """More connections than the system lets it open take no processor, and it goes on when they have gone."""
        s = Served(KANE, MODELS)
        pid = s.process.pid
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (30, 30))
        many = [s.connect() for _ in range(60)]

        def used():
            with open(f"/proc/{pid}/stat", encoding="ascii") as f:
                parts = f.read().rsplit(") ", 1)[1].split()
            return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")

        before = used()
        time.sleep(0.7)
        self.assertLess(used() - before, 0.2)
        for one in many:
            one.close()
        time.sleep(0.3)
        page = Page(s)
        self.assertEqual(page.status, 101)
        page.close()
        self.assertEqual(s.interrupt(), 130)

    def test_token_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "token")
            first = Served(KANE, MODELS, "--token-file", file)
            self.assertEqual(os.stat(file).st_mode & 0o777, 0o600)
            port = first.port
            first.interrupt()
            again = Served(KANE, MODELS, "--token-file", file, "--port", str(port))
            self.assertEqual(again.token, first.token)
            self.assertEqual(Page(again).status, 101)
            again.interrupt()
            other = Served(KANE, MODELS)
            self.assertNotEqual(other.token, first.token)
            other.interrupt()
            os.chmod(file, 0o644)
            for wrong, why in [(None, "others may read"), ("short", "does not have a token"), ("../" * 11, "does not have a token")]:
                if wrong is not None:
                    with open(file, "w", encoding="utf8") as f:
                        f.write(wrong)
                    os.chmod(file, 0o600)
                run = subprocess.run([KANE, "serve", MODELS, "--no-browser", "--token-file", file], capture_output=True, text=True, timeout=20)
                self.assertNotEqual(run.returncode, 0)
                self.assertIn(why, run.stderr)

    def test_limit_of_models(self):
        s = Served(KANE, MODELS)
        names = [f["path"] for f in json.loads(s.get("files")[2])["files"] if f["path"].endswith(".yaml")][:17]
        pages = []
        for name in names[:16]:
            pages.append(Page(s))
            pages[-1].send({"type": "open", "path": name})
        pages.append(Page(s))
        pages[-1].send({"type": "open", "path": names[16]})
        self.assertIn("the limit", pages[-1].until("note")["message"])
        self.assertEqual(s.interrupt(), 130)

    # ---- models ------------------------------------------------------------------------------------------------------------------
    def test_starts_quickly_and_small(self):
        s = Served(KANE, MODELS)
        self.assertLess(s.start_seconds, 1.0)  # 0.1 on a machine with nothing else to do
        page = Page(s)
        page.open("double_pendulum.yaml")
        page.frame()
        self.assertLess(s.memory(), 60)
        self.assertEqual(s.interrupt(), 130)

    def test_moves_as_simulate_does(self):
        page = Page(self.served)
        model = page.open("double_pendulum.yaml")
        page.send({"type": "play", "on": False})
        page.send({"type": "reset"})
        for _ in range(20):
            page.send({"type": "step"})
        frame = page.frame(model["version"])
        while abs(frame["t"] - 0.2) > 1e-9:
            frame = page.frame(model["version"])
        out = subprocess.run([KANE, "simulate", os.path.join(MODELS, "double_pendulum.yaml"), "--until", "0.2", "--tolerance", "1e-11",
                              "--out", "-", "--quiet"], capture_output=True, text=True, check=True).stdout.strip().split("\n")
        expected = [float(x) for x in out[-1].split(",")]
        for k, value in enumerate(frame["state"]):
            self.assertAlmostEqual(value, expected[1 + k], delta=1e-6)
        page.close()

    def test_two_watchers_see_one_run(self):
        a, b = Page(self.served), Page(self.served)
        a.open("npend5.yaml")
        version = b.open("npend5.yaml")["version"]
        a.send({"type": "play", "on": False})
        time.sleep(0.3)
        a.send({"type": "step"})
        end = time.monotonic() + 5
        fa, fb = a.frame(version), b.frame(version)
        while (fa["flags"] & 1 or fb["flags"] & 1 or fa["t"] != fb["t"]) and time.monotonic() < end:
            if fa["t"] < fb["t"] or fa["flags"] & 1:
                fa = a.frame(version)
            else:
                fb = b.frame(version)
        self.assertEqual(fa["state"], fb["state"])
        a.close()
        b.close()

    def test_edit_keeps_the_state_by_name(self):
        page = Page(self.served)
        model = page.open("planar2r.yaml")
        page.send({"type": "play", "on": False})
        page.send({"type": "resume", "t": 1.5, "state": [0.4, -0.7, 0.3, 0.2][:len(model["coordinates"]) + len(model["speeds"])]})
        begin = time.monotonic()
        page.send({"type": "edit", "text": model["text"].replace("name: planar2r", "name: changed")})
        changed = page.until("model")
        self.assertLess(time.monotonic() - begin, 1.0)
        self.assertEqual(changed["name"], "changed")
        self.assertGreater(changed["version"], model["version"])
        frame = page.frame(changed["version"])
        self.assertAlmostEqual(frame["t"], 1.5)
        for got, wanted in zip(frame["state"], [0.4, -0.7, 0.3, 0.2]):
            self.assertAlmostEqual(got, wanted, delta=1e-9)
        blocks = page.until("equations")["blocks"]
        self.assertTrue(any("\\dot{u}_{1}" in row["latex"] for b in blocks if b["kind"] == "formulas" for row in b["rows"]))
        page.close()

    def test_frames_say_after_which_jump_they_are(self):
        """A page that goes back to t = 0.5 tells frames from before that from those after it."""
        page = Page(self.served)
        page.open("planar2r.yaml")
        while page.frame()["t"] < 1:
            pass
        page.send({"type": "resume", "t": 0.5, "state": [0.4, -0.7, 0.3, 0.2], "mark": 77})
        before = page.frame()
        while before["mark"] != 77:
            self.assertGreater(before["t"], 0.9)
            before = page.frame()
        self.assertLess(before["t"], 0.9)
        page.send({"type": "reset", "mark": 2**24 - 1})
        while page.frame()["mark"] != 2**24 - 1:
            pass
        for wrong in (0, 2**24, 1.5, "x"):
            page.send({"type": "reset", "mark": wrong})
            self.assertIn("mark", page.until("note")["message"])
        page.close()

    def test_errors_have_lines_and_the_motion_goes_on(self):
        page = Page(self.served)
        model = page.open("cartpole.yaml")
        lines = model["text"].split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith("gravity"))
        lines[at] = "gravitty: -g*N.y"
        page.send({"type": "edit", "text": "\n".join(lines)})
        error = page.until("error")
        self.assertEqual(error["line"], at + 1)
        self.assertGreater(error["column"], 0)
        self.assertIn("gravity", error["message"])
        first = page.frame(model["version"])["t"]
        time.sleep(0.3)
        self.assertGreater(page.frame(model["version"])["t"], first)
        page.close()

    def test_parameters(self):
        page = Page(self.served)
        model = page.open("fourbar.yaml")
        names = [p["name"] for p in model["parameters"]]
        page.send({"type": "parameter", "name": "d", "value": 0.75})
        self.assertEqual(page.until("values")["values"][names.index("d")], 0.75)
        page.send({"type": "parameter", "name": "d", "value": 5})  # farther than the bars reach
        self.assertIn("message", page.until("refused"))
        page.send({"type": "parameter", "name": "nobody", "value": 1})
        self.assertIn("nobody", page.until("refused")["message"])
        self.assertGreater(page.frame()["t"], -1)
        page.close()

    def test_analysis(self):
        page = Page(self.served)
        page.open("cartpole.yaml")
        page.send({"type": "analyse"})
        self.assertIn("type", page.until("analysis"))
        page.close()

    def mass_of(self, page, model, state):
        """The mass matrix of double_pendulum at a state, from the entries that a page reads."""
        page.send({"type": "derive", "speeds": "model", "steps": [8]})
        entries = page.until("equations")["mass"]["entries"]
        values = {p["name"]: p["value"] for p in model["parameters"]}
        values.update(zip(model["coordinates"] + model["speeds"], state), sin=math.sin, cos=math.cos)
        return [[eval(entry["text"].replace("^", "**"), {"__builtins__": {}}, values) for entry in row] for row in entries]

    def test_other_speeds_give_other_equations(self):
        page = Page(self.served)
        model = page.open("double_pendulum.yaml")
        page.until("equations")
        # The kinetic energy of the picture comes from velocities; that of the mass matrix must agree.
        page.send({"type": "play", "on": False})
        page.send({"type": "resume", "t": 0, "state": [0.3, -0.8, 1.1, 0.7]})
        frame = page.frame(model["version"])
        while frame["state"][:2] != (0.3, -0.8):
            frame = page.frame(model["version"])
        mass, u = self.mass_of(page, model, frame["state"]), frame["state"][2:]
        energy = sum(0.5 * u[i] * mass[i][k] * u[k] for i in range(2) for k in range(2))
        self.assertAlmostEqual(energy, frame["row"][model["scene"]["kinetic"]], delta=1e-12)
        counts = {}
        for speeds, extra in [("rates", {}), ("auto", {}), ("own", {"definitions": ["w1 = q1'", "w2 = q1' + q2'"]})]:
            page.send({"type": "derive", "speeds": speeds, "steps": [8], **extra})
            answer = page.until("equations")
            self.assertEqual(answer["speeds"], speeds)
            self.assertNotIn("message", answer)
            counts[speeds] = answer["operations"]
            self.assertGreater(answer["operations_before"], 0)
            self.assertTrue(answer["latex"].startswith("\\documentclass"))
            compile(answer["code"], "code", "exec")
        self.assertLess(counts["own"], counts["rates"])  # absolute angular velocities
        self.assertLessEqual(counts["auto"], counts["rates"])
        for steps in [[], [1], [3, 4], [9]]:
            page.send({"type": "derive", "speeds": "model", "steps": steps})
            answer = page.until("equations")
            self.assertEqual(answer["steps"], steps)
            self.assertTrue(any(b["kind"] == "table" for b in answer["blocks"]) == (steps != [8]), steps)
        for wrong in [{"speeds": "own", "definitions": ["w1"]}, {"speeds": "own", "definitions": ["w1 = nobody'"]},
                      {"speeds": "own"}, {"speeds": "best"}]:
            page.send({"type": "derive", "steps": [8], **wrong})
            self.assertIn("message", page.until("equations"), wrong)
        for wrong in [{"speeds": 3, "steps": []}, {"speeds": "auto"}, {"speeds": "auto", "steps": [10]}, {"speeds": "auto", "steps": ["x"]},
                      {"speeds": "own", "definitions": [1], "steps": []}]:
            page.send({"type": "derive", **wrong})
            self.assertIn("message", page.until("note"), wrong)
        page.close()

    def test_joints_are_locked_while_it_runs(self):
        page = Page(self.served)
        model = page.open("double_pendulum.yaml")
        page.until("equations")
        joints = {j["name"]: j for j in model["scene"]["joints"]}
        self.assertEqual({j["kind"] for j in joints.values()}, {"revolute"})
        elbow = list(joints)[1]
        page.send({"type": "play", "on": False})
        page.send({"type": "resume", "t": 0, "state": [0.3, -0.8, 1.1, 0.7]})
        while page.frame(model["version"])["state"][:2] != (0.3, -0.8):
            pass
        mass = self.mass_of(page, model, [0.3, -0.8, 1.1, 0.7])
        page.send({"type": "lock", "name": elbow, "on": True})
        locked = page.until("model")
        while page.until("locks")["locked"] != [elbow]:
            pass
        state = page.frame(locked["version"])["state"]
        # The impulse acts in the elbow alone, so the generalized momentum of the pivot stays.
        after = (mass[0][0] * 1.1 + mass[0][1] * 0.7) / mass[0][0]
        for got, wanted in zip(state, [0.3, -0.8, after, 0]):
            self.assertAlmostEqual(got, wanted, delta=1e-9)
        page.send({"type": "play", "on": True})
        time.sleep(0.5)
        for _ in range(20):
            frame = page.frame(locked["version"])
        self.assertAlmostEqual(frame["state"][1], -0.8, delta=1e-9)
        self.assertGreater(abs(frame["state"][0] - 0.3), 0.05)
        page.send({"type": "lock", "name": elbow, "on": False})
        free = page.until("model")
        time.sleep(0.5)
        for _ in range(20):
            frame = page.frame(free["version"])
        self.assertGreater(abs(frame["state"][1] + 0.8), 1e-3)
        page.send({"type": "lock", "name": "nobody", "on": True})
        self.assertEqual(page.until("locks")["locked"], [])
        page.close()

    def test_constraints_are_released_while_it_runs(self):
        page = Page(self.served)
        page.open("fourbar.yaml")
        self.assertEqual(page.until("locks")["constraints"], [{"name": "loop", "on": True}])
        gap = lambda f: abs(0.3 * math.cos(f["state"][0]) + 0.9 * math.cos(f["state"][1]) - 0.7 * math.cos(f["state"][2]) - 0.8)
        page.send({"type": "impose", "name": "loop", "on": False})
        open_model = page.until("model")
        time.sleep(0.4)
        for _ in range(20):
            frame = page.frame(open_model["version"])
        self.assertGreater(gap(frame), 1e-2)
        page.send({"type": "impose", "name": "loop", "on": True})  # closed again, from where it is
        closed = page.until("model")
        frame = page.frame(closed["version"])
        self.assertLess(gap(frame), 1e-8)
        page.close()

    def test_pull_follows_and_is_passive(self):
        page = Page(self.served)
        model = page.open("double_pendulum.yaml")
        page.send({"type": "parameter", "name": "b", "value": 0.3})
        body = model["scene"]["bodies"][0]
        page.send({"type": "reset"})
        frame = page.frame(model["version"])
        place = lambda f: [f["row"][body["com"] + k] for k in range(3)]
        turn = [frame["row"][body["rotation"] + k] for k in range(9)]
        arm = [a - o for a, o in zip(place(frame), [frame["row"][body["origin"] + k] for k in range(3)])]
        point = [sum(turn[3 * k + j] * arm[k] for k in range(3)) for j in range(3)]
        radius = math.hypot(*arm)
        pivot = [frame["row"][body["origin"] + k] for k in range(3)]
        target = [pivot[0] + 0.8 * radius, pivot[1] - 0.6 * radius, pivot[2]]
        energies, begin = [], time.monotonic()
        while time.monotonic() - begin < 4:
            page.send({"type": "pull", "body": 0, "point": point, "target": target})
            frame = page.frame(model["version"])
            if frame["flags"] & 4:
                energies.append(frame["energy"])
        distance = math.dist(place(frame), target)
        self.assertLess(distance, 0.35 * radius)  # the spring hangs under the weight
        self.assertGreater(frame["force"], 0)
        # No energy comes out of the port beyond the prediction error of a tick.
        self.assertGreater(min(energies), -1e-3)
        page.send({"type": "release"})
        time.sleep(0.2)
        for _ in range(40):
            frame = page.frame(model["version"])
        self.assertEqual(frame["flags"] & 4, 0)
        page.close()

    def test_every_model_opens_and_moves(self):
        s = Served(KANE, MODELS)
        for name in sorted(os.listdir(MODELS)):
            if not name.endswith(".yaml"):
                continue
            with self.subTest(name):
                page = Page(s)
                page.send({"type": "open", "path": name})
                page.send({"type": "play", "on": True})
                model = page.until("model", 30)
                first = page.frame(model["version"])
                later = page.frame(model["version"])
                self.assertGreaterEqual(later["t"], first["t"])
                self.assertTrue(all(math.isfinite(x) for x in later["state"]))
                page.close()
        self.assertEqual(s.interrupt(), 130)

    # ---- writing -------------------------------------------------------------------------------------------------------------------
    def test_writing(self):
        page = Page(self.served)
        page.send({"type": "save", "path": "fourbar.yaml", "text": "kane: 1\n"})
        self.assertIn("--write", page.until("unsaved")["message"])
        page.close()
        with tempfile.TemporaryDirectory() as folder:
            s = Served(KANE, folder, "--write")
            page = Page(s)
            file = os.path.join(folder, "a.yaml")
            page.send({"type": "save", "path": "a.yaml", "text": "kane: 1\n"})
            seen = page.until("saved")["seen"]
            with open(file, encoding="utf8") as f:
                self.assertEqual(f.read(), "kane: 1\n")
            time.sleep(0.02)
            with open(file, "w", encoding="utf8") as f:
                f.write("changed by another program\n")
            page.send({"type": "save", "path": "a.yaml", "text": "mine\n", "seen": seen})
            self.assertIn("changed on disk", page.until("unsaved")["message"])
            page.send({"type": "save", "path": "a.yaml", "text": "mine\n", "seen": seen, "force": True})
            page.until("saved")
            for path in ["../b.yaml", "/tmp/kane_b.yaml", "no/such/b.yaml", "b.txt", ".", ""]:
                page.send({"type": "save", "path": path, "text": "x"})
                self.assertIn("message", page.until("unsaved"), path)
            self.assertEqual(os.listdir(folder), ["a.yaml"])
            self.assertEqual(s.interrupt(), 130)


if __name__ == "__main__":
    unittest.main(verbosity=1)
