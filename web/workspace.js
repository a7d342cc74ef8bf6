// The shell that the one-file page and the workbench share: view, time line, sliders, meters, plots, equations. What runs
// the model is behind `engine`:
//
//     info                            name, parameters, inputs, scene, ... (see WasmEngine in live.js)
//     frame(now)                      called before every picture; gives samples to workspace.sample()
//     play(on), step(), reset(), resume(t, state), setSpeed(x)
//     setParameter(i, value)          promise of "" or of a sentence why not; setInput(i, value)
//     pull(hold)                      {body, point, target} or null

const element = (tag, attributes = {}, ...children) => {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (name === "class") e.className = value;
    else if (value === true) e.setAttribute(name, "");
    else if (value !== false && value !== undefined) e.setAttribute(name, value);
  }
  e.append(...children);
  return e;
};
/// A small picture of one path, 14 by 14.
const icon = (path) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), p = document.createElementNS(svg.namespaceURI, "path");
  svg.setAttribute("viewBox", "0 0 14 14");
  svg.setAttribute("aria-hidden", "true");
  p.setAttribute("d", path);
  svg.append(p);
  return svg;
};
const PLAY = "M3 1l10 6-10 6z", PAUSE = "M3 1h3v12H3zM8 1h3v12H8z";
const prettyUnit = (unit) => (unit || "").replaceAll("*", "\u2009").replaceAll("^2", "\u00b2").replaceAll("^3", "\u00b3");
const remember = (key, value) => { try { localStorage.setItem("kane." + key, value); } catch { /* a page from a file may have no store */ } };
const recall = (key) => { try { return localStorage.getItem("kane." + key); } catch { return null; } };

class Workspace {
  constructor(options = {}) {
    this.options = options;
    this.playing = true;
    this.time = 0;
    this.live = true;       // the newest sample is shown
    this.plots = [];
    this.hover = null;
    this.window = 10;       // s, of the plots
    this.zoomed = null;
    this.events = [];
    this.marks = [];
    this.build();
    this.listen();
    requestAnimationFrame((now) => this.frame(now));
  }

