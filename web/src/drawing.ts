// A drawing: bodies, joints, springs, dampers, ropes, gears and contacts in the plane, in metres, all in the axes of the ground. It is read from the text
// of a model and written back into it. The axes of every body are parallel to those of the ground as it is drawn, so that the
// drawing is the model with all coordinates zero, and closed loops are closed.

import { type Flow, type FlowMap, ModelText, PlaceError, listIn, mapIn, textIn, writeFlow } from "./model_text";

export type Point = [number, number];

export const LENGTHS: Record<string, number> = { "": 1, m: 1, mm: 1e-3, cm: 1e-2, in: 0.0254, ft: 0.3048 }, ANGLES: Record<string, number> = { "": 1, rad: 1, deg: Math.PI / 180 };
export const P2 = {
  add: (a: Point, b: Point): Point => [a[0] + b[0], a[1] + b[1]], sub: (a: Point, b: Point): Point => [a[0] - b[0], a[1] - b[1]],
  far: (a: Point, b: Point): number => Math.hypot(a[0] - b[0], a[1] - b[1]), same: (a: Point, b: Point): boolean => Math.hypot(a[0] - b[0], a[1] - b[1]) < 2e-4,
  middle: (a: Point, b: Point): Point => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], mul: (a: Point, s: number): Point => [a[0] * s, a[1] * s],
  turn: (a: Point, angle: number): Point => [a[0] * Math.cos(angle) - a[1] * Math.sin(angle), a[0] * Math.sin(angle) + a[1] * Math.cos(angle)],
};
export const short = (v: number, digits = 5): string => String(Number(v.toFixed(digits)) + 0);
const place = (p: Point): Flow => [short(p[0]), short(p[1]), "0"];
export const BLANK = "kane: 1\nname: drawing\nparameters: {g: 9.81 m/s^2}\ngravity: -g*N.y\n";
const JOINT_TYPES: Record<string, string> = { pin: "revolute", slider: "prismatic", slot: "general", weld: "weld" };

/// `value`: as in the text.
interface Thing { name: string; value: FlowMap }
export interface Bar extends Thing { kind: "bar"; a: Point; b: Point; width: number }
export interface Box extends Thing { kind: "box"; at: Point; size: number[]; angle: number }
export interface Disk extends Thing { kind: "disk"; at: Point; radius: number }
/// A convex plate; the corners are relative to its centroid `at`, in positive order.
export interface Polygon extends Thing { kind: "polygon"; at: Point; corners: Point[] }
export type Body = Bar | Box | Disk | Polygon;
/// A joint between two bodies, or a body and the ground "N"; of a slot, the first of them has the line.
export interface DrawnJoint extends Thing { kind: "pin" | "slider" | "slot" | "weld"; at: Point; axis: Point | null; of: [string, string] }
export interface LinkEnd { on: string; at: Point }
/// A rope runs from its first end to its last over what is between them; it is always taut.
export interface Link extends Thing { kind: "spring" | "damper" | "rope"; ends: LinkEnd[] }
/// Two disks that mesh, or two bodies that cannot pass through each other; on the ground "N", there is a floor at a height.
export interface Pair extends Thing { kind: "gear" | "contact"; of: [string, string]; height: number }
export type Drawn = Body | DrawnJoint | Link | Pair;
const DEEP = 0.04;  // m, of new plates

