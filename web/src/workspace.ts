// The shell that the one-file page and the workbench share: view, time line, sliders, meters, plots, equations. What runs
// the model is behind an Engine.

import { byId, element, icon, isDark, recall, remember } from "./dom";
import type { Engine } from "./engine";
import { History } from "./history";
import { Measures } from "./measures";
import type { Hold, ModelInfo, Sample } from "./model_info";
import { Plot } from "./plots";
import { listenToKeys } from "./shortcuts";
import { Signals } from "./signals";
import { type SliderRow, parameterSlider } from "./sliders";
import { Stage } from "./stage";
import { SymbolReader } from "./symbols";
import { SceneView, type Shown } from "./view";
import { ShownPanel } from "./view_panel";

export type Side = "left" | "right";
const PLAY = "M3 1l10 6-10 6z", PAUSE = "M3 1h3v12H3zM8 1h3v12H8z", SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/// Where equations stand; the workbench and the one-file page set them in their own ways.
export interface EquationSheet { root: HTMLElement; draw(sample: number): void; light(name: string): void }
export interface WorkspaceOptions {
  onSelect?(name: string): void;
  onJoint?(name: string): void;
  help?: [string, string][];
}
interface Panel { title: string; tab: HTMLButtonElement; panel: HTMLElement }

export class Workspace {
  playing = true;
  time = 0;
  live = true;       ///< the newest sample is shown
  dirty = true;
  covered = false;   ///< by a sheet, so that the view need not be drawn
  plots: Plot[] = [];
  marks: [number, string][] = [];
  values = new Map<string, number>();
  engine!: Engine;
  history!: History;
  signals!: Signals;
  view!: SceneView;
  readonly stage: Stage;
  readonly measures: Measures;
  readonly symbols = new SymbolReader(this);
  onParameter: (() => void) | null = null;  ///< one has another value now
  onShow: ((side: Side, title: string) => void) | null = null;
  private first: number | null = null;  // energy that the run began with
  private readonly window = 10;  // s, of the plots
  private zoomed: [number, number] | null = null;
  private readonly panels: Record<Side, Panel[]> = { left: [], right: [] };
  private readonly app: HTMLElement;
  private readonly speed = element("select", { id: "speed", "aria-label": "Speed", title: "Speed" }, ...SPEEDS.map((k) => new Option(k + "\u00d7", String(k), k === 1, k === 1)));
  private readonly plotlist = element("div", { id: "plotlist" });
  private readonly sliders = element("div", { id: "sliders" });
  private rows: SliderRow[] = [];
  private sheet: EquationSheet | null = null;
  private readonly panel3d: ShownPanel;
  private ticksDirty = true;
  private metersAt = 0;
  private framedAt = 0;
  private rested = false;
  private noteTimer = 0;

  constructor(readonly options: WorkspaceOptions = {}) {
    document.documentElement.dataset.theme = recall("theme") ?? "";
    const canvas = element("canvas", { "aria-hidden": "true" }), overlay = element("canvas", { class: "overlay", tabindex: "0", role: "img", "aria-label": "The mechanism. Drag a body to pull it; drag beside it to turn the view." });
    this.panel3d = new ShownPanel(() => { this.dirty = true; });
    this.app = this.build(canvas, overlay);
    document.body.append(this.app);
    for (const side of ["left", "right"]) { const w = recall(side); if (w) this.app.style.setProperty("--" + side, w); }
    this.stage = new Stage(canvas, overlay);
    this.panel("right", "Plots", element("div", { id: "plotbar" },
      element("button", { id: "addplot", title: "Another plot below these; choose its signals there", onclick: () => this.addPlot([]) }, "Add a plot"),
      element("button", { id: "csv", title: "All samples as a table", onclick: () => this.saveTable() }, "Save CSV"),
      element("span", { class: "hint" }, "drag to zoom \u00b7 double-click for all")), this.plotlist);
    this.measures = new Measures(this);
    this.panel("right", "Measure", this.measures.root);
    this.panel("left", "Parameters", this.sliders);
    this.listen();
    requestAnimationFrame((now) => this.frame(now));
  }
  get canvas(): HTMLCanvasElement { return this.stage.canvas; }
  get overlay(): HTMLCanvasElement { return this.stage.overlay; }
  get info(): ModelInfo { return this.engine.info; }

