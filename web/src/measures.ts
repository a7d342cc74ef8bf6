// Meters of any expression, a phase plot, pictures and films of the view.

import { colours, digits, element, offerFile, recall, remember } from "./dom";
import type { Workspace } from "./workspace";

interface Meter { text: string; value: (sample: number) => number; number: HTMLOutputElement; row: HTMLElement }
const MOST_METERS = 40, PHASE_SAMPLES = 3000;

export class Measures {
  readonly root: HTMLElement;
  onDrawn: (() => void) | null = null;
  pictures = 0;  ///< taken of the view
  filmed = 0;    ///< bytes of the film so far
  private meters: Meter[] = [];
  private readonly list = element("div", { class: "meters", role: "list" });
  private readonly field = element("input", { type: "text", id: "expression", "aria-label": "Expression of a new meter", placeholder: "expression, such as sin(q1)*u1" });
  private readonly across = element("select", { "aria-label": "Horizontal signal of the phase plot" });
  private readonly above = element("select", { "aria-label": "Vertical signal of the phase plot" });
  private readonly canvas = element("canvas", { class: "phase", role: "img", "aria-label": "Phase plot" });
  private readonly film: HTMLButtonElement;
  private recorder: MediaRecorder | null = null;

  constructor(private readonly workspace: Workspace) {
    this.field.addEventListener("keydown", (event) => { if (event.key === "Enter") this.add(this.field.value); });
    for (const select of [this.across, this.above]) select.addEventListener("change", () => { workspace.dirty = true; });
    this.film = element("button", { id: "film", title: "Record the view as a WebM file", onclick: () => this.record() }, "Record video");
    this.root = element("div", {}, element("h2", { class: "small" }, "Meters"), this.list,
      element("p", { class: "newmeter" }, this.field, element("button", { id: "addmeter", onclick: () => this.add(this.field.value) }, "Add")),
      element("p", { class: "hint" }, "Names of coordinates, speeds, parameters, inputs and outputs; t, kinetic and potential. Each meter is a signal of the plots, too."),
      element("h2", { class: "small" }, "Phase plot"), element("p", { class: "phaseof" }, this.above, " over ", this.across), this.canvas,
      element("h2", { class: "small" }, "Pictures"),
      element("p", {}, element("button", { id: "png", title: "The view as a PNG file", onclick: () => this.picture() }, "Save PNG"), " ", this.film));
  }
  private get key(): string { return "meters." + (this.workspace.info.file ?? this.workspace.info.name); }
  /// Another model: its meters are those that it had here before.
  open(): void {
    const { info, signals } = this.workspace, names = signals.names;
    for (const [select, first] of [[this.across, info.coordinates[0]], [this.above, info.speeds[0]]] as const) {
      const chosen = select.value;
      select.replaceChildren(...names.map((n) => new Option(n, n)));
      select.value = names.includes(chosen) ? chosen : names.includes(first) ? first : names[0] ?? "";
    }
    let kept: unknown = [];
    try { kept = JSON.parse(recall(this.key) ?? "[]"); } catch { /* not a list */ }
    this.meters = [];
    this.list.replaceChildren();
    for (const text of Array.isArray(kept) ? kept.slice(0, MOST_METERS) : []) this.add(String(text), true);
  }
  add(given: string, quietly = false): void {
    const w = this.workspace, text = given.trim();
    if (!text || this.meters.some((m) => m.text === text)) return;
    let value: (sample: number) => number;
    try { value = w.signals.addExpression(text); }
    catch (error) { if (!quietly) w.note(`This is no meter: ${(error as Error).message}.`); return; }
    const number = element("output");
    const row = element("div", { role: "listitem", class: "meter" }, element("code", {}, text), number,
      element("button", { class: "quiet", title: "Plot it over time", "aria-label": `Plot ${text}`, onclick: () => { w.addPlot([text]); w.show("right", "Plots"); } }, "plot"),
      element("button", { class: "quiet", title: "Remove this meter", "aria-label": `Remove ${text}`, onclick: () => this.remove(meter) }, "\u00d7"));
    const meter: Meter = { text, value, number, row };
    this.meters.push(meter);
    this.list.append(row);
    for (const plot of w.plots) plot.refill();
    for (const select of [this.across, this.above]) if (![...select.options].some((o) => o.value === text)) select.append(new Option(text, text));
    if (!quietly) { this.field.value = ""; this.keep(); }
    w.dirty = true;
  }
  private remove(meter: Meter): void { this.meters = this.meters.filter((m) => m !== meter); meter.row.remove(); this.keep(); }
  private keep(): void { remember(this.key, JSON.stringify(this.meters.map((m) => m.text))); }
  draw(i: number): void {
    if (!this.root.offsetParent) return;
    for (const m of this.meters) m.number.textContent = digits(m.value(i));
    this.drawPhase(i);
  }
  private drawPhase(i: number): void {
    const { signals } = this.workspace;
    if (!signals.has(this.across.value) || !signals.has(this.above.value)) return;
    const x = signals.reader(this.across.value), y = signals.reader(this.above.value), c = this.canvas, g = c.getContext("2d");
    if (!g) return;
    const ratio = devicePixelRatio || 1, wide = c.clientWidth, high = c.clientHeight, paint = colours();
    if (c.width !== Math.round(wide * ratio)) { c.width = Math.round(wide * ratio); c.height = Math.round(high * ratio); }
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, wide, high);
    const from = Math.max(0, i - PHASE_SAMPLES), xs: number[] = [], ys: number[] = [];
    for (let k = from; k <= i; k++) { xs.push(x(k)); ys.push(y(k)); }
    const span = (all: number[]): [number, number] => {
      let low = Infinity, up = -Infinity;
      for (const v of all) if (Number.isFinite(v)) { low = Math.min(low, v); up = Math.max(up, v); }
      const gap = 0.06 * (up - low) || 1;
      return [low - gap, up + gap];
    };
    const [x0, x1] = span(xs), [y0, y1] = span(ys), X = (v: number): number => 44 + (wide - 54) * (v - x0) / (x1 - x0), Y = (v: number): number => high - 20 - (high - 28) * (v - y0) / (y1 - y0);
    g.strokeStyle = paint("line");
    g.strokeRect(44, 8, wide - 54, high - 28);
    g.fillStyle = paint("faint");
    g.font = "11px system-ui, sans-serif";
    g.fillText(digits(x0, 3), 44, high - 6);
    g.textAlign = "right";
    g.fillText(digits(x1, 3), wide - 10, high - 6);
    g.fillText(digits(y1, 3), 40, 16);
    g.fillText(digits(y0, 3), 40, high - 22);
    g.textAlign = "left";
    g.strokeStyle = g.fillStyle = paint("accent");
    g.lineWidth = 1.4;
    g.beginPath();
    xs.forEach((v, k) => g.lineTo(X(v), Y(ys[k])));
    g.stroke();
    g.beginPath();
    g.arc(X(xs[xs.length - 1]), Y(ys[ys.length - 1]), 4, 0, 7);
    g.fill();
  }

  // ---- pictures ------------------------------------------------------------------------------------------------------------------
  /// View and labels on one canvas.
  private compose(to: HTMLCanvasElement): void {
    const { canvas, overlay } = this.workspace, g = to.getContext("2d");
    if (!g) return;
    if (to.width !== overlay.width || to.height !== overlay.height) [to.width, to.height] = [overlay.width, overlay.height];
    const paint = colours(), sky = g.createLinearGradient(0, 0, 0, to.height);
    sky.addColorStop(0, paint("sky1"));
    sky.addColorStop(1, paint("sky2"));
    g.fillStyle = sky;
    g.fillRect(0, 0, to.width, to.height);
    g.drawImage(canvas, 0, 0, to.width, to.height);
    g.drawImage(overlay, 0, 0);
    this.pictures++;
  }
  private picture(): void {
    const to = element("canvas");
    this.onDrawn = () => {
      this.onDrawn = null;
      this.compose(to);
      to.toBlob((blob) => { if (blob) offerFile(blob, this.workspace.info.name + ".png"); });
    };
    this.workspace.dirty = true;
  }
  private record(): void {
    if (this.recorder) { this.recorder.stop(); return; }
    if (!window.MediaRecorder) { this.workspace.note("This browser does not record video."); return; }
    const to = element("canvas"), parts: Blob[] = [];
    this.compose(to);
    const recorder = new MediaRecorder(to.captureStream(30), { mimeType: "video/webm", videoBitsPerSecond: 6e6 });
    this.filmed = 0;
    recorder.ondataavailable = (event) => {
      parts.push(event.data);
      this.filmed += event.data.size;
      if (this.recorder) this.film.textContent = `Stop recording (${(this.filmed / 1e6).toFixed(1)} MB)`;
    };
    recorder.onstop = () => {
      this.recorder = this.onDrawn = null;
      this.film.textContent = "Record video";
      offerFile(new Blob(parts, { type: "video/webm" }), this.workspace.info.name + ".webm");
    };
    this.onDrawn = () => this.compose(to);
    this.recorder = recorder;
    recorder.start(500);  // ms between parts
    this.film.textContent = "Stop recording";
  }
}
