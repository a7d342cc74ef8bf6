// Where the view looks from: an eye that turns about a target, with perspective, or flat from the front (2-D).

import { V, each, type Vec } from "./vectors";

const LENS = Math.tan(0.29);  // half of the field of view

export interface Ray { from: Vec; along: Vec }

export class Camera {
  yaw = 0;
  pitch = 0;
  distance = 1;
  target: Vec = [0, 0, 0];
  flat = false;
  turned = false;   ///< by the user, so that it does not follow what moves
  width = 1;        ///< of the picture, in pixels
  height = 1;
  up: Vec = [0, 0, 1];
  back: Vec = [1, 0, 0];
  right: Vec = [0, 1, 0];
  above: Vec = [0, 0, 1];
  eye: Vec = [1, 0, 0];
  near = 0.1;
  far = 100;
  private front: Vec = [1, 0, 0];
  private side: Vec = [0, 1, 0];
  private home = { yaw: 0.7, pitch: 0.38 };
  private fitting = true;

  /// Directions for a scene: `across` is the normal of a plane motion, if it is one.
  face(up: Vec, across: Vec | null): void {
    this.up = V.unit(up);
    const first: Vec = Math.abs(this.up[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0];
    this.front = V.unit(across ?? V.cross(V.cross(this.up, first), this.up));
    if (across && this.front[1] === 1) this.front = [0, -1, 0];
    this.side = V.cross(this.up, this.front);
    this.home = across ? { yaw: 0.22, pitch: 0.16 } : { yaw: 0.7, pitch: 0.38 };
  }
  get axes(): [Vec, Vec] { return [this.front, this.side]; }
  fit(middle: Vec): void {
    this.turned = false;
    this.yaw = this.home.yaw;
    this.pitch = this.home.pitch;
    this.aimAt(middle);
  }
  /// Shows everything, from where it looks now.
  aimAt(middle: Vec): void { this.target = [...middle]; this.fitting = true; }
  copyFrom(other: Camera): void {
    [this.yaw, this.pitch, this.distance, this.target, this.flat, this.turned] = [other.yaw, other.pitch, other.distance, other.target, other.flat, other.turned];
    this.fitting = !other.turned;
  }
  turn(dx: number, dy: number): void {
    this.turned = true;
    if (this.flat) { this.shift(dx, dy); return; }
    this.yaw -= 0.008 * dx;
    this.pitch = Math.max(-1.55, Math.min(1.55, this.pitch + 0.008 * dy));
  }
  shift(dx: number, dy: number): void {
    this.turned = true;
    const k = 2 * this.distance * this.tall / this.height;
    this.target = V.add(this.target, V.add(V.mul(this.right, -dx * k), V.mul(this.above, dy * k)));
  }
  zoom(factor: number): void { this.turned = true; this.distance *= factor; }

  private get aspect(): number { return this.width / this.height; }
  /// Half of the height of the picture, at the distance one.
  private get tall(): number { return LENS / Math.min(1, this.aspect); }

  /// Brings the directions up to date. `extent`: of everything, about the target when it fits.
  aim(extent: Vec, margin: number, radius: number): void {
    const yaw = this.flat ? 0 : this.yaw, pitch = this.flat ? 0 : this.pitch, c = Math.cos(pitch);
    this.back = V.add(V.add(V.mul(this.front, c * Math.cos(yaw)), V.mul(this.side, c * Math.sin(yaw))), V.mul(this.up, Math.sin(pitch)));
    this.right = V.unit(V.cross(this.up, this.back));
    this.above = V.cross(this.back, this.right);
    if (this.fitting) this.fitDistance(extent, margin);
    this.eye = V.add(this.target, V.mul(this.back, this.distance));
    this.near = Math.max(0.02 * this.distance, this.distance - 12 * radius);
    this.far = this.distance + 40 * radius;
  }
  /// As near as the corners of everything allow.
  private fitDistance(extent: Vec, margin: number): void {
    const tall = 0.86 * this.tall, wide = tall * this.aspect;
    this.distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const p = each((k) => ((corner >> k) & 1 ? 0.5 : -0.5) * (extent[k] + 2 * margin));
      const [x, y, z] = [this.right, this.above, this.back].map((d) => V.dot(d, p));
      const deep = this.flat ? 0 : z;
      this.distance = Math.max(this.distance, deep + Math.abs(x) / wide, deep + Math.abs(y) / tall);
    }
    this.fitting = false;
  }
  /// The ray through a place of the picture.
  ray(x: number, y: number): Ray {
    const a = (2 * x / this.width - 1) * this.tall * this.aspect, b = (1 - 2 * y / this.height) * this.tall;
    const off = V.add(V.mul(this.right, a), V.mul(this.above, b));
    if (this.flat) return { from: V.add(this.eye, V.mul(off, this.distance)), along: V.mul(this.back, -1) };
    return { from: this.eye, along: V.unit(V.sub(off, this.back)) };
  }
  /// Where a point is in the picture, in pixels; null behind the eye.
  project(p: Vec): [number, number] | null {
    const d = V.sub(p, this.eye), away = this.flat ? this.distance : -V.dot(d, this.back);
    if (!(away > 1e-9)) return null;
    const x = V.dot(d, this.right) / (away * this.tall * this.aspect), y = V.dot(d, this.above) / (away * this.tall);
    return [(x + 1) / 2 * this.width, (1 - y) / 2 * this.height];
  }
  /// Pixels for a metre at a place.
  pixels(at: Vec): number {
    const away = this.flat ? this.distance : Math.max(1e-9, V.dot(V.sub(this.eye, at), this.back));
    return 0.5 * this.height / (this.tall * away);
  }
  /// Half width and half height at the distance one.
  get lens(): [number, number] { return [this.tall * this.aspect, this.tall]; }
}
