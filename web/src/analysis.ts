// Equilibrium, eigenvalues, mode shapes that move in the view, and Bode plots.

import { colours, digits as five, element } from "./dom";
import type { Engine } from "./engine";
import type { ModelInfo } from "./model_info";
import { parameterSlider } from "./sliders";
import type { Workspace } from "./workspace";

type Complex = [number, number];
interface Mode { eigenvalue: Complex; oscillates?: boolean; frequency_hz?: number; damping_ratio?: number; shape?: Record<string, Complex>; button?: HTMLElement }
/// An answer of the server (docs/protocol.md).
export interface Analysis {
  message?: string;
  equilibrium?: Record<string, number>;
  eigenvalues: Complex[];
  stability?: string;
  modes?: Mode[];
  states: string[];
  inputs?: string[];
  A: number[][];
  B?: number[][];
}
interface AnalysisHands { send(message: object): void; workspace: Workspace; engine(): Engine }
const MOST_ROOTS = 400;
interface BodePoint { w: number; size: number; phase: number }


/// Solves (i w - A) x = b for complex x, by elimination with pivots. Returns [re, im] for each row; null if it is singular.
export function respond(A: number[][], b: number[], w: number): Complex[] | null {
  const n = A.length, m: Complex[][] = A.map((row, i) => [...row.map((a, j): Complex => [-a, i === j ? w : 0]), [b[i], 0]]);
  const mul = (p: Complex, q: Complex): Complex => [p[0] * q[0] - p[1] * q[1], p[0] * q[1] + p[1] * q[0]];
  const over = (p: Complex, q: Complex): Complex => { const d = q[0] * q[0] + q[1] * q[1]; return [(p[0] * q[0] + p[1] * q[1]) / d, (p[1] * q[0] - p[0] * q[1]) / d]; };
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.hypot(...m[i][k]) > Math.hypot(...m[best][k])) best = i;
    [m[k], m[best]] = [m[best], m[k]];
    if (!(Math.hypot(...m[k][k]) > 1e-300)) return null;
    for (let i = k + 1; i < n; i++) {
      const f = over(m[i][k], m[k][k]);
      for (let j = k; j <= n; j++) { const p = mul(f, m[k][j]); m[i][j] = [m[i][j][0] - p[0], m[i][j][1] - p[1]]; }
    }
  }
  const x: Complex[] = new Array<Complex>(n);
  for (let k = n - 1; k >= 0; k--) {
    let s = m[k][n];
    for (let j = k + 1; j < n; j++) { const p = mul(m[k][j], x[j]); s = [s[0] - p[0], s[1] - p[1]]; }
    x[k] = over(s, m[k][k]);
  }
  return x;
}

export class AnalysisPane {
  readonly root: HTMLElement;
  moving: Mode | null = null;
  before: { t: number; state: number[] } | null = null;  ///< the motion goes on from here
  private readonly box = element("div", { id: "analysed" });
  private plane: [number, number, number] = [1, 1, 1];  // pixels for 1/s, width and height
  /// The root locus: eigenvalues with the values that the sliders had since they were asked for.
  readonly trail: Complex[][] = [];
  private readonly locus = element("div", { class: "locus" });
  private latest: Analysis | null = null;
  private asked = false;  // an answer is under way
  private again = false;  // it is out of date already

