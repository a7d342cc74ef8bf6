// Drawing with the mouse: a sheet over the view, tools and properties. Every change goes into the text of the model, from
// which the drawing is read again; the motion that follows from it is drawn over it as an outline.

import { byId, element } from "./dom";
import { Drawing, P2, short, type Body, type Drawn, type DrawnJoint, type Link, type Point } from "./drawing";
import { DrawingPainter } from "./drawing_painter";
import type { FlowMap, PlaceError } from "./model_text";
import type { Workspace } from "./workspace";

interface DrawHands { workspace: Workspace; text(): string; running(): boolean; onDraw(text: string, runs: boolean): void; onNew(): void }
/// What the mouse does while its button is down.
type Drag = { kind: "pan"; at: Point } | { kind: "draw"; from: Point; to: Point } | { kind: "node"; at: Point } | { kind: "body"; name: string; anchor: Point; grip: Point };

const TOOLS: [string, string, string, string][] = [
  ["select", "v", "Select", "Drag a point or a body to move it; drag beside it to move the sheet"],
  ["bar", "b", "Bar", "Drag from end to end"], ["box", "x", "Box", "Drag from corner to corner"], ["disk", "d", "Disk", "Drag from the centre"],
  ["pin", "p", "Pin", "Click where two bodies meet, or a body alone to pin it to the ground"],
  ["slider", "l", "Slider", "Drag on a body in the direction in which it may slide, without turning"],
  ["slot", "t", "Slot", "Drag on a body along the slot in which this point of it runs"],
  ["weld", "w", "Weld", "Click where two bodies meet, or a body alone to anchor it"],
  ["spring", "s", "Spring", "Drag from one body to another, or to the ground"], ["damper", "e", "Damper", "Drag from one body to another, or to the ground"],
  ["motor", "m", "Motor", "Click a pin or a slider; Parameters has a slider for the torque"],
];
const ORDINARY: Record<string, [string, string]> = { spring: ["100 N/m", "stiffness"], damper: ["5 N*s/m", "damping"] };

const nearest = (all: Point[], p: Point): Point | undefined => all.map((n) => [P2.far(n, p), n] as const).sort((a, b) => a[0] - b[0])[0]?.[1];

export class DrawPane {
  drawing = new Drawing();
  tool = "bar";
  selected: Drawn | null = null;
  drag: Drag | null = null;
  cursor: Point | null = null;
  problem = "";
  readonly root: HTMLElement;
  readonly sheet = element("canvas", { id: "sheet", hidden: true, tabindex: "0", "aria-label": "Sheet for drawing" });
  private middle: Point = [0, -0.3];
  scale = 240;  // pixels for a metre
  private past: string[] = [];
  private readonly buttons: HTMLElement;
  private readonly say = element("p", { class: "hint", role: "status" });
  private readonly properties = element("div", { class: "properties" });

  constructor(readonly hands: DrawHands) {
    this.buttons = element("div", { class: "drawtools", role: "toolbar", "aria-label": "Drawing tools" }, ...TOOLS.map(([id, key, name, help]) =>
      element("button", { "data-tool": id, "aria-pressed": "false", title: `${help} (${key.toUpperCase()})`, onclick: () => this.choose(id) }, name)));
    this.root = element("div", {}, this.buttons, this.say,
      element("p", {}, element("button", { id: "newdrawing", onclick: () => this.start() }, "New drawing"), " ",
        element("button", { id: "undo", title: "Take back the last change of the drawing (Ctrl+Z)", onclick: () => this.undo() }, "Undo")), this.properties);
    byId("hint").before(this.sheet);
    this.listen();
    this.choose("bar");
  }
  get visible(): boolean { return !this.sheet.hidden; }
  show(on: boolean): void {
    if (on === this.visible) return;
    this.sheet.hidden = !on;
    byId("stage").classList.toggle("drawing", on);
    this.hands.workspace.covered = on;
    this.hands.workspace.dirty = true;
    if (!on) return;
    this.read();
    this.fit();
    const loop = (): void => { if (!this.visible) return; this.paint(); requestAnimationFrame(loop); };
    loop();
  }
  start(): void {
    this.past = [];
    this.hands.onNew();
    this.read();
    this.choose("bar");
  }
  private choose(tool: string): void {
    this.tool = tool;
    for (const b of this.buttons.querySelectorAll("button")) b.setAttribute("aria-pressed", String(b.dataset.tool === tool));
    this.hint();
  }
  hint(text = ""): void { this.say.textContent = text || this.problem || `${TOOLS.find(([id]) => id === this.tool)?.[3]}.`; this.say.classList.toggle("bad", Boolean(text || this.problem)); }