/// The corners of the convex hull, in positive order (Andrew 1979).
export function hull(points: Point[]): Point[] {
  const all = [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1]), half = (list: Point[]): Point[] => {
    const out: Point[] = [];
    for (const p of list) {
      while (out.length > 1) {
        const [a, b] = out.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 1e-12) break;
        out.pop();
      }
      out.push(p);
    }
    return out.slice(0, -1);
  };
  return [...half(all), ...half(all.reverse())];
}
/// Area, centroid, and second moments about the centroid for a unit of area: of x^2, y^2 and xy, by Green's theorem.
export function areaOf(corners: Point[]): { area: number; middle: Point; xx: number; yy: number; xy: number } {
  let area = 0, mx = 0, my = 0, xx = 0, yy = 0, xy = 0;
  corners.forEach(([x, y], i) => {
    const [p, q] = corners[(i + 1) % corners.length], c = x * q - p * y;
    area += c / 2;
    mx += c * (x + p) / 6;
    my += c * (y + q) / 6;
    xx += c * (x * x + x * p + p * p) / 12;
    yy += c * (y * y + y * q + q * q) / 12;
    xy += c * (x * q + 2 * x * y + 2 * p * q + p * y) / 24;
  });
  const middle: Point = [mx / area, my / area];
  return { area, middle, xx: xx / area - middle[0] ** 2, yy: yy / area - middle[1] ** 2, xy: xy / area - middle[0] * middle[1] };
}
/// A joint as the text has it, before it is known where its bodies are.
interface WrittenJoint { name: string; kind: DrawnJoint["kind"] | "free"; of: [string, string]; axis: Point | null; value: FlowMap; ends: { parent: string; child: string; at: Point; childAt: Point } }

export class Drawing {
  bodies: Body[] = [];
  joints: DrawnJoint[] = [];
  links: Link[] = [];
  pairs: Pair[] = [];
  /// Joints of bodies that nothing else carries, by the names of the bodies.
  private readonly free = new Map<string, WrittenJoint>();

  body(name: string): Body | undefined { return this.bodies.find((b) => b.name === name); }
  origin(name: string): Point {
    const b = this.body(name);
    return !b ? [0, 0] : b.kind === "bar" ? b.a : b.at;
  }
  /// The middle of a body; of the ground, its origin.
  middle(name: string): Point {
    const b = this.body(name);
    return !b ? [0, 0] : b.kind === "bar" ? P2.middle(b.a, b.b) : b.at;
  }
  /// A name that nothing in the text has.
  newName(kind: string, text: string): string { for (let k = 1; ; k++) if (!new RegExp(`\\b${kind}${k}\\b`).test(text)) return kind + k; }

