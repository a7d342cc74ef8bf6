// Which body is under the cursor, and where.

import type { Camera, Ray } from "./camera";
import type { Scene, ScenePart } from "./model_info";
import { V, toBody, toGround, turnToBody, type Pose, type Vec } from "./vectors";

export interface Hit { body: number; at: Vec; point: Vec; distance: number }

interface Bounds { middle: Vec; radius: number; }
const bounds = new WeakMap<ScenePart, Bounds>();

/// The middle of the corners of a part, in its body.
export function partMiddle(part: ScenePart): Vec { return boundsOf(part).middle; }
export function forgetBounds(part: ScenePart): void { bounds.delete(part); }
function boundsOf(part: ScenePart): Bounds {
  const known = bounds.get(part);
  if (known) return known;
  const v = part.vertices, n = Math.max(1, v.length / 6), middle: Vec = [0, 0, 0];
  for (let i = 0; i < v.length; i += 6) for (let k = 0; k < 3; k++) middle[k] += v[i + k] / n;
  let radius = 0;
  for (let i = 0; i < v.length; i += 6) radius = Math.max(radius, Math.hypot(v[i] - middle[0], v[i + 1] - middle[1], v[i + 2] - middle[2]));
  const found = { middle, radius };
  bounds.set(part, found);
  return found;
}

/// Distance along the ray to the nearest triangle, by Moeller and Trumbore (1997); Infinity if it passes by.
function hitMesh(part: ScenePart, from: Vec, along: Vec): number {
  const v = part.vertices, t = part.triangles, b0 = boundsOf(part), to = V.sub(b0.middle, from), s = V.dot(to, along);
  if (V.dot(to, to) - s * s > b0.radius * b0.radius * 1.001) return Infinity;
  let best = Infinity;
  for (let i = 0; i + 2 < t.length; i += 3) {
    const a = 6 * t[i], b = 6 * t[i + 1], c = 6 * t[i + 2];
    const e1: Vec = [v[b] - v[a], v[b + 1] - v[a + 1], v[b + 2] - v[a + 2]], e2: Vec = [v[c] - v[a], v[c + 1] - v[a + 1], v[c + 2] - v[a + 2]];
    const p = V.cross(along, e2), det = V.dot(e1, p);
    if (Math.abs(det) < 1e-20) continue;
    const r: Vec = [from[0] - v[a], from[1] - v[a + 1], from[2] - v[a + 2]], u = V.dot(r, p) / det;
    if (u < 0 || u > 1) continue;
    const q = V.cross(r, e1), w = V.dot(along, q) / det;
    if (w < 0 || u + w > 1) continue;
    const d = V.dot(e2, q) / det;
    if (d > 0 && d < best) best = d;
  }
  return best;
}

/// `place` gives the position of a source.
export function pickBody(scene: Scene, camera: Camera, poses: Pose[], place: (source: number) => Vec, x: number, y: number): Hit | null {
  const ray = camera.ray(x, y);
  let best: Omit<Hit, "point"> | null = null;
  const found = (body: number, distance: number): void => {
    if (!(distance > 0) || distance === Infinity || (best && best.distance <= distance)) return;
    best = { body, distance, at: V.add(ray.from, V.mul(ray.along, distance)) };
  };
  for (const part of scene.parts)
    if (part.body >= 0) found(part.body, hitMesh(part, toBody(poses[part.body], ray.from), turnToBody(poses[part.body], ray.along)));
  for (const ball of scene.balls) {
    if (ball.body < 0) continue;
    const at = place(ball.point), radius = Math.max(ball.radius, 9 / Math.max(1e-9, camera.pixels(at)));  // small things are easy to catch
    const to = V.sub(at, ray.from), s = V.dot(to, ray.along), off = V.dot(to, to) - s * s;
    if (off < radius * radius) found(ball.body, s - Math.sqrt(radius * radius - off));
  }
  best ??= pickNear(scene, camera, poses, ray, x, y);
  return best ? { ...(best as Omit<Hit, "point">), point: toBody(poses[(best as Hit).body], (best as Hit).at) } : null;
}

/// Thin rods: the nearest corner of a triangle within a few pixels.
function pickNear(scene: Scene, camera: Camera, poses: Pose[], ray: Ray, x: number, y: number): Omit<Hit, "point"> | null {
  let best: Omit<Hit, "point"> | null = null, least = 12;
  for (const part of scene.parts) {
    if (part.body < 0) continue;
    const v = part.vertices, stride = 6 * Math.max(1, Math.floor(v.length / 6 / 400));
    for (let i = 0; i + 5 < v.length; i += stride) {
      const at = toGround(poses[part.body], [v[i], v[i + 1], v[i + 2]]), p = camera.project(at);
      if (!p) continue;
      const gap = Math.hypot(p[0] - x, p[1] - y);
      if (gap < least) { least = gap; best = { body: part.body, at, distance: V.length(V.sub(at, ray.from)) }; }
    }
  }
  return best;
}
