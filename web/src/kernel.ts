// The equations of motion in the page itself: WebAssembly modules (kane/codegen/emit/emit_wasm.hpp), an integrator, and the
// return to the constraints. Runs in browsers and in Node.

import { bytesOf } from "./vectors";

/// A module as the page carries it.
export interface ModuleData { code: string; counts: [number, number, number]; outputs: number; first: number; operations: number }
interface Series { t: number[]; value: number[]; hold: boolean }
/// What the page carries of its motion.
export interface MotionData {
  t: number; q: number[]; u: number[]; tolerance: number;
  parameters: { name: string; value: number; unit: string; free?: boolean }[];
  inputs: { name: string; value: number; unit: string; series?: Series }[];
  motion: ModuleData; picture: ModuleData; follow: ModuleData; closing?: ModuleData | null;
  constraints: { configuration: boolean }[];
  quaternions: number[];
}
interface Stages { memory: WebAssembly.Memory; p(): void; u(): void; x(): void }

const MATH = {
  pow: Math.pow, sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan,
  atan2: Math.atan2, sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh, exp: Math.exp, log: Math.log,
  mod: (a: number, b: number): number => { const r = a % b; return r !== 0 && (r < 0) !== (b < 0) ? r + b : r; },
};

/// One module: parameters, inputs and time, state; outputs.
class Kernel {
  stale = true;
  readonly p: Float64Array;
  readonly u: Float64Array;
  private readonly x: Float64Array;
  private readonly y: Float64Array;
  readonly operations: number;
  private constructor(readonly stages: Stages, data: ModuleData) {
    const memory = new Float64Array(stages.memory.buffer), [p, u, x] = data.counts;
    this.p = memory.subarray(0, p);
    this.u = memory.subarray(p, p + u);
    this.x = memory.subarray(p + u, p + u + x);
    this.y = memory.subarray(data.first, data.first + data.outputs);
    this.operations = data.operations;
  }
  static async load(data: ModuleData): Promise<Kernel> {
    const { instance } = await WebAssembly.instantiate(bytesOf(data.code), { m: MATH });
    return new Kernel(instance.exports as unknown as Stages, data);
  }
  setParameters(values: ArrayLike<number>): void { this.p.set(values); this.stages.p(); this.stages.u(); }
  setInputs(): void { this.stages.u(); }
  /// The outputs at a state; valid until the next call.
  run(x: ArrayLike<number>): Float64Array { this.x.set(x); this.stages.x(); return this.y; }
}

