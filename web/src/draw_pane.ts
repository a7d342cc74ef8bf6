// Drawing with the mouse: a sheet over the view, tools and properties. Every change goes into the text of the model, from
// which the drawing is read again; the motion that follows from it is drawn over it as an outline.

import { byId, element, recall, remember } from "./dom";
import { Drawing, LENGTHS, P2, areaOf, hull, short, type Body, type Drawn, type DrawnJoint, type Link, type Pair, type Point } from "./drawing";
import { DrawingPainter } from "./drawing_painter";
import type { Flow, FlowMap, PlaceError } from "./model_text";
import type { Workspace } from "./workspace";

interface DrawHands { workspace: Workspace; text(): string; running(): boolean; onDraw(text: string, runs: boolean): void; onNew(): void }
/// What the mouse does while its button is down.
type Drag = { kind: "pan"; at: Point } | { kind: "draw"; from: Point; to: Point } | { kind: "node"; at: Point } | { kind: "body"; name: string; anchor: Point; grip: Point }
  | { kind: "path"; points: Point[] };  // of clicks, one after the other

const TOOLS: [string, string, string, string][] = [
  ["select", "v", "Select", "Drag a point or a body to move it; drag beside it to move the sheet"],
  ["bar", "b", "Bar", "Drag from end to end"], ["box", "x", "Box", "Drag from corner to corner"], ["disk", "d", "Disk", "Drag from the centre"],
  ["polygon", "y", "Polygon", "Click its corners, and the first one again (or double-click); it becomes convex"],
  ["pin", "p", "Pin", "Click where two bodies meet, or a body alone to pin it to the ground"],
  ["slider", "l", "Slider", "Drag on a body in the direction in which it may slide, without turning"],
  ["slot", "t", "Slot", "Drag on a body along the slot in which this point of it runs"],
  ["weld", "w", "Weld", "Click where two bodies meet, or a body alone to anchor it"],
  ["spring", "s", "Spring", "Drag from one body to another, or to the ground"], ["damper", "e", "Damper", "Drag from one body to another, or to the ground"],
  ["rope", "o", "Rope", "Click from end to end over pulleys, and the last place again (or double-click); it is always taut"],
  ["gear", "g", "Gear", "Drag from one pinned disk to another; they mesh with the radii that they have"],
  ["contact", "c", "Contact", "Drag from one body to another, so that they collide; or from a body down to where its floor is"],
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
  unit = recall("unit") ?? "m";  ///< of the lengths that are shown
  private past: string[] = [];
  private readonly buttons: HTMLElement;
  private readonly say = element("p", { class: "hint", role: "status" });
  private readonly properties = element("div", { class: "properties" });

  constructor(readonly hands: DrawHands) {
    this.buttons = element("div", { class: "drawtools", role: "toolbar", "aria-label": "Drawing tools" }, ...TOOLS.map(([id, key, name, help]) =>
      element("button", { "data-tool": id, "aria-pressed": "false", title: `${help} (${key.toUpperCase()})`, onclick: () => this.choose(id) }, name)));
    this.root = element("div", {}, this.buttons, this.say,
      element("p", {}, element("button", { id: "newdrawing", onclick: () => this.start() }, "New drawing"), " ",
        element("button", { id: "undo", title: "Take back the last change of the drawing (Ctrl+Z)", onclick: () => this.undo() }, "Undo"), " ", this.units()), this.properties);
    byId("hint").before(this.sheet);
    this.listen();
    this.choose("bar");
  }
  private units(): HTMLElement {
    const choice = element("select", { id: "unit", "aria-label": "Unit of lengths", title: "Unit of lengths" }, ...["m", "cm", "mm", "in", "ft"].map((u) => new Option(u, u, u === this.unit, u === this.unit)));
    if (LENGTHS[this.unit] === undefined) this.unit = "m";
    choice.addEventListener("change", () => { this.unit = choice.value; remember("unit", this.unit); this.select(this.selected); });
    return choice;
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
    [this.middle, this.scale] = [[0, -0.3], 240];
    this.hands.onNew();
    this.read();
    this.choose("bar");
  }
  private choose(tool: string): void {
    this.tool = tool;
    this.drag = null;
    for (const b of this.buttons.querySelectorAll("button")) b.setAttribute("aria-pressed", String(b.dataset.tool === tool));
    this.hint();
  }
  hint(text = ""): void { this.say.textContent = text || this.problem || `${TOOLS.find(([id]) => id === this.tool)?.[3]}.`; this.say.classList.toggle("bad", Boolean(text || this.problem)); }

  // ---- text and drawing ------------------------------------------------------------------------------------------------------------
  read(): void {
    if (this.drag && this.drag.kind !== "pan") return;  // what is being dragged is newer than the text; it is written when it is let go
    const chosen = this.selected?.name;
    this.problem = "";
    try { this.drawing = Drawing.read(this.hands.text()); }
    catch (error) {
      this.drawing = new Drawing();
      const { line, message } = error as PlaceError;
      this.problem = `This model was not drawn${line ? ` (line ${line})` : ""}: ${message}. Start with a new drawing.`;
    }
    for (const b of this.buttons.querySelectorAll("button")) b.disabled = Boolean(this.problem);
    this.select([...this.drawing.bodies, ...this.drawing.joints, ...this.drawing.links, ...this.drawing.pairs].find((thing) => thing.name === chosen) || null);
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
  private addPair(thing: Pair): void { this.drawing.pairs.push(thing); this.commit(); this.select(this.drawing.pairs.find((p) => p.name === thing.name) ?? null); }
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
      else if (this.tool === "polygon" || this.tool === "rope") this.extend(this.snap(raw, event));
      else this.drag = { kind: "draw", from: this.snap(raw, event), to: this.snap(raw, event) };
    });
    s.addEventListener("pointermove", (event) => {
      const raw = at(event), d = this.drag;
      this.cursor = this.snap(raw, event, d?.kind === "node" ? d.at : null);
      if (!d) return;
      if (d.kind === "pan") this.middle = P2.add(this.middle, P2.sub(d.at, raw));
      else if (d.kind === "node") { if (!P2.same(d.at, this.cursor)) { this.drawing.move(d.at, this.cursor); d.at = this.cursor; } }
      else if (d.kind === "body") this.shift(d.name, this.onGrid(P2.add(d.anchor, P2.sub(raw, d.grip))));
      else if (d.kind === "draw") d.to = this.snap(raw, event);
    });
    s.addEventListener("pointerup", () => { const d = this.drag; if (d?.kind === "path") return; this.drag = null; if (d) this.drop(d); });
    s.addEventListener("pointercancel", () => { this.drag = null; this.read(); });
    s.addEventListener("pointerleave", () => { this.cursor = null; });
    s.addEventListener("contextmenu", (event) => event.preventDefault());
    s.addEventListener("dblclick", () => { if (this.tool === "select") this.fit(); });
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
      if (event.key === "Enter" && this.drag?.kind === "path") this.endPath(this.drag.points);
      if (event.key === "Escape") { this.drag = null; this.read(); this.choose("select"); }
      if ((event.key === "Delete" || event.key === "Backspace") && this.selected) this.erase();
    });
  }
  /// Another corner of a polygon, or place of a rope.
  private extend(p: Point): void {
    const d = this.drag?.kind === "path" ? this.drag : null, near = 9 / this.scale, end = this.tool === "polygon" ? 0 : -1;
    if (!d) { this.drag = { kind: "path", points: [p] }; return; }
    const last = d.points[d.points.length - 1], closed = d.points.length > 1 && P2.far(d.points.at(end) ?? last, p) < near;
    if (closed || P2.far(last, p) < near) this.endPath(d.points);
    else if (d.points.length < 20) d.points.push(p);
    else this.hint("This is long enough: end it by a double-click, or by Enter.");
  }
  private endPath(points: Point[]): void {
    this.drag = null;
    if (this.tool === "rope") {
      const ends = points.map((at) => ({ on: this.drawing.under(at, 5 / this.scale)[0] ?? "N", at }));
      if (points.length < 2 || ends.every((e) => e.on === ends[0].on)) { this.hint("A rope goes from one body to another, or to the ground."); return; }
      this.addLink({ name: this.name("rope"), kind: "rope", ends, value: new Map() });
      return;
    }
    const corners = hull(points), { area, middle } = corners.length > 2 ? areaOf(corners) : { area: 0, middle: points[0] };
    if (!(area * this.scale ** 2 > 60)) { this.hint("A polygon needs three corners that are not on a line."); return; }
    const at: Point = [Number(short(middle[0])), Number(short(middle[1]))];
    this.addBody({ name: this.name("polygon"), kind: "polygon", at, corners: corners.map((p) => P2.sub(p, at)), value: this.mass(20 * area) });
  }
  private mass(size: number): FlowMap { return new Map([["mass", `${Number(Math.max(0.01, size).toPrecision(2))} kg`]]); }
  /// Where a pair can be taken: between two gears, between two bodies, or on the floor.
  pairPlace(pair: Pair): Point {
    const d = this.drawing, [a, b] = pair.of.map((n) => d.body(n)), [p, q] = pair.of.map((n) => d.middle(n));
    if (!a) return [q[0], pair.height];
    if (!b) return [p[0], pair.height];
    if (a.kind !== "disk" || b.kind !== "disk") return P2.middle(p, q);
    const far = P2.far(p, q), [big, small, at, to] = a.radius >= b.radius ? [a, b, p, q] : [b, a, q, p];
    return far > 1e-9 ? P2.add(at, P2.mul(P2.sub(to, at), (far < big.radius ? big.radius : far * big.radius / (big.radius + small.radius)) / far)) : at;
  }
  /// With the select tool: a point, a spring, a body or the sheet.
  private take(raw: Point): void {
    const d = this.drawing, near = 9 / this.scale;
    const joint = d.joints.find((j) => P2.far(j.at, raw) < near), link = d.links.find((l) => l.ends.slice(1).some((e, k) => this.besides(raw, l.ends[k].at, e.at) < near)), pair = d.pairs.find((p) => P2.far(this.pairPlace(p), raw) < near);
    const handles = [...d.bodies.filter((b) => b.kind === "bar").flatMap((b) => [b.a, b.b]), ...d.joints.map((j) => j.at), ...d.links.flatMap((l) => l.ends.map((e) => e.at))];
    const node = nearest(handles, raw), body = d.body(d.under(raw, 4 / this.scale)[0]);
    this.select(joint || link || pair || body || null);
    if (pair && !joint && !link) return;
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
    if (d.kind === "pan" || d.kind === "path") return;
    if (d.kind !== "draw") { this.commit(); return; }
    const { from, to } = d, far = P2.far(from, to), g = this.drawing, near = 5 / this.scale, along: Point = far > near ? P2.mul(P2.sub(to, from), 1 / far) : [1, 0];
    const mass = (size: number): FlowMap => this.mass(size);
    const tools: Record<string, () => void> = {
      bar: () => { if (far > near) this.addBody({ name: this.name("bar"), kind: "bar", a: from, b: to, width: 0.04, value: mass(far) }); },
      box: () => { const size = P2.sub(to, from).map(Math.abs); if (Math.min(...size) > near) this.addBody({ name: this.name("box"), kind: "box", at: P2.middle(from, to), size: [...size, Math.min(...size, 0.1)], angle: 0, value: mass(20 * size[0] * size[1]) }); },
      disk: () => { if (far > near) this.addBody({ name: this.name("disk"), kind: "disk", at: from, radius: far, value: mass(20 * Math.PI * far * far) }); },
      motor: () => this.motor(from),
      gear: () => {
        const [a, b] = [from, to].map((p) => g.under(p, near).find((n) => g.body(n)?.kind === "disk"));
        if (!a || !b || a === b) { this.hint("A gear goes from one disk to another."); return; }
        this.addPair({ name: this.name("gear"), kind: "gear", of: [a, b], height: 0, value: new Map() });
      },
      contact: () => {
        const a = g.under(from, near)[0], b = g.under(to, near).find((n) => n !== a) ?? "N";
        if (!a || far < near) { this.hint("A contact goes from one body to another, or to where the floor is."); return; }
        const same = g.pairs.find((p) => p.kind === "contact" && p.of.includes(a) && p.of.includes(b));
        if (same && b !== "N") { this.hint("These collide already."); return; }
        if (same) { same.height = to[1]; this.commit(); return; }
        this.addPair({ name: this.name("contact"), kind: "contact", of: [a, b], height: to[1], value: new Map<string, Flow>([["between", [a, b]], ...(b === "N" ? [["plane", "N.y"], ["height", "0"]] as [string, Flow][] : []), ["friction", "0.4"], ["restitution", "0.3"]]) });
      },
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
    // A number in the unit that is shown; lengths also with a unit of their own, such as 3 in.
    const number = (label: string, value: number, unit: string, set: (v: number) => void, least = -Infinity): void => {
      const shown = unit === "m" ? this.unit : unit, scale = unit === "m" ? LENGTHS[shown] : 1;
      field(label, short(value / scale, unit === "m" ? Math.max(1, Math.round(4 + Math.log10(scale))) : 4), shown, (text) => {
        const parts = /^(.*?)\s*([a-z]+)?$/.exec(text.replace(",", ".")), own = parts?.[2] ? (unit === "m" ? LENGTHS[parts[2]] : parts[2] === unit ? 1 : NaN) : scale, v = Number(parts?.[1]) * own;
        if (parts?.[1] && Number.isFinite(v) && v > least) set(Number(v.toFixed(7))); else this.hint(`'${text}' is no ${label}.`);
      });
    };
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
    if (thing.kind === "rope") this.properties.append(element("p", { class: "hint" }, `${short(Drawing.lengthOf(thing) / LENGTHS[this.unit], 3)} ${this.unit} long, always taut`));
    if (thing.kind === "gear") words("teeth, as [20, 40]", "teeth");
    if (thing.kind === "contact") { if (thing.of.includes("N")) number("height", thing.height, "m", (v) => { thing.height = v; }); words("friction", "friction"); words("restitution", "restitution"); }
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
