// Vectors of three numbers, and numbers packed into text.

export type Vec = [number, number, number];

export const V = {
  add: (a: Vec, b: Vec): Vec => [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
  sub: (a: Vec, b: Vec): Vec => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  mul: (a: Vec, s: number): Vec => [a[0] * s, a[1] * s, a[2] * s],
  dot: (a: Vec, b: Vec): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a: Vec, b: Vec): Vec => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  length: (a: Vec): number => Math.hypot(a[0], a[1], a[2]),
  unit: (a: Vec): Vec => { const l = Math.hypot(a[0], a[1], a[2]) || 1; return [a[0] / l, a[1] / l, a[2] / l]; },
  /// Any direction across another one.
  across: (a: Vec): Vec => V.unit(V.cross(Math.abs(a[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0], a)),
};

export const each = (f: (k: 0 | 1 | 2) => number): Vec => [f(0), f(1), f(2)];

export function bytesOf(text: string): Uint8Array { return Uint8Array.from(atob(text), (c) => c.charCodeAt(0)); }

/// Numbers that the server packed as base64.
export const floats = (text: string): Float32Array => new Float32Array(bytesOf(text).buffer);
export const indices = (text: string): Uint32Array => new Uint32Array(bytesOf(text).buffer);

/// A pose: rotation and translation, column by column as WebGL has them.
export type Pose = Float32Array;

/// The pose at `at` (position, quaternion with the scalar last), blended with the one at `next`.
export function poseMatrix(poses: Float32Array, at: number, next: number, s: number, to: Pose = new Float32Array(16)): Pose {
  let same = 0;
  for (let i = 3; i < 7; i++) same += poses[at + i] * poses[next + i];
  const flip = same < 0 ? -s : s;
  const blend = (i: number, share: number): number => poses[at + i] * (1 - s) + poses[next + i] * share;
  let x = blend(3, flip), y = blend(4, flip), z = blend(5, flip), w = blend(6, flip);
  const n = Math.hypot(x, y, z, w) || 1;
  x /= n; y /= n; z /= n; w /= n;
  to[0] = 1 - 2 * (y * y + z * z); to[1] = 2 * (x * y + z * w); to[2] = 2 * (x * z - y * w); to[3] = 0;
  to[4] = 2 * (x * y - z * w); to[5] = 1 - 2 * (x * x + z * z); to[6] = 2 * (y * z + x * w); to[7] = 0;
  to[8] = 2 * (x * z + y * w); to[9] = 2 * (y * z - x * w); to[10] = 1 - 2 * (x * x + y * y); to[11] = 0;
  to[12] = blend(0, s); to[13] = blend(1, s); to[14] = blend(2, s); to[15] = 1;
  return to;
}
/// A point of a body, in the ground; and the other way round.
export const toGround = (m: Pose, p: Vec): Vec => each((k) => m[12 + k] + m[k] * p[0] + m[4 + k] * p[1] + m[8 + k] * p[2]);
export const turnToBody = (m: Pose, v: Vec): Vec => each((k) => m[4 * k] * v[0] + m[4 * k + 1] * v[1] + m[4 * k + 2] * v[2]);
export const turnToGround = (m: Pose, v: Vec): Vec => each((k) => m[k] * v[0] + m[4 + k] * v[1] + m[8 + k] * v[2]);
export const toBody = (m: Pose, p: Vec): Vec => turnToBody(m, [p[0] - m[12], p[1] - m[13], p[2] - m[14]]);
export const originOf = (m: Pose): Vec => [m[12], m[13], m[14]];