  // ---- the page --------------------------------------------------------------------------------------------------------------
  private build(canvas: HTMLElement, overlay: HTMLElement): HTMLElement {
    const tabs = (side: Side, label: string): HTMLElement => element("div", { class: "tabs", role: "tablist", "aria-label": label, id: side + "tabs" },
      element("button", { class: "swap", title: "The other pane", "aria-label": "The other pane", onclick: () => this.swap() }, "\u21c4"));
    const pane = (side: Side, label: string): HTMLElement => element("section", { class: "pane " + side, "aria-label": label }, tabs(side, label), element("div", { id: side + "panels", class: "panels" }));
    const border = (side: Side): HTMLElement => element("div", { class: "border", role: "separator", tabindex: "0", "aria-orientation": "vertical", "aria-label": `Width of the ${side} pane`, "data-side": side });
    return element("div", { id: "app", "data-narrow": "left" },
      element("header", { id: "top" },
        element("span", { class: "brand" }, "Kane"), element("span", { class: "file", id: "file" }), element("span", { class: "about", id: "about" }), element("span", { id: "actions" }),
        element("button", { class: "quiet", id: "theme", title: "Light or dark", "aria-label": "Light or dark", onclick: () => this.switchTheme() }, "\u25d0"),
        element("button", { class: "quiet", id: "help", title: "Keys and mouse (?)", "aria-label": "Keys and mouse", onclick: () => this.help() }, "?")),
      pane("left", "Model"), border("left"),
      element("section", { id: "stage", "aria-label": "View" }, canvas, overlay, element("div", { id: "hint" }, "Pull it: drag a body"),
        element("div", { id: "tools" },
          element("button", { id: "flat", "aria-pressed": "false", title: "Flat, from the front (2)", onclick: () => this.switchFlat() }, "2-D"),
          element("button", { id: "fit", title: "See everything (F, or double-click beside the bodies)", onclick: () => this.view?.fit() }, "Fit"),
          this.panel3d.root),
        element("div", { id: "note", role: "alert", hidden: true }), element("div", { id: "meters", role: "status", "aria-label": "Energy and pace" })),
      border("right"), pane("right", "Results"),
      element("footer", { id: "transport" },
        element("button", { id: "reset", title: "Back to the start (R)", "aria-label": "Back to the start", onclick: () => this.reset() }, icon("M2 2h2v10H2zM13 2v10L5 7z")),
        element("button", { id: "play", title: "Play or pause (space)", "aria-label": "Play or pause", onclick: () => this.toggle() }, icon(PAUSE)),
        element("button", { id: "step", title: "A hundredth of a second (.)", "aria-label": "One step", onclick: () => this.step() }, icon("M10 2h2v10h-2zM1 2v10l8-5z")),
        this.speed,
        element("span", { id: "line" }, element("input", { id: "scrub", type: "range", min: 0, max: 1000, step: "any", value: 1000, "aria-label": "Time", title: "Drag back into the past; play continues from there" }), element("span", { id: "ticks" })),
        element("output", { id: "clock" }, "0.00 s")));
  }
  /// A tab on one side; returns its content.
  panel(side: Side, title: string, ...content: Node[]): HTMLElement {
    const id = `${side}-${title.toLowerCase()}`, panel = element("div", { class: "panel", role: "tabpanel", id, "aria-labelledby": id + "-tab", hidden: true }, ...content);
    const tab = element("button", { role: "tab", id: id + "-tab", "aria-controls": id, "aria-selected": "false", onclick: () => this.show(side, title) }, title);
    const bar = byId(side + "tabs");
    tab.addEventListener("keydown", (event) => {
      const all = this.panels[side], step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? all.length - 1 : 0;
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      const next = all[(all.findIndex((p) => p.tab === tab) + step) % all.length];
      this.show(side, next.title);
      next.tab.focus();
    });
    bar.insertBefore(tab, bar.lastChild);
    byId(side + "panels").append(panel);
    this.panels[side].push({ title, tab, panel });
    if (this.panels[side].length === 1) this.show(side, title);
    return panel;
  }
  /// The order of the tabs of a side.
  arrange(side: Side, titles: string[]): void {
    const bar = byId(side + "tabs"), rank = (p: Panel): number => { const at = titles.indexOf(p.title); return at < 0 ? titles.length : at; };
    this.panels[side].sort((a, b) => rank(a) - rank(b));
    for (const p of this.panels[side]) bar.insertBefore(p.tab, bar.lastChild);
  }
  setSheet(sheet: EquationSheet): void { this.sheet = sheet; this.panel("right", "Equations", sheet.root); this.arrange("right", ["Equations", "Plots", "Measure"]); this.show("right", "Equations"); }
  show(side: Side, title: string): void {
    for (const p of this.panels[side]) {
      const on = p.title === title;
      p.panel.hidden = !on;
      p.tab.setAttribute("aria-selected", String(on));
      p.tab.tabIndex = on ? 0 : -1;
    }
    this.dirty = true;
    this.onShow?.(side, title);
  }
  private swap(): void { this.app.dataset.narrow = this.app.dataset.narrow === "left" ? "right" : "left"; this.dirty = true; }
  private switchTheme(): void {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    remember("theme", document.documentElement.dataset.theme);
    this.dirty = true;
  }
  switchFlat(): void {
    if (!this.view) return;
    this.view.setFlat(!this.view.camera.flat);
    byId("flat").setAttribute("aria-pressed", String(this.view.camera.flat));
  }
  help(): void {
    const rows: [string, string][] = [["drag a body", "pull it by a spring"], ["drag beside it", "turn the view"], ["shift-drag, right drag", "move the view"],
      ["wheel, pinch", "zoom"], ["double-click beside it, F", "see everything"], ["2", "flat or with depth"], ["space", "play or pause"], [".", "a small step"],
      ["R", "back to the start"], ["\u2190 \u2192", "back and forth in time"], ...(this.options.help ?? [])];
    const table = element("table");
    for (const [a, b] of rows) { const r = table.insertRow(); r.insertCell().textContent = a; r.insertCell().textContent = b; }
    const dialog = element("dialog", { "aria-label": "Keys and mouse" }, table, element("form", { method: "dialog", class: "ending" }, element("button", {}, "Close")));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }
  note(text: string, kind: "ok" | "warn" | "bad" = "warn"): void {
    const box = byId("note");
    box.hidden = !text;
    box.textContent = text;
    box.style.borderLeftColor = `var(--${kind})`;
    clearTimeout(this.noteTimer);
    if (text && kind !== "bad") this.noteTimer = window.setTimeout(() => this.note(""), 6000);
  }

