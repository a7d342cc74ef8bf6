// A drawing: bodies, joints, springs and dampers in the plane, in metres, all in the axes of the ground. It is read from the text
// of a model and written back into it. The axes of every body are parallel to those of the ground as it is drawn, so that the
// drawing is the model with all coordinates zero, and closed loops are closed.

const LENGTHS = { "": 1, m: 1, mm: 1e-3, cm: 1e-2, in: 0.0254, ft: 0.3048 }, ANGLES = { "": 1, rad: 1, deg: Math.PI / 180 };
const P2 = {
  add: (a, b) => [a[0] + b[0], a[1] + b[1]], sub: (a, b) => [a[0] - b[0], a[1] - b[1]], far: (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]),
  same: (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) < 2e-4, middle: (a, b) => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2],
  turn: (a, angle) => [a[0] * Math.cos(angle) - a[1] * Math.sin(angle), a[0] * Math.sin(angle) + a[1] * Math.cos(angle)],
};
const short = (v, digits = 5) => String(Number(v.toFixed(digits)) + 0);
const place = (p) => [short(p[0]), short(p[1]), "0"];
const BLANK = "kane: 1\nname: drawing\nparameters: {g: 9.81 m/s^2}\ngravity: -g*N.y\n";
const JOINT_TYPES = { pin: "revolute", slider: "prismatic", slot: "general", weld: "weld" };

class Drawing {
  constructor() {
    this.bodies = [];  // {name, kind: bar, box or disk, a, b | at, size, angle | at, radius; value: as in the text}
    this.joints = [];  // {name, kind: of JOINT_TYPES, at, axis, of: [body or "N", body]; of a slot, of[0] has the line}
    this.links = [];   // {name, kind: spring or damper, ends: [{on, at}, {on, at}]}
    this.free = new Map();  // joints of bodies that nothing else carries, by name
  }
  body(name) { return this.bodies.find((b) => b.name === name); }
  origin(name) { if (name === "N") return [0, 0]; const b = this.body(name); return b.kind === "bar" ? b.a : b.at; }
  /// A name that nothing in the text has.
  newName(kind, text) { for (let k = 1; ; k++) if (!new RegExp(`\\b${kind}${k}\\b`).test(text)) return kind + k; }

