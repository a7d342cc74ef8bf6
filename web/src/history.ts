// The history so far: states and pictures, sample by sample. View and plots read it like the record of a finished run, so
// that scrubbing back needs nothing special. When it is full, the older half is dropped.

import type { Scene, SceneSignal, SceneSource } from "./model_info";
import { each, floats, indices, type Vec } from "./vectors";

export type EnergyKind = "kinetic" | "potential" | "total";
/// Where the values of a signal come from.
export type SignalPlace = Pick<SceneSignal, "from" | "at"> | { from: "energy"; at: EnergyKind };

/// Position and quaternion (scalar last) of an origin and a rotation matrix by rows, by the largest component (Shepperd 1978).
function writePose(row: ArrayLike<number>, origin: number, r: number, to: Float32Array, at: number): void {
  for (let k = 0; k < 3; k++) to[at + k] = row[origin + k];
  const d = [row[r], row[r + 4], row[r + 8]], trace = d[0] + d[1] + d[2];
  let e: number[];
  if (trace >= Math.max(...d)) e = [row[r + 7] - row[r + 5], row[r + 2] - row[r + 6], row[r + 3] - row[r + 1], 1 + trace];
  else {
    const i = d.indexOf(Math.max(...d)), j = (i + 1) % 3, l = (i + 2) % 3;
    e = [0, 0, 0, row[r + 3 * l + j] - row[r + 3 * j + l]];
    e[i] = 1 + 2 * d[i] - trace;
    e[j] = row[r + 3 * j + i] + row[r + 3 * i + j];
    e[l] = row[r + 3 * l + i] + row[r + 3 * i + l];
  }
  const n = Math.hypot(...e) || 1;
  for (let k = 0; k < 4; k++) to[at + 3 + k] = e[k] / n;
}

const WIDE = ["times", "states", "rows"] as const, NARROW = ["poses", "positions", "vectors"] as const;
type Name = (typeof WIDE)[number] | (typeof NARROW)[number];

export class History {
  count = 0;
  times = new Float64Array(0);
  states = new Float64Array(0);
  rows = new Float64Array(0);
  poses = new Float32Array(0);
  positions = new Float32Array(0);
  vectors = new Float32Array(0);
  /// It is another one after each change that is not an addition at the end.
  era = 0;
  private capacity = 0;
  private wide: Record<string, Float64Array> = {};
  private narrow: Record<string, Float32Array> = {};
  private readonly widths: Record<Name, number>;
  private readonly most: number;

