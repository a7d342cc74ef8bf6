// Drawing with the mouse: a sheet over the view, tools and properties. Every change goes into the text of the model, from
// which the drawing is read again; the motion that follows from it is drawn over it as an outline.

const TOOLS = [
  ["select", "v", "Select", "Drag a point or a body to move it; drag beside it to move the sheet"],
  ["bar", "b", "Bar", "Drag from end to end"], ["box", "x", "Box", "Drag from corner to corner"], ["disk", "d", "Disk", "Drag from the centre"],
  ["pin", "p", "Pin", "Click where two bodies meet, or a body alone to pin it to the ground"],
  ["slider", "l", "Slider", "Drag on a body in the direction in which it may slide, without turning"],
  ["slot", "t", "Slot", "Drag on a body along the slot in which this point of it runs"],
  ["weld", "w", "Weld", "Click where two bodies meet, or a body alone to anchor it"],
  ["spring", "s", "Spring", "Drag from one body to another, or to the ground"], ["damper", "e", "Damper", "Drag from one body to another, or to the ground"],
  ["motor", "m", "Motor", "Click a pin or a slider; Parameters has a slider for the torque"],
];
const ORDINARY = { spring: ["100 N/m", "stiffness"], damper: ["5 N*s/m", "damping"] };

class DrawPane {
  /// `hands`: text(), onDraw(text, something is there to run), onNew(), workspace.
  constructor(hands) {
    this.hands = hands;
    this.drawing = new Drawing();
    this.tool = "bar";
    this.middle = [0, -0.3];
    this.scale = 240;  // pixels for a metre
    this.past = [];
    this.buttons = element("div", { class: "drawtools", role: "toolbar", "aria-label": "Drawing tools" }, ...TOOLS.map(([id, key, name, help]) =>
      element("button", { "data-tool": id, "aria-pressed": "false", title: `${help} (${key.toUpperCase()})`, onclick: () => this.choose(id) }, name)));
    this.say = element("p", { class: "hint", role: "status" });
    this.properties = element("div", { class: "properties" });
    this.root = element("div", {}, this.buttons, this.say,
      element("p", {}, element("button", { id: "newdrawing", onclick: () => this.start() }, "New drawing"), " ",
        element("button", { id: "undo", title: "Take back the last change of the drawing (Ctrl+Z)", onclick: () => this.undo() }, "Undo")), this.properties);
    this.sheet = element("canvas", { id: "sheet", hidden: true, tabindex: "0", "aria-label": "Sheet for drawing" });
    document.getElementById("hint").before(this.sheet);
    this.listen();
    this.choose("bar");
  }
  get visible() { return !this.sheet.hidden; }
  show(on) {
    if (on === this.visible) return;
    this.sheet.hidden = !on;
    document.getElementById("stage").classList.toggle("drawing", on);
    if (!on) return;
    this.read();
    this.fit();
    const loop = () => { if (!this.visible) return; this.paint(); requestAnimationFrame(loop); };
    loop();
  }
  start() {
    this.past = [];
    this.hands.onNew();
    this.read();
    this.choose("bar");
  }
  choose(tool) {
    this.tool = tool;
    for (const b of this.buttons.children) b.setAttribute("aria-pressed", String(b.dataset.tool === tool));
    this.hint();
  }
  hint(text) { this.say.textContent = text || this.problem || TOOLS.find(([id]) => id === this.tool)[3] + "."; this.say.classList.toggle("bad", Boolean(text || this.problem)); }

  // ---- text and drawing ------------------------------------------------------------------------------------------------------------
  read() {
    const chosen = this.selected?.name;
    this.problem = "";
    try { this.drawing = Drawing.read(this.hands.text()); }
    catch (error) {
      this.drawing = new Drawing();
      this.problem = `This model was not drawn${error.line ? ` (line ${error.line})` : ""}: ${error.message}. Start with a new drawing.`;
    }
    for (const b of this.buttons.children) b.disabled = Boolean(this.problem);
    this.select([...this.drawing.bodies, ...this.drawing.joints, ...this.drawing.links].find((thing) => thing.name === chosen) || null);
    this.hint();
  }
  commit() {
    const before = this.hands.text(), after = this.drawing.write(before);
    if (after === before) return;
    this.past.push(before);
    this.hands.onDraw(after, this.drawing.bodies.length > 0);
    this.read();
  }
  undo() {
    const text = this.past.pop();
    if (text === undefined) return;
    this.hands.onDraw(text, /^bodies:/m.test(text));
    this.read();
  }
  add(list, thing) { this.drawing[list].push(thing); this.commit(); this.select(this.drawing[list].find((t) => t.name === thing.name)); }
  name(kind) { return this.drawing.newName(kind, this.hands.text()); }

