// The page: reads the data, fills the tables, and keeps picture and plots at the same time.

function decode(text, Type) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Type(bytes.buffer);
}
const byId = (id) => document.getElementById(id);

function fillTable(table, rows) {
  for (const [name, value, state] of rows) {
    const row = table.insertRow();
    row.insertCell().textContent = name;
    const cell = row.insertCell();
    cell.textContent = (state === "ok" ? "\u2713 " : state === "warn" ? "\u26a0 " : state === "bad" ? "\u2717 " : "") + value;
    if (state) cell.className = state;
  }
  if (!rows.length) table.insertRow().insertCell().textContent = "none";
}

function colourModel(pre, text) {
  for (const line of text.split("\n")) {
    const parts = /^(\s*(?:- )?)([A-Za-z_][\w. -]*)(:)(.*)$/.exec(line);
    const span = (kind, s) => { const e = document.createElement("span"); e.className = kind; e.textContent = s; return e; };
    const rest = parts ? parts[4] : line, hash = /(^|\s)#/.exec(rest);
    if (parts) pre.append(parts[1], span("k", parts[2]), parts[3]);
    const cut = hash ? hash.index : rest.length;
    pre.append(rest.slice(0, cut));
    if (hash) pre.append(span("c", rest.slice(cut)));
    pre.append("\n");
  }
}

class Page {
  constructor(data) {
    this.data = data;
    this.t = decode(data.t, Float64Array);
    this.signals = new Map();
    this.groups = new Map();
    for (const s of data.signals) {
      const name = this.signals.has(s.name) ? `${s.name} (${s.group})` : s.name;
      this.signals.set(name, { name, unit: s.unit, values: decode(s.data, Float64Array) });
      this.groups.set(s.group, [...(this.groups.get(s.group) || []), name]);
    }
    const scene = data.scene;
    for (const key of ["poses", "positions", "vectors"]) scene[key] = decode(scene[key], Float32Array);
    for (const part of scene.parts) {
      part.vertices = decode(part.vertices, Float32Array);
      part.triangles = decode(part.triangles, Uint32Array);
    }
    this.begin = this.t[0] ?? 0;
    this.end = this.t[this.t.length - 1] ?? 1;
    if (!(this.end > this.begin)) this.end = this.begin + 1;
    this.span = [this.begin, this.end];
    this.time = this.begin;
    this.hover = null;
    this.playing = false;
    this.plots = [];
    this.view = new View(byId("view"), byId("overlay"), scene);
    this.fillText();
    this.fillTools();
    this.firstPlots();
    this.diagrams = (this.data.diagrams || []).map((d) => new Diagram(this, d));
    for (const d of this.diagrams) byId("diagrams").append(d.root);
    this.listen();
    const asked = new URLSearchParams(location.hash.slice(1));
    if (asked.has("t")) this.go(Number(asked.get("t")));
    requestAnimationFrame((now) => this.frame(now));
  }

  fillText() {
    const d = this.data;
    byId("title").textContent = d.title;
    byId("description").textContent = d.description;
    const state = byId("state");
    const bad = d.failure ? "bad" : d.warnings.length || d.interruption ? "warn" : "ok";
    state.className = bad;
    state.textContent = d.failure ? "stopped" : d.interruption ? "interrupted" : d.warnings.length ? "done, with warnings" : "done";
    const message = (text, kind) => {
      const p = document.createElement("p");
      p.className = "message " + kind;
      p.textContent = text;
      byId("messages").append(p);
    };
    if (d.failure) message(d.failure, "bad");
    if (d.interruption) message(d.interruption, "warn");
    for (const warning of d.warnings) message(warning, "warn");
    fillTable(byId("checks"), d.checks);
    fillTable(byId("options"), d.options);
    fillTable(byId("parameters"), d.parameters);
    this.events = d.events || [];
    byId("eventbox").hidden = !this.events.length;
    for (const [t, text] of this.events) {
      const row = byId("events").insertRow(), link = document.createElement("button");
      link.className = "chip";
      link.textContent = numberText(t, 1e-6) + " s";
      link.title = "Go to that time";
      link.onclick = () => this.go(t);
      row.insertCell().append(link);
      row.insertCell().textContent = text;
    }
    byId("modelname").textContent = d.model_file;
    colourModel(byId("model"), d.model);
    byId("modelbox").hidden = !d.model;
  }

