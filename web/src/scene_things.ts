// The things of a scene as objects of three.js: materials and meshes of bodies, symbols of joints, springs, arrows, trails.

import * as THREE from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import type { ScenePart } from "./model_info";
import { V, type Vec } from "./vectors";

export const solid = (color: THREE.ColorRepresentation): THREE.MeshStandardMaterial =>
  new THREE.MeshStandardMaterial({ color, roughness: 0.52, metalness: 0.06, side: THREE.DoubleSide });

/// Takes z to a direction, scaled along and across it.
export function alongMatrix(at: Vec, direction: Vec, along: number, across: number, to = new THREE.Matrix4()): THREE.Matrix4 {
  const z = V.unit(direction), x = V.across(z), y = V.cross(z, x);
  return to.set(across * x[0], across * y[0], along * z[0], at[0], across * x[1], across * y[1], along * z[1], at[1],
    across * x[2], across * y[2], along * z[2], at[2], 0, 0, 0, 1);
}

/// Triangles whose corners run the way their normals say, so that both sides are lit rightly.
function sameWay(part: ScenePart): Uint32Array {
  const v = part.vertices, t = part.triangles.slice();
  const corner = (i: number, from: number): Vec => [v[6 * i + from], v[6 * i + from + 1], v[6 * i + from + 2]];
  for (let i = 0; i + 2 < t.length; i += 3) {
    const [a, b, c] = [corner(t[i], 0), corner(t[i + 1], 0), corner(t[i + 2], 0)];
    const normal = V.add(V.add(corner(t[i], 3), corner(t[i + 1], 3)), corner(t[i + 2], 3));
    if (V.dot(V.cross(V.sub(b, a), V.sub(c, a)), normal) < 0) [t[i + 1], t[i + 2]] = [t[i + 2], t[i + 1]];
  }
  return t;
}

/// The mesh of a part, reading its vertices where they are.
export function partMesh(part: ScenePart): THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial> {
  const geometry = new THREE.BufferGeometry(), both = new THREE.InterleavedBuffer(part.vertices, 6);
  geometry.setAttribute("position", new THREE.InterleavedBufferAttribute(both, 3, 0));
  geometry.setAttribute("normal", new THREE.InterleavedBufferAttribute(both, 3, 3));
  geometry.setIndex(new THREE.BufferAttribute(sameWay(part), 1));
  const mesh = new THREE.Mesh(geometry, solid(part.color));
  mesh.castShadow = mesh.receiveShadow = true;
  return mesh;
}
/// After the vertices of its part have changed.
export function refreshPart(mesh: THREE.Mesh<THREE.BufferGeometry>): void {
  (mesh.geometry.getAttribute("position") as THREE.InterleavedBufferAttribute).data.needsUpdate = true;
  mesh.geometry.boundingSphere = null;
}

const STEEL = "#4a5560";
/// The symbol of a joint, of the size one, about z.
export function jointSymbol(kind: string): THREE.Group {
  const group = new THREE.Group(), material = solid(STEEL);
  const add = (geometry: THREE.BufferGeometry, place?: (mesh: THREE.Mesh) => void): void => {
    const mesh = new THREE.Mesh(geometry, material);
    place?.(mesh);
    mesh.castShadow = true;
    group.add(mesh);
  };
  const pin = (radius: number, length: number): THREE.BufferGeometry => new THREE.CylinderGeometry(radius, radius, length, 28).rotateX(Math.PI / 2);
  if (kind === "revolute" || kind === "screw") {
    add(pin(0.34, 2.4));
    add(new THREE.TorusGeometry(0.62, 0.14, 12, 36));
    if (kind === "screw") for (const k of [-1, -0.5, 0.5, 1]) add(new THREE.TorusGeometry(0.36, 0.07, 8, 24), (m) => m.position.set(0, 0, 0.8 * k));
  } else if (kind === "prismatic" || kind === "cylindrical") {
    add(pin(0.16, 5));
    for (const side of [-1, 1]) add(new THREE.ConeGeometry(0.36, 0.8, 24).rotateX(side * Math.PI / 2), (m) => m.position.set(0, 0, side * 2.7));
    add(kind === "prismatic" ? new THREE.BoxGeometry(0.9, 0.9, 1.6) : pin(0.5, 1.6));
  } else if (kind === "spherical" || kind === "gimbal" || kind === "free") {
    add(new THREE.SphereGeometry(0.6, 28, 20));
  } else if (kind === "universal") {
    for (const axis of ["rotateX", "rotateY"] as const) add(new THREE.CylinderGeometry(0.22, 0.22, 2, 20)[axis](axis === "rotateX" ? 0 : Math.PI / 2), (m) => { if (axis === "rotateY") m.rotation.z = Math.PI / 2; });
  } else if (kind === "weld") {
    add(new THREE.BoxGeometry(0.8, 0.8, 0.8));
  } else {
    add(new THREE.OctahedronGeometry(0.7));
  }
  return group;
}

/// A coil about z from 0 to 1, of the radius one.
export function coil(): THREE.BufferGeometry {
  class Helix extends THREE.Curve<THREE.Vector3> {
    constructor() { super(); }
    getPoint(s: number, to = new THREE.Vector3()): THREE.Vector3 {
      const turns = 9, inner = Math.min(1, Math.max(0, (s - 0.1) / 0.8)), reach = Math.min(1, 12 * Math.min(inner, 1 - inner)), angle = 2 * Math.PI * turns * inner;
      return to.set(reach * Math.cos(angle), reach * Math.sin(angle), s);
    }
  }
  return new THREE.TubeGeometry(new Helix(), 320, 0.16, 7);
}

