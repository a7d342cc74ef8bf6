// The view of a mechanism: bodies that can be pointed at, selected and pulled, on a ground with shadows.

import * as THREE from "three";
import { Camera } from "./camera";
import { colours } from "./dom";
import type { History } from "./history";
import type { Hold, ScenePart } from "./model_info";
import { type Hit, forgetBounds, pickBody } from "./picking";
import { SceneExtent } from "./scene_extent";
import { Arrows, Copies, Trail, alongMatrix, coil, gridPlane, jointSymbol, partMesh, refreshPart, solid } from "./scene_things";
import type { Stage } from "./stage";
import { V, each, floats, originOf, poseMatrix, toGround, turnToGround, type Pose, type Vec } from "./vectors";
import { drawOverlay } from "./view_overlay";

const ACCENT = "#2478e6", SPRING = "#5d6a78", VELOCITY = "#1a9ab0";
const TRAILS = ["#d9403a", "#3373cc", "#26995a", "#9959bf", "#d98c1a"];
export const ARROW_KINDS = [
  { name: "torque of a load", unit: "N\u2009m", color: "#b859b3" }, { name: "torque in a joint", unit: "N\u2009m", color: "#734dcc" },
  { name: "force of a contact", unit: "N", color: "#e68c1a" }, { name: "force in a joint", unit: "N", color: "#1a8c80" }, { name: "load", unit: "N", color: "#d93333" },
];

export interface ViewHands {
  onSelect(body: number): void;
  onPull(hold: Hold | null): void;
  onJoint?(name: string): void;  ///< double-clicked
}
/// Something that the view draws and the user can switch off.
export interface Shown {
  frames: boolean; joints: boolean; centres: boolean; loads: boolean; reactions: boolean; numbers: boolean; velocities: boolean;
  names: boolean; legend: boolean; planes: boolean; grid: boolean; shadows: boolean;
}
export interface Followed { kind: "body" | "point"; index: number; at: Vec | null }
interface Pull extends Hold { depth: number; id: number }