  // ---- text and drawing ------------------------------------------------------------------------------------------------------------
  read(): void {
    const chosen = this.selected?.name;
    this.problem = "";
    try { this.drawing = Drawing.read(this.hands.text()); }
    catch (error) {
      this.drawing = new Drawing();
      const { line, message } = error as PlaceError;
      this.problem = `This model was not drawn${line ? ` (line ${line})` : ""}: ${message}. Start with a new drawing.`;
    }
    for (const b of this.buttons.querySelectorAll("button")) b.disabled = Boolean(this.problem);
    this.select([...this.drawing.bodies, ...this.drawing.joints, ...this.drawing.links].find((thing) => thing.name === chosen) || null);
    this.hint();
  }
  private commit(): void {
    const before = this.hands.text(), after = this.drawing.write(before);
    if (after === before) return;
    this.past.push(before);
    this.hands.onDraw(after, this.drawing.bodies.length > 0);
    this.read();
  }
  private undo(): void {
    const text = this.past.pop();
    if (text === undefined) return;
    this.hands.onDraw(text, /^bodies:/m.test(text));
    this.read();
  }
  private addBody(thing: Body): void { this.drawing.bodies.push(thing); this.commit(); this.select(this.drawing.body(thing.name) ?? null); }
  private addLink(thing: Link): void { this.drawing.links.push(thing); this.commit(); this.select(this.drawing.links.find((l) => l.name === thing.name) ?? null); }
  private name(kind: string): string { return this.drawing.newName(kind, this.hands.text()); }

