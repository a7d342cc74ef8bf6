// The engine of the one-file page: WebAssembly, and a hand.

import { prettyUnit } from "./dom";
import type { Engine, MeterLine } from "./engine";
import type { Motion, MotionData } from "./kernel";
import type { Hold, ModelInfo } from "./model_info";
import { V, each, type Vec } from "./vectors";
import type { Workspace } from "./workspace";

export type PageData = ModelInfo & MotionData & { text?: string };
const TICK = 1e-3;         // s, of the hand
const PATIENCE = 14;       // ms for the motion between two pictures
const LOOSEST = 1e-8;

export class WasmEngine implements Engine {
  force: number | null = null;
  pace = 1;
  residual: number | null;
  running = true;
  private speed = 1;
  private hold: Hold | null = null;
  private stiffness = 0;
  private damping = 0;
  private before: Vec | null = null;
  private last: number | null = null;
  private readonly total: number;

  constructor(readonly motion: Motion, readonly info: PageData, private readonly workspace: Workspace) {
    this.residual = motion.closing ? 0 : null;
    this.total = info.scene.bodies.reduce((m, b) => m + b.mass, 0) || 1;
  }
  play(on: boolean): void { this.running = on; this.last = null; }
  setSpeed(x: number): void { this.speed = x; }
  parameterValue(i: number): number { return this.motion.parameters[i]; }
  reset(): void { this.motion.failed = false; this.motion.reset(); this.motion.close(60); this.show(); }
  resume(t: number, state: ArrayLike<number>): void { this.motion.failed = false; this.motion.setState(t, state); }
  step(): void { this.advance(this.motion.t + 0.01, 200); this.show(); }
  setInput(i: number, value: number): void { this.motion.setInput(i, value); }
  setParameter(i: number, value: number): Promise<string> {
    const p = this.info.parameters[i], ok = this.motion.setParameter(i, value);
    if (ok && !this.running) this.show();
    return Promise.resolve(ok ? "" : `With ${p.name} = ${Number(value.toPrecision(4))} ${prettyUnit(p.unit)} the mechanism cannot be closed or has no motion; the last valid value is kept.`);
  }
  show(): void { this.workspace.take(this.motion.t, this.motion.y, this.motion.row()); }

  // ---- the hand ------------------------------------------------------------------------------------------------------------------
  // A spring and a damper from the point that was caught to the cursor. The stiffness carries the whole mechanism; the
  // damping is that of the mass felt at this point, so that even a light end does not shake.
  private inputs(body: number): number[] { return this.info.scene.bodies[body].pull ?? []; }
  pull(hold: Hold | null): void {
    if (!hold) {
      if (this.hold) for (const i of this.inputs(this.hold.body)) this.motion.setInput(i, 0);
      this.hold = this.force = null;
      return;
    }
    const fresh = !this.hold || this.hold.body !== hold.body || this.hold.point !== hold.point;
    this.hold = { body: hold.body, point: hold.point, target: hold.target };
    if (!fresh) return;
    this.stiffness = this.total * (2 * Math.PI * 1.6) ** 2;
    this.damping = 2 * 0.6 * Math.sqrt(this.stiffness * this.feltMass(this.hold));
    this.before = null;
  }
  private place(row: Float64Array, hold: Hold): Vec {
    const b = this.info.scene.bodies[hold.body];
    return each((k) => row[b.origin + k] + [0, 1, 2].reduce((s, j) => s + row[b.rotation + 3 * k + j] * hold.point[j], 0));
  }
  private apply(hold: Hold, force: Vec, row: Float64Array, at: Vec): void {
    const b = this.info.scene.bodies[hold.body], com = b.com ?? b.origin, inputs = this.inputs(hold.body);
    const torque = V.cross(each((k) => at[k] - row[com + k]), force);
    const inBody = (v: Vec, j: number): number => [0, 1, 2].reduce((s, k) => s + row[b.rotation + 3 * k + j] * v[k], 0);
    for (let j = 0; j < 3; j++) {
      this.motion.setInput(inputs[j], inBody(force, j));
      this.motion.setInput(inputs[3 + j], inBody(torque, j));
    }
  }
  /// The mass that a force at the point meets in the direction in which it meets least, by unit forces along the axes.
  private feltMass(hold: Hold): number {
    const m = this.motion, y = m.y.slice(), { nq, n } = m;
    const row = m.row().slice(), at = this.place(row, hold), still = m.rates(m.t, y).slice(), small = 1e-6;
    let mobility = 0;
    for (let k = 0; k < 3; k++) {
      this.apply(hold, each((j) => (j === k ? 1 : 0)), row, at);
      const moved = m.rates(m.t, y).slice(), trial = y.slice();
      for (let i = nq; i < n; i++) trial[i] = moved[i] - still[i];
      const along = m.rates(m.t, trial).slice(0, nq);
      trial.fill(0, nq);
      const rest = m.rates(m.t, trial).slice(0, nq);
      for (let i = 0; i < nq; i++) m.y[i] = y[i] + small * (along[i] - rest[i]);
      mobility = Math.max(mobility, (this.place(m.row(), hold)[k] - at[k]) / small);
      m.y.set(y);
    }
    for (const i of this.inputs(hold.body)) m.setInput(i, 0);
    m.known = false;
    return Math.min(this.total, mobility > 0 ? 1 / mobility : this.total);
  }
  /// Force of the hand for the next tick.
  private grip(hold: Hold): void {
    const row = this.motion.row(), at = this.place(row, hold), before = this.before, v = before ? V.mul(V.sub(at, before), 1 / TICK) : ([0, 0, 0] as Vec);
    this.before = at;
    let force = each((k) => this.stiffness * (hold.target[k] - at[k]) - this.damping * v[k]);
    const most = 60 * 9.81 * this.total, size = V.length(force);
    if (size > most) force = V.mul(force, most / size);
    this.force = V.length(force);
    this.apply(hold, force, row, at);
  }

  // ---- time ----------------------------------------------------------------------------------------------------------------------
  private advance(until: number, patience: number): boolean {
    if (!this.hold) return this.motion.advance(until, patience);
    const begin = performance.now();
    while (this.motion.t < until - 1e-12) {
      this.grip(this.hold);
      if (!this.motion.advance(Math.min(until, this.motion.t + TICK))) return false;
      if (performance.now() - begin > patience) return false;
    }
    return true;
  }
  frame(now: number): void {
    if (!this.running || !this.workspace.live) { this.last = null; return; }
    const dt = this.last ? Math.min(0.05, (now - this.last) / 1000) : 1 / 60, from = this.motion.t;
    this.last = now;
    this.advance(from + dt * this.speed, PATIENCE);
    if (dt > 0) this.pace += 0.1 * ((this.motion.t - from) / dt - this.pace);
    // A machine that cannot keep up gets larger steps, down to what the eye could still tell.
    if (this.pace < 0.9 * this.speed && this.motion.tolerance < LOOSEST) { this.motion.tolerance *= 10; this.pace = this.speed; }
    if (this.motion.failed) {
      this.workspace.setPlaying(false);
      this.workspace.note(`The motion cannot continue after t = ${this.motion.t.toPrecision(6)} s: the equations have no finite solution there.`, "bad");
      this.motion.failed = false;
    }
    if (this.motion.closing) this.residual = this.motion.residual();
    this.show();
  }
  meters(): MeterLine[] { return [[`${this.motion.motion.operations} operations per evaluation`]]; }
}