export class SceneView {
  readonly camera = new Camera();
  readonly extent: SceneExtent;
  readonly trails: Set<number>;
  shown: Shown = { frames: false, joints: true, centres: false, loads: true, reactions: false, numbers: true, velocities: false,
    names: false, legend: true, planes: true, grid: true, shadows: true };
  moved = true;
  selected = -1;
  hovered = -1;
  hoveredJoint = -1;
  locked = new Set<string>();
  force: number | null = null;
  followed: Followed | null = null;
  pulled: Pull | null = null;
  poses: Pose[];
  private at = 0;
  private next = 0;
  private share = 0;
  private lastHover = 0;
  private readonly ending = new AbortController();
  private readonly world = new THREE.Scene();
  private readonly front = new THREE.Scene();  // not hidden by bodies
  private readonly groups: THREE.Group[];
  private readonly meshes = new Map<ScenePart, THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>>();
  private readonly balls: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>[];
  private readonly symbols: THREE.Group[];
  private readonly coils: Copies;
  private readonly rods: Copies;
  private readonly frames: Copies;
  private readonly arrows: Arrows;
  private readonly velocities: Arrows;
  private readonly hand = new Arrows(1);
  private readonly grip = new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16), solid(ACCENT));
  private readonly ground = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.ShadowMaterial({ opacity: 0.2 }));
  private readonly grid = gridPlane();
  private readonly planes: { mesh: THREE.Mesh; normal: Vec; height: number }[];
  private readonly ways = new Map<number, Trail>();
  private readonly key = new THREE.DirectionalLight("#ffffff", 2.3);
  private readonly fill = new THREE.DirectionalLight("#cfe0ff", 0.7);

  constructor(readonly stage: Stage, readonly history: History, private readonly hands: ViewHands) {
    const scene = history.scene, up = history.up();
    this.extent = new SceneExtent(history, up);
    this.camera.face(up, this.extent.across);
    this.camera.fit(this.extent.middle);
    this.trails = new Set(scene.points.filter((p) => p.trail).map((p) => p.point));
    this.poses = scene.bodies.map(() => new Float32Array(16));
    this.groups = scene.bodies.map(() => this.still(new THREE.Group()));
    for (const part of scene.parts) {
      const mesh = partMesh(part);
      this.meshes.set(part, mesh);
      (part.body >= 0 ? this.groups[part.body] : this.world).add(mesh);
    }
    const ball = new THREE.SphereGeometry(1, 32, 20);
    this.balls = scene.balls.map((b) => {
      const mesh = new THREE.Mesh(ball, solid(b.color));
      mesh.scale.setScalar(b.radius);
      mesh.castShadow = mesh.receiveShadow = true;
      this.world.add(mesh);
      return mesh;
    });
    this.symbols = (scene.joints ?? []).map((joint) => {
      const symbol = this.still(jointSymbol(joint.kind));
      this.world.add(symbol);
      return symbol;
    });
    const lines = scene.lines.length, line = new THREE.MeshStandardMaterial({ color: "#ffffff", roughness: 0.5 });
    const rod = new THREE.CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    this.coils = new Copies(coil(), line, lines);
    this.rods = new Copies(rod, line, lines);
    this.frames = new Copies(rod, line, 3 * scene.bodies.length);
    for (const c of [this.coils, this.rods]) c.mesh.castShadow = true;
    this.arrows = new Arrows(scene.arrows.length);
    this.velocities = new Arrows(scene.bodies.length);
    this.front.add(...this.arrows.objects, ...this.velocities.objects, ...this.hand.objects, this.grip, this.frames.mesh);
    this.planes = history.planes().map((plane) => {
      const material = new THREE.MeshStandardMaterial({ color: "#b08a55", transparent: true, opacity: 0.28, side: THREE.DoubleSide, depthWrite: false });
      const mesh = this.still(new THREE.Mesh(new THREE.PlaneGeometry(2, 2), material));
      mesh.receiveShadow = true;
      return { mesh, normal: V.unit(plane.normal), height: plane.height };
    });
    this.world.add(...this.groups, this.coils.mesh, this.rods.mesh, this.still(this.ground), this.still(this.grid), ...this.planes.map((p) => p.mesh));
    this.ground.receiveShadow = true;
    this.light();
    this.listen();
  }
  /// Its matrix is set from outside.
  private still<T extends THREE.Object3D>(object: T): T { object.matrixAutoUpdate = false; return object; }
  get symbolSize(): number { return 0.055 * this.history.scene.size; }

  private light(): void {
    for (const scene of [this.world, this.front]) scene.add(new THREE.HemisphereLight("#ffffff", "#8a8f98", 1.55));
    const front = new THREE.DirectionalLight("#ffffff", 1.6);
    front.position.set(...V.add(this.camera.up, V.mul(this.camera.axes[0], 1.2)));
    this.front.add(front);
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.radius = 5;
    this.key.shadow.bias = -0.0004;
    this.key.shadow.normalBias = 0.02 * this.history.scene.size * 0.1;
    this.world.add(this.key, this.key.target, this.fill);
  }
  /// Light and ground stand about what there is.
  private placeGround(): void {
    const c = this.camera, e = this.extent, [front, side] = c.axes, paint = colours();
    const low = V.dot(e.low, c.up), under = V.dot(e.middle, c.up), standing = this.planes.find((p) => Math.abs(V.dot(p.normal, V.unit(c.up))) > 0.999);
    const down = standing ? standing.height * Math.sign(V.dot(standing.normal, c.up)) - under : Math.min(0, low - 0.12 * e.radius) - under;
    const floor = V.add(e.middle, V.mul(c.up, down)), reach = 3.2 * e.radius;
    const from = V.add(e.middle, V.add(V.mul(c.up, 3 * e.radius), V.add(V.mul(front, 1.6 * e.radius), V.mul(side, 0.9 * e.radius))));
    this.key.position.set(...from);
    this.key.target.position.set(...e.middle);
    this.fill.position.set(...V.add(e.middle, V.add(V.mul(side, -2 * e.radius), V.mul(front, e.radius))));
    const eye = this.key.shadow.camera, half = 1.5 * e.radius;
    [eye.left, eye.right, eye.bottom, eye.top, eye.near, eye.far] = [-half, half, -half, half, 0.5 * e.radius, 8 * e.radius];
    eye.updateProjectionMatrix();
    const lay = (object: THREE.Object3D, at: Vec, x: Vec, y: Vec, size: number): void => {
      const z = V.cross(x, y);
      object.matrix.set(size * x[0], size * y[0], z[0], at[0], size * x[1], size * y[1], z[1], at[1], size * x[2], size * y[2], z[2], at[2], 0, 0, 0, 1);
      object.matrixWorldNeedsUpdate = true;
    };
    lay(this.ground, V.add(floor, V.mul(c.up, 1e-3 * e.radius)), front, side, 2 * reach);
    this.ground.visible = this.shown.shadows && this.shown.grid && !c.flat;
    const step = Math.pow(10, Math.floor(Math.log10(0.6 * e.radius))), grid = this.grid.material.uniforms;
    const [x, y, middle] = c.flat ? [c.right, c.above, V.sub(e.middle, V.mul(c.back, 2 * e.radius))] : [front, side, floor];
    lay(this.grid, middle, x, y, 1);
    this.grid.scale.setScalar(1);
    const size = c.flat ? 8 * Math.max(e.radius, c.distance) : 2 * reach, square = this.grid.geometry;
    const corners = square.getAttribute("position") as THREE.BufferAttribute;
    [[-1, 1], [1, 1], [-1, -1], [1, -1]].forEach(([a, b], i) => corners.setXY(i, 0.5 * a * size, 0.5 * b * size));
    corners.needsUpdate = true;
    grid.step.value = 0.1 * step * (c.flat ? 1 : 10) / 10;
    grid.step.value = step / (c.flat ? 10 : 1);
    grid.reach.value = size / 2;
    grid.strength.value = c.flat ? 0.4 : 0.55;
    (grid.middle.value as THREE.Vector2).set(V.dot(middle, x), V.dot(middle, y));
    (grid.color.value as THREE.Color).set(paint("faint"));
    this.grid.visible = this.shown.grid;
    for (const plane of this.planes) {
      const a = V.across(plane.normal), b = V.cross(plane.normal, a), centre = V.add(e.middle, V.mul(plane.normal, plane.height - V.dot(plane.normal, e.middle)));
      lay(plane.mesh, centre, a, b, 1.3 * e.radius);
      plane.mesh.visible = this.shown.planes;
    }
  }

  // ---- what is where --------------------------------------------------------------------------------------------------------
  /// Position of a source between the samples that are shown.
  place(source: number): Vec {
    const n = this.history.scene.sources.length, p = this.history.positions, a = 3 * (this.at * n + source), b = 3 * (this.next * n + source);
    return each((k) => p[a + k] * (1 - this.share) + p[b + k] * this.share);
  }
  arrow(i: number): Vec {
    const n = this.history.scene.arrows.length, v = this.history.vectors, a = 3 * (this.at * n + i), b = 3 * (this.next * n + i);
    return each((k) => v[a + k] * (1 - this.share) + v[b + k] * this.share);
  }
  arrowKind(i: number): number {
    const a = this.history.scene.arrows[i];
    return a.torque ? (a.reaction ? 1 : 0) : a.contact ? 2 : a.reaction ? 3 : 4;
  }
  isArrowShown(i: number): boolean { const a = this.history.scene.arrows[i]; return a.reaction && !a.contact ? this.shown.reactions : this.shown.loads; }
  inGround(body: number, point: Vec): Vec { return toGround(this.poses[body], point); }
  /// The mass centre of a body, in the ground.
  centre(body: number, sample = this.at): Vec | null {
    const com = this.history.scene.bodies[body].com;
    if (com === undefined || sample < 0 || sample >= this.history.count) return null;
    const row = this.history.row(sample);
    return each((k) => row[com + k]);
  }
  jointPlace(i: number): Vec {
    const joint = (this.history.scene.joints ?? [])[i];
    return joint.parent >= 0 ? toGround(this.poses[joint.parent], joint.at) : joint.at;
  }
  pick(x: number, y: number): Hit | null {
    return this.poses.length ? pickBody(this.history.scene, this.camera, this.poses, (s) => this.place(s), x, y) : null;
  }
  /// The joint whose symbol is under the cursor.
  pickJoint(x: number, y: number): number {
    let best = -1, least = 14;
    if (!this.shown.joints) return best;
    (this.history.scene.joints ?? []).forEach((joint, i) => {
      if (!joint.lockable) return;
      const at = this.jointPlace(i), p = this.camera.project(at), gap = p ? Math.hypot(p[0] - x, p[1] - y) : Infinity;
      if (gap < Math.max(least, 0)) { least = gap; best = i; }
    });
    return best;
  }
  /// "body 2", "point 5", or "": nothing. The camera looks at it, and goes along.
  setFollowed(what: string): void {
    const [kind, index] = what.split(" ");
    this.followed = what ? { kind: kind as Followed["kind"], index: Number(index), at: null } : null;
    if (what) this.camera.turned = true, this.camera.distance = Math.min(this.camera.distance, 9 * Math.max(this.history.scene.size, 0.02 * this.extent.radius));
    this.moved = true;
  }
  private follow(): void {
    const f = this.followed;
    if (!f) return;
    const at = f.kind === "body" ? originOf(this.poses[f.index]) : this.place(f.index);
    if (!at.every(Number.isFinite)) return;
    this.camera.target = f.at ? V.add(this.camera.target, V.sub(at, f.at)) : at;
    f.at = at;
  }
  fit(): void { this.followed = null; this.camera.fit(this.extent.middle); this.moved = true; }
  setFlat(on: boolean): void { this.camera.flat = on; this.camera.aimAt(this.extent.middle); this.moved = true; }
  /// Widens the picture to hold the newest sample; the camera follows unless the user has turned or moved it.
  widen(): void { if (this.extent.widen() && !this.camera.turned && !this.followed) this.camera.aimAt(this.extent.middle); }

  // ---- hands -----------------------------------------------------------------------------------------------------------------
  private listen(): void {
    const e = this.stage.overlay, options = { signal: this.ending.signal }, held = new Map<number, [number, number]>();
    const place = (event: MouseEvent): [number, number] => { const box = e.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    e.addEventListener("pointerdown", (event) => {
      held.set(event.pointerId, [event.clientX, event.clientY]);
      e.setPointerCapture(event.pointerId);
      if (event.button !== 0 || event.shiftKey || this.pulled || held.size > 1) return;
      const hit = this.pick(...place(event));
      this.select(hit ? hit.body : -1);
      if (!hit || !this.history.scene.bodies[hit.body].pull) return;
      this.pulled = { body: hit.body, point: hit.point, target: hit.at, depth: V.dot(V.sub(hit.at, this.camera.eye), this.camera.back), id: event.pointerId };
      this.hands.onPull(this.pulled);
      this.moved = true;
    }, options);
    e.addEventListener("pointermove", (event) => {
      const before = held.get(event.pointerId);
      if (!before) { if (event.buttons === 0) this.hover(place(event)); return; }
      const dx = event.clientX - before[0], dy = event.clientY - before[1];
      const others = [...held].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
      if (this.pulled?.id === event.pointerId) this.drag(place(event));
      else if (others.length) {  // two fingers: pinch
        const gap = (p: [number, number]): number => Math.hypot(p[0] - others[0][0], p[1] - others[0][1]);
        this.camera.zoom((gap(before) + 1) / (gap([event.clientX, event.clientY]) + 1));
        this.camera.shift(dx / 2, dy / 2);
      } else if (event.shiftKey || event.buttons === 2 || event.buttons === 4) this.camera.shift(dx, dy);
      else this.camera.turn(dx, dy);
      held.set(event.pointerId, [event.clientX, event.clientY]);
      this.moved = true;
    }, options);
    const release = (event: PointerEvent): void => {
      held.delete(event.pointerId);
      if (this.pulled?.id !== event.pointerId) return;
      this.pulled = null;
      this.force = null;
      this.hands.onPull(null);
      this.moved = true;
    };
    e.addEventListener("pointerup", release, options);
    e.addEventListener("pointercancel", release, options);
    e.addEventListener("pointerleave", () => { if (this.hovered >= 0 || this.hoveredJoint >= 0) { this.hovered = this.hoveredJoint = -1; this.moved = true; } }, options);
    e.addEventListener("contextmenu", (event) => event.preventDefault(), options);
    e.addEventListener("wheel", (event) => { event.preventDefault(); this.camera.zoom(Math.exp(0.0012 * event.deltaY)); this.moved = true; }, { ...options, passive: false });
    e.addEventListener("dblclick", (event) => {
      const joint = this.pickJoint(...place(event));
      if (joint >= 0 && this.hands.onJoint) this.hands.onJoint((this.history.scene.joints ?? [])[joint].name);
      else if (!this.pick(...place(event))) this.fit();
    }, options);
  }
  /// The cursor stays in the plane of the screen through the point where the body was caught.
  private drag(at: [number, number]): void {
    const p = this.pulled, c = this.camera;
    if (!p) return;
    const ray = c.ray(...at);
    const s = (p.depth - V.dot(V.sub(ray.from, c.eye), c.back)) / V.dot(ray.along, c.back);
    p.target = V.add(ray.from, V.mul(ray.along, s));
    this.hands.onPull(p);
  }
  private hover(at: [number, number]): void {
    const now = performance.now();
    if (now - this.lastHover < 60) return;
    this.lastHover = now;
    const joint = this.pickJoint(...at), body = joint >= 0 ? -1 : this.pick(...at)?.body ?? -1;
    this.stage.overlay.style.cursor = body >= 0 || joint >= 0 ? "pointer" : "";
    if (body === this.hovered && joint === this.hoveredJoint) return;
    this.hovered = body;
    this.hoveredJoint = joint;
    this.moved = true;
  }
  select(body: number): void {
    if (body === this.selected) return;
    this.selected = body;
    this.hands.onSelect(body);
    this.moved = true;
  }

  /// Shapes follow the parameters.
  morph(values: Map<string, number>): void {
    const scene = this.history.scene, step = (m: { parameter: string; at: number }): number => (values.get(m.parameter) ?? m.at) - m.at;
    const changed = new Map<ScenePart, Float32Array>();
    for (const m of scene.morphs)
      for (const [p, slopes] of m.parts ?? []) {
        const part = scene.parts[p], first = this.firstVertices(part), d = this.slopes(slopes), by = step(m);
        if (!changed.has(part)) { part.vertices.set(first); changed.set(part, first); }
        for (let v = 0; v < d.length; v++) part.vertices[6 * Math.floor(v / 3) + v % 3] += by * d[v];
      }
    for (const part of changed.keys()) { forgetBounds(part); const mesh = this.meshes.get(part); if (mesh) refreshPart(mesh); }
    for (const source of scene.sources) if (source.first) source.fixed = [...source.first];
    for (const m of scene.morphs)
      for (const [i, slope] of m.sources ?? []) {
        const source = scene.sources[i], fixed = source.fixed ?? [0, 0, 0];
        source.first ??= [...fixed];
        source.fixed = V.add(fixed, V.mul(slope, step(m)));
      }
    this.moved = true;
  }
  private readonly firsts = new Map<ScenePart, Float32Array>();
  private readonly decoded = new Map<string, Float32Array>();
  private firstVertices(part: ScenePart): Float32Array {
    const known = this.firsts.get(part) ?? part.vertices.slice();
    this.firsts.set(part, known);
    return known;
  }
  private slopes(text: string): Float32Array {
    const known = this.decoded.get(text) ?? floats(text);
    this.decoded.set(text, known);
    return known;
  }

  // ---- drawing ---------------------------------------------------------------------------------------------------------------
  /// The picture between samples `at` and `at + 1`.
  draw(at: number, share: number): void {
    const last = this.history.count - 1, n = this.history.scene.bodies.length;
    this.at = Math.max(0, Math.min(at, last));
    this.next = Math.max(0, Math.min(at + 1, last));
    this.share = share;
    this.moved = false;
    [this.camera.width, this.camera.height] = this.stage.resize();
    this.poses.forEach((m, i) => { poseMatrix(this.history.poses, 7 * (this.at * n + i), 7 * (this.next * n + i), share, m); });
    this.follow();
    this.camera.aim(this.extent.size, 0.05 * this.history.scene.size, this.extent.radius);
    this.key.castShadow = this.stage.shadows && this.shown.shadows && !this.camera.flat;
    this.placeGround();
    this.placeThings();
    this.placeArrows();
    this.stage.draw(this.camera, [this.world, this.front]);
    drawOverlay(this);
  }
  private readonly accent = new THREE.Color(ACCENT);
  private tint(material: THREE.MeshStandardMaterial, color: string, body: number): void {
    const share = body < 0 ? 0 : body === this.selected ? 0.55 : body === this.hovered ? 0.25 : 0;
    material.color.set(color);
    if (share) material.color.lerp(this.accent, share);
  }
  private placeThings(): void {
    const scene = this.history.scene;
    this.groups.forEach((group, i) => { group.matrix.fromArray(this.poses[i]); group.matrixWorldNeedsUpdate = true; });
    for (const [part, mesh] of this.meshes) this.tint(mesh.material, part.color, part.body);
    scene.balls.forEach((ball, i) => { this.balls[i].position.set(...this.place(ball.point)); this.tint(this.balls[i].material, ball.color, ball.body); });
    (scene.joints ?? []).forEach((joint, i) => {
      const symbol = this.symbols[i], from = joint.turns_from ?? -1, axis = joint.axis ?? [0, 0, 1];
      symbol.visible = this.shown.joints;
      alongMatrix(this.jointPlace(i), from >= 0 ? turnToGround(this.poses[from], axis) : axis, this.symbolSize, this.symbolSize, symbol.matrix);
      symbol.matrixWorldNeedsUpdate = true;
      const material = (symbol.children[0] as THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>).material;
      material.color.set(this.locked.has(joint.name) ? "#c9403a" : i === this.hoveredJoint ? ACCENT : "#4a5560");
    });
    this.coils.begin();
    this.rods.begin();
    for (const line of scene.lines) {
      const a = this.place(line.from), along = V.sub(this.place(line.to), a), length = V.length(along);
      if (line.spring) this.coils.put(alongMatrix(a, along, length, 0.032 * scene.size), SPRING);
      else this.rods.put(alongMatrix(a, along, length, 0.006 * scene.size), SPRING);
    }
    this.coils.end();
    this.rods.end();
    this.frames.begin();
    if (this.shown.frames)
      for (const m of this.poses)
        ["#d0403a", "#3a9a4a", "#3a6fd0"].forEach((color, k) => this.frames.put(alongMatrix(originOf(m), [m[4 * k], m[4 * k + 1], m[4 * k + 2]], 0.22 * scene.size, 0.006 * scene.size), color));
    this.frames.end();
    this.drawTrails();
  }
  private drawTrails(): void {
    const paper = new THREE.Color(colours()("sky2")), stride = 3 * this.history.scene.sources.length;
    for (const point of this.trails)
      if (!this.ways.has(point)) { const trail = new Trail(new THREE.Color(TRAILS[this.ways.size % TRAILS.length])); this.ways.set(point, trail); this.world.add(trail.line); }
    for (const [point, trail] of this.ways) {
      trail.line.visible = this.trails.has(point);
      if (trail.line.visible) trail.show(this.history.positions, stride, 3 * point, this.at, paper);
    }
  }
  private placeArrows(): void {
    const scene = this.history.scene, radius = this.extent.radius;
    this.arrows.begin();
    scene.arrows.forEach((arrow, i) => {
      if (!this.isArrowShown(i)) return;
      const v = this.arrow(i), length = this.extent.arrowLength(V.length(v), arrow.torque);
      if (length > 0.004 * radius) this.arrows.put(this.place(arrow.point), v, length, radius, ARROW_KINDS[this.arrowKind(i)].color, arrow.torque);
    });
    this.arrows.end();
    this.velocities.begin();
    if (this.shown.velocities)
      scene.bodies.forEach((_, b) => {
        const v = this.velocity(b), at = this.centre(b), length = v ? Math.min(1.5 * radius, 0.25 * V.length(v)) : 0;
        if (v && at && length > 0.01 * radius) this.velocities.put(at, v, length, 0.8 * radius, VELOCITY);
      });
    this.velocities.end();
    this.hand.begin();
    const p = this.pulled, from = p ? this.inGround(p.body, p.point) : null, along = p && from ? V.sub(p.target, from) : null;
    this.grip.visible = from !== null;
    if (from && along) {
      this.grip.position.set(...from);
      this.grip.scale.setScalar(0.02 * radius);
      if (V.length(along) > 1e-4 * radius) this.hand.put(from, along, V.length(along), 0.8 * radius, ACCENT);
    }
    this.hand.end();
  }
  /// Velocity of a mass centre, from two samples.
  velocity(body: number): Vec | null {
    const h = this.history, a = this.centre(body, this.at - 1), b = this.centre(body, this.at), dt = this.at > 0 ? h.times[this.at] - h.times[this.at - 1] : 0;
    return a && b && dt > 0 ? V.mul(V.sub(b, a), 1 / dt) : null;
  }
  /// Where the arrow of body-fixed vector ends; used for its number.
  tip(i: number): Vec {
    const v = this.arrow(i), arrow = this.history.scene.arrows[i];
    return V.add(this.place(arrow.point), V.mul(V.unit(v), this.extent.arrowLength(V.length(v), arrow.torque)));
  }
  /// Another model takes the stage.
  end(): void {
    this.ending.abort();
    this.stage.overlay.style.cursor = "";
    for (const scene of [this.world, this.front])
      scene.traverse((object) => {
        const mesh = object as Partial<THREE.Mesh>;
        mesh.geometry?.dispose();
        for (const material of [mesh.material ?? []].flat()) material.dispose();
      });
    this.key.shadow.map?.dispose();
  }
}