  constructor(private readonly hands: AnalysisHands) {
    this.root = element("div", {}, element("p", { class: "hint" }, "Equilibrium, eigenvalues, mode shapes and frequency responses of the present model, with the parameters of the sliders."),
      element("button", { id: "analyse", onclick: () => this.ask() }, "Find them"), this.locus, this.box);
    hands.workspace.onParameter = () => this.follow();
  }
  private ask(): void { this.rest(); this.trail.length = 0; this.asked = true; this.hands.send({ type: "analyse" }); }
  /// Another model, or another text of it: a slider for the root locus.
  open(): void {
    const w = this.hands.workspace, free = w.info.parameters.map((p, i) => ({ ...p, i })).filter((p) => p.free !== false);
    this.asked = this.again = false;
    this.latest = null;
    this.trail.length = 0;
    this.box.replaceChildren();
    this.locus.replaceChildren();
    this.locus.hidden = true;
    const choice = element("select", { "aria-label": "Parameter of the root locus" }, ...free.map((p) => new Option(p.name, p.name))), place = element("div");
    const row = (): void => { const p = free.find((f) => f.name === choice.value); if (p) place.replaceChildren(parameterSlider({ ...p, value: w.values.get(p.name) ?? p.value }, (v) => w.changeParameter(p.i, p.name, v), (why) => w.note(why)).root); };
    choice.addEventListener("change", () => { this.trail.length = 0; row(); if (this.latest) this.show(this.latest); });
    if (free.length) { this.locus.append(element("h2", { class: "small" }, "Root locus of ", choice), place); row(); }
  }
  /// A slider has moved: the eigenvalues follow it, one question at a time, and leave their trail.
  private follow(): void {
    if (!this.latest || this.moving) return;
    if (this.asked) { this.again = true; return; }
    this.asked = true;
    this.hands.send({ type: "analyse" });
  }
  show(m: Analysis): void {
    const box = this.box, [wide, high] = [box.scrollHeight, this.root.parentElement?.scrollTop ?? 0];
    this.asked = false;
    this.latest = m;
    this.locus.hidden = !this.locus.childElementCount;
    if (!m.message && m.eigenvalues !== this.trail.at(-1)) this.trail.push(m.eigenvalues);
    if (this.trail.length > MOST_ROOTS) this.trail.shift();
    if (this.again) { this.again = false; this.follow(); }
    box.style.minHeight = `${wide}px`;  // so that nothing jumps while it is filled again
    this.fill(box, m);
    box.style.minHeight = "";
    if (this.root.parentElement) this.root.parentElement.scrollTop = high;
  }
  private fill(box: HTMLElement, m: Analysis): void {
    box.replaceChildren();
    if (m.message) { box.append(element("p", {}, m.message)); return; }
    const table = (rows: string[][]): HTMLElement => { const t = element("table", { class: "values" }); for (const r of rows) { const row = t.insertRow(); for (const c of r) row.insertCell().append(c); } return t; };
    if (m.equilibrium) box.append(element("h2", { class: "small" }, "Equilibrium"), table(Object.entries(m.equilibrium).map(([n, v]) => [n, five(v)])));
    box.append(element("h2", { class: "small" }, "Eigenvalues, 1/s"), element("p", { class: "hint" }, m.stability || ""));
    const canvas = element("canvas", { class: "roots", role: "img", "aria-label": "Eigenvalues on the complex plane; click one to see its mode" });
    const modes = (m.modes || []).filter((mode) => mode.shape);
    box.append(canvas, table(m.eigenvalues.map(([re, im]) => [five(re), (im < 0 ? "\u2212 " : "+ ") + five(Math.abs(im)) + " i", im ? five(Math.abs(im) / 2 / Math.PI) + " Hz" : ""])));
    this.drawRoots(canvas, m.eigenvalues);
    if (modes.length) box.append(element("h2", { class: "small" }, "Mode shapes"), this.modeList(modes, m));
    canvas.addEventListener("click", (event) => {
      const [k, w, h] = this.plane, at = canvas.getBoundingClientRect(), x = event.clientX - at.left, y = event.clientY - at.top;
      const near = modes.map((mode) => [Math.min(...[1, -1].map((s) => Math.hypot(w / 2 + k * mode.eigenvalue[0] - x, h / 2 - s * k * mode.eigenvalue[1] - y))), mode]).sort((a, b) => Number(a[0]) - Number(b[0]))[0] as [number, Mode] | undefined;
      if (near && near[0] < 14) this.animate(near[1], m);
    });
    if (m.inputs?.length && m.B?.length) this.addBode(m);
  }
  private modeList(modes: Mode[], m: Analysis): HTMLElement {
    const list = element("div", { class: "modelist" });
    modes.slice(0, 40).forEach((mode, i) => {
      const what = mode.oscillates ? `${five(mode.frequency_hz ?? NaN)} Hz, damping ratio ${(mode.damping_ratio ?? 0) < 1e-9 ? "0" : five(mode.damping_ratio ?? NaN)}` : `real, ${five(mode.eigenvalue[0])} 1/s`;
      const button = element("button", { "data-mode": i, "aria-pressed": "false", onclick: () => (this.moving === mode ? this.rest() : this.animate(mode, m)) }, `Mode ${i + 1}`);
      mode.button = button;
      list.append(element("div", {}, button, " ", what));
    });
    return list;
  }