  // ---- the mouse ---------------------------------------------------------------------------------------------------------------------
  toScreen(p) { return [this.sheet.clientWidth / 2 + this.scale * (p[0] - this.middle[0]), this.sheet.clientHeight / 2 - this.scale * (p[1] - this.middle[1])]; }
  toMetres(x, y) { return [this.middle[0] + (x - this.sheet.clientWidth / 2) / this.scale, this.middle[1] - (y - this.sheet.clientHeight / 2) / this.scale]; }
  get grid() { const least = 22 / this.scale, ten = 10 ** Math.floor(Math.log10(least)); return ten * [1, 2, 5, 10].find((k) => k * ten >= least * (1 - 1e-9)); }
  /// Points come first, then the grid; with Alt, neither.
  snap(p, event, without = null) {
    const plain = p.map((v) => Number(v.toFixed(3)));
    if (event.altKey) return plain;
    const node = this.drawing.nodes().filter((n) => !without || !P2.same(n, without)).map((n) => [P2.far(n, p), n]).sort((a, b) => a[0] - b[0])[0];
    if (node && node[0] * this.scale < 11) return [...node[1]];
    return p.map((v) => Number((Math.round(v / this.grid) * this.grid).toFixed(6)));
  }
  listen() {
    const s = this.sheet, at = (event) => { const box = s.getBoundingClientRect(); return this.toMetres(event.clientX - box.left, event.clientY - box.top); };
    s.addEventListener("pointerdown", (event) => {
      s.focus({ preventScroll: true });
      s.setPointerCapture(event.pointerId);
      const raw = at(event);
      if (event.button !== 0 || event.shiftKey) { this.drag = { pan: raw }; return; }
      if (this.problem) return;
      if (this.tool === "select") this.take(raw);
      else this.drag = { from: this.snap(raw, event), to: this.snap(raw, event) };
    });
    s.addEventListener("pointermove", (event) => {
      const raw = at(event), d = this.drag;
      this.cursor = this.snap(raw, event, d?.node ?? null);
      if (!d) return;
      if (d.pan) this.middle = P2.add(this.middle, P2.sub(d.pan, raw));
      else if (d.node) this.shift(d, this.cursor);
      else if (d.body) this.shift(d, P2.add(d.anchor, P2.sub(raw, d.grip)).map((v) => Number((Math.round(v / this.grid) * this.grid).toFixed(6))));
      else d.to = this.snap(raw, event);
    });
    s.addEventListener("pointerup", () => { const d = this.drag; this.drag = null; if (d) this.drop(d); });
    s.addEventListener("pointercancel", () => { this.drag = null; this.read(); });
    s.addEventListener("pointerleave", () => { this.cursor = null; });
    s.addEventListener("contextmenu", (event) => event.preventDefault());
    s.addEventListener("dblclick", () => this.fit());
    s.addEventListener("wheel", (event) => {
      event.preventDefault();
      const fixed = at(event), k = Math.exp(-0.0015 * event.deltaY), next = Math.max(5, Math.min(20000, this.scale * k));
      this.middle = P2.add(fixed, P2.sub(this.middle, fixed).map((v) => v * this.scale / next));
      this.scale = next;
    }, { passive: false });
    addEventListener("keydown", (event) => {
      if (!this.visible || event.target.closest?.("input, textarea, select, dialog")) return;
      if ((event.ctrlKey || event.metaKey) && event.key === "z") { event.preventDefault(); this.undo(); return; }
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const tool = TOOLS.find(([, key]) => key === event.key.toLowerCase());
      if (tool && !this.problem) this.choose(tool[0]);
      if (event.key === "Escape") { this.drag = null; this.read(); this.choose("select"); }
      if ((event.key === "Delete" || event.key === "Backspace") && this.selected) this.erase();
    });
  }
  /// With the select tool: a point, a spring, a body or the sheet.
  take(raw) {
    const d = this.drawing, near = 9 / this.scale;
    const joint = d.joints.find((j) => P2.far(j.at, raw) < near), link = d.links.find((l) => this.besides(raw, ...l.ends.map((e) => e.at)) < near);
    const handles = [...d.bodies.filter((b) => b.kind === "bar").flatMap((b) => [b.a, b.b]), ...d.joints.map((j) => j.at), ...d.links.flatMap((l) => l.ends.map((e) => e.at))];
    const node = handles.map((n) => [P2.far(n, raw), n]).sort((a, b) => a[0] - b[0])[0], body = d.body(d.under(raw, 4 / this.scale)[0]);
    this.select(joint || link || body || null);
    if (node && node[0] < near) this.drag = { node: [...node[1]] };
    else if (body) this.drag = { body: body.name, anchor: [...d.origin(body.name)], grip: raw };
    else if (!link) this.drag = { pan: raw };
  }
  besides(p, a, b) {
    const d = P2.sub(b, a), n = d[0] * d[0] + d[1] * d[1], s = n ? Math.max(0, Math.min(1, ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / n)) : 0;
    return P2.far(p, [a[0] + s * d[0], a[1] + s * d[1]]);
  }
  shift(d, to) {
    const g = this.drawing;
    if (d.node) { if (!P2.same(d.node, to)) { g.move(d.node, to); d.node = to; } return; }
    const b = g.body(d.body), by = P2.sub(to, g.origin(b.name));
    if (Math.hypot(...by) < 1e-6) return;
    // Everything on the body goes along; what it is joined to follows at the joints.
    const own = [...(b.kind === "bar" ? [b.a, b.b] : [b.at]), ...g.joints.filter((j) => j.of.includes(b.name)).map((j) => j.at), ...g.links.flatMap((l) => l.ends.filter((e) => e.on === b.name).map((e) => e.at))];
    const different = own.filter((p, i) => !own.slice(0, i).some((q) => P2.same(p, q))).map((p) => [...p]);
    if (b.kind === "bar") [b.a, b.b] = [P2.add(b.a, by), P2.add(b.b, by)]; else b.at = P2.add(b.at, by);
    for (const p of different) g.move(p, P2.add(p, by).map((v) => Number(short(v))), new Set([b]));
  }
  /// A tool is let go.
  drop(d) {
    if (d.pan) return;
    if (d.node || d.body) { this.commit(); return; }
    const { from, to } = d, far = P2.far(from, to), g = this.drawing, near = 5 / this.scale, along = far > near ? P2.sub(to, from).map((v) => v / far) : [1, 0];
    const mass = (size) => new Map([["mass", `${Number(Math.max(0.01, size).toPrecision(2))} kg`]]);
    const tools = {
      bar: () => far > near && this.add("bodies", { name: this.name("bar"), kind: "bar", a: from, b: to, width: 0.04, value: mass(far) }),
      box: () => { const size = P2.sub(to, from).map(Math.abs); if (Math.min(...size) > near) this.add("bodies", { name: this.name("box"), kind: "box", at: P2.middle(from, to), size: [...size, Math.min(...size, 0.1)], angle: 0, value: mass(20 * size[0] * size[1]) }); },
      disk: () => far > near && this.add("bodies", { name: this.name("disk"), kind: "disk", at: from, radius: far, value: mass(20 * Math.PI * far * far) }),
      motor: () => this.motor(from),
    };
    for (const kind of ["pin", "weld", "slider", "slot"]) tools[kind] = () => {
      const added = g.join(kind, from, near, kind === "slider" || kind === "slot" ? along : null, this.hands.text());
      if (!added.length) { this.hint(g.under(from, near).length ? "These are already joined here." : `A ${kind} needs a body under it.`); return; }
      this.commit();
      this.select(this.drawing.joints.find((j) => j.name === added[0].name));
    };
    for (const kind of ["spring", "damper"]) tools[kind] = () => {
      const ends = [from, to].map((p) => ({ on: g.under(p, near)[0] || "N", at: p }));
      if (ends[0].on === ends[1].on || far < near) { this.hint(`A ${kind} goes from one body to another, or to the ground.`); return; }
      const value = new Map([[kind, ORDINARY[kind][0]]]);
      if (kind === "spring") value.set("length", `${short(far, 3)} m`);
      this.add("links", { name: this.name(kind), kind, ends, value });
    };
    tools[this.tool]();
  }
  motor(p) {
    const joint = this.drawing.joints.find((j) => (j.kind === "pin" || j.kind === "slider") && P2.far(j.at, p) < 12 / this.scale);
    if (!joint) { this.hint("A motor sits on a pin or a slider; click one."); return; }
    if (!joint.value.has("actuator")) joint.value.set("actuator", this.name("T"));
    this.commit();
    this.select(this.drawing.joints.find((j) => j.name === joint.name));
  }
  erase() { this.drawing.remove(this.selected); this.select(null); this.commit(); }