  // ---- a model ----------------------------------------------------------------------------------------------------------------
  /// Shows another model, or the same one anew. `preview`: samples that say how far it will move.
  open(engine: Engine, preview: Sample[] = [], keepCamera = false): void {
    const info = engine.info, before = this.view as SceneView | undefined;
    this.engine = engine;
    document.title = info.name + " \u00b7 Kane";
    byId("file").textContent = info.file || info.name;
    byId("about").textContent = info.description ?? "";
    this.history = new History(info.scene, info.coordinates.length, info.speeds.length);
    for (const [t, state, row] of preview) this.history.append(t, state, row);
    this.history.dropFlights();
    if (before?.pulled) engine.pull(null);  // the hand was that of the view that ends; its last pull may come after the change of models
    before?.end();
    this.view = new SceneView(this.stage, this.history, {
      onSelect: (body) => this.selected(body),
      onPull: (hold) => this.pull(hold),
      onJoint: this.options.onJoint ? (name) => this.options.onJoint?.(name) : undefined,
    });
    if (before) this.view.shown = { ...before.shown };
    if (before && keepCamera) {
      this.view.camera.copyFrom(before.camera);
      this.view.locked = before.locked;
      this.view.trails.clear();
      for (const point of before.trails) this.view.trails.add(point);
    } else if (before?.camera.flat) this.view.setFlat(true);
    this.history.clear();
    this.marks = [];
    this.first = null;
    this.live = true;
    this.values = new Map(info.parameters.map((p) => [p.name, p.value]));
    this.panel3d.fill(this.view);
    this.signals = new Signals(this.history, () => this.values);
    this.fillPlots(keepCamera);
    this.fillSliders();
    this.measures.open();
    this.symbols.explain(null);
    this.dirty = true;
  }
  private selected(body: number): void {
    const name = body >= 0 ? this.history.scene.bodies[body].name : "";
    this.options.onSelect?.(name);
  }
  /// Selects a body by its name, from the text or the equations.
  selectNamed(name: string): void { const at = this.history?.scene.bodies.findIndex((b) => b.name === name) ?? -1; if (at >= 0) this.view.select(at); }
  private pull(hold: Hold | null): void {
    this.engine.pull(hold);
    if (hold) { this.leavePast(); this.first = null; } else byId("hint").classList.add("gone");
  }
  setShown(change: Partial<Shown>): void { Object.assign(this.view.shown, change); this.panel3d.fill(this.view); this.dirty = true; }
  /// The energy that changes are compared with is that of the next picture.
  forgetEnergy(): void { this.first = null; }