  // ---- a mode that moves -------------------------------------------------------------------------------------------------------
  /// The server shows poses along the mode, about the equilibrium; the run waits, and goes on from where it was.
  private animate(mode: Mode, m: Analysis): void {
    const w = this.hands.workspace, engine = this.hands.engine(), info: ModelInfo = engine.info, h = w.history, shape = mode.shape ?? {};
    const missing = info.coordinates.filter((q) => !(q in shape));
    if (missing.length) { w.note(`The mode shape does not say how ${missing.slice(0, 3).join(", ")} move${missing.length > 1 ? "" : "s"}, which a constraint determines; shapes of such models are not animated here.`); return; }
    this.rest();
    if (!w.live) w.leavePast();
    w.setPlaying(false);
    const units = new Map(h.scene.signals.map((s) => [s.name, s.unit])), last = h.count - 1;
    const t0 = h.times[last];
    this.before = { t: t0, state: [...h.state(last)] };
    const reach = Math.min(...info.coordinates.map((q) => (units.get(q) === "m" ? 0.2 * h.scene.size : 0.35) / Math.max(1e-12, Math.hypot(...shape[q]))));
    const middle = info.coordinates.map((q) => m.equilibrium?.[q] ?? 0), begin = performance.now();
    this.moving = mode;
    mode.button?.setAttribute("aria-pressed", "true");
    const turn = (): void => {
      if (this.moving !== mode) return;
      if (w.playing) { this.forget(); return; }
      const phase = 2 * Math.PI * (performance.now() - begin) / 1600, c = Math.cos(phase), s = Math.sin(phase);
      const state = [...info.coordinates.map((q, i) => middle[i] + reach * (shape[q][0] * c - shape[q][1] * s)), ...info.speeds.map(() => 0)];
      if (engine.info === info) engine.resume(t0, state, true); else { this.forget(); return; }
      setTimeout(turn, 33);
    };
    turn();
  }
  private forget(): void { this.moving?.button?.setAttribute("aria-pressed", "false"); this.moving = null; }
  private rest(): void {
    if (!this.moving || !this.before) return;
    this.forget();
    this.hands.engine().resume(this.before.t, this.before.state);
  }