  // ---- the page --------------------------------------------------------------------------------------------------------------
  build() {
    document.documentElement.dataset.theme = recall("theme") || "";
    const tabs = (side, label) => element("div", { class: "tabs", role: "tablist", "aria-label": label, id: side + "tabs" },
      element("button", { class: "swap", title: "The other pane", onclick: () => this.swap() }, "\u21c4"));
    this.canvas = element("canvas");
    this.overlay = element("canvas", { class: "overlay", "aria-label": "The mechanism. Drag a body to pull it; drag beside it to turn the view.", role: "img" });
    this.speed = element("select", { id: "speed", "aria-label": "Speed", title: "Speed" });
    for (const k of [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10]) this.speed.append(new Option(k + "\u00d7", k, k === 1, k === 1));
    this.app = element("div", { id: "app", "data-narrow": "left" },
      element("header", { id: "top" },
        element("span", { class: "brand" }, "Kane"), element("span", { class: "file", id: "file" }), element("span", { class: "about", id: "about" }),
        element("span", { id: "actions" }),
        element("button", { class: "quiet", id: "theme", title: "Light or dark", "aria-label": "Light or dark", onclick: () => this.switchTheme() }, "\u25d0"),
        element("button", { class: "quiet", id: "help", title: "Keys and mouse (?)", onclick: () => this.help() }, "?")),
      element("section", { class: "pane left", "aria-label": "Model" }, tabs("left", "Model"), element("div", { id: "leftpanels", style: "display: contents" })),
      element("div", { class: "border", role: "separator", "aria-orientation": "vertical", "data-side": "left" }),
      element("section", { id: "stage", "aria-label": "View" }, this.canvas, this.overlay,
        element("div", { id: "hint" }, "Pull it: drag a body"),
        element("div", { id: "tools" },
          element("button", { id: "fit", title: "See everything (F, or double-click)", onclick: () => this.view?.fit() }, "Fit"),
          element("details", {}, element("summary", { title: "What the view shows" }, "Show"), element("div", { id: "shown" }))),
        element("div", { id: "note", role: "alert", hidden: true }), element("div", { id: "meters" })),
      element("div", { class: "border", role: "separator", "aria-orientation": "vertical", "data-side": "right" }),
      element("section", { class: "pane right", "aria-label": "Results" }, tabs("right", "Results"), element("div", { id: "rightpanels", style: "display: contents" })),
      element("footer", { id: "transport" },
        element("button", { id: "reset", title: "Back to the start (R)", "aria-label": "Back to the start", onclick: () => this.reset() }, icon("M2 2h2v10H2zM13 2v10L5 7z")),
        element("button", { id: "play", title: "Play or pause (space)", "aria-label": "Play or pause", onclick: () => this.toggle() }, icon(PAUSE)),
        element("button", { id: "step", title: "A hundredth of a second (.)", "aria-label": "One step", onclick: () => this.step() }, icon("M10 2h2v10h-2zM1 2v10l8-5z")),
        this.speed,
        element("span", { id: "line" }, element("input", { id: "scrub", type: "range", min: 0, max: 1000, step: "any", value: 1000, "aria-label": "Time", title: "Drag back into the past; play continues from there" }),
          element("span", { id: "ticks" })),
        element("output", { id: "clock" }, "0.00 s")));
    document.body.append(this.app);
    for (const side of ["left", "right"]) { const w = recall(side); if (w) this.app.style.setProperty("--" + side, w); }
    this.equations = this.panel("right", "Equations", this.symbol = element("p", { id: "symbol", role: "status", hidden: true }),
      element("div", { class: "equations", id: "equations", title: "Click a symbol for its meaning and value", onclick: (event) => this.symbols.explain(event) }));
    this.symbols = new SymbolReader(this, this.symbol);
    this.plotlist = element("div", { id: "plotlist" });
    this.panel("right", "Plots", element("div", { id: "plotbar" },
      element("button", { id: "addplot", title: "Another plot below these; choose its signals there", onclick: () => this.addPlot([]) }, "Add a plot"),
      element("button", { id: "csv", title: "All samples as a table", onclick: () => this.saveTable() }, "Save CSV"),
      element("span", { class: "hint" }, "drag to zoom \u00b7 double-click for all")), this.plotlist);
    this.measures = new Measures(this);
    this.panel("right", "Measure", this.measures.root);
    this.sliders = element("div", { id: "sliders" });
    this.panel("left", "Parameters", this.sliders);
  }
  /// A tab on one side; returns its content.
  panel(side, title, ...content) {
    const panel = element("div", { class: "panel", role: "tabpanel", "aria-label": title, hidden: true }, ...content);
    const tab = element("button", { role: "tab", "aria-selected": "false", onclick: () => this.show(side, title) }, title);
    const bar = document.getElementById(side + "tabs");
    bar.insertBefore(tab, bar.lastChild);
    document.getElementById(side + "panels").append(panel);
    this.panels ||= {};
    (this.panels[side] ||= []).push({ title, tab, panel });
    if (this.panels[side].length === 1) this.show(side, title);
    return panel;
  }
  show(side, title) {
    for (const p of this.panels[side]) {
      p.panel.hidden = p.title !== title;
      p.tab.setAttribute("aria-selected", String(p.title === title));
    }
    this.dirty = true;
    this.onShow?.(side, title);
  }
  swap() { this.app.dataset.narrow = this.app.dataset.narrow === "left" ? "right" : "left"; }
  switchTheme() {
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
    document.documentElement.dataset.theme = dark ? "light" : "dark";
    remember("theme", document.documentElement.dataset.theme);
    this.dirty = true;
  }
  help() {
    const rows = [["drag a body", "pull it by a spring"], ["drag beside it", "turn the view"], ["shift-drag, right drag", "move the view"],
      ["wheel, pinch", "zoom"], ["double-click, F", "see everything"], ["space", "play or pause"], [".", "a small step"],
      ["R", "back to the start"], ["\u2190 \u2192", "back and forth in time"], ...(this.options.help || [])];
    const table = element("table");
    for (const [a, b] of rows) { const r = table.insertRow(); r.insertCell().textContent = a; r.insertCell().textContent = b; }
    const dialog = element("dialog", { "aria-label": "Keys and mouse" }, table, element("form", { method: "dialog", style: "text-align: right; margin: 10px 0 0" }, element("button", {}, "Close")));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }
  note(text, kind = "warn") {
    const box = document.getElementById("note");
    box.hidden = !text;
    box.textContent = text;
    box.style.borderLeftColor = `var(--${kind})`;
    clearTimeout(this.noteTimer);
    if (text && kind !== "bad") this.noteTimer = setTimeout(() => this.note(""), 6000);
  }