  // ---- from the text -------------------------------------------------------------------------------------------------------------
  /// Throws {message, line} if the text has something that cannot be drawn.
  static read(text: string): Drawing {
    const drawing = new Drawing(), source = new ModelText(text), other = source.lines.findIndex((l) => /^(ground|particles|frames|dh|repeat|include|equations):/.test(l));
    if (other >= 0) throw new PlaceError(`'${source.lines[other].split(":")[0]}' cannot be drawn`, other + 1);
    const each = (section: string, take: (name: string, value: FlowMap) => void): void => {
      for (const [name, { value, line }] of source.entries(section)) {
        try {
          const map = mapIn(value);
          if (!map) throw new Error("its entry is no map");
          take(name, map);
        } catch (error) { throw error instanceof PlaceError ? error : new PlaceError(`'${name}': ${(error as Error).message}`, line + 1); }
      }
    };
    each("bodies", (name, value) => drawing.bodies.push(Drawing.readBody(name, value)));
    const joints: WrittenJoint[] = [];
    each("joints", (name, value) => joints.push(Drawing.readJoint(name, value)));
    drawing.settle(joints);
    const points = new Map<string, LinkEnd>();
    each("points", (name, value) => { const on = textIn(value.get("on")) ?? "N"; points.set(name, { on, at: P2.add(drawing.origin(on), Drawing.point(value.get("at"))) }); });
    each("loads", (name, value) => {
      const kind = (["spring", "damper"] as const).find((k) => value.has(k)), a = points.get(textIn(value.get("from")) ?? ""), b = points.get(textIn(value.get("to")) ?? "");
      if (kind && a && b) drawing.links.push({ name, kind, ends: [a, b], value });
    });
    const known = (names: Flow | undefined): [string, string] | null => {
      const [a, b] = listIn(names)?.map((n) => textIn(n) ?? "") ?? [], drawn = (n: string): boolean => n === "N" || drawing.body(n) !== undefined;
      return a && b && drawn(a) && drawn(b) ? [a, b] : null;
    };
    each("constraints", (name, value) => {
      const ends = listIn(value.get("rope") ?? value.get("rod"))?.map((n) => points.get(textIn(n) ?? "")), of = known(value.get("gear"));
      if (ends?.every((e) => e)) drawing.links.push({ name, kind: "rope", ends: ends as LinkEnd[], value });
      if (of?.every((n) => drawing.body(n)?.kind === "disk")) drawing.pairs.push({ name, kind: "gear", of, height: 0, value });
    });
    each("contacts", (name, value) => {
      const of = known(value.get("between")), floor = of?.includes("N");
      if (of && (!floor || value.get("plane") === "N.y")) drawing.pairs.push({ name, kind: "contact", of, height: floor ? Drawing.number(value.get("height"), LENGTHS) : 0, value });
    });
    return drawing;
  }
  private static number(text: Flow | undefined, units: Record<string, number>): number {
    const parts = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([a-z]*)$/i.exec(String(text ?? "0"));
    if (!parts || units[parts[2]] === undefined) throw new Error(`'${text}' is not a plain number, which the mouse could move`);
    return Number(parts[1]) * units[parts[2]];
  }
  private static point(list: Flow | undefined): Point {
    if (list === undefined) return [0, 0];
    if (!Array.isArray(list) || list.length !== 3) throw new Error("a position has three numbers here");
    if (Drawing.number(list[2], LENGTHS) !== 0) throw new Error("the drawing lies in the plane z = 0");
    return [Drawing.number(list[0], LENGTHS), Drawing.number(list[1], LENGTHS)];
  }
  private static readBody(name: string, value: FlowMap): Body {
    const shape = mapIn(value.get("shape")), mesh = listIn(mapIn(value.get("geometry"))?.get("mesh"));
    if (mesh) {
      const corners = mesh.map((p): Point => { const c = listIn(p) ?? []; return [Drawing.number(c[0], LENGTHS), Drawing.number(c[1], LENGTHS)]; });
      return { name, kind: "polygon", at: [0, 0], corners: hull(corners), value };
    }
    if (!shape) throw new Error("a body without a shape cannot be drawn");
    const size = shape.get("box"), round = shape.get("cylinder"), turn = shape.get("orientation"), end = mapIn(value.get("points"))?.get("end");
    const turning = mapIn(turn);
    if (turn && !(turning?.get("axis") === "z" && turning.has("angle"))) throw new Error("a shape is turned about z here");
    const angle = turning ? Drawing.number(turning.get("angle"), ANGLES) : 0;
    if (!end && Math.hypot(...Drawing.point(shape.get("at"))) > 0) throw new Error("the origin of a box or a disk is its centre here");
    if (round instanceof Map) return { name, kind: "disk", at: [0, 0], radius: Drawing.number(round.get("radius"), LENGTHS), value };
    if (!Array.isArray(size)) throw new Error("bars, boxes, disks and polygons can be drawn (box, cylinder, or geometry with a mesh of points)");
    if (end) return { name, kind: "bar", a: [0, 0], b: Drawing.point(end), width: Drawing.number(size[1], LENGTHS), value };
    return { name, kind: "box", at: [0, 0], size: size.map((s) => Drawing.number(s, LENGTHS)), angle, value };
  }
  private static readJoint(name: string, value: FlowMap): WrittenJoint {
    const type = textIn(value.get("type")), motions = listIn(value.get("motions"))?.map(mapIn);
    const kind = type === "planar" ? "free" : (Object.keys(JOINT_TYPES) as DrawnJoint["kind"][]).find((k) => JOINT_TYPES[k] === type);
    if (!kind) throw new Error(`a joint of type '${type}' cannot be drawn`);
    for (const key of ["orientation", "child_orientation", "rotation_from", "value", "values", "lock"])
      if (value.has(key)) throw new Error(`'${key}' cannot be drawn`);
    if (kind === "pin" && !["z", "-z"].includes(textIn(value.get("axis") ?? "z") ?? "")) throw new Error("a pin turns about z here");
    if (kind === "free" && (value.get("parent") !== "N" || value.has("axes"))) throw new Error("a planar joint starts at the ground here, along x and y");
    const parent = textIn(value.get("parent")) ?? "", child = textIn(value.get("child")) ?? "";
    let of: [string, string] = [parent, child], along: Flow | null = null;
    if (kind === "slot") {
      const line = motions?.find((m) => m?.has("translate"));
      if (!line || motions?.length !== 2) throw new Error("of general joints, slots can be drawn: a translation and a rotation");
      along = line.get("translate") ?? null;
      if (motions[0] !== line) of = [of[1], of[0]];
    }
    if (kind === "slider") along = value.get("axis") ?? "z";
    const axis: Point | null = along === "x" ? [1, 0] : along === "y" ? [0, 1] : Array.isArray(along) ? [Number(along[0]), Number(along[1])] : null;
    if ((kind === "slot" || kind === "slider") && !(axis && Number.isFinite(axis[0] + axis[1]))) throw new Error("it slides along x, y or a direction in their plane");
    return { name, kind, of, axis, value, ends: { parent, child, at: Drawing.point(value.get("at")), childAt: Drawing.point(value.get("child_at")) } };
  }
  /// Moves the bodies from their own axes to where the joints put them.
  private settle(joints: WrittenJoint[]): void {
    const known = new Map<string, Point>([["N", [0, 0]]]);
    for (let round = 0; round <= this.bodies.length; round++)
      for (const { ends: e } of joints) {
        const parent = known.get(e.parent), child = known.get(e.child);
        if (parent && !child) known.set(e.child, P2.sub(P2.add(parent, e.at), e.childAt));
        else if (child && !parent) known.set(e.parent, P2.sub(P2.add(child, e.childAt), e.at));
      }
    for (const b of this.bodies) {
      const o = known.get(b.name);
      if (!o) throw new Error(`no joint carries '${b.name}'`);
      if (b.kind === "bar") { b.b = P2.add(o, b.b); b.a = o; } else b.at = o;
    }
    for (const j of joints) {
      const parent = known.get(j.ends.parent);
      if (!parent || !known.has(j.ends.child)) throw new Error(`'${j.name}' joins something that is not drawn`);
      if (j.kind === "free") this.free.set(j.ends.child, j);
      else this.joints.push({ name: j.name, kind: j.kind, of: j.of, axis: j.axis, value: j.value, at: P2.add(parent, j.ends.at) });
    }
  }

