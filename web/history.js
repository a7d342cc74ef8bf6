// The history so far: states and pictures, sample by sample. The view and the plots read it like the record of a finished
// run, so that scrubbing back needs nothing special. When it is full, the older half is dropped.

function decodeNumbers(text, Type) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Type(bytes.buffer);
}

/// Position and quaternion (scalar last) of an origin and a rotation matrix by rows, by the largest component (Shepperd 1978).
function writePose(row, origin, r, to, at) {
  for (let k = 0; k < 3; k++) to[at + k] = row[origin + k];
  const d = [row[r], row[r + 4], row[r + 8]], trace = d[0] + d[1] + d[2];
  let e;
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

class History {
  /// `scene`: the description of a LivePicture (kane/picture/live_picture.hpp).
  constructor(scene, nq, nu, most = 9000) {
    this.scene = scene;
    this.nq = nq;
    this.nu = nu;
    for (const part of scene.parts) {
      if (typeof part.vertices !== "string") continue;
      part.vertices = decodeNumbers(part.vertices, Float32Array);
      part.triangles = decodeNumbers(part.triangles, Uint32Array);
    }
    /// The scene as a View draws it, with names of bodies and the arrays below.
    this.shown = { ...scene, bodies: scene.bodies.map((b) => b.name), planes: [], point_count: scene.sources.length };
    this.widths = { times: 1, states: nq + nu, rows: scene.row, poses: 7 * scene.bodies.length,
      positions: 3 * scene.sources.length, vectors: 3 * scene.arrows.length };
    const bytes = 8 * (1 + nq + nu + scene.row) + 4 * (this.widths.poses + this.widths.positions + this.widths.vectors);
    this.most = Math.max(600, Math.min(most, Math.floor(60e6 / bytes)));
    this.clear();
  }
  clear() {
    this.count = 0;
    this.capacity = 0;
    this.buffers = {};
    this.grow(256);
    this.expose();
  }
  grow(capacity) {
    for (const [name, width] of Object.entries(this.widths)) {
      const Type = name === "times" || name === "states" || name === "rows" ? Float64Array : Float32Array;
      const bigger = new Type(capacity * width);
      if (this.buffers[name]) bigger.set(this.buffers[name].subarray(0, this.count * width));
      this.buffers[name] = bigger;
    }
    this.capacity = capacity;
  }
  expose() {
    for (const [name, width] of Object.entries(this.widths)) this[name] = this.buffers[name].subarray(0, this.count * width);
    for (const name of ["poses", "positions", "vectors"]) this.shown[name] = this[name];
  }
  forgetOlderHalf() {
    const drop = this.count >> 1;
    for (const [name, width] of Object.entries(this.widths)) this.buffers[name].copyWithin(0, drop * width, this.count * width);
    this.count -= drop;
  }
  /// Everything after sample `index` is forgotten.
  truncate(index) { this.count = Math.min(this.count, index + 1); this.expose(); }
  /// Forgets where bodies go that fly or fall away for good, beside which nothing else could be seen.
  dropFlights() {
    const n = this.scene.bodies.length, low = [0, 1, 2].map(() => Infinity), high = low.map(() => -Infinity);
    for (let b = 0; b < n; b++) for (let k = 0; k < 3; k++) { const v = this.poses[7 * b + k]; low[k] = Math.min(low[k], v); high[k] = Math.max(high[k], v); }
    const size = Math.max(this.scene.size, ...high.map((h, k) => h - low[k])), times = (i) => {
      let most = 0;
      for (let b = 0; b < n; b++) for (let k = 0; k < 3; k++) { const v = this.poses[7 * (i * n + b) + k]; most = Math.max(most, low[k] - v, v - high[k]); }
      return most / size;
    };
    if (!n || !this.count || !(size > 0) || !(times(this.count - 1) > 40)) return;
    let i = 0;
    while (i + 1 < this.count && times(i + 1) < 2) i++;
    this.truncate(i);
  }
  /// A source is a place in the row, or a point fixed in a body.
  point(source, row, to, at) {
    if (source.at !== undefined) { for (let k = 0; k < 3; k++) to[at + k] = row[source.at + k]; return; }
    const b = source.body >= 0 ? this.scene.bodies[source.body] : null, f = source.fixed;
    for (let k = 0; k < 3; k++) {
      const r = b ? b.rotation + 3 * k : 0;
      to[at + k] = b ? row[b.origin + k] + row[r] * f[0] + row[r + 1] * f[1] + row[r + 2] * f[2] : f[k];
    }
  }
  append(t, state, row) {
    if (this.count >= this.most) this.forgetOlderHalf();
    if (this.count >= this.capacity) this.grow(Math.min(this.most, 2 * this.capacity));
    const i = this.count++, b = this.buffers, w = this.widths, s = this.scene;
    b.times[i] = t;
    b.states.set(state, i * w.states);
    b.rows.set(row, i * w.rows);
    s.bodies.forEach((body, k) => writePose(row, body.origin, body.rotation, b.poses, i * w.poses + 7 * k));
    s.sources.forEach((source, k) => this.point(source, row, b.positions, i * w.positions + 3 * k));
    s.arrows.forEach((arrow, k) => {
      const frame = arrow.frame >= 0 ? s.bodies[arrow.frame].rotation : -1;
      const v = [row[arrow.vector], row[arrow.vector + 1], row[arrow.vector + 2]];
      for (let c = 0; c < 3; c++) {
        const r = frame + 3 * c;
        const x = frame >= 0 ? row[r] * v[0] + row[r + 1] * v[1] + row[r + 2] * v[2] : v[c];
        b.vectors[i * w.vectors + 3 * k + c] = Math.abs(x) < 1e-10 ? 0 : arrow.sign * x;
      }
    });
    this.expose();
  }
  row(i) { return this.rows.subarray(i * this.widths.rows, (i + 1) * this.widths.rows); }
  state(i) { return this.states.subarray(i * this.widths.states, (i + 1) * this.widths.states); }
  /// The last sample at or before a time.
  before(t) {
    let a = 0, b = this.count - 1;
    while (a < b) { const m = (a + b + 1) >> 1; if (this.times[m] <= t) a = m; else b = m - 1; }
    return Math.max(0, a);
  }
  /// A signal as an array over all samples.
  column(signal) {
    const n = this.count, out = new Float64Array(n), { states, rows } = this.widths;
    const from = signal.from === "row" ? this.rows : this.states, width = signal.from === "row" ? rows : states;
    const at = signal.from === "u" ? this.nq + signal.at : signal.at;
    if (signal.from === "energy") {
      for (let i = 0; i < n; i++) out[i] = this.energy(i, signal.at);
      return out;
    }
    for (let i = 0; i < n; i++) out[i] = from[i * width + at];
    return out;
  }
  /// "kinetic", "potential" or "total", in J; NaN where it is not known.
  energy(i, which = "total") {
    const s = this.scene, at = i * this.widths.rows;
    const T = this.rows[at + s.kinetic], V = s.potential === undefined ? NaN : this.rows[at + s.potential];
    return which === "kinetic" ? T : which === "potential" ? V : T + V;
  }
  /// Opposite to gravity; without it: z, or y for a motion in the x-y plane.
  up() {
    const s = this.scene;
    if (s.gravity !== undefined && this.count) {
      const g = [0, 1, 2].map((k) => this.rows[s.gravity + k]);
      if (Math.hypot(...g) > 0) return g.map((v) => -v / Math.hypot(...g));
    }
    let deep = 0, wide = 0;
    const look = (values, width) => {
      for (let i = 0; i + 2 < values.length; i += width) {
        deep = Math.max(deep, Math.abs(values[i + 2]));
        wide = Math.max(wide, Math.abs(values[i]), Math.abs(values[i + 1]));
      }
    };
    look(this.poses, 7);
    look(this.positions, 3);
    return deep <= 1e-6 * wide ? [0, 1, 0] : [0, 0, 1];
  }
  /// The planes of contacts that stand still, as the view wants them.
  planes() {
    if (!this.count) return [];
    const row = this.row(0);
    return this.scene.planes.map((p) => (
      { name: p.name, normal: [row[p.normal], row[p.normal + 1], row[p.normal + 2]], height: row[p.height] }));
  }
}