  // ---- Bode ------------------------------------------------------------------------------------------------------------------------
  /// Inputs of the model first, then forces and torques on bodies, each if it has any effect.
  private bodeInputs(m: Analysis): [string, number][] {
    const bodies = this.hands.engine().info.scene.bodies, own: [string, number][] = [], pulls: [string, number][] = [];
    m.inputs?.forEach((name, i) => {
      if (!m.B?.some((row) => Math.abs(row[i]) > 1e-12)) return;
      const pull = /^kane_pull_(\d+)_([FT])([xyz])$/.exec(name);
      if (pull) pulls.push([`${pull[2] === "F" ? "force" : "torque"} ${pull[3]} on ${bodies[Number(pull[1])]?.name ?? `body ${pull[1]}`}`, i]);
      else own.push([name, i]);
    });
    return [...own, ...pulls];
  }
  private addBode(m: Analysis): void {
    const inputs = this.bodeInputs(m);
    if (!inputs.length) return;
    const from = element("select", { "aria-label": "Input of the Bode plot" }, ...inputs.map(([n, i]) => new Option(n, String(i))));
    const to = element("select", { "aria-label": "Output of the Bode plot" }, ...m.states.map((n, i) => new Option(n, String(i))));
    const canvas = element("canvas", { class: "bode", role: "img", "aria-label": "Bode plot" }), draw = (): void => this.drawBode(canvas, m, Number(from.value), Number(to.value));
    from.addEventListener("change", draw);
    to.addEventListener("change", draw);
    this.box.append(element("h2", { class: "small" }, "Bode plot"), element("p", { class: "phaseof" }, to, " by ", from), canvas);
    draw();
  }
  /// Magnitudes and phases, in degrees and without jumps, at frequencies about those of the modes.
  private bode(m: Analysis, input: number, state: number): BodePoint[] {
    const sizes = m.eigenvalues.map((e) => Math.hypot(...e)).filter((v) => v > 1e-6), low = Math.min(1, ...sizes) / 20, high = Math.max(1, ...sizes) * 20, n = 300, points: BodePoint[] = [];
    const b = (m.B ?? []).map((row) => row[input]);
    let before: number | null = null;
    for (let k = 0; k < n; k++) {
      const w = low * (high / low) ** (k / (n - 1)), x = respond(m.A, b, w)?.[state];
      if (!x || !Number.isFinite(x[0] + x[1])) continue;
      let phase = Math.atan2(x[1], x[0]) * 180 / Math.PI;
      if (before !== null) phase += 360 * Math.round((before - phase) / 360);
      before = phase;
      points.push({ w, size: Math.hypot(...x), phase });
    }
    return points;
  }
  private drawBode(canvas: HTMLCanvasElement, m: Analysis, input: number, state: number): void {
    const points = this.bode(m, input, state).filter((p) => p.size > 0), ratio = devicePixelRatio || 1, w = canvas.clientWidth || 380, h = canvas.clientHeight || 260, g = canvas.getContext("2d"), paint = colours();
    if (!g) return;
    canvas.width = w * ratio;
    canvas.height = h * ratio;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.font = "11px system-ui, sans-serif";
    if (!points.length) { g.fillStyle = paint("faint"); g.fillText("This input does not move this state.", 12, 24); return; }
    const X = (v: number): number => 44 + (w - 54) * Math.log(v / points[0].w) / Math.log(points[points.length - 1].w / points[0].w);
    const curve = (of: (p: BodePoint) => number, top: number, high: number, unit: string): void => {
      const all = points.map(of), low = Math.min(...all), up = Math.max(...all), gap = 0.08 * (up - low) || 1, Y = (v: number): number => top + high - high * (v - low + gap) / (up - low + 2 * gap);
      g.strokeStyle = paint("line");
      g.lineWidth = 1;
      g.strokeRect(44, top, w - 54, high);
      g.fillStyle = paint("faint");
      g.textAlign = "right";
      g.fillText(String(Number(up.toPrecision(3))), 40, Y(up) + 4);
      g.fillText(String(Number(low.toPrecision(3))), 40, Y(low) + 4);
      g.textAlign = "left";
      g.fillText(unit, 49, top + 13);
      g.strokeStyle = paint("accent");
      g.lineWidth = 1.6;
      g.beginPath();
      points.forEach((p, i) => g.lineTo(X(p.w), Y(all[i])));
      g.stroke();
    };
    curve((p) => 20 * Math.log10(p.size), 6, 0.52 * h, "dB");
    curve((p) => p.phase, 0.52 * h + 14, 0.48 * h - 36, "phase, deg");
    g.fillStyle = paint("faint");
    g.fillText(`${Number(points[0].w.toPrecision(2))} rad/s`, 44, h - 5);
    g.textAlign = "right";
    g.fillText(`${Number(points[points.length - 1].w.toPrecision(2))} rad/s`, w - 10, h - 5);
    g.textAlign = "left";
  }

  private drawRoots(canvas: HTMLCanvasElement, roots: Complex[]): void {
    const ratio = devicePixelRatio || 1, w = canvas.clientWidth || 380, h = canvas.clientHeight || 240, g = canvas.getContext("2d"), paint = colours();
    if (!g) return;
    canvas.width = w * ratio;
    canvas.height = h * ratio;
    g.scale(ratio, ratio);
    const size = 1.2 * Math.max(1e-6, ...roots.flat().map(Math.abs), ...this.trail.flat(2).map(Math.abs)), k = Math.min(w, h) / 2 / size, X = (v: number): number => w / 2 + k * v, Y = (v: number): number => h / 2 - k * v;
    this.plane = [k, w, h];
    g.fillStyle = paint("wash");
    g.fillRect(0, 0, w / 2, h);  // stable
    g.strokeStyle = paint("line");
    g.beginPath(); g.moveTo(0, h / 2); g.lineTo(w, h / 2); g.moveTo(w / 2, 0); g.lineTo(w / 2, h); g.stroke();
    g.fillStyle = paint("faint");
    for (const [re, im] of this.trail.flat()) { g.beginPath(); g.arc(X(re), Y(im), 1.6, 0, 7); g.fill(); }
    g.strokeStyle = paint("accent");
    g.lineWidth = 2;
    for (const [re, im] of roots) { const x = X(re), y = Y(im); g.beginPath(); g.moveTo(x - 4, y - 4); g.lineTo(x + 4, y + 4); g.moveTo(x - 4, y + 4); g.lineTo(x + 4, y - 4); g.stroke(); }
    g.fillStyle = paint("faint");
    g.font = "11px system-ui, sans-serif";
    g.fillText("Re", w - 18, h / 2 - 5);
    g.fillText(`Im, \u00b1${Number(size.toPrecision(2))}`, w / 2 + 5, 12);
  }
}