  // ---- a model ----------------------------------------------------------------------------------------------------------------
  /// Shows another model, or the same one anew. `preview`: samples [t, state, row] that say how far it will move.
  open(engine, preview = [], keepCamera = false) {
    const info = engine.info, camera = keepCamera && this.view ? this.view : null;
    this.engine = engine;
    document.title = info.name + " \u00b7 Kane";
    document.getElementById("file").textContent = info.file || info.name;
    document.getElementById("about").textContent = info.description || "";
    this.history = new History(info.scene, info.coordinates.length, info.speeds.length);
    for (const [t, state, row] of preview) this.history.append(t, state, row);
    this.history.dropFlights();
    const canvas = this.canvas.cloneNode(), overlay = this.overlay.cloneNode();  // a context of WebGL belongs to one view
    this.canvas.replaceWith(canvas);
    this.overlay.replaceWith(overlay);
    this.view?.gl?.getExtension("WEBGL_lose_context")?.loseContext();
    [this.canvas, this.overlay] = [canvas, overlay];
    this.view = new LiveView(canvas, overlay, this.history, {
      onSelect: (body) => { this.selected(body); }, onHover: () => {},
      onPull: (hold) => { this.engine.pull(hold); if (hold) this.leavePast(); if (!hold) document.getElementById("hint").classList.add("gone"); },
    });
    if (camera) {
      for (const key of ["yaw", "pitch", "target", "distance", "turned", "trails"]) this.view[key] = camera[key];
      Object.assign(this.view.shown, camera.shown);
      this.view.fitting = !camera.turned;
      this.view.turned = camera.turned;
    }
    this.history.clear();
    this.marks = [];
    this.first = null;
    this.live = true;
    this.fillShown();
    this.fillSignals();
    this.fillSliders();
    this.measures.open();
    this.setEquations(info.equations);
    this.dirty = true;
  }
  setEquations(html) { this.equations.querySelector("#equations").innerHTML = html || "<p class='hint'>The equations are being derived.</p>"; }
  selected(body) { this.options.onSelect?.(body >= 0 ? this.history.scene.bodies[body].name : ""); }
  fillShown() {
    const box = document.getElementById("shown"), v = this.view, s = this.history.scene;
    box.replaceChildren();
    const names = { names: "names", frames: "frames", grid: "grid and shadows", loads: "loads", reactions: "reactions", legend: "legend of arrows", planes: "planes of contacts" };
    const check = (text, on, change) => {
      const input = element("input", { type: "checkbox" });
      input.checked = on;
      input.addEventListener("change", () => { change(input.checked); this.dirty = true; });
      box.append(element("label", {}, input, " " + text));
    };
    for (const [key, text] of Object.entries(names)) {
      if (key === "loads" && !s.arrows.some((a) => !a.reaction)) continue;
      if (key === "reactions" && !s.arrows.some((a) => a.reaction)) continue;
      if (key === "legend" && !s.arrows.length) continue;
      if (key === "planes" && !s.planes.length) continue;
      check(text, v.shown[key], (on) => { v.shown[key] = on; });
    }
    for (const p of s.points.slice(0, 60))
      check("trail of " + p.name, v.trails.has(p.point), (on) => { on ? v.trails.add(p.point) : v.trails.delete(p.point); });
  }