  // ---- the mouse ---------------------------------------------------------------------------------------------------------------------
  toScreen(p: Point): Point { return [this.sheet.clientWidth / 2 + this.scale * (p[0] - this.middle[0]), this.sheet.clientHeight / 2 - this.scale * (p[1] - this.middle[1])]; }
  toMetres(x: number, y: number): Point { return [this.middle[0] + (x - this.sheet.clientWidth / 2) / this.scale, this.middle[1] - (y - this.sheet.clientHeight / 2) / this.scale]; }
  get grid(): number { const least = 22 / this.scale, ten = 10 ** Math.floor(Math.log10(least)); return ten * [1, 2, 5, 10].find((k) => k * ten >= least * (1 - 1e-9))!; }
  /// Points come first, then the grid; with Alt, neither.
  private snap(p: Point, event: PointerEvent, without: Point | null = null): Point {
    const plain: Point = [Number(p[0].toFixed(3)), Number(p[1].toFixed(3))];
    if (event.altKey) return plain;
    const node = nearest(this.drawing.nodes().filter((n) => !without || !P2.same(n, without)), p);
    return node && P2.far(node, p) * this.scale < 11 ? [...node] : this.onGrid(p);
  }
  private onGrid(p: Point): Point { const round = (v: number): number => Number((Math.round(v / this.grid) * this.grid).toFixed(6)); return [round(p[0]), round(p[1])]; }
  private listen(): void {
    const s = this.sheet, at = (event: MouseEvent): Point => { const box = s.getBoundingClientRect(); return this.toMetres(event.clientX - box.left, event.clientY - box.top); };
    s.addEventListener("pointerdown", (event) => {
      s.focus({ preventScroll: true });
      s.setPointerCapture(event.pointerId);
      const raw = at(event);
      if (event.button !== 0 || event.shiftKey) { this.drag = { kind: "pan", at: raw }; return; }
      if (this.problem) return;
      if (this.tool === "select") this.take(raw);
      else this.drag = { kind: "draw", from: this.snap(raw, event), to: this.snap(raw, event) };
    });
    s.addEventListener("pointermove", (event) => {
      const raw = at(event), d = this.drag;
      this.cursor = this.snap(raw, event, d?.kind === "node" ? d.at : null);
      if (!d) return;
      if (d.kind === "pan") this.middle = P2.add(this.middle, P2.sub(d.at, raw));
      else if (d.kind === "node") { if (!P2.same(d.at, this.cursor)) { this.drawing.move(d.at, this.cursor); d.at = this.cursor; } }
      else if (d.kind === "body") this.shift(d.name, this.onGrid(P2.add(d.anchor, P2.sub(raw, d.grip))));
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
      this.middle = P2.add(fixed, P2.mul(P2.sub(this.middle, fixed), this.scale / next));
      this.scale = next;
    }, { passive: false });
    addEventListener("keydown", (event) => {
      if (!this.visible || (event.target as HTMLElement).closest?.("input, textarea, select, dialog, .cm-editor")) return;
      if ((event.ctrlKey || event.metaKey) && event.key === "z") { event.preventDefault(); this.undo(); return; }
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const tool = TOOLS.find(([, key]) => key === event.key.toLowerCase());
      if (tool && !this.problem) this.choose(tool[0]);
      if (event.key === "Escape") { this.drag = null; this.read(); this.choose("select"); }
      if ((event.key === "Delete" || event.key === "Backspace") && this.selected) this.erase();
    });
  }
  /// With the select tool: a point, a spring, a body or the sheet.
  private take(raw: Point): void {
    const d = this.drawing, near = 9 / this.scale;
    const joint = d.joints.find((j) => P2.far(j.at, raw) < near), link = d.links.find((l) => this.besides(raw, l.ends[0].at, l.ends[1].at) < near);
    const handles = [...d.bodies.filter((b) => b.kind === "bar").flatMap((b) => [b.a, b.b]), ...d.joints.map((j) => j.at), ...d.links.flatMap((l) => l.ends.map((e) => e.at))];
    const node = nearest(handles, raw), body = d.body(d.under(raw, 4 / this.scale)[0]);
    this.select(joint || link || body || null);
    if (node && P2.far(node, raw) < near) this.drag = { kind: "node", at: [...node] };
    else if (body) this.drag = { kind: "body", name: body.name, anchor: [...d.origin(body.name)], grip: raw };
    else if (!link) this.drag = { kind: "pan", at: raw };
  }
  private besides(p: Point, a: Point, b: Point): number {
    const d = P2.sub(b, a), n = d[0] * d[0] + d[1] * d[1], s = n ? Math.max(0, Math.min(1, ((p[0] - a[0]) * d[0] + (p[1] - a[1]) * d[1]) / n)) : 0;
    return P2.far(p, [a[0] + s * d[0], a[1] + s * d[1]]);
  }
  private shift(name: string, to: Point): void {
    const g = this.drawing, b = g.body(name);
    if (!b) return;
    const by = P2.sub(to, g.origin(name));
    if (Math.hypot(...by) < 1e-6) return;
    // Everything on the body goes along; what it is joined to follows at the joints.
    const own = [...(b.kind === "bar" ? [b.a, b.b] : [b.at]), ...g.joints.filter((j) => j.of.includes(b.name)).map((j) => j.at), ...g.links.flatMap((l) => l.ends.filter((e) => e.on === b.name).map((e) => e.at))];
    const different = own.filter((p, i) => !own.slice(0, i).some((q) => P2.same(p, q))).map((p): Point => [...p]);
    if (b.kind === "bar") [b.a, b.b] = [P2.add(b.a, by), P2.add(b.b, by)]; else b.at = P2.add(b.at, by);
    for (const p of different) { const q = P2.add(p, by); g.move(p, [Number(short(q[0])), Number(short(q[1]))], new Set([b])); }
  }
  /// A tool is let go.
  private drop(d: Drag): void {
    if (d.kind === "pan") return;
    if (d.kind !== "draw") { this.commit(); return; }
    const { from, to } = d, far = P2.far(from, to), g = this.drawing, near = 5 / this.scale, along: Point = far > near ? P2.mul(P2.sub(to, from), 1 / far) : [1, 0];
    const mass = (size: number): FlowMap => new Map([["mass", `${Number(Math.max(0.01, size).toPrecision(2))} kg`]]);
    const tools: Record<string, () => void> = {
      bar: () => { if (far > near) this.addBody({ name: this.name("bar"), kind: "bar", a: from, b: to, width: 0.04, value: mass(far) }); },
      box: () => { const size = P2.sub(to, from).map(Math.abs); if (Math.min(...size) > near) this.addBody({ name: this.name("box"), kind: "box", at: P2.middle(from, to), size: [...size, Math.min(...size, 0.1)], angle: 0, value: mass(20 * size[0] * size[1]) }); },
      disk: () => { if (far > near) this.addBody({ name: this.name("disk"), kind: "disk", at: from, radius: far, value: mass(20 * Math.PI * far * far) }); },
      motor: () => this.motor(from),
    };
    for (const kind of ["pin", "weld", "slider", "slot"] as const) tools[kind] = () => {
      const added = g.join(kind, from, near, kind === "slider" || kind === "slot" ? along : null, this.hands.text());
      if (!added.length) { this.hint(g.under(from, near).length ? "These are already joined here." : `A ${kind} needs a body under it.`); return; }
      this.commit();
      this.select(this.drawing.joints.find((j) => j.name === added[0].name) ?? null);
    };
    for (const kind of ["spring", "damper"] as const) tools[kind] = () => {
      const end = (p: Point): { on: string; at: Point } => ({ on: g.under(p, near)[0] ?? "N", at: p }), ends: Link["ends"] = [end(from), end(to)];
      if (ends[0].on === ends[1].on || far < near) { this.hint(`A ${kind} goes from one body to another, or to the ground.`); return; }
      const value: FlowMap = new Map([[kind as string, ORDINARY[kind][0]]]);
      if (kind === "spring") value.set("length", `${short(far, 3)} m`);
      this.addLink({ name: this.name(kind), kind, ends, value });
    };
    tools[this.tool]();
  }
  private motor(p: Point): void {
    const joint = this.drawing.joints.find((j) => (j.kind === "pin" || j.kind === "slider") && P2.far(j.at, p) < 12 / this.scale);
    if (!joint) { this.hint("A motor sits on a pin or a slider; click one."); return; }
    if (!joint.value.has("actuator")) joint.value.set("actuator", this.name("T"));
    this.commit();
    this.select(this.drawing.joints.find((j: DrawnJoint) => j.name === joint.name) ?? null);
  }
  private erase(): void { if (this.selected) this.drawing.remove(this.selected); this.select(null); this.commit(); }