/// Solves S x = b for a symmetric matrix that may be singular: rows without a pivot of their own get x = 0.
function solveSymmetric(S: Float64Array, b: Float64Array, n: number): Float64Array {
  const L = S.slice(), x = Float64Array.from(b), pivot = new Float64Array(n);
  let largest = 0;
  for (let i = 0; i < n; i++) largest = Math.max(largest, Math.abs(S[i * n + i]));
  for (let j = 0; j < n; j++) {  // L D L^T
    let d = L[j * n + j];
    for (let k = 0; k < j; k++) d -= L[j * n + k] ** 2 * pivot[k];
    pivot[j] = d > 1e-12 * largest ? d : 0;
    for (let i = j + 1; i < n; i++) {
      let v = L[i * n + j];
      for (let k = 0; k < j; k++) v -= L[i * n + k] * L[j * n + k] * pivot[k];
      L[i * n + j] = pivot[j] > 0 ? v / pivot[j] : 0;
    }
  }
  for (let i = 0; i < n; i++) for (let k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
  for (let i = 0; i < n; i++) x[i] = pivot[i] > 0 ? x[i] / pivot[i] : 0;
  for (let i = n - 1; i >= 0; i--) for (let k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
  return x;
}

// Dormand and Prince, "A family of embedded Runge-Kutta formulae" (1980), of order 5 with an estimate of order 4.
const DP_C = [0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1, 1];
const DP_A = [[], [1 / 5], [3 / 40, 9 / 40], [44 / 45, -56 / 15, 32 / 9],
  [19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729],
  [9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656], [35 / 384, 0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84]];
const DP_E = [71 / 57600, 0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40];

/// A model in motion.
export class Motion {
  readonly nq: number;
  readonly nu: number;
  readonly n: number;
  t = 0;
  h = 1e-3;
  tolerance: number;
  failed = false;
  known = false;  ///< whether k[0] holds the rates of the present state
  readonly y: Float64Array;
  readonly parameters: Float64Array;
  private readonly inputs: Float64Array;
  private inputsChanged = true;
  private readonly k: Float64Array[];
  private readonly stage: Float64Array;
  private readonly scale: Float64Array;
  private readonly kernels: Kernel[];
  private closingValues = new Float64Array(0);

  private constructor(readonly data: MotionData, readonly motion: Kernel, private readonly picture: Kernel, private readonly follow: Kernel, readonly closing: Kernel | null) {
    this.nq = data.q.length;
    this.nu = data.u.length;
    this.n = this.nq + this.nu;
    this.kernels = [motion, picture, ...(closing ? [closing] : [])];
    this.parameters = Float64Array.from(data.parameters, (p) => p.value);
    this.inputs = new Float64Array(data.inputs.length + 1);  // the last one is time
    data.inputs.forEach((input, i) => { this.inputs[i] = input.value; });
    this.y = new Float64Array(this.n);
    this.k = Array.from({ length: 7 }, () => new Float64Array(this.n));
    this.stage = new Float64Array(this.n);
    this.tolerance = data.tolerance;
    this.scale = new Float64Array(this.n);
    this.applyParameters();
    this.reset();
  }
  static async load(data: MotionData): Promise<Motion> {
    const [motion, picture, follow] = await Promise.all([data.motion, data.picture, data.follow].map((m) => Kernel.load(m)));
    return new Motion(data, motion, picture, follow, data.closing ? await Kernel.load(data.closing) : null);
  }

  // ---- values ------------------------------------------------------------------------------------------------------------
  reset(): void { this.setState(this.data.t, [...this.data.q, ...this.data.u]); }
  setState(t: number, y: ArrayLike<number>): void {
    this.t = t;
    this.y.set(y);
    this.scale.fill(0);
    this.h = 1e-3;
    this.known = false;
  }
  /// Those that follow others are worked out.
  private applyParameters(): void {
    this.parameters.set(this.follow.run(this.parameters));
    for (const kernel of this.kernels) { kernel.p.set(this.parameters); kernel.stages.p(); }
    this.inputsChanged = true;
    this.known = false;
  }
  /// False, with everything as before, if the constraints cannot be met with this value.
  setParameter(index: number, value: number): boolean {
    const before = this.parameters.slice(), y = this.y.slice();
    this.parameters[index] = value;
    this.applyParameters();
    if (this.parameters.every(Number.isFinite) && this.close(60) && this.rates(this.t, this.y).every(Number.isFinite)) return true;
    this.parameters.set(before);
    this.applyParameters();
    this.y.set(y);
    return false;
  }
  setInput(index: number, value: number): void { this.inputs[index] = value; this.inputsChanged = true; this.known = false; }
  private seriesValue(s: Series, t: number): number {
    const n = s.t.length;
    if (t <= s.t[0]) return s.value[0];
    if (t >= s.t[n - 1]) return s.value[n - 1];
    let i = 0;
    while (s.t[i + 1] <= t) i++;
    return s.hold ? s.value[i] : s.value[i] + (s.value[i + 1] - s.value[i]) * (t - s.t[i]) / (s.t[i + 1] - s.t[i]);
  }
  /// Brings inputs and time to a kernel.
  private situate(kernel: Kernel, t: number): void {
    const last = this.inputs.length - 1;
    if (this.inputs[last] !== t) {
      this.inputs[last] = t;
      this.data.inputs.forEach((input, i) => { if (input.series) this.inputs[i] = this.seriesValue(input.series, t); });
      this.inputsChanged = true;
    }
    if (this.inputsChanged) for (const k of this.kernels) k.stale = true;
    this.inputsChanged = false;
    if (!kernel.stale) return;
    kernel.u.set(this.inputs);
    kernel.setInputs();
    kernel.stale = false;
  }
  rates(t: number, y: ArrayLike<number>): Float64Array { this.situate(this.motion, t); return this.motion.run(y); }
  /// The numbers of the picture, at the present state.
  row(): Float64Array { this.situate(this.picture, this.t); return this.picture.run(this.y); }

  // ---- constraints -------------------------------------------------------------------------------------------------------
  // phi + A w = 0 for the shortest w, moved along q' = Y w; then A u + b = 0 for the shortest change of the speeds.
  private correct(residual: Float64Array, scale: number): Float64Array {
    const rows = this.data.constraints.length, nu = this.nu, width = nu + 2, c = this.closingValues;
    const S = new Float64Array(rows * rows);
    for (let i = 0; i < rows; i++)
      for (let j = 0; j <= i; j++) {
        let s = 0;
        for (let k = 0; k < nu; k++) s += c[i * width + 2 + k] * c[j * width + 2 + k];
        S[i * rows + j] = S[j * rows + i] = s;
      }
    const lambda = solveSymmetric(S, residual, rows), w = new Float64Array(nu);
    for (let i = 0; i < rows; i++) for (let k = 0; k < nu; k++) w[k] -= scale * c[i * width + 2 + k] * lambda[i];
    return w;
  }
  private evaluateClosing(): Float64Array {
    if (!this.closing) return this.closingValues;
    this.situate(this.closing, this.t);
    this.closingValues = this.closing.run(this.y).slice();
    return this.closingValues;
  }
  /// Moves the state onto the constraints; false if that takes more than `most` steps.
  close(most = 8): boolean {
    this.known = false;
    for (const first of this.data.quaternions) {
      const e = this.y.subarray(first, first + 4), n = Math.hypot(...e);
      for (let k = 0; k < 4; k++) e[k] /= n;
    }
    if (!this.closing) return true;
    const rows = this.data.constraints.length, nu = this.nu, nq = this.nq, width = nu + 2;
    const residual = new Float64Array(rows);
    let size = Infinity;
    for (let i = 0; i < most; i++) {
      const c = this.evaluateClosing();
      this.data.constraints.forEach((row, r) => { residual[r] = row.configuration ? c[r * width] : 0; });
      size = Math.max(0, ...residual.map(Math.abs));
      if (!(size > 1e-13)) break;
      const w = this.correct(residual, 1), trial = this.y.slice();
      trial.set(w, nq);
      const along = this.rates(this.t, trial).slice(0, nq);
      trial.fill(0, nq);
      const still = this.rates(this.t, trial).slice(0, nq), before = this.y.slice(0, nq);
      let share = 1;  // shorter steps if a whole one leads away
      for (let tries = 0; tries < 12; tries++, share /= 2) {
        for (let k = 0; k < nq; k++) this.y[k] = before[k] + share * (along[k] - still[k]);
        const d = this.evaluateClosing();
        let now = 0;
        this.data.constraints.forEach((row, r) => { if (row.configuration) now = Math.max(now, Math.abs(d[r * width])); });
        if (now < size || now < 1e-13) break;
      }
    }
    if (!(size < 1e-9)) return false;
    const c = this.evaluateClosing();
    for (let r = 0; r < rows; r++) {
      residual[r] = c[r * width + 1];
      for (let k = 0; k < nu; k++) residual[r] += c[r * width + 2 + k] * this.y[nq + k];
    }
    const w = this.correct(residual, 1);
    for (let k = 0; k < nu; k++) this.y[nq + k] += w[k];
    this.known = false;
    return true;
  }
  /// How far open the loops are: the largest |phi|.
  residual(): number {
    if (!this.closing) return 0;
    const c = this.evaluateClosing(), width = this.nu + 2;
    return this.data.constraints.reduce((m, row, r) => (row.configuration ? Math.max(m, Math.abs(c[r * width])) : m), 0);
  }

  // ---- time ----------------------------------------------------------------------------------------------------------------
  /// One step of at most `most` seconds; returns false where the motion cannot go on.
  private step(most: number): boolean {
    const { k, n, y, stage } = this;
    if (!this.known) { k[0].set(this.rates(this.t, y)); this.known = true; }
    for (let tries = 0; tries < 60; tries++) {
      const h = Math.min(this.h, most);
      for (let s = 1; s < 7; s++) {
        for (let i = 0; i < n; i++) {
          let d = 0;
          for (let j = 0; j < s; j++) d += DP_A[s][j] * k[j][i];
          stage[i] = y[i] + h * d;
        }
        k[s].set(this.rates(this.t + DP_C[s] * h, stage));
      }
      let error = 0, finite = true;
      for (let i = 0; i < n; i++) {
        let e = 0;
        for (let s = 0; s < 7; s++) e += DP_E[s] * k[s][i];
        const size = Math.max(this.scale[i], Math.abs(y[i]), Math.abs(stage[i]), 1e-3);
        error = Math.max(error, Math.abs(h * e) / (this.tolerance * size));
        finite = finite && Number.isFinite(stage[i]) && Number.isFinite(k[6][i]);
      }
      if (finite && error <= 1) {
        this.t += h;
        for (let i = 0; i < n; i++) { y[i] = stage[i]; this.scale[i] = Math.max(0.999 * this.scale[i], Math.abs(y[i])); }
        [k[0], k[6]] = [k[6], k[0]];
        const grow = Math.min(4, Math.max(0.3, 0.9 * Math.pow(error + 1e-10, -0.2)));
        if (h === this.h || grow < 1) this.h = h * grow;
        if (this.closing || this.data.quaternions.length) if (!this.close()) return false;
        return true;
      }
      this.h = finite ? h * Math.max(0.1, 0.9 * Math.pow(error, -0.2)) : h / 10;
      if (!(this.h > 1e-13 * Math.max(1, Math.abs(this.t)))) return false;
    }
    return false;
  }
  /// To a time; false if it cannot get there, or takes longer than `patience` ms.
  advance(until: number, patience = Infinity): boolean {
    const begin = patience < Infinity ? performance.now() : 0;
    while (this.t < until) {
      const left = until - this.t;
      if (!this.step(left)) { this.failed = true; return false; }
      if (until - this.t < 1e-14 * Math.max(1, Math.abs(until))) this.t = until;
      if (patience < Infinity && performance.now() - begin > patience) return false;
    }
    return true;
  }
}
