// The view of a mechanism that is running: bodies can be pointed at, selected and pulled.

const ACCENT = [0.16, 0.47, 0.9];

class LiveView extends View {
  /// `hands`: onSelect(body), onHover(body), onPull({body, point, target} or null).
  constructor(canvas, overlay, history, hands) {
    history.shown.up = history.up();
    history.shown.planes = history.planes();
    super(canvas, overlay, history.shown);
    this.history = history;
    this.hands = hands;
    this.selected = this.hovered = -1;
    this.shown.names = this.shown.reactions = false;
    this.shown.shadows = true;
    this.parts().forEach((part) => { part.own = part.rgb; });
  }
  parts() { return this.gl ? [...this.scene.parts, ...this.scene.balls] : []; }

  // ---- pointing ----------------------------------------------------------------------------------------------------------
  /// The ray through a place on the overlay, in metres.
  ray(x, y) {
    const w = this.overlay.clientWidth, h = this.overlay.clientHeight, aspect = w / h;
    const t = Math.tan(0.29) / Math.min(1, aspect);
    const across = V.mul(this.right, (2 * x / w - 1) * t * aspect), above = V.mul(this.above, (1 - 2 * y / h) * t);
    return { from: this.eye, along: V.unit(V.sub(V.add(across, above), this.back)) };
  }
  /// The body under a place: {body, at (in the ground), point (in the body)}, or null.
  pick(x, y) {
    if (!this.models) return null;
    const ray = this.ray(x, y);
    let best = null;
    const found = (body, distance) => {
      if (!(distance > 0) || (best && best.distance <= distance)) return;
      best = { body, distance, at: V.add(ray.from, V.mul(ray.along, distance)) };
    };
    for (const part of this.scene.parts) {
      if (part.body < 0) continue;
      const m = this.models[part.body], turn = (v) => [0, 1, 2].map((k) => m[4 * k] * v[0] + m[4 * k + 1] * v[1] + m[4 * k + 2] * v[2]);
      found(part.body, this.hitMesh(part, turn(V.sub(ray.from, [m[12], m[13], m[14]])), turn(ray.along)));
    }
    for (const ball of this.scene.balls) {
      if (ball.body < 0) continue;
      // Small things are easier to catch than to see.
      const radius = Math.max(ball.radius, 9 / Math.max(1e-9, this.pixels(this.position(ball.point)) / this.ratio));
      const to = V.sub(this.position(ball.point), ray.from), s = V.dot(to, ray.along), off = V.dot(to, to) - s * s;
      if (off < radius * radius) found(ball.body, s - Math.sqrt(radius * radius - off));
    }
    if (!best) best = this.pickNear(x, y, ray);
    if (best) best.point = this.inBody(best.body, best.at);
    return best;
  }
  /// Thin rods: the nearest triangle corner within a few pixels.
  pickNear(x, y, ray) {
    let best = null, least = 12;
    for (const part of this.scene.parts) {
      if (part.body < 0) continue;
      const m = this.models[part.body], stride = 6 * Math.max(1, Math.floor(part.vertices.length / 6 / 400));
      for (let i = 0; i + 5 < part.vertices.length; i += stride) {
        const v = part.vertices;
        const at = [0, 1, 2].map((k) => m[12 + k] + m[k] * v[i] + m[4 + k] * v[i + 1] + m[8 + k] * v[i + 2]);
        const p = this.project(at);
        if (!p) continue;
        const gap = Math.hypot((p[0] + 1) / 2 * this.overlay.clientWidth - x, (1 - p[1]) / 2 * this.overlay.clientHeight - y);
        if (gap < least) { least = gap; best = { body: part.body, at, distance: V.length(V.sub(at, ray.from)) }; }
      }
    }
    return best;
  }
  hitMesh(part, from, along) {
    const v = part.vertices, t = part.triangles;
    let best = Infinity;
    for (let i = 0; i + 2 < t.length; i += 3) {  // Moeller and Trumbore (1997)
      const a = 6 * t[i], b = 6 * t[i + 1], c = 6 * t[i + 2];
      const e1 = [v[b] - v[a], v[b + 1] - v[a + 1], v[b + 2] - v[a + 2]], e2 = [v[c] - v[a], v[c + 1] - v[a + 1], v[c + 2] - v[a + 2]];
      const p = V.cross(along, e2), det = V.dot(e1, p);
      if (Math.abs(det) < 1e-20) continue;
      const s = [from[0] - v[a], from[1] - v[a + 1], from[2] - v[a + 2]], u = V.dot(s, p) / det;
      if (u < 0 || u > 1) continue;
      const q = V.cross(s, e1), w = V.dot(along, q) / det;
      if (w < 0 || u + w > 1) continue;
      const d = V.dot(e2, q) / det;
      if (d > 0 && d < best) best = d;
    }
    return best < Infinity ? best : NaN;
  }
  inBody(body, at) {
    const m = this.models[body], d = V.sub(at, [m[12], m[13], m[14]]);
    return [0, 1, 2].map((k) => m[4 * k] * d[0] + m[4 * k + 1] * d[1] + m[4 * k + 2] * d[2]);
  }
  inGround(body, point) {
    const m = this.models[body];
    return [0, 1, 2].map((k) => m[12 + k] + m[k] * point[0] + m[4 + k] * point[1] + m[8 + k] * point[2]);
  }