/// Many copies of one geometry, each with its own place and colour; as many as are put between begin() and end().
export class Copies {
  readonly mesh: THREE.InstancedMesh;
  private count = 0;
  private readonly color = new THREE.Color();
  constructor(geometry: THREE.BufferGeometry, material: THREE.Material, private readonly most: number) {
    this.mesh = new THREE.InstancedMesh(geometry, material, Math.max(1, most));
    this.mesh.frustumCulled = false;
    this.mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    this.mesh.count = 0;
  }
  begin(): void { this.count = 0; }
  put(place: THREE.Matrix4, color: THREE.ColorRepresentation): void {
    if (this.count >= this.most) return;
    this.mesh.setMatrixAt(this.count, place);
    this.mesh.setColorAt(this.count++, this.color.set(color));
  }
  end(): void {
    this.mesh.count = this.count;
    this.mesh.visible = this.count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
}

/// Arrows for forces (one head) and torques (two).
export class Arrows {
  readonly objects: THREE.Object3D[];
  private readonly shafts: Copies;
  private readonly heads: Copies;
  private readonly place = new THREE.Matrix4();
  constructor(most: number) {
    const material = new THREE.MeshStandardMaterial({ roughness: 0.6 });
    this.shafts = new Copies(new THREE.CylinderGeometry(1, 1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5), material, most);
    this.heads = new Copies(new THREE.ConeGeometry(1, 1, 24).rotateX(Math.PI / 2).translate(0, 0, 0.5), material, 2 * most);
    this.objects = [this.shafts.mesh, this.heads.mesh];
  }
  begin(): void { this.shafts.begin(); this.heads.begin(); }
  put(at: Vec, direction: Vec, length: number, radius: number, color: THREE.ColorRepresentation, twoHeads = false): void {
    const head = Math.min(0.11 * radius, 0.6 * length), width = 0.011 * radius, unit = V.unit(direction);
    this.shafts.put(alongMatrix(at, unit, length - head, width, this.place), color);
    this.heads.put(alongMatrix(V.add(at, V.mul(unit, length - head)), unit, head, 0.4 * head, this.place), color);
    if (twoHeads) this.heads.put(alongMatrix(V.add(at, V.mul(unit, length - 1.7 * head)), unit, head, 0.4 * head, this.place), color);
  }
  end(): void { this.shafts.end(); this.heads.end(); }
}

const MOST_STRETCHES = 1500;
/// The way of a point, fading into the past.
export class Trail {
  readonly line: LineSegments2;
  private readonly places: THREE.InterleavedBuffer;
  private readonly tints: THREE.InterleavedBuffer;
  constructor(private readonly color: THREE.Color) {
    const geometry = new LineSegmentsGeometry();
    geometry.setPositions(new Float32Array(6 * MOST_STRETCHES));
    geometry.setColors(new Float32Array(6 * MOST_STRETCHES));
    this.places = (geometry.getAttribute("instanceStart") as THREE.InterleavedBufferAttribute).data as THREE.InterleavedBuffer;
    this.tints = (geometry.getAttribute("instanceColorStart") as THREE.InterleavedBufferAttribute).data as THREE.InterleavedBuffer;
    this.line = new LineSegments2(geometry, new LineMaterial({ linewidth: 2.2, vertexColors: true }));
    this.line.frustumCulled = false;
  }
  /// `positions`: of all samples, `stride` numbers each, of which this point's begin at `offset`.
  show(positions: Float32Array, stride: number, offset: number, last: number, paper: THREE.Color): void {
    const first = Math.max(0, last - MOST_STRETCHES), n = last - first, a = this.places.array, c = this.tints.array;
    for (let i = 0; i < n; i++)
      for (let end = 0; end < 2; end++) {
        const at = (first + i + end) * stride + offset, to = 6 * i + 3 * end, s = 0.12 + 0.88 * (i + end) / Math.max(1, n);
        for (let k = 0; k < 3; k++) a[to + k] = positions[at + k];
        c[to] = paper.r + s * (this.color.r - paper.r);
        c[to + 1] = paper.g + s * (this.color.g - paper.g);
        c[to + 2] = paper.b + s * (this.color.b - paper.b);
      }
    this.line.geometry.instanceCount = n;
    this.line.visible = n > 0;
    this.places.needsUpdate = this.tints.needsUpdate = true;
  }
}

/// Lines on a plane that fade away from its middle: each tenth is stronger.
export function gridPlane(): THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial> {
  const material = new THREE.ShaderMaterial({
    transparent: true, depthWrite: false, side: THREE.DoubleSide,
    uniforms: { step: { value: 1 }, reach: { value: 10 }, color: { value: new THREE.Color() }, middle: { value: new THREE.Vector2() }, strength: { value: 0.5 } },
    vertexShader: "varying vec2 p; uniform vec2 middle; void main() { p = position.xy + middle; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }",
    fragmentShader: `varying vec2 p; uniform float step, reach, strength; uniform vec2 middle; uniform vec3 color;
      float lines(float s) { vec2 q = p / s, d = abs(fract(q - 0.5) - 0.5) / fwidth(q); return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.2, 0.7, max(fwidth(q).x, fwidth(q).y))); }
      void main() { float far = length(p - middle) / reach, fade = 1.0 - smoothstep(0.25, 1.0, far);
        gl_FragColor = vec4(color, strength * fade * max(0.45 * lines(step), lines(10.0 * step)));
        #include <colorspace_fragment>
      }`,
  });
  const mesh = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), material);
  mesh.frustumCulled = false;
  return mesh;
}