  // ---- sliders -----------------------------------------------------------------------------------------------------------------
  private fillSliders(): void {
    const info = this.info, inputs = info.inputs.map((input, i) => ({ ...input, i })).filter((input) => !input.pull && !input.series && !input.law);
    const title = (text: string): HTMLElement => element("h2", { class: "small" }, text);
    this.sliders.replaceChildren();
    if (inputs.length) this.sliders.append(title("Inputs"));
    for (const input of inputs)
      this.sliders.append(parameterSlider(input, (v) => { this.engine.setInput(input.i, v); return Promise.resolve(""); }, (why) => this.note(why)).root);
    if (info.parameters.length) this.sliders.append(title("Parameters"));
    this.rows = info.parameters.map((p, i) => parameterSlider(p, (v) => this.changeParameter(i, p.name, v), (why) => this.note(why), p.free === false));
    this.sliders.append(...this.rows.map((row) => row.root), element("p", { class: "hint" }, info.parameters.length || inputs.length ? "Double-click a name for its first value." : "This model has no parameters."));
  }
  sliderOf(name: string): HTMLElement | null { return this.sliders.querySelector(`[data-name="${CSS.escape(name)}"]`); }
  async changeParameter(i: number, name: string, value: number): Promise<string> {
    const why = await this.engine.setParameter(i, value);
    if (why) return why;
    this.info.parameters.forEach((p, k) => {
      const now = this.engine.parameterValue(k);
      if (now !== this.values.get(p.name)) this.rows[k]?.show(now);
      this.values.set(p.name, now);
    });
    this.view.morph(this.values);
    this.symbols.draw(this.sample);
    this.first = null;
    this.dirty = true;
    this.onParameter?.();
    return "";
  }

  /// The run has other values than the model's own, from sliders of before or of another page.
  adoptValues(): void {
    this.info.parameters.forEach((p, k) => { const now = this.engine.parameterValue(k); this.rows[k]?.show(now); this.values.set(p.name, now); });
    this.view.morph(this.values);
    this.dirty = true;
  }

  // ---- samples -------------------------------------------------------------------------------------------------------------------
  take(t: number, state: ArrayLike<number>, row: ArrayLike<number>): void {
    const h = this.history;
    // Nothing later than this sample, and no other one of the same time.
    if (h.count && t < h.times[h.count - 1] + 1e-12) { const i = h.before(t); h.truncate(h.times[i] < t - 1e-12 ? i : i - 1); }
    h.append(t, state, row);
    this.view.widen();
    if (this.live) this.time = t;
    this.dirty = true;
  }
  /// The number of the sample that is shown.
  get sample(): number { return this.live ? this.history.count - 1 : this.history.before(this.time); }
  mark(t: number, text: string): void { this.marks.push([t, text]); this.ticksDirty = true; }

