// The room that a scene takes: places, shapes and the tips of arrows, over all samples so far.

import type { History } from "./history";
import type { ScenePart } from "./model_info";
import { V, each, poseMatrix, type Vec } from "./vectors";

const MOST_INSTANTS = 200;

export class SceneExtent {
  low: Vec = [Infinity, Infinity, Infinity];
  high: Vec = [-Infinity, -Infinity, -Infinity];
  radius = 1;
  /// Metres for a newton and for a newton metre.
  unitLength: [number, number] = [0, 0];
  /// The normal of the plane in which everything moves, if it does.
  across: Vec | null = null;
  private first = 0;

  constructor(private readonly history: History, up: Vec) {
    const { positions, poses } = history;
    for (let i = 0; i + 2 < positions.length; i += 3) this.include([positions[i], positions[i + 1], positions[i + 2]]);
    for (let i = 0; i + 6 < poses.length; i += 7) this.include([poses[i], poses[i + 1], poses[i + 2]]);
    if (this.low[0] > this.high[0]) this.include([0, 0, 0]);
    this.settle();
    const flat = this.size.map((e) => e < 1e-6 * this.radius), normal = flat.findIndex((f, k) => f && Math.abs(V.unit(up)[k]) < 0.1);
    if (normal >= 0) this.across = each((k) => (k === normal ? 1 : 0));
    for (const part of history.scene.parts) this.includePart(part);
    this.settle();
    this.scaleArrows();
    this.includeArrows();
    this.settle();
    this.first = this.radius;
  }
  get size(): Vec { return V.sub(this.high, this.low); }
  get middle(): Vec { return V.mul(V.add(this.low, this.high), 0.5); }
  private include(p: Vec): void {
    for (let k = 0; k < 3; k++)
      if (Number.isFinite(p[k])) { this.low[k] = Math.min(this.low[k], p[k]); this.high[k] = Math.max(this.high[k], p[k]); }
  }
  private settle(): void { this.radius = Math.max(0.5 * V.length(this.size), 0.5 * this.history.scene.size, 1e-9); }
  private instants(f: (frame: number) => void): void {
    const stride = Math.max(1, Math.ceil(this.history.count / MOST_INSTANTS));
    for (let i = 0; i < this.history.count; i += stride) f(i);
  }
  /// The corners of the box about a part.
  private includePart(part: ScenePart): void {
    if (part.body < 0) return;
    const low: Vec = [Infinity, Infinity, Infinity], high: Vec = [-Infinity, -Infinity, -Infinity], v = part.vertices;
    for (let i = 0; i + 5 < v.length; i += 6)
      for (let k = 0; k < 3; k++) { low[k] = Math.min(low[k], v[i + k]); high[k] = Math.max(high[k], v[i + k]); }
    const n = this.history.scene.bodies.length;
    this.instants((frame) => {
      const at = 7 * (frame * n + part.body), m = poseMatrix(this.history.poses, at, at, 0);
      for (let corner = 0; corner < 8; corner++) {
        const p = each((k) => ((corner >> k) & 1 ? high : low)[k]);
        this.include(each((k) => m[12 + k] + m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2]));
      }
    });
  }
  /// So that nearly all arrows are shorter than a third of the picture.
  private scaleArrows(): void {
    const { scene, vectors } = this.history, sizes: [number[], number[]] = [[], []], n = scene.arrows.length;
    for (let i = 0; i + 2 < vectors.length; i += 3) {
      const size = Math.hypot(vectors[i], vectors[i + 1], vectors[i + 2]);
      if (Number.isFinite(size) && size > 0) sizes[scene.arrows[(i / 3) % n].torque ? 1 : 0].push(size);
    }
    const unit = (all: number[]): number => {
      all.sort((a, b) => a - b);
      return all.length ? 0.5 * this.radius / all[Math.floor(0.97 * (all.length - 1))] : 0;
    };
    this.unitLength = [unit(sizes[0]), unit(sizes[1])];
  }
  arrowLength(size: number, torque: boolean): number { return Math.min(1.5 * this.radius, size * this.unitLength[torque ? 1 : 0]); }
  private includeArrows(): void {
    const { scene, vectors, positions } = this.history, n = scene.arrows.length, points = scene.sources.length;
    this.instants((frame) => scene.arrows.forEach((arrow, i) => {
      if (arrow.reaction) return;
      const v = each((k) => vectors[3 * (frame * n + i) + k]), size = V.length(v);
      if (!(size > 0)) return;
      const length = this.arrowLength(size, arrow.torque);
      this.include(each((k) => positions[3 * (frame * points + arrow.point) + k] + v[k] * length / size));
    }));
  }
  /// Includes the newest sample; true if it takes more room, unless something flies away for good.
  widen(): boolean {
    const h = this.history, i = h.count - 1, bodies = h.scene.bodies.length, points = h.scene.sources.length;
    if (i < 0) return false;
    h.scene.arrows.forEach((arrow, k) => {  // a first force of its kind
      const size = Math.hypot(...each((c) => h.vectors[3 * (i * h.scene.arrows.length + k) + c])), kind = arrow.torque ? 1 : 0;
      if (size > 0 && this.unitLength[kind] === 0) this.unitLength[kind] = 0.35 * this.radius / size;
    });
    const before = [...this.low, ...this.high], low: Vec = [...this.low], high: Vec = [...this.high];
    for (let b = 0; b < bodies; b++) this.include(each((k) => h.poses[7 * (i * bodies + b) + k]));
    for (let p = 0; p < points; p++) this.include(each((k) => h.positions[3 * (i * points + p) + k]));
    if (V.length(this.size) > 12 * Math.max(this.first, h.scene.size)) { this.low = low; this.high = high; return false; }
    this.radius = Math.max(this.radius, 0.5 * V.length(this.size));
    return [...this.low, ...this.high].some((v, k) => v !== before[k]);
  }
}