  // ---- into the text ---------------------------------------------------------------------------------------------------------------
  /// The text with the drawing in it.
  write(text: string): string {
    const out = new ModelText(text), keep = (section: string, names: { has(name: string): boolean }): void => { for (const name of [...out.entries(section).keys()]) if (!names.has(name)) out.remove(section, name); };
    const old = Drawing.read(text), section = (link: Link): string => (link.kind === "rope" ? "constraints" : "loads");
    const names = (link: Link): string[] => {
      const written = link.kind === "rope" ? listIn(link.value.get("rope") ?? link.value.get("rod")) : link.value.has("from") ? [link.value.get("from") ?? "", link.value.get("to") ?? ""] : undefined;
      return written ? written.map((n) => textIn(n) ?? "") : link.ends.map((_, k) => `${link.name}_${"abcdefghijklmnopqrstuvwxyz"[k]}`);
    };
    keep("bodies", new Set(this.bodies.map((b) => b.name)));
    for (const b of this.bodies) out.set("bodies", b.name, this.writeBody(b));
    const joints = this.arrange(text);
    keep("joints", joints);
    for (const [name, value] of joints) out.set("joints", name, value);
    for (const link of old.links.filter((l) => !this.links.some((k) => k.name === l.name)))
      for (const [part, name] of [[section(link), link.name], ...names(link).map((n) => ["points", n])]) out.remove(part, name);
    for (const link of this.links) {
      const at = names(link), value: FlowMap = new Map();
      link.ends.forEach((e, k) => out.set("points", at[k], new Map<string, Flow>([["on", e.on], ["at", place(P2.sub(e.at, this.origin(e.on)))]])));
      if (link.kind === "rope") value.set(at.length > 2 ? "rope" : "rod", at).set("length", short(Drawing.lengthOf(link), 8));
      else if (!link.value.has("from")) value.set(link.kind, link.value.get(link.kind) ?? "").set("from", at[0]).set("to", at[1]);
      for (const [k, v] of link.value) if (!value.has(k)) value.set(k, v);
      out.set(section(link), link.name, value);
    }
    const home = (pair: Pair): string => (pair.kind === "gear" ? "constraints" : "contacts");
    for (const pair of old.pairs) if (!this.pairs.some((p) => p.name === pair.name)) out.remove(home(pair), pair.name);
    for (const pair of this.pairs) out.set(home(pair), pair.name, this.writePair(pair));
    const motor = (j: DrawnJoint): string => textIn(j.value.get("actuator")) ?? "";
    const motors = new Set(this.joints.map(motor).filter(Boolean)), before = old.joints.map(motor).filter(Boolean);
    for (const name of before) if (!motors.has(name)) out.remove("inputs", name);
    for (const name of motors) if (!out.entries("inputs").has(name)) out.set("inputs", name, this.joints.find((j) => motor(j) === name)?.kind === "slider" ? "1 N" : "1 N*m");
    return out.text;
  }
  static lengthOf(link: Link): number { return link.ends.slice(1).reduce((sum, e, k) => sum + P2.far(e.at, link.ends[k].at), 0); }
  /// Gears are the disks as they are drawn; one inside the other is a ring and its pinion.
  private writePair(pair: Pair): FlowMap {
    const value: FlowMap = new Map(pair.value), [a, b] = pair.of.map((n) => this.body(n));
    if (pair.kind === "contact") {
      value.set("between", pair.of);
      if (pair.of.includes("N")) value.set("plane", "N.y").set("height", short(pair.height));
      return value;
    }
    value.set("gear", pair.of);
    if (a?.kind !== "disk" || b?.kind !== "disk") return value;
    if (!value.has("teeth")) value.set("radii", [short(a.radius), short(b.radius)]);
    if (P2.far(a.at, b.at) < Math.max(a.radius, b.radius)) value.set("internal", "true"); else value.delete("internal");
    return value;
  }
  private static writePolygon(b: Polygon): FlowMap {
    const value: FlowMap = new Map(b.value), { xx, yy, xy } = areaOf(b.corners), thick = DEEP ** 2 / 12, written = textIn(b.value.get("mass")) ?? "1 kg", mass = /^[\w.\s]+$/.test(written) ? written : `(${written})`;
    const moment = (k: number): Flow => `${mass}*${short(k, 7)} m^2`;
    value.set("inertia", [moment(yy + thick), moment(xx + thick), moment(xx + yy), `-${mass}*${short(xy, 7)} m^2`, "0", "0"]);
    const before = mapIn(b.value.get("geometry"));
    value.set("geometry", new Map<string, Flow>([...(before ?? []), ["mesh", b.corners.flatMap((p): Flow[] => [[short(p[0]), short(p[1]), short(-DEEP / 2)], [short(p[0]), short(p[1]), short(DEEP / 2)]])]]));
    return value;
  }
  private writeBody(b: Body): FlowMap {
    if (b.kind === "polygon") return Drawing.writePolygon(b);
    const value: FlowMap = new Map(b.value), shape: FlowMap = new Map(), before = mapIn(b.value.get("shape"));
    let angle = b.kind === "box" ? b.angle : 0;
    if (b.kind === "disk") shape.set("cylinder", new Map<string, Flow>([["radius", short(b.radius)], ["length", mapIn(before?.get("cylinder"))?.get("length") ?? "0.04"]]));
    else if (b.kind === "box") shape.set("box", b.size.map((s) => short(s)));
    else {
      const d = P2.sub(b.b, b.a);
      const length = short(Math.hypot(...d)), exact = Math.abs(Number(length) - Math.hypot(...d)) < 1e-12;
      shape.set("box", [exact ? length : `sqrt(${short(Math.abs(d[0]))}^2 + ${short(Math.abs(d[1]))}^2)`, short(b.width), short(b.width)]).set("at", place(P2.middle([0, 0], d)));
      angle = Math.atan2(Number(short(d[1])), Number(short(d[0])));
    }
    if (Math.abs(angle) > 1e-9) shape.set("orientation", new Map([["axis", "z"], ["angle", short(angle * 180 / Math.PI, 4) + " deg"]]));
    for (const [key, v] of before ?? []) if (!["box", "cylinder", "at", "orientation"].includes(key)) shape.set(key, v);
    value.set("shape", shape);
    if (b.kind === "bar") value.set("points", new Map<string, Flow>([...(mapIn(b.value.get("points")) ?? []), ["end", place(P2.sub(b.b, b.a))]]));
    return value;
  }
  /// The joints as entries of the text: those that carry a body away from the ground, and those that close loops.
  private arrange(text: string): Map<string, FlowMap> {
    const group = new Map(["N", ...this.bodies.map((b) => b.name)].map((n) => [n, n]));
    const find = (name: string): string => { let n = name; for (let up = group.get(n); up !== undefined && up !== n; up = group.get(n)) n = up; return n; };
    const carries = new Map<DrawnJoint, boolean>(), near = new Map<string, [string, DrawnJoint][]>();  // near: body -> [[other body, joint]]
    const driven = (j: DrawnJoint): number => (["actuator", "law", "stiffness", "limits", "friction"].some((key) => j.value.has(key)) ? 0 : 1);
    for (const j of [...this.joints].sort((a, b) => driven(a) - driven(b))) {
      const [a, b] = j.of.map(find);
      carries.set(j, a !== b);
      if (a === b) continue;
      group.set(a, b);
      for (const [n, m] of [j.of, [...j.of].reverse()]) near.set(n, [...(near.get(n) ?? []), [m, j]]);
    }
    const parent = new Map<string, DrawnJoint | null>(), out = new Map<string, FlowMap>(), free: string[] = [], used = new Set<string>();
    const spread = (root: string): void => {
      const queue = [root];
      for (let k = 0; k < queue.length; k++)
        for (const [m, j] of near.get(queue[k]) ?? []) if (!parent.has(m)) { parent.set(m, j); queue.push(m); }
    };
    parent.set("N", null);
    spread("N");
    for (const b of this.bodies) if (!parent.has(b.name)) { parent.set(b.name, null); free.push(b.name); spread(b.name); }
    const coordinate = (letter: string): string => { for (let k = 1; ; k++) if (!used.has(letter + k)) { used.add(letter + k); return letter + k; } };
    for (const value of [...this.joints.map((j) => j.value), ...free.map((n) => this.free.get(n)?.value ?? new Map<string, Flow>())]) for (const word of writeFlow(value).match(/\b[qxy]\d+\b/g) ?? []) used.add(word);
    for (const name of free) {
      const old = this.free.get(name), value: FlowMap = new Map<string, Flow>(old?.value ?? [["type", "planar"], ["parent", "N"], ["at", "0"], ["child", name], ["coordinates", [coordinate("x"), coordinate("y"), coordinate("q")]]]);
      value.set("at", place(this.origin(name)));
      value.delete("child_at");
      out.set(old?.name ?? this.newName("free", text + [...out.keys()].join()), value);
    }
    for (const j of this.joints) out.set(j.name, this.writeJoint(j, carries.get(j) === true, parent, coordinate));
    return out;
  }
  private writeJoint(j: DrawnJoint, carries: boolean, parents: Map<string, DrawnJoint | null>, coordinate: (letter: string) => string): FlowMap {
    // A joint carries the body that was reached through it.
    const child = (carries ? j.of.find((n) => parents.get(n) === j) : undefined) ?? j.of[1], from = j.of.find((n) => n !== child) ?? "N";
    const value: FlowMap = new Map<string, Flow>([["type", JOINT_TYPES[j.kind]], ["parent", from], ["at", place(P2.sub(j.at, this.origin(from)))], ["child", child]]);
    const childAt = P2.sub(j.at, this.origin(child)), axis = !j.axis ? ["0", "0", "0"] : [short(j.axis[0], 4), short(j.axis[1], 4), "0"];
    if (Math.hypot(...childAt) > 1e-9) value.set("child_at", place(childAt));
    if (j.kind === "slider") value.set("axis", axis[1] === "0" ? "x" : axis[0] === "0" ? "y" : axis);
    if (j.kind === "slot") {
      const own = (key: string, letter: string): Flow => listIn(j.value.get("motions"))?.map(mapIn).find((m) => m?.has(key))?.get("coordinate") ?? coordinate(letter);
      const motions: Flow[] = [new Map<string, Flow>([["translate", axis], ["coordinate", own("translate", "x")]]), new Map<string, Flow>([["rotate", "z"], ["coordinate", own("rotate", "q")]])];
      value.set("motions", from === j.of[0] ? motions : motions.reverse());
    }
    for (const [key, v] of j.value) if (!value.has(key) && !["child_at", "close", "coordinate"].includes(key)) value.set(key, v);
    if (!carries) value.set("close", "true");
    else if (j.kind === "pin" || j.kind === "slider") value.set("coordinate", j.value.get("coordinate") ?? coordinate(j.kind === "pin" ? "q" : "x"));
    j.value = value;
    return value;
  }