  constructor(readonly scene: Scene, readonly nq: number, readonly nu: number, most = 9000) {
    for (const part of scene.parts) {
      if (typeof part.vertices !== "string") continue;
      part.vertices = floats(part.vertices);
      part.triangles = indices(part.triangles as unknown as string);
    }
    this.widths = { times: 1, states: nq + nu, rows: scene.row, poses: 7 * scene.bodies.length,
      positions: 3 * scene.sources.length, vectors: 3 * scene.arrows.length };
    const bytes = 8 * (1 + nq + nu + scene.row) + 4 * (this.widths.poses + this.widths.positions + this.widths.vectors);
    this.most = Math.max(600, Math.min(most, Math.floor(60e6 / bytes)));
    this.clear();
  }
  clear(): void {
    this.count = this.capacity = 0;
    this.wide = {};
    this.narrow = {};
    this.grow(256);
    this.changed();
  }
  private grow(capacity: number): void {
    for (const name of WIDE) {
      const bigger = new Float64Array(capacity * this.widths[name]);
      if (this.wide[name]) bigger.set(this.wide[name].subarray(0, this.count * this.widths[name]));
      this.wide[name] = bigger;
    }
    for (const name of NARROW) {
      const bigger = new Float32Array(capacity * this.widths[name]);
      if (this.narrow[name]) bigger.set(this.narrow[name].subarray(0, this.count * this.widths[name]));
      this.narrow[name] = bigger;
    }
    this.capacity = capacity;
  }
  private expose(): void {
    for (const name of WIDE) this[name] = this.wide[name].subarray(0, this.count * this.widths[name]);
    for (const name of NARROW) this[name] = this.narrow[name].subarray(0, this.count * this.widths[name]);
  }
  private changed(): void { this.era++; this.expose(); }
  private forgetOlderHalf(): void {
    const drop = this.count >> 1;
    for (const name of WIDE) this.wide[name].copyWithin(0, drop * this.widths[name], this.count * this.widths[name]);
    for (const name of NARROW) this.narrow[name].copyWithin(0, drop * this.widths[name], this.count * this.widths[name]);
    this.count -= drop;
    this.era++;
  }
  /// Everything after sample `index` is forgotten.
  truncate(index: number): void { this.count = Math.min(this.count, index + 1); this.changed(); }
  /// Forgets where bodies go that fly or fall away for good, beside which nothing else could be seen.
  dropFlights(): void {
    const n = this.scene.bodies.length, low: Vec = [Infinity, Infinity, Infinity], high: Vec = [-Infinity, -Infinity, -Infinity];
    for (let b = 0; b < n; b++)
      for (let k = 0; k < 3; k++) {
        const v = this.poses[7 * b + k];
        low[k] = Math.min(low[k], v);
        high[k] = Math.max(high[k], v);
      }
    const size = Math.max(this.scene.size, ...high.map((h, k) => h - low[k]));
    const reach = (i: number): number => {
      let most = 0;
      for (let b = 0; b < n; b++)
        for (let k = 0; k < 3; k++) {
          const v = this.poses[7 * (i * n + b) + k];
          most = Math.max(most, low[k] - v, v - high[k]);
        }
      return most / size;
    };
    if (!n || !this.count || !(size > 0) || !(reach(this.count - 1) > 40)) return;
    let i = 0;
    while (i + 1 < this.count && reach(i + 1) < 2) i++;
    this.truncate(i);
  }
  /// A source is a place in the row, or a point fixed in a body.
  private writePoint(source: SceneSource, row: ArrayLike<number>, to: Float32Array, at: number): void {
    if (source.at !== undefined) { for (let k = 0; k < 3; k++) to[at + k] = row[source.at + k]; return; }
    const f = source.fixed ?? [0, 0, 0], b = (source.body ?? -1) >= 0 ? this.scene.bodies[source.body as number] : null;
    for (let k = 0; k < 3; k++) {
      const r = b ? b.rotation + 3 * k : 0;
      to[at + k] = b ? row[b.origin + k] + row[r] * f[0] + row[r + 1] * f[1] + row[r + 2] * f[2] : f[k];
    }
  }
  append(t: number, state: ArrayLike<number>, row: ArrayLike<number>): void {
    if (this.count >= this.most) this.forgetOlderHalf();
    if (this.count >= this.capacity) this.grow(Math.min(this.most, 2 * this.capacity));
    const i = this.count++, w = this.widths, s = this.scene, { poses, positions, vectors } = this.narrow;
    this.wide.times[i] = t;
    this.wide.states.set(state, i * w.states);
    this.wide.rows.set(row, i * w.rows);
    s.bodies.forEach((body, k) => writePose(row, body.origin, body.rotation, poses, i * w.poses + 7 * k));
    s.sources.forEach((source, k) => this.writePoint(source, row, positions, i * w.positions + 3 * k));
    s.arrows.forEach((arrow, k) => {
      const frame = arrow.frame >= 0 ? s.bodies[arrow.frame].rotation : -1;
      const v = [row[arrow.vector], row[arrow.vector + 1], row[arrow.vector + 2]];
      for (let c = 0; c < 3; c++) {
        const r = frame + 3 * c, x = frame >= 0 ? row[r] * v[0] + row[r + 1] * v[1] + row[r + 2] * v[2] : v[c];
        vectors[i * w.vectors + 3 * k + c] = Math.abs(x) < 1e-10 ? 0 : arrow.sign * x;
      }
    });
    this.expose();
  }
  row(i: number): Float64Array { return this.rows.subarray(i * this.widths.rows, (i + 1) * this.widths.rows); }
  state(i: number): Float64Array { return this.states.subarray(i * this.widths.states, (i + 1) * this.widths.states); }
  /// The last sample at or before a time.
  before(t: number): number {
    let a = 0, b = this.count - 1;
    while (a < b) { const m = (a + b + 1) >> 1; if (this.times[m] <= t) a = m; else b = m - 1; }
    return Math.max(0, a);
  }
  /// The value of a signal at sample `i`.
  value(signal: SignalPlace, i: number): number {
    if (signal.from === "energy") return this.energy(i, signal.at);
    if (signal.from === "row") return this.rows[i * this.widths.rows + signal.at];
    return this.states[i * this.widths.states + (signal.from === "u" ? this.nq : 0) + signal.at];
  }
  /// "kinetic", "potential" or "total", in J; NaN where it is not known.
  energy(i: number, which: EnergyKind = "total"): number {
    const s = this.scene, at = i * this.widths.rows;
    const T = s.kinetic === undefined ? NaN : this.rows[at + s.kinetic], U = s.potential === undefined ? NaN : this.rows[at + s.potential];
    return which === "kinetic" ? T : which === "potential" ? U : T + U;
  }
  /// Opposite to gravity; without it: z, or y for a motion in the x-y plane.
  up(): Vec {
    const gravity = this.scene.gravity;
    if (gravity !== undefined && this.count) {
      const g = each((k) => this.rows[gravity + k]), n = Math.hypot(...g);
      if (n > 0) return each((k) => -g[k] / n);
    }
    let deep = 0, wide = 0;
    const look = (values: Float32Array, width: number): void => {
      for (let i = 0; i + 2 < values.length; i += width) {
        deep = Math.max(deep, Math.abs(values[i + 2]));
        wide = Math.max(wide, Math.abs(values[i]), Math.abs(values[i + 1]));
      }
    };
    look(this.poses, 7);
    look(this.positions, 3);
    return deep <= 1e-6 * wide ? [0, 1, 0] : [0, 0, 1];
  }
  /// The planes of contacts that stand still.
  planes(): { name: string; normal: Vec; height: number }[] {
    if (!this.count) return [];
    const row = this.row(0);
    return this.scene.planes.map((p) => ({ name: p.name, normal: each((k) => row[p.normal + k]), height: row[p.height] }));
  }
}
