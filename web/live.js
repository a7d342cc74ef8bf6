// The one-file page: the model runs here, by WebAssembly.

class WasmEngine {
  constructor(motion, workspace) {
    this.motion = motion;
    this.workspace = workspace;
    this.info = motion.data;
    this.running = true;
    this.speed = 1;
    this.hold = null;
    this.force = null;
    this.pace = 1;
    this.residual = motion.closing ? 0 : null;
    this.total = motion.data.scene.bodies.reduce((m, b) => m + b.mass, 0) || 1;
  }
  play(on) { this.running = on; this.last = null; }
  setSpeed(x) { this.speed = x; }
  parameterValue(i) { return this.motion.parameters[i]; }
  reset() { this.motion.failed = false; this.motion.reset(); this.motion.close(60); this.show(); }
  resume(t, state) { this.motion.failed = false; this.motion.setState(t, state); }
  step() { this.advance(this.motion.t + 0.01, 200); this.show(); }
  setInput(i, value) { this.motion.setInput(i, value); }
  setParameter(i, value) {
    const p = this.info.parameters[i];
    const ok = this.motion.setParameter(i, value);
    if (ok && !this.running) this.show();
    return Promise.resolve(ok ? "" : `With ${p.name} = ${Number(value.toPrecision(4))} ${prettyUnit(p.unit)} the mechanism cannot be closed or has no motion; the last valid value is kept.`);
  }
  show() { this.workspace.sample(this.motion.t, this.motion.y, this.motion.row()); }

  // ---- the hand ------------------------------------------------------------------------------------------------------------------
  // A spring and a damper from the point that was caught to the cursor. The stiffness carries the whole mechanism; the
  // damping is that of the mass felt at this point, so that even a light end does not shake.
  pull(hold) {
    if (!hold) {
      if (this.hold) for (const i of this.info.scene.bodies[this.hold.body].pull) this.motion.setInput(i, 0);
      this.hold = this.force = null;
      return;
    }
    if (!this.hold || this.hold.body !== hold.body || this.hold.point !== hold.point) {
      this.hold = { body: hold.body, point: hold.point };
      this.stiffness = this.total * (2 * Math.PI * 1.6) ** 2;
      this.damping = 2 * 0.6 * Math.sqrt(this.stiffness * this.feltMass(hold));
      this.before = null;
      this.workspace.first = null;
    }
    this.hold.target = hold.target;
  }
  place(row, hold) {
    const b = this.info.scene.bodies[hold.body];
    return [0, 1, 2].map((k) => row[b.origin + k] + [0, 1, 2].reduce((s, j) => s + row[b.rotation + 3 * k + j] * hold.point[j], 0));
  }
  apply(force, row, at) {
    const b = this.info.scene.bodies[this.hold.body], com = b.com ?? b.origin;
    const arm = [0, 1, 2].map((k) => at[k] - row[com + k]), torque = V.cross(arm, force);
    const inBody = (v, j) => [0, 1, 2].reduce((s, k) => s + row[b.rotation + 3 * k + j] * v[k], 0);
    for (let j = 0; j < 3; j++) {
      this.motion.setInput(b.pull[j], inBody(force, j));
      this.motion.setInput(b.pull[3 + j], inBody(torque, j));
    }
  }
  /// The mass that a force at the point meets in the direction in which it meets least, by unit forces along the axes.
  feltMass(hold) {
    const m = this.motion, y = m.y.slice(), { nq, n } = m;
    const row = m.row().slice(), at = this.place(row, hold), still = m.rates(m.t, y).slice(), small = 1e-6;
    let mobility = 0;
    for (let k = 0; k < 3; k++) {
      this.apply([0, 1, 2].map((j) => (j === k ? 1 : 0)), row, at);
      const moved = m.rates(m.t, y).slice(), trial = y.slice();
      for (let i = nq; i < n; i++) trial[i] = moved[i] - still[i];
      const along = m.rates(m.t, trial).slice(0, nq);
      trial.fill(0, nq);
      const rest = m.rates(m.t, trial).slice(0, nq);
      for (let i = 0; i < nq; i++) m.y[i] = y[i] + small * (along[i] - rest[i]);
      mobility = Math.max(mobility, (this.place(m.row(), hold)[k] - at[k]) / small);
      m.y.set(y);
    }
    for (const i of this.info.scene.bodies[hold.body].pull) m.setInput(i, 0);
    m.known = false;
    return Math.min(this.total, mobility > 0 ? 1 / mobility : this.total);
  }
  /// Force of the hand for the next tick.
  grip(h) {
    const row = this.motion.row(), at = this.place(row, this.hold), v = this.before ? at.map((x, k) => (x - this.before[k]) / h) : [0, 0, 0];
    this.before = at;
    let force = at.map((x, k) => this.stiffness * (this.hold.target[k] - x) - this.damping * v[k]);
    const most = 60 * 9.81 * this.total, size = V.length(force);
    if (size > most) force = V.mul(force, most / size);
    this.force = V.length(force);
    this.apply(force, row, at);
  }

  // ---- time ----------------------------------------------------------------------------------------------------------------------
  advance(until, patience) {
    if (!this.hold) return this.motion.advance(until, patience);
    const tick = 1e-3, begin = performance.now();
    while (this.motion.t < until - 1e-12) {
      this.grip(tick);
      if (!this.motion.advance(Math.min(until, this.motion.t + tick))) return false;
      if (performance.now() - begin > patience) return false;
    }
    return true;
  }
  frame(now) {
    if (!this.running || !this.workspace.live) { this.last = null; return; }
    const dt = this.last ? Math.min(0.05, (now - this.last) / 1000) : 1 / 60, from = this.motion.t;
    this.last = now;
    this.advance(from + dt * this.speed, 14);
    this.pace += 0.1 * ((this.motion.t - from) / dt - this.pace);
    // A machine that cannot keep up gets larger steps, down to what the eye could still tell.
    if (this.pace < 0.9 * this.speed && this.motion.tolerance < 1e-8) { this.motion.tolerance *= 10; this.pace = this.speed; }
    if (this.motion.failed) {
      this.workspace.setPlaying(false);
      this.workspace.note(`The motion cannot continue after t = ${this.motion.t.toPrecision(6)} s: the equations have no finite solution there.`, "bad");
      this.motion.failed = false;
    }
    if (this.motion.closing) this.residual = this.motion.residual();
    this.show();
  }
  meters() { return [[`${this.motion.motion.operations} operations per evaluation`]]; }
}

async function startPage() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const motion = await Motion.load(data), workspace = new Workspace();
  const text = element("pre", { class: "text" });
  if (data.text) { workspace.panel("left", "Text", text); colourText(text, data.text); }
  const engine = new WasmEngine(motion, workspace), preview = [];
  // A look ahead, so that the picture holds what is coming.
  const begin = performance.now(), show = () => preview.push([motion.t, motion.y.slice(), motion.row().slice()]);
  for (show(); motion.t < data.t + 4 && performance.now() - begin < 250 && motion.advance(motion.t + 0.05, 100);) show();
  motion.failed = false;
  motion.reset();
  workspace.open(engine, preview);
  engine.show();
  window.kane = { workspace, engine, motion };  // for tests, and for the curious
}
if (typeof document !== "undefined") startPage();
