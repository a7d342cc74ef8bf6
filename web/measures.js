// Meters of any expression of the signals, phase plots, pictures and films of the view.

/// Reads "m*g*sin(q1) + u1^2" and returns a function of `value(name)`. Throws a sentence if it is not an expression of these.
function readExpression(text, known) {
  const tokens = text.match(/\d+\.?\d*(?:e[-+]?\d+)?|\.\d+|[A-Za-z_]\w*(?:\.\w+)*|\*\*|[-+*/^(),]|\S/gi) || [];
  const functions = { sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan, atan2: Math.atan2, sqrt: Math.sqrt,
    exp: Math.exp, log: Math.log, abs: Math.abs, min: Math.min, max: Math.max, hypot: Math.hypot, sign: Math.sign, floor: Math.floor };
  const kMostTokens = 400;
  if (tokens.length > kMostTokens) throw new Error(`an expression has at most ${kMostTokens} parts`);
  let i = 0;
  const need = (token) => { if (tokens[i++] !== token) throw new Error(`'${token}' is expected ${i <= tokens.length ? `before '${tokens[i - 1]}'` : "at the end"}`); };
  const sum = () => {
    let a = product();
    while (tokens[i] === "+" || tokens[i] === "-") { const minus = tokens[i++] === "-", l = a, r = product(); a = minus ? (v) => l(v) - r(v) : (v) => l(v) + r(v); }
    return a;
  };
  const product = () => {
    let a = factor();
    while (tokens[i] === "*" || tokens[i] === "/") { const over = tokens[i++] === "/", l = a, r = factor(); a = over ? (v) => l(v) / r(v) : (v) => l(v) * r(v); }
    return a;
  };
  const factor = () => {
    if (tokens[i] === "-") { i++; const a = factor(); return (v) => -a(v); }
    if (tokens[i] === "+") { i++; return factor(); }
    const base = atom();
    if (tokens[i] !== "^" && tokens[i] !== "**") return base;
    i++;
    const power = factor();
    return (v) => base(v) ** power(v);
  };
  const atom = () => {
    const token = tokens[i++];
    if (token === undefined) throw new Error("something is missing at the end");
    if (token === "(") { const a = sum(); need(")"); return a; }
    if (/^[\d.]/.test(token)) { const number = Number(token); return () => number; }
    if (tokens[i] === "(") {
      const f = Object.hasOwn(functions, token) ? functions[token] : null, given = [];
      if (!f) throw new Error(`there is no function '${token}'`);
      i++;
      do { given.push(sum()); } while (tokens[i] === "," && i++ >= 0);
      need(")");
      return (v) => f(...given.map((a) => a(v)));
    }
    if (token === "pi") return () => Math.PI;
    if (!known(token)) throw new Error(/^\w/.test(token) ? `nothing here is called '${token}'` : `'${token}' cannot stand in an expression`);
    return (v) => v(token);
  };
  const result = sum();
  if (i < tokens.length) throw new Error(`'${tokens[i]}' is not expected there`);
  return result;
}