  // ---- sliders -----------------------------------------------------------------------------------------------------------------
  fillSliders() {
    this.sliders.replaceChildren();
    const info = this.engine.info;
    this.values = new Map(info.parameters.map((p) => [p.name, p.value]));
    const inputs = info.inputs.map((input, i) => ({ ...input, i })).filter((input) => !input.pull && !input.series && !input.law);
    if (inputs.length) this.sliders.append(element("h2", { class: "small" }, "Inputs"));
    for (const input of inputs) this.slider(input, (v) => { this.engine.setInput(input.i, v); return Promise.resolve(""); });
    if (info.parameters.length) this.sliders.append(element("h2", { class: "small" }, "Parameters"));
    this.rows = info.parameters.map((p, i) => this.slider(p, (v) => this.changeParameter(i, p.name, v), p.free === false));
    if (!info.parameters.length && !inputs.length) this.sliders.append(element("p", { class: "hint" }, "This model has no parameters."));
    else this.sliders.append(element("p", { class: "hint" }, "Double-click a name for its first value."));
  }
  slider(item, change, follows = false) {
    const size = Math.abs(item.value), low = item.value > 0 ? item.value / 4 : item.value < 0 ? 3 * item.value : /[*]s|^$/.test(item.unit || "") ? 0 : -10;
    const high = item.value > 0 ? 3 * item.value : item.value < 0 ? item.value / 4 : /[*]s|^$/.test(item.unit || "") ? 1 : 10;
    const range = element("input", { type: "range", min: low, max: high, step: "any", value: item.value, "aria-label": item.name, disabled: follows });
    const field = element("input", { type: "text", inputmode: "decimal", "aria-label": item.name + " value", readonly: follows });
    const row = element("div", { class: "slider" + (follows ? " follows" : ""), "data-name": item.name },
      element("label", { title: follows ? "follows other parameters" : item.name }, item.name), range,
      element("span", { class: "value" }, field, element("span", { class: "unit" }, prettyUnit(item.unit))));
    const write = (v) => { field.value = String(Number(v.toPrecision(size && size < 1e-3 ? 3 : 4))); };
    const set = async (v) => {
      if (!Number.isFinite(v)) return;
      const why = await change(v);
      row.classList.toggle("bad", why !== "");
      if (why) this.note(why);
    };
    write(item.value);
    range.addEventListener("input", () => { write(Number(range.value)); set(Number(range.value)); });
    field.addEventListener("change", () => { const v = Number(field.value.replace(",", ".")); range.value = v; set(v); });
    row.firstChild.addEventListener("dblclick", () => { if (follows) return; range.value = item.value; write(item.value); set(item.value); });
    this.sliders.append(row);
    return { range, write };
  }
  async changeParameter(i, name, value) {
    const why = await this.engine.setParameter(i, value);
    if (why) return why;
    this.engine.info.parameters.forEach((p, k) => {
      const now = this.engine.parameterValue(k);
      if (k !== i && now !== this.values.get(p.name)) { this.rows[k].range.value = now; this.rows[k].write(now); }
      this.values.set(p.name, now);
    });
    this.view.morph(this.values);
    this.first = null;
    this.dirty = true;
    return "";
  }