  // ---- plots ---------------------------------------------------------------------------------------------------------------------
  private fillPlots(keep: boolean): void {
    const kept = keep ? this.plots.map((p) => p.names.filter((n) => this.signals.has(n))).filter((names) => names.length) : [];
    for (const p of this.plots) p.end();
    this.plots = [];
    for (const names of kept) this.addPlot(names);
    if (kept.length) return;
    const first = (group: string, most: number): void => {
      const units = new Map<string, string[]>();
      for (const name of this.signals.groups.get(group) ?? []) { const u = this.signals.unit(name); units.set(u, [...(units.get(u) ?? []), name]); }
      for (const names of units.values()) this.addPlot(names.slice(0, most));
    };
    first("coordinates", 5);
    first("speeds", 5);
    first("energy", 3);
    first("outputs", 4);
  }
  get span(): [number, number] {
    if (this.zoomed) return this.zoomed;
    const start = this.history.times[0] ?? 0, end = Math.max(this.time, start), begin = Math.max(start, end - this.window);
    return [begin, Math.max(end, begin + Math.min(this.window, 2))];
  }
  setSpan(a: number, b: number): void { if (b - a > 1e-6) this.zoomed = [a, b]; this.dirty = true; }
  resetZoom(): void { this.zoomed = null; this.dirty = true; }
  redraw(): void { this.dirty = true; }
  addPlot(names: string[], after?: Plot): void {
    const plot = new Plot(this, names);
    this.plots.push(plot);
    if (after) after.root.after(plot.root);
    else this.plotlist.append(plot.root);
    this.dirty = true;
  }
  removePlot(plot: Plot): void { this.plots = this.plots.filter((p) => p !== plot); plot.end(); }
  private saveTable(): void {
    const names = this.signals.names, readers = names.map((n) => this.signals.reader(n));
    const lines = [["t", ...names].map((n) => (/[",]/.test(n) ? JSON.stringify(n) : n)).join(",")];
    for (let i = 0; i < this.history.count; i++) lines.push([this.history.times[i], ...readers.map((value) => value(i))].join(","));
    const link = element("a", { href: URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" })), download: this.info.name + ".csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // ---- time ----------------------------------------------------------------------------------------------------------------------
  showPlaying(on: boolean): void {
    this.playing = on;
    byId("play").replaceChildren(icon(on ? PAUSE : PLAY));
  }
  setPlaying(on: boolean): void { this.showPlaying(on); this.engine?.play(on); }
  toggle(): void { if (!this.playing) this.leavePast(); this.setPlaying(!this.playing); }
  reset(): void {
    this.history.clear();
    this.marks = [];
    this.ticksDirty = true;
    this.first = null;
    this.live = true;
    this.zoomed = null;
    this.note("");
    this.engine.reset();
    this.dirty = true;
  }
  step(): void { this.leavePast(); this.setPlaying(false); this.engine.step(); }
  /// Shows a time of the past; the run waits.
  go(t: number): void {
    const n = this.history.count;
    if (!n) return;
    this.setPlaying(false);
    this.time = Math.max(this.history.times[0], Math.min(this.history.times[n - 1], t));
    this.live = this.time >= this.history.times[n - 1];
    this.dirty = true;
  }
  /// Back or forth by a share of what is recorded.
  goBy(share: number): void { const t = this.history.times; this.go(this.time + share * Math.max(1e-9, (t[this.history.count - 1] ?? 1) - (t[0] ?? 0))); }
  /// The run goes on from the sample that is shown.
  leavePast(): void {
    if (this.live || !this.history.count) return;
    const i = this.history.before(this.time), t = this.history.times[i];
    this.history.truncate(i);
    this.marks = this.marks.filter(([at]) => at <= t);
    this.ticksDirty = true;
    this.engine.resume(t, this.history.state(i).slice());
    this.first = null;
    this.live = true;
  }
  private listen(): void {
    const scrub = byId<HTMLInputElement>("scrub");
    scrub.addEventListener("input", () => {
      const n = this.history.count, t = this.history.times;
      if (n > 1) this.go(t[0] + Number(scrub.value) / 1000 * (t[n - 1] - t[0]));
    });
    this.speed.addEventListener("change", () => this.engine.setSpeed(Number(this.speed.value)));
    for (const border of this.app.querySelectorAll<HTMLElement>(".border")) this.listenToBorder(border);
    addEventListener("resize", () => { this.dirty = true; });
    listenToKeys(this);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.dirty = true; });
  }
  private listenToBorder(border: HTMLElement): void {
    const side = border.dataset.side as Side, pane = this.app.querySelector(".pane." + side) as HTMLElement, sign = side === "left" ? 1 : -1;
    const set = (width: number): void => {
      const w = Math.round(Math.max(0, Math.min(0.5 * innerWidth, width))) + "px";
      this.app.style.setProperty("--" + side, w);
      remember(side, w);
      this.dirty = true;
    };
    border.addEventListener("pointerdown", (event) => {
      const from = event.clientX, width = pane.clientWidth, move = (e: PointerEvent): void => set(width + sign * (e.clientX - from));
      border.setPointerCapture(event.pointerId);
      border.addEventListener("pointermove", move);
      border.addEventListener("pointerup", () => border.removeEventListener("pointermove", move), { once: true });
    });
    border.addEventListener("dblclick", () => set(pane.clientWidth > 10 ? 0 : side === "left" ? 320 : 420));
    border.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowLeft" ? -24 : event.key === "ArrowRight" ? 24 : 0;
      if (step) { event.preventDefault(); event.stopPropagation(); set(pane.clientWidth + sign * step); }
    });
  }

  // ---- pictures --------------------------------------------------------------------------------------------------------------------
  private frame(now: number): void {
    requestAnimationFrame((next) => this.frame(next));
    if (!this.engine) return;
    this.engine.frame(now);
    // Where pictures take long, as much time is left to everything else.
    const gap = now - this.framedAt, late = gap > 60 && gap < 400;
    this.framedAt = now;
    if (late && !this.rested) { this.rested = true; return; }
    this.rested = false;
    if (!(this.dirty || this.view.moved) || !this.history.count) return;
    this.dirty = false;
    const h = this.history, i = this.sample, next = i + 1 < h.count ? h.times[i + 1] - h.times[i] : 0;
    this.view.force = this.engine.force;
    if (!this.covered) this.view.draw(i, next > 0 && !this.live ? Math.min(1, (this.time - h.times[i]) / next) : 0);
    this.measures.draw(i);
    this.symbols.draw(i);
    this.sheet?.draw(i);
    this.measures.onDrawn?.();
    if (this.plotlist.offsetParent) for (const p of this.plots) p.draw();
    const begin = h.times[0], end = h.times[h.count - 1], scrub = byId<HTMLInputElement>("scrub");
    if (document.activeElement !== scrub || this.live) scrub.value = String(end > begin ? 1000 * (this.time - begin) / (end - begin) : 1000);
    byId("clock").textContent = this.time.toFixed(2) + " s";
    if (now - this.metersAt > 120) { this.metersAt = now; this.drawMeters(i); }
    if (this.ticksDirty || this.marks.length) this.drawTicks(begin, end);
  }
  private drawTicks(begin: number, end: number): void {
    this.ticksDirty = false;
    byId("ticks").replaceChildren(...this.marks.filter(([t]) => t >= begin && t <= end).slice(-200).map(([t, text]) =>
      element("i", { style: `left: ${100 * (t - begin) / Math.max(1e-9, end - begin)}%`, title: text })));
  }
  private drawMeters(i: number): void {
    const lines: [string, string?][] = [], energy = this.history.energy(i), e = this.engine;
    if (Number.isFinite(energy)) {
      this.first ??= energy;
      const change = energy - this.first, size = Math.abs(this.history.energy(i, "kinetic")) + Math.abs(this.history.energy(i, "potential"));
      lines.push([`energy ${Math.abs(energy) < 1e-9 * size ? "0" : energy.toPrecision(5)} J`], [`change ${Math.abs(change) < 1e-15 ? "0" : change.toExponential(1)} J`]);
    }
    if (e.residual !== null) lines.push([`loops closed to ${e.residual.toExponential(0)}`]);
    lines.push(...e.meters());
    const wanted = Number(this.speed.value);
    if (this.playing && e.pace < 0.93 * wanted) lines.push([`${e.pace.toFixed(2)}\u00d7 real time`, "warn"]);
    byId("meters").replaceChildren(...lines.map(([text, kind]) => element("div", kind ? { class: kind } : {}, text)));
  }
}
