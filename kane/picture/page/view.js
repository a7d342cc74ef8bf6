// The moving picture: a small WebGL renderer of bodies, points, trails and arrows. Vectors are arrays of three numbers,
// matrices are column by column as WebGL wants them.

const V = {
  add: (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
  sub: (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
  mul: (a, s) => [a[0] * s, a[1] * s, a[2] * s],
  dot: (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2],
  cross: (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]],
  length: (a) => Math.hypot(a[0], a[1], a[2]),
  unit: (a) => { const l = Math.hypot(a[0], a[1], a[2]) || 1; return [a[0] / l, a[1] / l, a[2] / l]; },
};

function multiply(a, b) {
  const r = new Float32Array(16);
  for (let c = 0; c < 4; c++)
    for (let i = 0; i < 4; i++) {
      let s = 0;
      for (let k = 0; k < 4; k++) s += a[4 * k + i] * b[4 * c + k];
      r[4 * c + i] = s;
    }
  return r;
}

function hexColor(text) {
  const named = /^#([0-9a-f]{6})$/i.exec(text);
  if (named) return [0, 2, 4].map((i) => parseInt(named[1].slice(i, i + 2), 16) / 255);
  const probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = "#888888";
  probe.fillStyle = text;
  return /^#[0-9a-f]{6}$/.test(probe.fillStyle) ? hexColor(probe.fillStyle) : [0.53, 0.53, 0.53];
}

/// Rotation and translation of a pose (position, quaternion with the scalar last), blended between two samples.
function poseMatrix(poses, at, next, s) {
  const p = [], e = [];
  let same = 0;
  for (let i = 3; i < 7; i++) same += poses[at + i] * poses[next + i];
  const flip = same < 0 ? -1 : 1;
  for (let i = 0; i < 7; i++) {
    const v = poses[at + i] * (1 - s) + poses[next + i] * (i < 3 ? s : s * flip);
    (i < 3 ? p : e).push(v);
  }
  const n = Math.hypot(...e) || 1;
  const [x, y, z, w] = e.map((v) => v / n);
  return new Float32Array([
    1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0,
    2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0,
    2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0, p[0], p[1], p[2], 1]);
}

/// Takes z to a direction, scaled along and across it.
function alongMatrix(at, direction, along, across) {
  const z = V.unit(direction);
  const x = V.unit(V.cross(Math.abs(z[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0], z));
  const y = V.cross(z, x);
  return new Float32Array([...V.mul(x, across), 0, ...V.mul(y, across), 0, ...V.mul(z, along), 0, ...at, 1]);
}

/// An outline of [r, z] turned about z, with flat shading between its corners.
function turned(outline) {
  const sides = 16, vertices = [], triangles = [];
  for (let i = 0; i + 1 < outline.length; i++) {
    const [a, b] = [outline[i], outline[i + 1]];
    const n = V.unit([b[1] - a[1], 0, a[0] - b[0]]);
    for (let k = 0; k <= sides; k++) {
      const c = Math.cos(2 * Math.PI * k / sides), s = Math.sin(2 * Math.PI * k / sides);
      for (const p of [a, b]) vertices.push(p[0] * c, p[0] * s, p[1], n[0] * c, n[0] * s, n[2]);
      if (k === sides) continue;
      const v = vertices.length / 6 - 2;
      triangles.push(v, v + 2, v + 3, v, v + 3, v + 1);
    }
  }
  return { vertices: new Float32Array(vertices), triangles: new Uint32Array(triangles) };
}

function ballMesh() {
  const outline = [];
  for (let i = 0; i <= 12; i++) outline.push([Math.sin(Math.PI * i / 12), -Math.cos(Math.PI * i / 12)]);
  const mesh = turned(outline);
  for (let i = 0; i < mesh.vertices.length; i += 6)  // round: the normal is the place itself
    for (let k = 0; k < 3; k++) mesh.vertices[i + 3 + k] = mesh.vertices[i + k];
  return mesh;
}

const SOLID_VERTEX = `attribute vec3 at, normal; uniform mat4 camera, model; varying vec3 n;
void main() { n = mat3(model) * normal; gl_Position = camera * model * vec4(at, 1.0); }`;
const SOLID_FRAGMENT = `precision mediump float; varying vec3 n; uniform vec3 color, light, eye;
void main() { vec3 m = normalize(n); float d = dot(m, light);
  float shine = pow(max(dot(m, normalize(light + eye)), 0.0), 40.0);
  gl_FragColor = vec4(color * (0.62 + 0.38 * d) + 0.16 * shine, 1.0); }`;
const SHADOW_FRAGMENT = `precision mediump float; uniform float dark; void main() { gl_FragColor = vec4(0.0, 0.0, 0.0, dark); }`;
const LINE_VERTEX = `attribute vec3 at; attribute vec4 tint; varying vec4 c;
void main() { c = tint; gl_Position = vec4(at, 1.0); }`;
const LINE_FRAGMENT = `precision mediump float; varying vec4 c; void main() { gl_FragColor = vec4(c.rgb * c.a, c.a); }`;

/// The kinds of arrows, the first that fits.
const ARROWS = [
  { name: "torque of a load", unit: "N\u2009m", of: (a) => a.torque && !a.reaction, rgb: [0.72, 0.35, 0.7] },
  { name: "torque in a joint", unit: "N\u2009m", of: (a) => a.torque, rgb: [0.45, 0.3, 0.8] },
  { name: "force of a contact", unit: "N", of: (a) => a.contact, rgb: [0.9, 0.55, 0.1] },
  { name: "force in a joint", unit: "N", of: (a) => a.reaction, rgb: [0.1, 0.55, 0.5] },
  { name: "load", unit: "N", of: () => true, rgb: [0.85, 0.2, 0.2] },
];

class View {
  constructor(canvas, overlay, scene) {
    this.canvas = canvas;
    this.overlay = overlay;
    this.scene = scene;
    this.shown = { shapes: true, frames: false, loads: true, reactions: true, names: false, legend: true, planes: true,
      grid: true };
    this.trails = new Set(scene.points.filter((p) => p.trail).map((p) => p.point));
    this.arrowScale = 1;
    // Colours are multiplied by their opacity once, here: lines then look alike on light and dark paper.
    this.gl = canvas.getContext("webgl", { antialias: true, alpha: true, stencil: true, preserveDrawingBuffer: true });
    if (this.gl) this.prepare();
    this.measure();
    this.listen();
  }

  // ---- WebGL -----------------------------------------------------------------------------------------------------
  program(vertex, fragment, attributes) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      gl.attachShader(program, shader);
    }
    attributes.forEach((name, i) => gl.bindAttribLocation(program, i, name));
    gl.linkProgram(program);
    return program;
  }
  upload(mesh) {
    const gl = this.gl, vertices = gl.createBuffer(), triangles = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, vertices);
    gl.bufferData(gl.ARRAY_BUFFER, mesh.vertices, gl.STATIC_DRAW);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, triangles);
    // Meshes with many corners need wide numbers, which all but the oldest browsers have.
    const Numbers = this.wide ? Uint32Array : Uint16Array;
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Numbers(mesh.triangles), gl.STATIC_DRAW);
    return { vertices, triangles, count: mesh.triangles.length };
  }
  prepare() {
    const gl = this.gl;
    this.wide = gl.getExtension("OES_element_index_uint") !== null;
    this.solid = this.program(SOLID_VERTEX, SOLID_FRAGMENT, ["at", "normal"]);
    this.line = this.program(LINE_VERTEX, LINE_FRAGMENT, ["at", "tint"]);
    this.shadow = this.program(SOLID_VERTEX, SHADOW_FRAGMENT, ["at", "normal"]);
    this.shadowPlace = {};
    for (const name of ["camera", "model", "dark"]) this.shadowPlace[name] = gl.getUniformLocation(this.shadow, name);
    this.place = {};
    for (const name of ["camera", "model", "color", "light", "eye"])
      this.place[name] = gl.getUniformLocation(this.solid, name);
    this.lineBuffer = gl.createBuffer();
    for (const part of this.scene.parts) {
      part.rgb = hexColor(part.color);
      part.mesh = this.upload(part);
    }
    for (const ball of this.scene.balls) ball.rgb = hexColor(ball.color);
    this.ball = this.upload(ballMesh());
    this.shaft = this.upload(turned([[0, 0], [1, 0], [1, 1], [0, 1]]));
    this.head = this.upload(turned([[0, 0], [1, 0], [0, 1]]));
  }

  // ---- what there is, and where to look from -----------------------------------------------------------------------
  measure() {
    const s = this.scene, low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const include = (x, y, z) => [x, y, z].forEach((v, k) => {
      if (Number.isFinite(v)) { low[k] = Math.min(low[k], v); high[k] = Math.max(high[k], v); }
    });
    for (let i = 0; i + 2 < s.positions.length; i += 3) include(s.positions[i], s.positions[i + 1], s.positions[i + 2]);
    for (let i = 0; i + 6 < s.poses.length; i += 7) include(s.poses[i], s.poses[i + 1], s.poses[i + 2]);
    if (low[0] > high[0]) include(0, 0, 0);
    this.extent = V.sub(high, low);
    this.middle = V.mul(V.add(low, high), 0.5);
    this.low = low;
    this.radius = Math.max(0.5 * V.length(this.extent), 0.5 * s.size, 1e-9);
    const flat = this.extent.map((e) => e < 1e-6 * this.radius);
    this.includeParts(low, high);
    this.up = V.unit(s.up);
    // A plane motion is seen from the front, slightly from above; anything else from an upper corner.
    const planar = flat.findIndex((f, k) => f && Math.abs(this.up[k]) < 0.1);
    const across = planar >= 0 ? [0, 1, 2].map((k) => (k === planar ? 1 : 0)) : null;
    const first = Math.abs(this.up[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0];
    this.front = V.unit(across || V.cross(V.cross(this.up, first), this.up));
    if (across && this.front[1] === 1) this.front = [0, -1, 0];
    this.side = V.cross(this.up, this.front);
    this.home = planar >= 0 ? { yaw: 0.22, pitch: 0.16 } : { yaw: 0.7, pitch: 0.38 };
    const sizes = [];
    for (let i = 0; i < s.vectors.length; i += 3) {
      const n = Math.hypot(s.vectors[i], s.vectors[i + 1], s.vectors[i + 2]);
      const arrow = s.arrows[(i / 3) % s.arrows.length];
      (sizes[arrow.torque ? 1 : 0] ||= []).push(n);
    }
    // So that nearly all arrows are shorter than a third of the picture.
    this.unitLength = [0, 1].map((k) => {
      const all = (sizes[k] || []).filter((v) => Number.isFinite(v) && v > 0).sort((a, b) => a - b);
      return all.length ? 0.5 * this.radius / all[Math.floor(0.97 * (all.length - 1))] : 0;
    });
    this.includeArrows(low, high);
    this.fit();
  }
  arrowLength(size, torque) { return Math.min(1.5 * this.radius, size * this.unitLength[torque ? 1 : 0] * this.arrowScale); }
  /// And the tips of the arrows.
  includeArrows(low, high) {
    const s = this.scene, n = s.arrows.length, frames = n ? Math.floor(s.vectors.length / (3 * n)) : 0;
    const stride = Math.max(1, Math.ceil(frames / 200));
    for (let f = 0; f < frames; f += stride)
      s.arrows.forEach((arrow, i) => {
        const v = [0, 1, 2].map((k) => s.vectors[3 * (f * n + i) + k]), size = V.length(v);
        if (!(size > 0)) return;
        const at = 3 * (f * s.point_count + arrow.point), length = this.arrowLength(size, arrow.torque);
        for (let k = 0; k < 3; k++) {
          const tip = s.positions[at + k] + v[k] * length / size;
          if (Number.isFinite(tip)) { low[k] = Math.min(low[k], tip); high[k] = Math.max(high[k], tip); }
        }
      });
    this.extent = V.sub(high, low);
    this.middle = V.mul(V.add(low, high), 0.5);
  }
  /// The picture has to hold the shapes, too, not only the places of the bodies: the corners of their boxes at up to 200 instants.
  includeParts(low, high) {
    const s = this.scene, n = s.bodies.length, frames = n ? Math.floor(s.poses.length / (7 * n)) : 0;
    const stride = Math.max(1, Math.ceil(frames / 200));
    for (const part of s.parts) {
      part.reach = 0;
      for (let i = 0; i + 5 < part.vertices.length; i += 6)
        part.reach = Math.max(part.reach, Math.hypot(part.vertices[i], part.vertices[i + 1], part.vertices[i + 2]));
      if (!(part.body >= 0)) continue;
      const least = [Infinity, Infinity, Infinity], most = [-Infinity, -Infinity, -Infinity];
      for (let i = 0; i + 5 < part.vertices.length; i += 6)
        for (let k = 0; k < 3; k++) {
          least[k] = Math.min(least[k], part.vertices[i + k]);
          most[k] = Math.max(most[k], part.vertices[i + k]);
        }
      for (let f = 0; f < frames; f += stride) {
        const at = 7 * (f * n + part.body), m = poseMatrix(s.poses, at, at, 0);
        for (let corner = 0; corner < 8; corner++)
          for (let k = 0; k < 3; k++) {
            let v = m[12 + k];
            for (let j = 0; j < 3; j++) v += m[4 * j + k] * (corner >> j & 1 ? most : least)[j];
            if (Number.isFinite(v)) { low[k] = Math.min(low[k], v); high[k] = Math.max(high[k], v); }
          }
      }
    }
    this.extent = V.sub(high, low);
    this.middle = V.mul(V.add(low, high), 0.5);
    this.radius = Math.max(0.5 * V.length(this.extent), 0.5 * s.size, 1e-9);
  }
  /// "body 2", "point 5", or "": nothing. The camera looks at it, and goes along.
  setFollowed(what) {
    const [kind, index] = what.split(" ");
    this.followed = what ? { kind, index: Number(index), at: null } : null;
    if (what) this.distance = Math.min(this.distance, 9 * Math.max(this.scene.size, 0.02 * this.radius));
    this.moved = true;
  }
  /// The target moves as what it follows.
  follow() {
    const f = this.followed;
    if (!f) return;
    const at = f.kind === "body" ? [...this.models[f.index].slice(12, 15)] : this.position(f.index);
    if (!at.every(Number.isFinite)) return;
    this.target = f.at ? V.add(this.target, V.sub(at, f.at)) : at;
    f.at = at;
  }
  fit() {
    this.followed = null;
    this.yaw = this.home.yaw;
    this.pitch = this.home.pitch;
    this.target = [...this.middle];
    this.fitting = true;
    this.moved = true;
  }
  /// As near as the corners of everything allow.
  fitDistance() {
    const t = 0.86 * Math.tan(0.29), aspect = this.canvas.width / this.canvas.height, most = Math.max(1, aspect);
    const margin = 0.05 * this.scene.size;
    this.distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const p = [0, 1, 2].map((k) => (corner >> k & 1 ? 0.5 : -0.5) * (this.extent[k] + 2 * margin));
      const [x, y, z] = [this.right, this.above, this.back].map((d) => V.dot(d, p));
      const wide = t * (aspect < 1 ? 1 : most), tall = t / (aspect < 1 ? aspect : 1);
      this.distance = Math.max(this.distance, z + Math.abs(x) / wide, z + Math.abs(y) / tall);
    }
    this.fitting = false;
  }
  listen() {
    const e = this.overlay, held = new Map();
    e.addEventListener("pointerdown", (event) => {
      held.set(event.pointerId, [event.clientX, event.clientY]);
      e.setPointerCapture(event.pointerId);
    });
    const release = (event) => held.delete(event.pointerId);
    e.addEventListener("pointerup", release);
    e.addEventListener("pointercancel", release);
    e.addEventListener("pointermove", (event) => {
      const before = held.get(event.pointerId);
      if (!before) return;
      const dx = event.clientX - before[0], dy = event.clientY - before[1];
      const others = [...held].filter(([id]) => id !== event.pointerId).map(([, p]) => p);
      if (others.length) {  // two fingers: pinch
        const gap = (p) => Math.hypot(p[0] - others[0][0], p[1] - others[0][1]);
        this.distance *= (gap(before) + 1) / (gap([event.clientX, event.clientY]) + 1);
      } else if (event.shiftKey || event.buttons === 2 || event.buttons === 4) {
        const k = 0.6 * this.distance / e.clientHeight;
        this.target = V.add(this.target, V.add(V.mul(this.right, -dx * k), V.mul(this.above, dy * k)));
      } else {
        this.yaw -= 0.008 * dx;
        this.pitch = Math.max(-1.55, Math.min(1.55, this.pitch + 0.008 * dy));
      }
      held.set(event.pointerId, [event.clientX, event.clientY]);
      this.moved = true;
    });
    e.addEventListener("contextmenu", (event) => event.preventDefault());
    e.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.distance *= Math.exp(0.0012 * event.deltaY);
      this.moved = true;
    }, { passive: false });
    e.addEventListener("dblclick", () => this.fit());
  }
  aim() {
    const c = Math.cos(this.pitch);
    const back = V.add(V.add(V.mul(this.front, c * Math.cos(this.yaw)), V.mul(this.side, c * Math.sin(this.yaw))),
      V.mul(this.up, Math.sin(this.pitch)));
    this.back = back;
    this.right = V.unit(V.cross(this.up, back));
    this.above = V.cross(back, this.right);
    if (this.fitting) this.fitDistance();
    this.eye = V.add(this.target, V.mul(back, this.distance));
    const aspect = this.canvas.width / this.canvas.height, f = Math.min(1, aspect) / Math.tan(0.29);
    const near = Math.max(0.02 * this.distance, this.distance - 12 * this.radius), far = this.distance + 40 * this.radius;
    const lens = new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1,
      0, 0, 2 * far * near / (near - far), 0]);
    const [r, a, b, p] = [this.right, this.above, back, this.eye];
    const look = new Float32Array([r[0], a[0], b[0], 0, r[1], a[1], b[1], 0, r[2], a[2], b[2], 0,
      -V.dot(r, p), -V.dot(a, p), -V.dot(b, p), 1]);
    this.camera = multiply(lens, look);
  }
  /// Clip coordinates; null behind the eye.
  project(p) {
    const m = this.camera, w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
    if (!(w > 1e-9)) return null;
    return [0, 1, 2].map((i) => (m[i] * p[0] + m[4 + i] * p[1] + m[8 + i] * p[2] + m[12 + i]) / w);
  }

  // ---- drawing -----------------------------------------------------------------------------------------------------
  resize() {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const w = Math.max(1, Math.round(this.overlay.clientWidth * ratio));
    const h = Math.max(1, Math.round(this.overlay.clientHeight * ratio));
    for (const c of [this.canvas, this.overlay]) if (c.width !== w || c.height !== h) { c.width = w; c.height = h; }
    this.ratio = ratio;
  }
  drawMesh(mesh, model, color, place = this.place.model) {
    const gl = this.gl;
    gl.bindBuffer(gl.ARRAY_BUFFER, mesh.vertices);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 24, 0);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, mesh.triangles);
    gl.uniformMatrix4fv(place, false, model);
    if (color) gl.uniform3fv(this.place.color, color);
    gl.drawElements(gl.TRIANGLES, mesh.count, this.wide ? gl.UNSIGNED_INT : gl.UNSIGNED_SHORT, 0);
  }
  /// A line as a ribbon that keeps its width on the screen.
  ribbon(out, points, width, color) {
    let before = null;
    for (const p of points) {
      const here = p.at ? this.project(p.at) : null;
      if (here && before) {
        const dx = (here[0] - before[0]) * this.canvas.width, dy = (here[1] - before[1]) * this.canvas.height;
        const n = Math.hypot(dx, dy) || 1, k = width * this.ratio / n;
        const ox = -dy * k / this.canvas.width, oy = dx * k / this.canvas.height;
        const a0 = before.alpha, a1 = p.alpha === undefined ? 1 : p.alpha;
        const v = (q, sx, alpha) => out.push(q[0] + sx * ox, q[1] + sx * oy, q[2] - 1e-4, ...color, alpha);
        v(before, 1, a0); v(before, -1, a0); v(here, 1, a1); v(here, 1, a1); v(before, -1, a0); v(here, -1, a1);
      }
      before = here;
      if (before) before.alpha = p.alpha === undefined ? 1 : p.alpha;
    }
  }
  drawRibbons(data) {
    const gl = this.gl;
    if (!data.length) return;
    gl.useProgram(this.line);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(data), gl.DYNAMIC_DRAW);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 28, 0);
    gl.vertexAttribPointer(1, 4, gl.FLOAT, false, 28, 12);
    gl.drawArrays(gl.TRIANGLES, 0, data.length / 7);
    gl.disable(gl.BLEND);
  }
  position(point) {
    const n = this.scene.point_count, a = 3 * (this.at * n + point), b = 3 * (this.next * n + point);
    return [0, 1, 2].map((k) => this.scene.positions[a + k] * (1 - this.s) + this.scene.positions[b + k] * this.s);
  }
  /// The point of the ground below the middle.
  ground() {
    const depth = V.dot(this.low, this.up), under = V.dot(this.middle, this.up);
    return V.add(this.middle, V.mul(this.up, Math.min(0, depth - 0.12 * this.radius) - under));
  }
  /// Shadows on the ground: everything projected along the light. Each place is darkened once.
  drawShadows() {
    const gl = this.gl, s = this.scene, n = this.up;
    const light = V.unit(V.add(V.add(n, V.mul(this.side, 0.12)), V.mul(this.front, 0.3)));
    const h = V.dot(n, this.ground()) + 2e-4 * this.radius, d = V.dot(n, light), m = new Float32Array(16);
    for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) m[4 * c + r] = (r === c ? 1 : 0) - light[r] * n[c] / d;
    for (let r = 0; r < 3; r++) m[12 + r] = light[r] * h / d;
    m[15] = 1;
    gl.useProgram(this.shadow);
    gl.uniformMatrix4fv(this.shadowPlace.camera, false, this.camera);
    gl.uniform1f(this.shadowPlace.dark, 0.13);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.enable(gl.STENCIL_TEST);
    gl.clear(gl.STENCIL_BUFFER_BIT);
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    gl.depthMask(false);
    const draw = (mesh, model) => this.drawMesh(mesh, multiply(m, model), null, this.shadowPlace.model);
    for (const part of s.parts) if (part.body >= 0) draw(part.mesh, this.models[part.body]);
    for (const ball of s.balls) draw(this.ball, alongMatrix(this.position(ball.point), [0, 0, 1], ball.radius, ball.radius));
    gl.depthMask(true);
    gl.disable(gl.STENCIL_TEST);
    gl.disable(gl.BLEND);
  }
  grid(out) {
    const step = Math.pow(10, Math.floor(Math.log10(0.6 * this.radius))), count = Math.ceil(2.2 * this.radius / step);
    const base = this.ground();
    const [a, b] = [this.front, this.side];
    const snap = (d) => Math.round(V.dot(base, d) / step) * step - V.dot(base, d);
    const origin = V.add(base, V.add(V.mul(a, snap(a)), V.mul(b, snap(b))));
    for (let i = -count; i <= count; i++)
      for (const [along, over] of [[a, b], [b, a]]) {
        const points = [];
        for (let k = -8; k <= 8; k++) {
          const far = Math.hypot(i / count, k / 8);
          points.push({ at: V.add(origin, V.add(V.mul(along, i * step), V.mul(over, k * count * step / 8))),
            alpha: Math.max(0, 0.35 * (1 - far)) });
        }
        this.ribbon(out, points, 0.7, this.faint);
      }
  }
  /// The plane of a contact: a square of lines below everything that moves, in its own colour.
  plane(out, plane) {
    const n = V.unit(plane.normal), a = V.unit(V.cross(Math.abs(n[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0], n)), b = V.cross(n, a);
    const centre = V.add(this.middle, V.mul(n, plane.height - V.dot(n, this.middle)));
    const half = 1.1 * Math.max(0.5 * V.length(this.extent), this.radius), count = 6;
    for (let i = -count; i <= count; i++)
      for (const [along, over] of [[a, b], [b, a]]) {
        const side = V.add(centre, V.mul(along, i / count * half)), edge = Math.abs(i) === count;
        this.ribbon(out, [-1, -0.5, 0, 0.5, 1].map((k) => ({ at: V.add(side, V.mul(over, k * half)), alpha: edge ? 0.9 : 0.3 })),
          edge ? 1.2 : 0.7, [0.62, 0.5, 0.3]);
      }
  }
  springPoints(from, to) {
    const along = V.sub(to, from), turns = 9, points = [{ at: from }];
    const aside = V.mul(V.unit(V.cross(along, this.back)), 0.035 * this.scene.size);
    for (let i = 0; i <= 2 * turns; i++) {
      const f = 0.12 + 0.76 * i / (2 * turns), swing = i === 0 || i === 2 * turns ? 0 : i % 2 ? 1 : -1;
      points.push({ at: V.add(V.add(from, V.mul(along, f)), V.mul(aside, swing)) });
    }
    points.push({ at: to });
    return points;
  }
  drawTrails(out) {
    const n = this.scene.point_count, s = this.scene;
    const palette = [[0.85, 0.25, 0.25], [0.2, 0.45, 0.8], [0.15, 0.6, 0.35], [0.6, 0.35, 0.75], [0.85, 0.55, 0.1]];
    let color = 0;
    for (const point of this.trails) {
      const points = [], first = Math.max(0, this.at - 1500), length = Math.max(1, this.at - first);
      for (let i = first; i <= this.at; i++) {
        const k = 3 * (i * n + point);
        points.push({ at: [s.positions[k], s.positions[k + 1], s.positions[k + 2]], alpha: 0.12 + 0.78 * (i - first) / length });
      }
      points.push({ at: this.position(point), alpha: 0.9 });
      this.ribbon(out, points, 1.6, palette[color++ % palette.length]);
    }
  }
  drawArrows() {
    const s = this.scene, n = s.arrows.length;
    s.arrows.forEach((arrow, i) => {
      if (!this.shown[arrow.reaction ? "reactions" : "loads"]) return;
      const a = 3 * (this.at * n + i), b = 3 * (this.next * n + i);
      const v = [0, 1, 2].map((k) => s.vectors[a + k] * (1 - this.s) + s.vectors[b + k] * this.s);
      const length = this.arrowLength(V.length(v), arrow.torque);
      if (!(length > 0.004 * this.radius)) return;
      const color = ARROWS.find((kind) => kind.of(arrow)).rgb;
      const width = 0.011 * this.radius, head = Math.min(0.11 * this.radius, 0.6 * length);
      const at = this.position(arrow.point), tip = V.mul(V.unit(v), length - head);
      this.drawMesh(this.shaft, alongMatrix(at, v, length - head, width), color);
      this.drawMesh(this.head, alongMatrix(V.add(at, tip), v, head, 0.4 * head), color);
      if (arrow.torque)  // two heads
        this.drawMesh(this.head, alongMatrix(V.add(at, V.mul(V.unit(v), length - 1.6 * head)), v, head, 0.4 * head), color);
    });
  }
  label(context, text, at) {
    const p = this.project(at);
    if (!p) return;
    const x = (p[0] + 1) / 2 * this.overlay.width + 6 * this.ratio, y = (1 - p[1]) / 2 * this.overlay.height - 5 * this.ratio;
    context.strokeText(text, x, y);
    context.fillText(text, x, y);
  }
  /// Pixels per metre at the place that is looked at.
  pixels(at) {
    const away = Math.max(1e-9, V.dot(V.sub(this.eye, at), this.back));
    const aspect = this.canvas.width / this.canvas.height;
    return 0.5 * this.canvas.height * Math.min(1, aspect) / (Math.tan(0.29) * away);
  }
  /// A dot where a body is too small to be seen.
  drawMarks(c) {
    if (!this.shown.shapes) return;
    const least = 4.5 * this.ratio, s = this.scene;
    const mark = (at, radius, color) => {
      const p = this.project(at);
      if (!p || radius * this.pixels(at) >= least) return;
      c.beginPath();
      c.arc((p[0] + 1) / 2 * this.overlay.width, (1 - p[1]) / 2 * this.overlay.height, least, 0, 7);
      c.fillStyle = color;
      c.fill();
    };
    s.bodies.forEach((_, i) => {
      const own = s.parts.filter((part) => part.body === i);
      if (own.length) mark([...this.models[i].slice(12, 15)], Math.max(...own.map((part) => part.reach)), own[0].color);
    });
    for (const ball of s.balls) mark(this.position(ball.point), ball.radius, ball.color);
  }
  /// Draws the meaning of the arrows' colours, and their scale.
  drawLegend(c, style) {
    const s = this.scene, r = this.ratio, right = this.overlay.width - 12 * r;
    const kinds = ARROWS.filter((kind) => s.arrows.some((a) => ARROWS.find((k) => k.of(a)) === kind
      && this.shown[a.reaction ? "reactions" : "loads"] && this.unitLength[a.torque ? 1 : 0] > 0));
    c.font = `${11 * r}px system-ui, sans-serif`;
    c.textAlign = "right";
    kinds.forEach((kind, i) => {
      const y = this.overlay.height - (14 + 17 * (kinds.length - 1 - i)) * r, torque = kind.unit !== "N";
      const each = this.unitLength[torque ? 1 : 0] * this.arrowScale * this.pixels(this.target);  // pixels per unit
      const amount = each > 0 ? niceStep(40 * r / each, 1) : 0, long = amount * each;
      c.strokeStyle = c.fillStyle = `rgb(${kind.rgb.map((v) => Math.round(255 * v)).join(",")})`;
      c.lineWidth = 3 * r;
      if (long > 0) { c.beginPath(); c.moveTo(right - long, y - 4 * r); c.lineTo(right, y - 4 * r); c.stroke(); }
      c.fillStyle = style.getPropertyValue("--ink");
      c.fillText(kind.name + (long > 0 ? `, ${numberText(amount, amount)} ${kind.unit}` : ""), right - Math.max(long, 0) - 6 * r, y);
    });
    c.textAlign = "left";
  }
  drawOverlay() {
    const c = this.overlay.getContext("2d"), s = this.scene, size = 12 * this.ratio, style = getComputedStyle(document.body);
    c.clearRect(0, 0, this.overlay.width, this.overlay.height);
    c.font = `${size}px system-ui, sans-serif`;
    c.lineWidth = 3 * this.ratio;
    c.strokeStyle = style.getPropertyValue("--card");
    c.fillStyle = style.getPropertyValue("--ink");
    if (!this.gl) c.fillText("This browser does not support WebGL, which the animation needs.", 20, 40);
    if (this.shown.names) {
      s.bodies.forEach((name, i) => this.label(c, name, [...this.models[i].slice(12, 15)]));
      s.balls.forEach((ball) => this.label(c, ball.name, this.position(ball.point)));
    }
    this.drawMarks(c);
    if (this.shown.legend) this.drawLegend(c, style);
    c.font = `${size}px system-ui, sans-serif`;
    // The axes of the ground, in the corner.
    const o = [42 * this.ratio, this.overlay.height - 42 * this.ratio], l = 28 * this.ratio;
    [[1, 0, 0], [0, 1, 0], [0, 0, 1]].forEach((axis, k) => {
      const x = o[0] + l * V.dot(axis, this.right), y = o[1] - l * V.dot(axis, this.above);
      c.strokeStyle = c.fillStyle = ["#d0403a", "#3a9a4a", "#3a6fd0"][k];
      c.lineWidth = 2 * this.ratio;
      c.beginPath(); c.moveTo(o[0], o[1]); c.lineTo(x, y); c.stroke();
      c.fillText("xyz"[k], x + 3 * this.ratio * Math.sign(x - o[0] + 0.01), y);
    });
  }
  /// The picture between samples `at` and `at + 1`.
  draw(at, s) {
    const scene = this.scene, frames = scene.bodies.length ? scene.poses.length / (7 * scene.bodies.length)
      : scene.positions.length / Math.max(1, 3 * scene.point_count);
    this.at = Math.min(at, Math.max(0, frames - 1));
    this.next = Math.min(at + 1, Math.max(0, frames - 1));
    this.s = s;
    this.moved = false;
    this.resize();
    const n = scene.bodies.length;
    this.models = scene.bodies.map((_, i) => poseMatrix(scene.poses, 7 * (this.at * n + i), 7 * (this.next * n + i), s));
    this.follow();
    this.aim();
    this.faint = hexColor(getComputedStyle(document.body).getPropertyValue("--faint").trim());
    if (this.gl) this.drawScene();
    this.drawOverlay();
  }
  drawScene() {
    const gl = this.gl, s = this.scene, identity = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enableVertexAttribArray(0);
    gl.enableVertexAttribArray(1);
    const lines = [];
    if (this.shown.grid) this.grid(lines);
    if (this.shown.planes) for (const plane of s.planes || []) this.plane(lines, plane);
    this.drawRibbons(lines);
    if (this.shown.shapes && this.shown.grid && this.shown.shadows) this.drawShadows();
    gl.useProgram(this.solid);
    gl.uniformMatrix4fv(this.place.camera, false, this.camera);
    gl.uniform3fv(this.place.light, V.unit(V.add(V.add(V.mul(this.up, 0.8), V.mul(this.back, 0.8)), V.mul(this.right, -0.5))));
    gl.uniform3fv(this.place.eye, this.back);
    if (this.shown.shapes) {
      for (const part of s.parts) this.drawMesh(part.mesh, part.body < 0 ? identity : this.models[part.body], part.rgb);
      for (const ball of s.balls)
        this.drawMesh(this.ball, alongMatrix(this.position(ball.point), [0, 0, 1], ball.radius, ball.radius), ball.rgb);
    }
    const ribbons = [];
    for (const line of s.lines) {
      const a = this.position(line.from), b = this.position(line.to);
      this.ribbon(ribbons, line.spring ? this.springPoints(a, b) : [{ at: a }, { at: b }], 1.8, this.faint);
    }
    if (this.shown.frames)
      this.models.forEach((m) => {
        const o = [...m.slice(12, 15)], l = 0.22 * s.size;
        [[0.82, 0.25, 0.23], [0.23, 0.6, 0.29], [0.23, 0.44, 0.82]].forEach((color, k) =>
          this.ribbon(ribbons, [{ at: o }, { at: V.add(o, V.mul([...m.slice(4 * k, 4 * k + 3)], l)) }], 2, color));
      });
    this.drawTrails(ribbons);
    this.drawRibbons(ribbons);
    // Arrows are not hidden by the bodies they act on.
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.solid);
    this.drawArrows();
  }
}