class Measures {
  constructor(workspace) {
    this.workspace = workspace;
    this.meters = [];
    this.list = element("div", { class: "meters", role: "list" });
    this.field = element("input", { type: "text", id: "expression", "aria-label": "Expression of a new meter", placeholder: "expression, such as sin(q1)*u1" });
    this.field.addEventListener("keydown", (event) => { if (event.key === "Enter") this.add(this.field.value); });
    this.across = element("select", { "aria-label": "Horizontal signal of the phase plot" });
    this.above = element("select", { "aria-label": "Vertical signal of the phase plot" });
    this.canvas = element("canvas", { class: "phase", role: "img", "aria-label": "Phase plot" });
    for (const select of [this.across, this.above]) select.addEventListener("change", () => { this.workspace.dirty = true; });
    this.film = element("button", { id: "film", title: "Record the view as a WebM file", onclick: () => this.record() }, "Record video");
    this.root = element("div", {}, element("h2", { class: "small" }, "Meters"), this.list,
      element("p", { class: "newmeter" }, this.field, element("button", { id: "addmeter", onclick: () => this.add(this.field.value) }, "Add")),
      element("p", { class: "hint" }, "Names of coordinates, speeds, parameters, inputs and outputs; t, kinetic and potential. Each meter is a signal of the plots, too."),
      element("h2", { class: "small" }, "Phase plot"), element("p", { class: "phaseof" }, this.above, " over ", this.across), this.canvas,
      element("h2", { class: "small" }, "Pictures"),
      element("p", {}, element("button", { id: "png", title: "The view as a PNG file", onclick: () => this.picture() }, "Save PNG"), " ", this.film));
  }
  get key() { return "meters." + (this.workspace.engine.info.file || this.workspace.engine.info.name); }
  /// Another model: its meters are those that it had here before.
  open() {
    const w = this.workspace, names = [...w.signals.keys()], info = w.engine.info;
    for (const [select, first] of [[this.across, info.coordinates[0]], [this.above, info.speeds[0]]]) {
      const chosen = select.value;
      select.replaceChildren(...names.map((n) => new Option(n, n)));
      select.value = names.includes(chosen) ? chosen : names.includes(first) ? first : names[0];
    }
    let kept = [];
    try { kept = JSON.parse(recall(this.key) || "[]"); } catch { /* not a list */ }
    this.meters = [];
    this.list.replaceChildren();
    for (const text of Array.isArray(kept) ? kept.slice(0, 40) : []) this.add(String(text), true);
  }
  /// Values by name at sample `i`.
  lookup(i) {
    const w = this.workspace, h = w.history;
    return (name) => {
      if (name === "t") return h.times[i];
      if (name === "kinetic" || name === "potential") return h.energy(i, name);
      const s = h.scene.signals.find((one) => one.name === name);
      if (s) return s.from === "row" ? h.row(i)[s.at] : h.state(i)[s.from === "u" ? h.nq + s.at : s.at];
      return w.values.get(name) ?? NaN;
    };
  }
  knows(name) {
    const w = this.workspace, s = w.history.scene;
    return name === "t" || (name === "kinetic" && s.kinetic !== undefined) || (name === "potential" && s.potential !== undefined)
      || s.signals.some((one) => one.name === name) || w.values.has(name);
  }
  add(text, quietly = false) {
    const w = this.workspace;
    text = text.trim();
    if (!text || this.meters.some((m) => m.text === text)) return;
    let value;
    try { value = readExpression(text, (name) => this.knows(name)); }
    catch (error) { if (!quietly) w.note(`This is no meter: ${error.message}.`); return; }
    const number = element("output", {}), meter = { text, value, number };
    meter.row = element("div", { role: "listitem", class: "meter" }, element("code", {}, text), number,
      element("button", { class: "quiet", title: "Plot it over time", "aria-label": `Plot ${text}`, onclick: () => { w.addPlot([text]); w.show("right", "Plots"); } }, "plot"),
      element("button", { class: "quiet", title: "Remove this meter", "aria-label": `Remove ${text}`, onclick: () => this.remove(meter) }, "\u00d7"));
    this.meters.push(meter);
    this.list.append(meter.row);
    const h = w.history, self = this;
    if (!w.signals.has(text)) {
      w.signals.set(text, { name: text, unit: "", get values() { return Float64Array.from({ length: h.count }, (_, i) => value(self.lookup(i))); } });
      w.groups.set("meters", [...(w.groups.get("meters") || []), text]);
      for (const plot of w.plots) plot.refill();
    }
    for (const select of [this.across, this.above]) if (![...select.options].some((o) => o.value === text)) select.append(new Option(text, text));
    if (!quietly) { this.field.value = ""; this.keep(); }
    w.dirty = true;
  }
  remove(meter) { this.meters = this.meters.filter((m) => m !== meter); meter.row.remove(); this.keep(); }
  keep() { remember(this.key, JSON.stringify(this.meters.map((m) => m.text))); }
  draw(i) {
    if (!this.root.offsetParent) return;
    const value = this.lookup(i);
    for (const m of this.meters) { const v = m.value(value); m.number.textContent = Number.isFinite(v) ? String(Number(v.toPrecision(5))) : "\u2013"; }
    this.drawPhase(i);
  }
  drawPhase(i) {
    const w = this.workspace, x = w.signals.get(this.across.value)?.values, y = w.signals.get(this.above.value)?.values;
    if (!x || !y) return;
    const c = this.canvas, ratio = devicePixelRatio || 1, wide = c.clientWidth, high = c.clientHeight, g = c.getContext("2d"), style = getComputedStyle(document.body);
    if (c.width !== Math.round(wide * ratio)) { c.width = Math.round(wide * ratio); c.height = Math.round(high * ratio); }
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, wide, high);
    const from = Math.max(0, i - 3000), span = (a) => { let l = Infinity, u = -Infinity; for (let k = from; k <= i; k++) if (Number.isFinite(a[k])) { l = Math.min(l, a[k]); u = Math.max(u, a[k]); } const gap = 0.06 * (u - l) || 1; return [l - gap, u + gap]; };
    const [x0, x1] = span(x), [y0, y1] = span(y), X = (v) => 44 + (wide - 54) * (v - x0) / (x1 - x0), Y = (v) => high - 20 - (high - 28) * (v - y0) / (y1 - y0);
    g.strokeStyle = style.getPropertyValue("--line");
    g.strokeRect(44, 8, wide - 54, high - 28);
    g.fillStyle = style.getPropertyValue("--faint");
    g.font = "11px system-ui, sans-serif";
    const three = (v) => String(Number(v.toPrecision(3)));
    g.fillText(three(x0), 44, high - 6);
    g.textAlign = "right";
    g.fillText(three(x1), wide - 10, high - 6);
    g.fillText(three(y1), 40, 16);
    g.fillText(three(y0), 40, high - 22);
    g.textAlign = "left";
    g.strokeStyle = g.fillStyle = style.getPropertyValue("--accent");
    g.lineWidth = 1.4;
    g.beginPath();
    for (let k = from; k <= i; k++) g.lineTo(X(x[k]), Y(y[k]));
    g.stroke();
    g.beginPath();
    g.arc(X(x[i]), Y(y[i]), 4, 0, 7);
    g.fill();
  }
  /// View and labels on one canvas.
  compose(to) {
    const w = this.workspace, g = to.getContext("2d");
    if (to.width !== w.canvas.width || to.height !== w.canvas.height) [to.width, to.height] = [w.canvas.width, w.canvas.height];
    g.fillStyle = getComputedStyle(document.body).getPropertyValue("--sky1");
    g.fillRect(0, 0, to.width, to.height);
    g.drawImage(w.canvas, 0, 0);
    g.drawImage(w.overlay, 0, 0);
  }
  give(blob, end) {
    const link = element("a", { href: URL.createObjectURL(blob), download: this.workspace.engine.info.name + end });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  picture() {
    const to = element("canvas");
    this.onDrawn = () => { this.onDrawn = null; this.compose(to); to.toBlob((blob) => this.give(blob, ".png")); };
    this.workspace.dirty = true;
  }
  record() {
    if (this.recorder) { this.recorder.stop(); return; }
    if (!window.MediaRecorder) { this.workspace.note("This browser does not record video."); return; }
    const to = element("canvas"), parts = [];
    this.compose(to);
    this.recorder = new MediaRecorder(to.captureStream(30), { mimeType: "video/webm", videoBitsPerSecond: 6e6 });
    this.recorder.ondataavailable = (event) => parts.push(event.data);
    this.recorder.onstop = () => { this.recorder = this.onDrawn = null; this.film.textContent = "Record video"; this.give(new Blob(parts, { type: "video/webm" }), ".webm"); };
    this.onDrawn = () => this.compose(to);
    this.recorder.start();
    this.film.textContent = "Stop recording";
  }
}