  listen() {
    const e = this.overlay;
    const place = (event) => { const box = e.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
    e.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || event.shiftKey || this.pulled) return;
      const hit = this.pick(...place(event));
      this.select(hit ? hit.body : -1);
      if (!hit || !this.history.scene.bodies[hit.body].pull) return;
      event.stopImmediatePropagation();
      e.setPointerCapture(event.pointerId);
      this.pulled = { body: hit.body, point: hit.point, depth: V.dot(V.sub(hit.at, this.eye), this.back), target: hit.at, id: event.pointerId };
      this.hands.onPull(this.pulled);
      this.moved = true;
    });
    e.addEventListener("pointermove", (event) => {
      const at = place(event);
      if (!this.pulled) {
        if (event.buttons === 0) this.hover(at);
        return;
      }
      if (event.pointerId !== this.pulled.id) return;
      event.stopImmediatePropagation();
      // The cursor stays in the plane of the screen through the point where the body was caught.
      const ray = this.ray(...at);
      this.pulled.target = V.add(ray.from, V.mul(ray.along, this.pulled.depth / V.dot(ray.along, this.back)));
      this.hands.onPull(this.pulled);
      this.moved = true;
    });
    const release = (event) => {
      if (!this.pulled || event.pointerId !== this.pulled.id) return;
      event.stopImmediatePropagation();
      this.pulled = null;
      this.force = null;
      this.hands.onPull(null);
      this.moved = true;
    };
    e.addEventListener("pointerup", release);
    e.addEventListener("pointercancel", release);
    e.addEventListener("pointermove", (event) => { if (event.buttons) this.turned = true; });
    e.addEventListener("wheel", () => { this.turned = true; }, { passive: true });
    super.listen();
  }
  fit() { this.turned = false; super.fit(); }
  hover(at) {
    const now = performance.now();
    if (now - (this.lastHover || 0) < 60) return;
    this.lastHover = now;
    const hit = this.pick(...at), body = hit ? hit.body : -1;
    this.overlay.style.cursor = body >= 0 ? "pointer" : "";
    if (body === this.hovered) return;
    this.hovered = body;
    this.hands.onHover(body);
    this.moved = true;
  }
  select(body) {
    if (body === this.selected) return;
    this.selected = body;
    this.hands.onSelect(body);
    this.moved = true;
  }

  // ---- framing ------------------------------------------------------------------------------------------------------------
  /// Widens the picture to hold the newest sample; the camera follows unless the user has turned or moved it.
  widen() {
    const h = this.history, n = h.scene.bodies.length, i = h.count - 1;
    if (i < 0) return;
    let grown = false;
    const low = V.sub(this.middle, V.mul(this.extent, 0.5)), high = V.add(this.middle, V.mul(this.extent, 0.5));
    const include = (x, k, reach) => {
      if (!Number.isFinite(x)) return;
      if (x - reach < low[k]) { low[k] = x - reach; grown = true; }
      if (x + reach > high[k]) { high[k] = x + reach; grown = true; }
    };
    for (let b = 0; b < n; b++) for (let k = 0; k < 3; k++) include(h.poses[7 * (i * n + b) + k], k, 0);
    const points = h.scene.sources.length;
    for (let p = 0; p < points; p++) for (let k = 0; k < 3; k++) include(h.positions[3 * (i * points + p) + k], k, 0);
    if (!grown) return;
    // Something that flies away for good is not worth shrinking everything else.
    if (V.length(V.sub(high, low)) > 12 * Math.max(this.firstRadius ||= this.radius, this.scene.size)) return;
    this.extent = V.sub(high, low);
    this.middle = V.mul(V.add(low, high), 0.5);
    this.radius = Math.max(this.radius, 0.5 * V.length(this.extent));
    this.low = low;
    if (!this.turned && !this.followed) { this.goal = [...this.middle]; this.fitting = true; this.target = [...this.middle]; }
  }

  /// Shapes follow the parameters: `values` by name.
  morph(values) {
    const changed = new Set();
    for (const m of this.scene.morphs) for (const [p] of m.parts || []) changed.add(p);
    for (const p of changed) {
      const part = this.scene.parts[p];
      part.first ||= part.vertices.slice();
      part.vertices.set(part.first);
      for (const m of this.scene.morphs)
        for (const [which, slopes] of m.parts || []) {
          if (which !== p) continue;
          m.decoded ||= new Map();
          if (!m.decoded.has(p)) m.decoded.set(p, decodeNumbers(slopes, Float32Array));
          const d = m.decoded.get(p), by = values.get(m.parameter) - m.at;
          for (let v = 0; v < d.length; v++) part.vertices[6 * Math.floor(v / 3) + v % 3] += by * d[v];
        }
      part.middle = null;
      if (!this.gl) continue;
      this.gl.bindBuffer(this.gl.ARRAY_BUFFER, part.mesh.vertices);
      this.gl.bufferData(this.gl.ARRAY_BUFFER, part.vertices, this.gl.STATIC_DRAW);
    }
    for (const source of this.history.scene.sources) if (source.first) source.fixed = [...source.first];
    for (const m of this.scene.morphs)
      for (const [i, slope] of m.sources || []) {
        const source = this.history.scene.sources[i], by = values.get(m.parameter) - m.at;
        source.first ||= [...source.fixed];
        source.fixed = source.fixed.map((v, k) => v + by * slope[k]);
      }
    this.moved = true;
  }

  // ---- drawing --------------------------------------------------------------------------------------------------------------
  draw(at, s) {
    if (this.gl)
      for (const part of this.parts()) {
        const lit = part.body >= 0 && (part.body === this.selected || part.body === this.hovered);
        const share = part.body === this.selected ? 0.55 : 0.25;
        part.rgb = lit ? part.own.map((c, k) => c * (1 - share) + ACCENT[k] * share) : part.own;
      }
    super.draw(at, s);
  }
  drawArrows() {
    super.drawArrows();
    if (!this.pulled) return;
    const from = this.inGround(this.pulled.body, this.pulled.point), along = V.sub(this.pulled.target, from), length = V.length(along);
    if (!(length > 1e-4 * this.radius)) return;
    const head = Math.min(0.09 * this.radius, 0.5 * length), width = 0.009 * this.radius;
    this.drawMesh(this.ball, alongMatrix(from, [0, 0, 1], 0.022 * this.radius, 0.022 * this.radius), ACCENT);
    this.drawMesh(this.shaft, alongMatrix(from, along, length - head, width), ACCENT);
    this.drawMesh(this.head, alongMatrix(V.add(from, V.mul(V.unit(along), length - head)), along, head, 0.4 * head), ACCENT);
  }
  drawOverlay() {
    super.drawOverlay();
    const c = this.overlay.getContext("2d"), r = this.ratio, style = getComputedStyle(document.body);
    c.font = `600 ${12 * r}px system-ui, sans-serif`;
    c.lineWidth = 3 * r;
    c.strokeStyle = style.getPropertyValue("--card");
    if (this.pulled && this.force !== null && this.force !== undefined) {
      c.fillStyle = style.getPropertyValue("--accent");
      this.label(c, `${Number(this.force.toPrecision(3))} N`, this.pulled.target);
    }
    const named = this.hovered >= 0 ? this.hovered : this.selected;
    if (named >= 0 && !this.shown.names && !this.pulled) {
      c.fillStyle = style.getPropertyValue("--ink");
      const own = this.scene.parts.find((part) => part.body === named);
      this.label(c, this.scene.bodies[named], own ? this.inGround(named, partMiddle(own)) : [...this.models[named].slice(12, 15)]);
    }
  }
}

function partMiddle(part) {
  if (part.middle) return part.middle;
  const sum = [0, 0, 0], n = part.vertices.length / 6;
  for (let i = 0; i < n; i++) for (let k = 0; k < 3; k++) sum[k] += part.vertices[6 * i + k] / n;
  return (part.middle = sum);
}