  // ---- samples -------------------------------------------------------------------------------------------------------------------
  sample(t, state, row) {
    const h = this.history;
    if (h.count && t < h.times[h.count - 1] - 1e-12) h.truncate(h.before(t));
    if (h.count && Math.abs(t - h.times[h.count - 1]) < 1e-12) h.truncate(h.count - 2);
    h.append(t, state, row);
    this.view.widen();
    if (this.live) this.time = t;
    this.dirty = true;
  }
  mark(t, text) { this.marks.push([t, text]); this.events = this.marks; this.ticksDirty = true; }
  fillSignals() {
    const h = this.history, self = this;
    this.signals = new Map();
    this.groups = new Map();
    const add = (group, name, unit, from, at) => {
      const own = this.signals.has(name) ? `${name} (${group})` : name, signal = { from, at };
      this.signals.set(own, { name: own, unit, get values() {
        if (self.columnsAt !== h.count || self.columnsTime !== h.times[h.count - 1]) { self.columns = new Map(); self.columnsAt = h.count; self.columnsTime = h.times[h.count - 1]; }
        if (!self.columns.has(own)) self.columns.set(own, h.column(signal));
        return self.columns.get(own);
      } });
      this.groups.set(group, [...(this.groups.get(group) || []), own]);
    };
    for (const s of h.scene.signals) add(s.group, s.name, s.unit, s.from, s.at);
    if (h.scene.kinetic !== undefined) add("energy", "kinetic energy", "J", "energy", "kinetic");
    if (h.scene.potential !== undefined) add("energy", "potential energy", "J", "energy", "potential"), add("energy", "total energy", "J", "energy", "total");
    for (const p of this.plots) p.root.remove();
    this.plots = [];
    const first = (group, most) => {
      const units = new Map();
      for (const name of this.groups.get(group) || []) { const u = this.signals.get(name).unit; units.set(u, [...(units.get(u) || []), name]); }
      for (const names of units.values()) this.addPlot(names.slice(0, most));
    };
    first("coordinates", 5);
    first("speeds", 5);
    first("energy", 3);
    if ((this.groups.get("outputs") || []).length) first("outputs", 4);
  }
  get t() { return this.history.times; }
  get span() {
    if (this.zoomed) return this.zoomed;
    const end = Math.max(this.time, this.t[0] ?? 0), begin = Math.max(this.t[0] ?? 0, end - this.window);
    return [begin, Math.max(end, begin + Math.min(this.window, 2))];
  }
  before(t) { return this.history.before(t); }
  nearest(t) { const i = this.before(t); return i + 1 < this.t.length && this.t[i + 1] - t < t - this.t[i] ? i + 1 : i; }
  indices() { const [a, b] = this.span; return [this.before(a), Math.min(this.history.count - 1, this.before(b) + 1)]; }
  setSpan(a, b) { if (b - a > 1e-6) this.zoomed = [a, b]; this.dirty = true; }
  resetZoom() { this.zoomed = null; for (const p of this.plots) p.range = null; this.dirty = true; }
  redraw() { this.dirty = true; }
  addPlot(names, after) {
    const plot = new Plot(this, names);
    this.plots.push(plot);
    if (after) after.root.after(plot.root);
    else this.plotlist.append(plot.root);
    this.dirty = true;
  }
  removePlot(plot) { this.plots = this.plots.filter((p) => p !== plot); plot.root.remove(); }
  saveTable() {
    const names = [...this.signals.keys()], columns = names.map((n) => this.signals.get(n).values);
    const lines = [["t", ...names].map((n) => (/[",]/.test(n) ? JSON.stringify(n) : n)).join(",")];
    for (let i = 0; i < this.history.count; i++) lines.push([this.t[i], ...columns.map((c) => c[i])].join(","));
    const link = element("a", { href: URL.createObjectURL(new Blob([lines.join("\n") + "\n"], { type: "text/csv" })), download: this.engine.info.name + ".csv" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // ---- time ----------------------------------------------------------------------------------------------------------------------
  showPlaying(on) {
    this.playing = on;
    document.getElementById("play").replaceChildren(icon(on ? PAUSE : PLAY));
  }
  setPlaying(on) { this.showPlaying(on); this.engine?.play(on); }
  toggle() { if (!this.playing) this.leavePast(); this.setPlaying(!this.playing); }
  reset() {
    this.history.clear();
    this.marks = [], this.events = [], this.ticksDirty = true;
    this.first = null;
    this.live = true;
    this.zoomed = null;
    this.note("");
    this.engine.reset();
    this.dirty = true;
  }
  step() { this.leavePast(); this.setPlaying(false); this.engine.step(); }
  /// Shows a time of the past; the run waits.
  go(t) {
    if (!this.history.count) return;
    this.setPlaying(false);
    const first = this.t[0], last = this.t[this.history.count - 1];
    this.time = Math.max(first, Math.min(last, t));
    this.live = this.time >= last;
    this.dirty = true;
  }
  /// The run goes on from the sample that is shown.
  leavePast() {
    if (this.live || !this.history.count) return;
    const i = this.history.before(this.time);
    this.history.truncate(i);
    this.marks = this.marks.filter(([t]) => t <= this.t[i]), this.events = this.marks, this.ticksDirty = true;
    this.engine.resume(this.t[i], this.history.state(i).slice());
    this.first = null;
    this.live = true;
  }
  listen() {
    const scrub = document.getElementById("scrub");
    scrub.addEventListener("input", () => {
      const n = this.history.count;
      if (n > 1) this.go(this.t[0] + scrub.value / 1000 * (this.t[n - 1] - this.t[0]));
    });
    this.speed.addEventListener("change", () => this.engine.setSpeed(Number(this.speed.value)));
    for (const border of this.app.querySelectorAll(".border"))
      border.addEventListener("pointerdown", (event) => {
        const side = border.dataset.side, from = event.clientX, pane = this.app.querySelector(".pane." + side), width = pane.clientWidth;
        border.setPointerCapture(event.pointerId);
        const move = (e) => {
          const w = Math.max(0, Math.min(0.5 * innerWidth, width + (side === "left" ? 1 : -1) * (e.clientX - from)));
          this.app.style.setProperty("--" + side, w + "px");
          remember(side, w + "px");
          this.dirty = true;
        };
        border.addEventListener("pointermove", move);
        border.addEventListener("pointerup", () => border.removeEventListener("pointermove", move), { once: true });
      });
    addEventListener("resize", () => { this.dirty = true; });
    addEventListener("keydown", (event) => {
      const at = event.target;
      if (event.ctrlKey || event.metaKey || event.altKey || at.closest?.("select, textarea, dialog, .cm-editor, [contenteditable], input[type=text]")) return;
      if (event.key === " " && at.closest?.("button, summary, input")) return;
      if (event.key.startsWith("Arrow") && at.type === "range" && at.id !== "scrub") return;
      const shift = 0.02 * Math.max(1e-9, (this.t[this.history.count - 1] ?? 1) - (this.t[0] ?? 0));
      const keys = { " ": () => this.toggle(), ".": () => this.step(), r: () => this.reset(), R: () => this.reset(), f: () => this.view.fit(), F: () => this.view.fit(),
        "?": () => this.help(), ArrowLeft: () => this.go(this.time - shift), ArrowRight: () => this.go(this.time + shift) };
      if (!keys[event.key] || !this.engine) return;
      event.preventDefault();
      keys[event.key]();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.dirty = true; });
  }

  // ---- pictures --------------------------------------------------------------------------------------------------------------------
  frame(now) {
    requestAnimationFrame((next) => this.frame(next));
    if (!this.engine) return;
    this.engine.frame(now);
    if (!(this.dirty || this.view.moved) || !this.history.count) return;
    this.dirty = false;
    const h = this.history, i = this.live ? h.count - 1 : h.before(this.time), gap = i + 1 < h.count ? h.times[i + 1] - h.times[i] : 0;
    this.view.force = this.engine.force;
    this.view.draw(i, gap > 0 && !this.live ? Math.min(1, (this.time - h.times[i]) / gap) : 0);
    this.measures.draw(i);
    this.symbols.draw(i);
    this.measures.onDrawn?.();
    if (this.plotlist.offsetParent) for (const p of this.plots) p.draw();
    const begin = h.times[0], end = h.times[h.count - 1], scrub = document.getElementById("scrub");
    if (document.activeElement !== scrub || this.live) scrub.value = end > begin ? 1000 * (this.time - begin) / (end - begin) : 1000;
    document.getElementById("clock").textContent = this.time.toFixed(2) + " s";
    if (now - (this.metersAt || 0) > 120) { this.metersAt = now; this.drawMeters(i); }
    if (this.ticksDirty || this.marks.length) this.drawTicks(begin, end);
  }
  drawTicks(begin, end) {
    this.ticksDirty = false;
    const box = document.getElementById("ticks");
    box.replaceChildren(...this.marks.filter(([t]) => t >= begin && t <= end).slice(-200).map(([t, text]) =>
      element("i", { style: `left: ${100 * (t - begin) / Math.max(1e-9, end - begin)}%`, title: text })));
  }
  drawMeters(i) {
    const lines = [], energy = this.history.energy(i), e = this.engine;
    if (Number.isFinite(energy)) {
      this.first ??= energy;
      const change = energy - this.first;
      const size = Math.abs(this.history.energy(i, "kinetic")) + Math.abs(this.history.energy(i, "potential"));
      lines.push([`energy ${Math.abs(energy) < 1e-9 * size ? "0" : energy.toPrecision(5)} J`], [`change ${Math.abs(change) < 1e-15 ? "0" : change.toExponential(1)} J`]);
    }
    if (e.residual !== undefined && e.residual !== null) lines.push([`loops closed to ${e.residual.toExponential(0)}`]);
    for (const line of e.meters?.() || []) lines.push(line);
    const wanted = Number(this.speed.value);
    if (this.playing && e.pace !== undefined && e.pace < 0.93 * wanted) lines.push([`${e.pace.toFixed(2)}\u00d7 real time`, "warn"]);
    document.getElementById("meters").replaceChildren(...lines.map(([text, kind]) => element("div", kind ? { class: kind } : {}, text)));
  }
}

/// YAML with keys and remarks told apart.
function colourText(pre, text) {
  pre.replaceChildren();
  for (const line of text.split("\n")) {
    const parts = /^(\s*(?:- )?)([A-Za-z_][\w. -]*)(:)(.*)$/.exec(line), rest = parts ? parts[4] : line, hash = /(^|\s)#/.exec(rest);
    if (parts) pre.append(parts[1], element("span", { class: "k" }, parts[2]), parts[3]);
    const cut = hash ? hash.index : rest.length;
    pre.append(rest.slice(0, cut));
    if (hash) pre.append(element("span", { class: "c" }, rest.slice(cut)));
    pre.append("\n");
  }
}