  checkbox(parent, text, on, change) {
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.checked = on;
    box.onchange = () => { change(box.checked); this.redraw(); };
    label.append(box, " " + text);
    parent.append(label);
  }
  fillTools() {
    const v = this.view, s = this.data.scene;
    const names = { shapes: "bodies", frames: "frames", loads: "loads", reactions: "reactions", names: "names",
      legend: "legend of arrows", planes: "planes of contacts", grid: "grid" };
    for (const key of Object.keys(names)) {
      if (key === "loads" && !s.arrows.some((a) => !a.reaction)) continue;
      if (key === "reactions" && !s.arrows.some((a) => a.reaction)) continue;
      if (key === "legend" && !s.arrows.length) continue;
      if (key === "planes" && !s.planes.length) continue;
      this.checkbox(byId("shown"), names[key], v.shown[key], (on) => { v.shown[key] = on; });
    }
    if (s.arrows.length) {
      const label = document.createElement("label"), slider = document.createElement("input");
      Object.assign(slider, { type: "range", min: -1, max: 1, step: 0.05, value: 0, title: "Longer or shorter arrows" });
      slider.oninput = () => { v.arrowScale = Math.pow(10, Number(slider.value)); this.redraw(); };
      label.append("length of arrows ", slider);
      byId("shown").append(label);
    }
    const follow = byId("follow");
    follow.append(new Option("Stand still", ""));
    s.bodies.forEach((name, i) => follow.append(new Option("Follow " + name, "body " + i)));
    s.balls.forEach((ball) => follow.append(new Option("Follow " + ball.name, "point " + ball.point)));
    follow.onchange = () => { v.setFollowed(follow.value); this.redraw(); };
    follow.hidden = follow.options.length < 2;
    for (const p of s.points)
      this.checkbox(byId("trails"), p.name, p.trail, (on) => { on ? v.trails.add(p.point) : v.trails.delete(p.point); });
    const speeds = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000], wanted = (this.end - this.begin) / 12;
    const chosen = wanted > 0.25 && wanted < 2.5 ? 1 : speeds.reduce((a, b) => (Math.abs(Math.log(b / wanted)) < Math.abs(Math.log(a / wanted)) ? b : a));
    for (const k of speeds) byId("speed").append(new Option(k + "\u00d7", k, k === chosen, k === chosen));
  }
  firstPlots() {
    // A plot for every unit; what does not fit into it is in the lists of signals.
    const add = (group, most) => {
      const units = new Map();
      for (const name of this.groups.get(group) || []) {
        const unit = this.signals.get(name).unit;
        units.set(unit, [...(units.get(unit) || []), name]);
      }
      for (const names of units.values()) this.addPlot(names.slice(0, most));
    };
    add("coordinates", 6);
    add("speeds", 6);
    add("outputs", 4);
    add("energy", 6);
  }

  /// Below the plot `after`, or as the last one.
  addPlot(names, after) {
    const plot = new Plot(this, names);
    this.plots.push(plot);
    if (after) after.root.after(plot.root);
    else byId("plotlist").append(plot.root);
    this.redraw();
  }
  removePlot(plot) {
    this.plots = this.plots.filter((p) => p !== plot);
    plot.root.remove();
  }

  listen() {
    byId("play").onclick = () => this.toggle();
    byId("scrub").oninput = () => this.go(this.begin + byId("scrub").value / 1000 * (this.end - this.begin));
    byId("reset").onclick = () => { byId("follow").value = ""; this.view.fit(); this.redraw(); };
    byId("addplot").onclick = () => this.addPlot([]);
    byId("resetzoom").onclick = () => this.resetZoom();
    window.addEventListener("resize", () => this.redraw());
    window.addEventListener("keydown", (event) => {
      // The element with the focus keeps the keys it uses: space presses buttons, arrows move sliders.
      const at = event.target, slider = at.type === "range", tag = at.tagName;
      if (tag === "SELECT" || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === " " ? ["BUTTON", "SUMMARY"].includes(tag) || at.type === "checkbox" : slider) return;
      const step = (this.end - this.begin) / 200;
      if (event.key === " ") this.toggle();
      else if (event.key === "ArrowRight") this.go(this.time + step);
      else if (event.key === "ArrowLeft") this.go(this.time - step);
      else return;
      event.preventDefault();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  // ---- time ----------------------------------------------------------------------------------------------------------
  toggle() {
    this.playing = !this.playing;
    if (this.playing && this.time >= this.end) this.time = this.begin;
    this.last = null;
    byId("play").textContent = this.playing ? "\u275a\u275a" : "\u25b6";
  }
  go(t) {
    this.time = Math.max(this.begin, Math.min(this.end, t));
    this.redraw();
  }
  setSpan(a, b) {
    const whole = this.end - this.begin, least = whole * 1e-6;
    if (!(b - a > least)) return;
    if (b - a > whole) { a = this.begin; b = this.end; }
    if (a < this.begin) { b += this.begin - a; a = this.begin; }
    if (b > this.end) { a -= b - this.end; b = this.end; }
    this.span = [Math.max(a, this.begin), b];
    this.redraw();
  }
  resetZoom() {
    this.span = [this.begin, this.end];
    for (const p of this.plots) p.range = null;
    this.redraw();
  }
  /// The last sample at or before a time.
  before(t) {
    let a = 0, b = this.t.length - 1;
    while (a < b) { const m = (a + b + 1) >> 1; if (this.t[m] <= t) a = m; else b = m - 1; }
    return a;
  }
  nearest(t) {
    const i = this.before(t);
    return i + 1 < this.t.length && this.t[i + 1] - t < t - this.t[i] ? i + 1 : i;
  }
  /// The samples a plot needs: those inside the span, and one on either side.
  indices() { return [this.before(this.span[0]), Math.min(this.t.length - 1, this.before(this.span[1]) + 1)]; }

  redraw() { this.dirty = true; }
  frame(now) {
    if (this.playing) {
      if (this.last) this.time += (now - this.last) / 1000 * Number(byId("speed").value);
      this.last = now;
      if (this.time >= this.end) {
        if (byId("loop").checked) this.time = this.begin;
        else { this.time = this.end; this.toggle(); }
      }
      this.dirty = true;
    }
    if (this.dirty || this.view.moved) this.draw();
    requestAnimationFrame((next) => this.frame(next));
  }
  draw() {
    this.dirty = false;
    const i = this.before(this.time), gap = (this.t[i + 1] ?? this.t[i]) - this.t[i];
    this.view.draw(i, gap > 0 ? Math.min(1, (this.time - this.t[i]) / gap) : 0);
    for (const p of this.plots) p.draw();
    for (const d of this.diagrams) d.draw(i);
    byId("scrub").value = 1000 * (this.time - this.begin) / (this.end - this.begin);
    byId("clock").textContent = this.time.toPrecision(5) + " s";
  }
}

new Page(JSON.parse(byId("data").textContent));