  // ---- from the text -------------------------------------------------------------------------------------------------------------
  /// Throws {message, line} if the text has something that cannot be drawn.
  static read(text) {
    const drawing = new Drawing(), source = new ModelText(text), other = source.lines.findIndex((l) => /^(ground|particles|frames|dh|repeat|include|equations):/.test(l));
    if (other >= 0) throw Object.assign(new Error(`'${source.lines[other].split(":")[0]}' cannot be drawn`), { line: other + 1 });
    const each = (section, take) => {
      for (const [name, { value, line }] of source.entries(section)) {
        try { take(name, value); }
        catch (error) { throw Object.assign(error, { line: error.line || line + 1, message: error.line ? error.message : `'${name}': ${error.message}` }); }
      }
    };
    each("bodies", (name, value) => drawing.bodies.push(Drawing.readBody(name, value)));
    const joints = [];
    each("joints", (name, value) => joints.push(Drawing.readJoint(name, value)));
    drawing.settle(joints);
    const points = new Map();
    each("points", (name, value) => points.set(name, { on: value.get("on"), at: P2.add(drawing.origin(value.get("on")), Drawing.point(value.get("at"))) }));
    each("loads", (name, value) => {
      const kind = ["spring", "damper"].find((k) => value.has(k)), ends = [points.get(value.get("from")), points.get(value.get("to"))];
      if (kind && ends[0] && ends[1]) drawing.links.push({ name, kind, ends, value });
    });
    return drawing;
  }
  static number(text, units) {
    const parts = /^([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*([a-z]*)$/i.exec(String(text ?? "0"));
    if (!parts || units[parts[2]] === undefined) throw new Error(`'${text}' is not a plain number, which the mouse could move`);
    return Number(parts[1]) * units[parts[2]];
  }
  static point(list) {
    if (list === undefined) return [0, 0];
    if (!Array.isArray(list) || list.length !== 3) throw new Error("a position has three numbers here");
    if (Drawing.number(list[2], LENGTHS) !== 0) throw new Error("the drawing lies in the plane z = 0");
    return [Drawing.number(list[0], LENGTHS), Drawing.number(list[1], LENGTHS)];
  }
  static readBody(name, value) {
    const shape = value instanceof Map ? value.get("shape") : null;
    if (!(shape instanceof Map)) throw new Error("a body without a shape cannot be drawn");
    const size = shape.get("box"), round = shape.get("cylinder"), turn = shape.get("orientation"), end = value.get("points")?.get?.("end");
    if (turn && !(turn instanceof Map && turn.get("axis") === "z" && turn.has("angle"))) throw new Error("a shape is turned about z here");
    const angle = turn ? Drawing.number(turn.get("angle"), ANGLES) : 0;
    if (!end && Math.hypot(...Drawing.point(shape.get("at"))) > 0) throw new Error("the origin of a box or a disk is its centre here");
    if (round instanceof Map) return { name, kind: "disk", at: [0, 0], radius: Drawing.number(round.get("radius"), LENGTHS), value };
    if (!Array.isArray(size)) throw new Error("bars, boxes and disks can be drawn (box or cylinder)");
    if (end) return { name, kind: "bar", a: [0, 0], b: Drawing.point(end), width: Drawing.number(size[1], LENGTHS), value };
    return { name, kind: "box", at: [0, 0], size: size.map((s) => Drawing.number(s, LENGTHS)), angle, value };
  }
  static readJoint(name, value) {
    const type = value.get("type"), motions = value.get("motions");
    const kind = type === "planar" ? "free" : Object.keys(JOINT_TYPES).find((k) => JOINT_TYPES[k] === type);
    if (!kind) throw new Error(`a joint of type '${type}' cannot be drawn`);
    for (const key of ["orientation", "child_orientation", "rotation_from", "value", "values", "lock"])
      if (value.has(key)) throw new Error(`'${key}' cannot be drawn`);
    if (kind === "pin" && !["z", "-z"].includes(value.get("axis") ?? "z")) throw new Error("a pin turns about z here");
    if (kind === "free" && (value.get("parent") !== "N" || value.has("axes"))) throw new Error("a planar joint starts at the ground here, along x and y");
    let of = [value.get("parent"), value.get("child")], axis = null;
    if (kind === "slot") {
      const line = motions?.find((m) => m.has("translate"));
      if (!line || motions.length !== 2) throw new Error("of general joints, slots can be drawn: a translation and a rotation");
      axis = line.get("translate");
      if (motions[0] !== line) of = [of[1], of[0]];
    }
    if (kind === "slider") axis = value.get("axis") ?? "z";
    if (axis !== null) axis = axis === "x" ? [1, 0] : axis === "y" ? [0, 1] : Array.isArray(axis) ? [Number(axis[0]), Number(axis[1])] : null;
    if ((kind === "slot" || kind === "slider") && !(axis && Number.isFinite(axis[0] + axis[1]))) throw new Error("it slides along x, y or a direction in their plane");
    return { name, kind, of, axis, value, ends: { parent: value.get("parent"), child: value.get("child"), at: Drawing.point(value.get("at")), childAt: Drawing.point(value.get("child_at")) } };
  }
  /// Moves the bodies from their own axes to where the joints put them.
  settle(joints) {
    const known = new Map([["N", [0, 0]]]);
    for (let round = 0; round <= this.bodies.length; round++)
      for (const { ends: e } of joints) {
        if (known.has(e.parent) && !known.has(e.child)) known.set(e.child, P2.sub(P2.add(known.get(e.parent), e.at), e.childAt));
        else if (known.has(e.child) && !known.has(e.parent)) known.set(e.parent, P2.sub(P2.add(known.get(e.child), e.childAt), e.at));
      }
    for (const b of this.bodies) {
      const o = known.get(b.name);
      if (!o) throw new Error(`no joint carries '${b.name}'`);
      if (b.kind === "bar") { b.b = P2.add(o, b.b); b.a = o; } else b.at = o;
    }
    for (const j of joints) {
      if (!known.has(j.ends.parent) || !known.has(j.ends.child)) throw new Error(`'${j.name}' joins something that is not drawn`);
      if (j.kind === "free") this.free.set(j.ends.child, j);
      else this.joints.push({ name: j.name, kind: j.kind, of: j.of, axis: j.axis, value: j.value, at: P2.add(known.get(j.ends.parent), j.ends.at) });
    }
  }

  // ---- into the text ---------------------------------------------------------------------------------------------------------------
  /// The text with the drawing in it.
  write(text) {
    const out = new ModelText(text), keep = (section, names) => { for (const name of [...out.entries(section).keys()]) if (!names.has(name)) out.remove(section, name); };
    const ends = (link) => [link.name + "_a", link.name + "_b"], old = Drawing.read(text);
    keep("bodies", new Set(this.bodies.map((b) => b.name)));
    for (const b of this.bodies) out.set("bodies", b.name, this.writeBody(b));
    const joints = this.arrange(text);
    keep("joints", new Set(joints.keys()));
    for (const [name, value] of joints) out.set("joints", name, value);
    for (const link of old.links.filter((l) => !this.links.some((k) => k.name === l.name)))
      for (const [section, name] of [["loads", link.name], ["points", link.value.get("from")], ["points", link.value.get("to")]]) out.remove(section, name);
    for (const link of this.links) {
      const names = link.value.has("from") ? [link.value.get("from"), link.value.get("to")] : ends(link);
      link.ends.forEach((e, k) => out.set("points", names[k], new Map([["on", e.on], ["at", place(P2.sub(e.at, this.origin(e.on)))]])));
      const value = new Map(link.value);
      if (!value.has("from")) { const rest = [...value].slice(1); value.clear(); value.set(link.kind, link.value.get(link.kind)).set("from", names[0]).set("to", names[1]); for (const [k, v] of rest) value.set(k, v); }
      out.set("loads", link.name, value);
    }
    const motors = new Set(this.joints.map((j) => j.value.get("actuator")).filter(Boolean)), before = old.joints.map((j) => j.value.get("actuator")).filter(Boolean);
    for (const name of before) if (!motors.has(name)) out.remove("inputs", name);
    for (const name of motors) if (!out.entries("inputs").has(name)) out.set("inputs", name, this.joints.find((j) => j.value.get("actuator") === name).kind === "slider" ? "1 N" : "1 N*m");
    return out.text;
  }
  writeBody(b) {
    const value = new Map(b.value), shape = new Map();
    let angle = b.angle || 0;
    if (b.kind === "disk") shape.set("cylinder", new Map([["radius", short(b.radius)], ["length", b.value.get("shape")?.get("cylinder")?.get("length") ?? "0.04"]]));
    else if (b.kind === "box") shape.set("box", b.size.map((s) => short(s)));
    else {
      const d = P2.sub(b.b, b.a);
      const length = short(Math.hypot(...d)), exact = Math.abs(length - Math.hypot(...d)) < 1e-12;
      shape.set("box", [exact ? length : `sqrt(${short(Math.abs(d[0]))}^2 + ${short(Math.abs(d[1]))}^2)`, short(b.width), short(b.width)]).set("at", place(P2.middle([0, 0], d)));
      angle = Math.atan2(short(d[1]), short(d[0]));
    }
    if (Math.abs(angle) > 1e-9) shape.set("orientation", new Map([["axis", "z"], ["angle", short(angle * 180 / Math.PI, 4) + " deg"]]));
    for (const [key, v] of b.value.get("shape") ?? []) if (!["box", "cylinder", "at", "orientation"].includes(key)) shape.set(key, v);
    value.set("shape", shape);
    if (b.kind === "bar") value.set("points", new Map([...(b.value.get("points") ?? []), ["end", place(P2.sub(b.b, b.a))]]));
    return value;
  }
  /// The joints as entries of the text: those that carry a body away from the ground, and those that close loops.
  arrange(text) {
    const group = new Map(["N", ...this.bodies.map((b) => b.name)].map((n) => [n, n]));
    const find = (n) => { while (group.get(n) !== n) n = group.get(n); return n; };
    const carries = new Map(), near = new Map();  // near: body -> [[other body, joint]]
    const driven = (j) => (["actuator", "law", "stiffness", "limits", "friction"].some((key) => j.value.has(key)) ? 0 : 1);
    for (const j of [...this.joints].sort((a, b) => driven(a) - driven(b))) {
      const [a, b] = j.of.map(find);
      carries.set(j, a !== b);
      if (a === b) continue;
      group.set(a, b);
      for (const [n, m] of [j.of, [...j.of].reverse()]) near.set(n, [...(near.get(n) || []), [m, j]]);
    }
    const parent = new Map(), out = new Map(), free = [], used = new Set();
    const spread = (root) => {
      const queue = [root];
      for (let k = 0; k < queue.length; k++)
        for (const [m, j] of near.get(queue[k]) || []) if (!parent.has(m)) { parent.set(m, j); queue.push(m); }
    };
    parent.set("N", null);
    spread("N");
    for (const b of this.bodies) if (!parent.has(b.name)) { parent.set(b.name, null); free.push(b.name); spread(b.name); }
    const coordinate = (letter) => { for (let k = 1; ; k++) if (!used.has(letter + k)) { used.add(letter + k); return letter + k; } };
    for (const j of [...this.joints, ...free.map((n) => this.free.get(n)).filter(Boolean)]) for (const word of writeFlow(j.value).match(/\b[qxy]\d+\b/g) || []) used.add(word);
    for (const name of free) {
      const old = this.free.get(name), value = new Map(old?.value ?? [["type", "planar"], ["parent", "N"], ["at", 0], ["child", name], ["coordinates", [coordinate("x"), coordinate("y"), coordinate("q")]]]);
      value.set("at", place(this.origin(name)));
      value.delete("child_at");
      out.set(old?.name ?? this.newName("free", text + [...out.keys()]), value);
    }
    for (const j of this.joints) out.set(j.name, this.writeJoint(j, carries.get(j), parent, coordinate));
    return out;
  }
  writeJoint(j, carries, parents, coordinate) {
    // A joint carries the body that was reached through it.
    const child = carries ? j.of.find((n) => parents.get(n) === j) : j.of[1], from = j.of.find((n) => n !== child);
    const value = new Map([["type", JOINT_TYPES[j.kind]], ["parent", from], ["at", place(P2.sub(j.at, this.origin(from)))], ["child", child]]);
    const childAt = P2.sub(j.at, this.origin(child)), axis = j.axis && [short(j.axis[0], 4), short(j.axis[1], 4), "0"];
    if (Math.hypot(...childAt) > 1e-9) value.set("child_at", place(childAt));
    if (j.kind === "slider") value.set("axis", axis[1] === "0" ? "x" : axis[0] === "0" ? "y" : axis);
    if (j.kind === "slot") {
      const own = (key, letter) => j.value.get("motions")?.find((m) => m.has(key))?.get("coordinate") ?? coordinate(letter);
      const motions = [new Map([["translate", axis], ["coordinate", own("translate", "x")]]), new Map([["rotate", "z"], ["coordinate", own("rotate", "q")]])];
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
  nodes() {
    const all = [];
    for (const b of this.bodies) all.push(...(b.kind === "bar" ? [b.a, b.b] : [b.at]), ...(b.kind === "box" ? this.corners(b) : []));
    return [...all, ...this.joints.map((j) => j.at), ...this.links.flatMap((l) => l.ends.map((e) => e.at))];
  }
  corners(b) { return [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => P2.add(b.at, P2.turn([x * b.size[0] / 2, y * b.size[1] / 2], b.angle))); }
  covers(b, p, more = 0) {
    if (b.kind === "disk") return P2.far(b.at, p) <= b.radius + more;
    const along = b.kind === "bar" ? P2.sub(b.b, b.a) : [1, 0], angle = b.kind === "bar" ? Math.atan2(along[1], along[0]) : b.angle;
    const size = b.kind === "bar" ? [Math.hypot(...along) + b.width, b.width] : b.size, d = P2.turn(P2.sub(p, b.kind === "bar" ? P2.middle(b.a, b.b) : b.at), -angle);
    return Math.abs(d[0]) <= size[0] / 2 + more && Math.abs(d[1]) <= size[1] / 2 + more;
  }
  /// Names of the bodies under a place, the top one first.
  under(p, more) { return this.bodies.filter((b) => this.covers(b, p, more)).map((b) => b.name).reverse(); }
  /// Joins what lies under a place, two and two; one body alone, to the ground. Returns what was added.
  join(kind, p, more, axis, text) {
    const under = this.under(p, more), group = new Map([...under, "N"].map((n) => [n, n])), added = [];
    for (const j of this.joints) if (P2.same(j.at, p) && group.has(j.of[0]) && group.has(j.of[1])) {
      const [a, b] = j.of.map((n) => group.get(n));
      for (const [n, g] of group) if (g === a) group.set(n, b);
    }
    const wanted = under.length > 1 && new Set(under.map((n) => group.get(n))).size > 1 ? under : [...under.slice(0, 1), "N"];
    for (let k = 0; k + 1 < wanted.length; k++) {
      const [a, b] = [group.get(wanted[k + 1]), group.get(wanted[k])];
      if (a === b) continue;
      const joint = { name: this.newName(kind, text + this.joints.map((j) => j.name)), kind, at: p, axis, of: [wanted[k + 1], wanted[k]], value: new Map() };
      this.joints.push(joint);
      added.push(joint);
      for (const [n, g] of group) if (g === a) group.set(n, b);
    }
    return added;
  }
  /// Moves everything that is at a place to another one; what is fastened elsewhere on a bar keeps its share of the bar's length.
  move(from, to, seen = new Set()) {
    const moves = [];
    for (const b of this.bodies) {
      if (seen.has(b)) continue;
      const end = b.kind === "bar" ? (P2.same(b.a, from) ? "a" : P2.same(b.b, from) ? "b" : "") : P2.same(b.at, from) ? "at" : "";
      if (!end || (end !== "at" && P2.far(to, end === "a" ? b.b : b.a) < 1e-3)) continue;
      seen.add(b);
      const fixed = end === "a" ? b.b : end === "b" ? b.a : null, d = fixed && P2.sub(from, fixed), e = fixed && P2.sub(to, fixed), n = fixed && d[0] * d[0] + d[1] * d[1];
      // A bar turns and stretches about its other end: multiplication by e/d, as complex numbers.
      const ratio = fixed && [(e[0] * d[0] + e[1] * d[1]) / n, (e[1] * d[0] - e[0] * d[1]) / n];
      const map = (p) => { if (!fixed) return P2.add(p, P2.sub(to, from)); const r = P2.sub(p, fixed); return P2.add(fixed, [ratio[0] * r[0] - ratio[1] * r[1], ratio[0] * r[1] + ratio[1] * r[0]]); };
      for (const j of this.joints) if (j.of.includes(b.name)) moves.push([j.at, map(j.at)]);
      for (const l of this.links) for (const x of l.ends) if (x.on === b.name && !P2.same(x.at, from)) { const p = map(x.at); x.at = [Number(short(p[0])), Number(short(p[1]))]; }
      b[end] = to;
    }
    for (const j of this.joints) if (P2.same(j.at, from)) j.at = to;
    for (const l of this.links) for (const e of l.ends) if (P2.same(e.at, from)) e.at = to;
    for (const [a, b] of moves) if (!P2.same(a, from) && !P2.same(a, b)) this.move(a, b.map((v) => Number(short(v))), seen);
  }
  remove(thing) {
    this.bodies = this.bodies.filter((b) => b !== thing);
    const gone = (n) => n !== "N" && !this.body(n);
    this.joints = this.joints.filter((j) => j !== thing && !j.of.some(gone));
    this.links = this.links.filter((l) => l !== thing && !l.ends.some((e) => gone(e.on)));
    for (const name of [...this.free.keys()]) if (gone(name)) this.free.delete(name);
  }
}