  // ---- properties ----------------------------------------------------------------------------------------------------------------------
  select(thing) {
    this.selected = thing || null;
    this.properties.replaceChildren();
    if (!thing) return;
    const field = (label, value, unit, set) => {
      const input = element("input", { type: "text", "aria-label": label, value });
      input.addEventListener("change", () => { set(input.value.trim()); this.commit(); });
      this.properties.append(element("label", {}, element("span", {}, label), input, element("small", {}, unit)));
    };
    const number = (label, value, unit, set, least = -Infinity) => field(label, short(value, 4), unit, (text) => { const v = Number(text.replace(",", ".")); if (text && Number.isFinite(v) && v > least) set(v); else this.hint(`'${text}' is no ${label}.`); });
    const words = (label, key, ordinary = "") => field(label, thing.value.get(key) ?? ordinary, "", (text) => { if (text) thing.value.set(key, text); else thing.value.delete(key); });
    this.properties.append(element("h2", { class: "small" }, thing.name));
    const position = (p) => { number("x", p[0], "m", (v) => this.drawing.move(p, [v, p[1]])); number("y", p[1], "m", (v) => this.drawing.move(p, [p[0], v])); };
    if (thing.value.has("mass")) words("mass", "mass");
    if (thing.kind === "bar") {
      const d = P2.sub(thing.b, thing.a), l = Math.hypot(...d), angle = Math.atan2(d[1], d[0]), to = (length, turn) => this.drawing.move(thing.b, P2.add(thing.a, [length * Math.cos(turn), length * Math.sin(turn)]).map((v) => Number(short(v))));
      number("length", l, "m", (v) => to(v, angle), 0.001);
      number("angle", angle * 180 / Math.PI, "deg", (v) => to(l, v * Math.PI / 180));
      number("width", thing.width, "m", (v) => { thing.width = v; }, 0);
    } else if (thing.kind === "box") {
      ["width", "height"].forEach((label, k) => number(label, thing.size[k], "m", (v) => { thing.size[k] = v; }, 0));
      number("angle", thing.angle * 180 / Math.PI, "deg", (v) => { thing.angle = v * Math.PI / 180; });
    } else if (thing.kind === "disk") number("radius", thing.radius, "m", (v) => { thing.radius = v; }, 0);
    if (thing.kind === "box" || thing.kind === "disk" || thing.of) position(thing.kind && thing.at);
    if (thing.kind === "pin" || thing.kind === "slider") { words("damping", "damping"); words("motor (an input)", "actuator"); }
    if (ORDINARY[thing.kind]) words(ORDINARY[thing.kind][1], thing.kind);
    if (thing.kind === "spring") { words("rest length", "length"); words("damping", "damping"); }
    this.properties.append(element("p", {}, element("button", { onclick: () => this.erase(), title: "Delete" }, "Delete")));
  }

  // ---- the picture -------------------------------------------------------------------------------------------------------------------------
  fit() {
    const all = this.drawing.nodes();
    if (all.length < 2 || !this.sheet.clientWidth) return;
    const low = [0, 1].map((k) => Math.min(...all.map((p) => p[k]))), high = [0, 1].map((k) => Math.max(...all.map((p) => p[k]))), size = Math.max(high[0] - low[0], high[1] - low[1], 0.2);
    this.middle = P2.middle(low, high);
    this.scale = Math.min(400, Math.min(this.sheet.clientWidth, this.sheet.clientHeight) / (2.2 * size));
  }
  paint() { new DrawingPainter(this).paint(); }
}