  // ---- places ------------------------------------------------------------------------------------------------------------------------
  /// Points that others snap to.
  nodes(): Point[] {
    const all: Point[] = [];
    for (const b of this.bodies) all.push(...(b.kind === "bar" ? [b.a, b.b] : [b.at]), ...(b.kind === "box" || b.kind === "polygon" ? this.corners(b) : []));
    return [...all, ...this.joints.map((j) => j.at), ...this.links.flatMap((l) => l.ends.map((e) => e.at))];
  }
  corners(b: Box | Polygon): Point[] { return b.kind === "polygon" ? b.corners.map((p) => P2.add(b.at, p)) : [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => P2.add(b.at, P2.turn([x * b.size[0] / 2, y * b.size[1] / 2], b.angle))); }
  private covers(b: Body, p: Point, more = 0): boolean {
    if (b.kind === "disk") return P2.far(b.at, p) <= b.radius + more;
    if (b.kind === "polygon") return this.corners(b).every((a, i, all) => { const d = P2.sub(all[(i + 1) % all.length], a), e = P2.sub(p, a); return d[0] * e[1] - d[1] * e[0] >= -more * Math.hypot(...d); });
    const along: Point = b.kind === "bar" ? P2.sub(b.b, b.a) : [1, 0], angle = b.kind === "bar" ? Math.atan2(along[1], along[0]) : b.angle;
    const size = b.kind === "bar" ? [Math.hypot(...along) + b.width, b.width] : b.size, d = P2.turn(P2.sub(p, b.kind === "bar" ? P2.middle(b.a, b.b) : b.at), -angle);
    return Math.abs(d[0]) <= size[0] / 2 + more && Math.abs(d[1]) <= size[1] / 2 + more;
  }
  /// Names of the bodies under a place, the top one first.
  under(p: Point, more: number): string[] { return this.bodies.filter((b) => this.covers(b, p, more)).map((b) => b.name).reverse(); }
  /// Joins what lies under a place, two and two; one body alone, to the ground. Returns what was added.
  join(kind: DrawnJoint["kind"], p: Point, more: number, axis: Point | null, text: string): DrawnJoint[] {
    const under = this.under(p, more), group = new Map([...under, "N"].map((n) => [n, n])), added: DrawnJoint[] = [];
    for (const j of this.joints) if (P2.same(j.at, p) && group.has(j.of[0]) && group.has(j.of[1])) {
      const a = group.get(j.of[0]), b = group.get(j.of[1]) ?? "N";
      for (const [n, g] of group) if (g === a) group.set(n, b);
    }
    const wanted = under.length > 1 && new Set(under.map((n) => group.get(n))).size > 1 ? under : [...under.slice(0, 1), "N"];
    for (let k = 0; k + 1 < wanted.length; k++) {
      const a = group.get(wanted[k + 1]), b = group.get(wanted[k]);
      if (a === b || a === undefined || b === undefined) continue;
      const joint: DrawnJoint = { name: this.newName(kind, text + this.joints.map((j) => j.name).join()), kind, at: p, axis, of: [wanted[k + 1], wanted[k]], value: new Map() };
      this.joints.push(joint);
      added.push(joint);
      for (const [n, g] of group) if (g === a) group.set(n, b);
    }
    return added;
  }
  /// Moves everything that is at a place to another one; what is fastened elsewhere on a bar keeps its share of the bar's length.
  move(from: Point, to: Point, seen = new Set<Body>()): void {
    const moves: [Point, Point][] = [], plain = (p: Point): Point => [Number(short(p[0])), Number(short(p[1]))];
    for (const b of this.bodies) {
      if (seen.has(b)) continue;
      const map = this.motionOf(b, from, to);
      if (!map) continue;
      seen.add(b);
      for (const j of this.joints) if (j.of.includes(b.name)) moves.push([j.at, map(j.at)]);
      for (const l of this.links) for (const x of l.ends) if (x.on === b.name && !P2.same(x.at, from)) x.at = plain(map(x.at));
      if (b.kind !== "bar") b.at = to;
      else if (P2.same(b.a, from)) b.a = to;
      else b.b = to;
    }
    for (const j of this.joints) if (P2.same(j.at, from)) j.at = to;
    for (const l of this.links) for (const e of l.ends) if (P2.same(e.at, from)) e.at = to;
    for (const [a, b] of moves) if (!P2.same(a, from) && !P2.same(a, b)) this.move(a, plain(b), seen);
  }
  /// How the points of a body move when the one at `from` does; null if it has none there, or would shrink to nothing.
  private motionOf(b: Body, from: Point, to: Point): ((p: Point) => Point) | null {
    if (b.kind !== "bar") return P2.same(b.at, from) ? (p) => P2.add(p, P2.sub(to, from)) : null;
    const fixed = P2.same(b.a, from) ? b.b : P2.same(b.b, from) ? b.a : null;
    if (!fixed || P2.far(to, fixed) < 1e-3) return null;
    // A bar turns and stretches about its other end: multiplication by e/d, as complex numbers.
    const d = P2.sub(from, fixed), e = P2.sub(to, fixed), n = d[0] * d[0] + d[1] * d[1];
    const ratio: Point = [(e[0] * d[0] + e[1] * d[1]) / n, (e[1] * d[0] - e[0] * d[1]) / n];
    return (p) => { const r = P2.sub(p, fixed); return P2.add(fixed, [ratio[0] * r[0] - ratio[1] * r[1], ratio[0] * r[1] + ratio[1] * r[0]]); };
  }
  remove(thing: Drawn): void {
    this.bodies = this.bodies.filter((b) => b !== thing);
    const gone = (n: string): boolean => n !== "N" && !this.body(n);
    this.joints = this.joints.filter((j) => j !== thing && !j.of.some(gone));
    this.links = this.links.filter((l) => l !== thing && !l.ends.some((e) => gone(e.on)));
    this.pairs = this.pairs.filter((p) => p !== thing && !p.of.some(gone));
    for (const name of [...this.free.keys()]) if (gone(name)) this.free.delete(name);
  }
}