  // ---- properties ----------------------------------------------------------------------------------------------------------------------
  private select(thing: Drawn | null): void {
    this.selected = thing;
    this.properties.replaceChildren();
    if (!thing) return;
    const field = (label: string, value: string, unit: string, set: (text: string) => void): void => {
      const input = element("input", { type: "text", "aria-label": label, value });
      input.addEventListener("change", () => { set(input.value.trim()); this.commit(); });
      this.properties.append(element("label", {}, element("span", {}, label), input, element("small", {}, unit)));
    };
    const number = (label: string, value: number, unit: string, set: (v: number) => void, least = -Infinity): void => field(label, short(value, 4), unit, (text) => { const v = Number(text.replace(",", ".")); if (text && Number.isFinite(v) && v > least) set(v); else this.hint(`'${text}' is no ${label}.`); });
    const words = (label: string, key: string, ordinary = ""): void => field(label, String(thing.value.get(key) ?? ordinary), "", (text) => { if (text) thing.value.set(key, text); else thing.value.delete(key); });
    this.properties.append(element("h2", { class: "small" }, thing.name));
    const position = (p: Point): void => { number("x", p[0], "m", (v) => this.drawing.move(p, [v, p[1]])); number("y", p[1], "m", (v) => this.drawing.move(p, [p[0], v])); };
    if (thing.value.has("mass")) words("mass", "mass");
    if (thing.kind === "bar") {
      const d = P2.sub(thing.b, thing.a), l = Math.hypot(...d), angle = Math.atan2(d[1], d[0]), to = (length: number, turn: number): void => { const q = P2.add(thing.a, [length * Math.cos(turn), length * Math.sin(turn)]); this.drawing.move(thing.b, [Number(short(q[0])), Number(short(q[1]))]); };
      number("length", l, "m", (v) => to(v, angle), 0.001);
      number("angle", angle * 180 / Math.PI, "deg", (v) => to(l, v * Math.PI / 180));
      number("width", thing.width, "m", (v) => { thing.width = v; }, 0);
    } else if (thing.kind === "box") {
      ["width", "height"].forEach((label, k) => number(label, thing.size[k], "m", (v) => { thing.size[k] = v; }, 0));
      number("angle", thing.angle * 180 / Math.PI, "deg", (v) => { thing.angle = v * Math.PI / 180; });
    } else if (thing.kind === "disk") number("radius", thing.radius, "m", (v) => { thing.radius = v; }, 0);
    if ("at" in thing) position(thing.at);
    if (thing.kind === "pin" || thing.kind === "slider") { words("damping", "damping"); words("motor (an input)", "actuator"); }
    if (ORDINARY[thing.kind]) words(ORDINARY[thing.kind][1], thing.kind);
    if (thing.kind === "spring") { words("rest length", "length"); words("damping", "damping"); }
    this.properties.append(element("p", {}, element("button", { onclick: () => this.erase(), title: "Delete" }, "Delete")));
  }

  // ---- the picture -------------------------------------------------------------------------------------------------------------------------
  private fit(): void {
    const all = this.drawing.nodes();
    if (all.length < 2 || !this.sheet.clientWidth) return;
    const bound = (f: (...v: number[]) => number): Point => [f(...all.map((p) => p[0])), f(...all.map((p) => p[1]))], low = bound(Math.min), high = bound(Math.max), size = Math.max(high[0] - low[0], high[1] - low[1], 0.2);
    this.middle = P2.middle(low, high);
    this.scale = Math.min(400, Math.min(this.sheet.clientWidth, this.sheet.clientHeight) / (2.2 * size));
  }
  private paint(): void { new DrawingPainter(this).paint(); }
}
