// The picture of a drawing: grid, bodies, symbols of joints, springs and dampers, and the outline of the motion.

import { colours } from "./dom";
import type { DrawPane } from "./draw_pane";
import { LENGTHS, P2, type Body, type DrawnJoint, type Link, type Pair, type Point } from "./drawing";

export class DrawingPainter {
  private readonly g: CanvasRenderingContext2D;
  private readonly w: number;
  private readonly h: number;
  private readonly colour = colours();
  constructor(private readonly pane: DrawPane) {
    const sheet = pane.sheet, ratio = devicePixelRatio || 1, w = sheet.clientWidth, h = sheet.clientHeight;
    if (sheet.width !== Math.round(w * ratio) || sheet.height !== Math.round(h * ratio)) [sheet.width, sheet.height] = [Math.round(w * ratio), Math.round(h * ratio)];
    this.g = sheet.getContext("2d") as CanvasRenderingContext2D;
    this.g.setTransform(ratio, 0, 0, ratio, 0, 0);
    [this.w, this.h] = [w, h];
  }
  paint(): void {
    const { pane, g } = this, d = pane.drawing;
    g.fillStyle = this.colour("card");
    g.fillRect(0, 0, this.w, this.h);
    this.grid();
    for (const b of d.bodies) this.body(b, b === pane.selected);
    for (const p of d.pairs) this.pair(p, p === pane.selected);
    for (const l of d.links) this.link(l, l === pane.selected);
    for (const j of d.joints) this.joint(j, j === pane.selected);
    this.motion();
    if (pane.drag?.kind === "draw") this.sketch(pane.drag.from, pane.drag.to);
    if (pane.drag?.kind === "path") this.path(pane.drag.points);
    if (pane.cursor && pane.tool !== "select") { const [x, y] = pane.toScreen(pane.cursor); this.ring(x, y, 4, this.colour("accent")); }
  }
  private grid(): void {
    const { pane, g } = this, step = pane.grid, [x0, y1] = pane.toMetres(0, 0), [x1, y0] = pane.toMetres(this.w, this.h);
    g.lineWidth = 1;
    const line = (k: number, a: Point, b: Point): void => {
      g.strokeStyle = this.colour(k === 0 ? "faint" : "line");
      g.globalAlpha = k % 5 === 0 ? 0.9 : 0.4;
      g.beginPath(); g.moveTo(...a); g.lineTo(...b); g.stroke();
    };
    for (let k = Math.ceil(x0 / step); k * step < x1; k++) { const x = pane.toScreen([k * step, 0])[0]; line(k, [x, 0], [x, this.h]); }
    for (let k = Math.ceil(y0 / step); k * step < y1; k++) { const y = pane.toScreen([0, k * step])[1]; line(k, [0, y], [this.w, y]); }
    g.globalAlpha = 1;
    g.fillStyle = this.colour("faint");
    g.font = "11px system-ui, sans-serif";
    g.fillText(`grid ${Number((step / LENGTHS[pane.unit]).toPrecision(2))} ${pane.unit}`, 14, this.h - 12);
  }
  /// Outline of a body; `pose` {at, angle} of its axes, where it is not as drawn.
  private outline(b: Body, pose?: { at: Point; angle: number }): void {
    const { pane, g } = this, o = b.kind === "bar" ? b.a : b.at, to = (p: Point): Point => pane.toScreen(pose ? P2.add(pose.at, P2.turn(P2.sub(p, o), pose.angle)) : p);
    g.beginPath();
    if (b.kind === "disk") {
      const [x, y] = to(b.at), r = b.radius * pane.scale, e = to(P2.add(b.at, [b.radius, 0]));
      g.arc(x, y, r, 0, 2 * Math.PI); g.moveTo(x, y); g.lineTo(...e);
      return;
    }
    if (b.kind === "box" || b.kind === "polygon") { this.pane.drawing.corners(b).forEach((p, k) => (k ? g.lineTo(...to(p)) : g.moveTo(...to(p)))); g.closePath(); return; }
    const a = to(b.a), e = to(b.b), angle = Math.atan2(e[1] - a[1], e[0] - a[0]), r = Math.max(2, b.width / 2 * pane.scale);
    g.arc(...a, r, angle + Math.PI / 2, angle - Math.PI / 2);
    g.arc(...e, r, angle - Math.PI / 2, angle + Math.PI / 2);
    g.closePath();
  }
  private body(b: Body, lit: boolean): void {
    const g = this.g;
    this.outline(b);
    g.fillStyle = lit ? this.colour("accent") : this.colour("faint");
    g.globalAlpha = lit ? 0.3 : 0.22;
    g.fill();
    g.globalAlpha = 1;
    g.strokeStyle = lit ? this.colour("accent") : this.colour("ink");
    g.lineWidth = 1.4;
    g.stroke();
    const [x, y] = this.pane.toScreen(b.kind === "bar" ? P2.middle(b.a, b.b) : b.at);
    g.fillStyle = this.colour("faint");
    g.font = "11px system-ui, sans-serif";
    g.fillText(b.name, x + 9, y - 9);
  }
  private ring(x: number, y: number, r: number, colour: string, fill?: string): void {
    const g = this.g;
    g.beginPath(); g.arc(x, y, r, 0, 2 * Math.PI);
    if (fill) { g.fillStyle = fill; g.fill(); }
    g.strokeStyle = colour; g.lineWidth = 1.6; g.stroke();
  }
  private hatch(x: number, y: number, angle: number): void {
    const g = this.g;
    g.save(); g.translate(x, y); g.rotate(angle);
    g.beginPath(); g.moveTo(-13, 0); g.lineTo(13, 0);
    for (let k = -12; k <= 12; k += 5) { g.moveTo(k, 0); g.lineTo(k - 4, 6); }
    g.stroke(); g.restore();
  }
  private joint(j: DrawnJoint, lit: boolean): void {
    const { pane, g } = this, [x, y] = pane.toScreen(j.at), ink = this.colour(lit ? "accent" : "ink"), grounded = j.of.includes("N");
    g.strokeStyle = ink;
    g.lineWidth = 1.4;
    if (j.kind === "slider" || j.kind === "slot") {
      const axis = j.axis ?? [1, 0], angle = -Math.atan2(axis[1], axis[0]);
      g.save(); g.translate(x, y); g.rotate(angle);
      g.beginPath(); g.moveTo(-34, -9); g.lineTo(34, -9); g.moveTo(-34, 9); g.lineTo(34, 9); g.stroke();
      if (j.kind === "slider") g.strokeRect(-10, -6, 20, 12);
      g.restore();
      if (grounded) this.hatch(x - 9 * Math.sin(angle), y + 9 * Math.cos(angle), angle);
    } else if (grounded && j.kind === "pin") {
      g.beginPath(); g.moveTo(x, y); g.lineTo(x - 8, y + 14); g.lineTo(x + 8, y + 14); g.closePath(); g.stroke();
      this.hatch(x, y + 14, 0);
    } else if (grounded) this.hatch(x, y + 6, 0);
    if (j.kind === "weld") { g.fillStyle = ink; g.fillRect(x - 5, y - 5, 10, 10); }
    else if (j.kind !== "slider") this.ring(x, y, 4.5, ink, this.colour("card"));
    if (j.value.has("actuator")) {
      g.beginPath(); g.arc(x, y, 13, -2.6, 0.9); g.lineTo(x + 13 * Math.cos(0.9) + 6, y + 13 * Math.sin(0.9) - 4); g.strokeStyle = this.colour("accent"); g.lineWidth = 2; g.stroke();
    }
  }
  /// A short line across the place of a contact, a floor with its hatching, or the pitch circles of gears.
  private pair(pair: Pair, lit: boolean): void {
    const { pane, g } = this, at = pane.pairPlace(pair), [x, y] = pane.toScreen(at);
    g.strokeStyle = this.colour(lit ? "accent" : "faint");
    g.lineWidth = 1.4;
    if (pair.kind === "gear") {
      g.setLineDash([3, 3]);
      for (const n of pair.of) { const b = pane.drawing.body(n); if (b?.kind === "disk") { g.beginPath(); g.arc(...pane.toScreen(b.at), b.radius * pane.scale - 3, 0, 2 * Math.PI); g.stroke(); } }
      g.setLineDash([]);
      this.ring(x, y, 5, this.colour(lit ? "accent" : "ink"), this.colour("card"));
      return;
    }
    if (pair.of.includes("N")) { g.beginPath(); g.moveTo(0, y); g.lineTo(this.w, y); g.stroke(); this.hatch(x, y, 0); return; }
    const [a, b] = pair.of.map((n) => pane.toScreen(pane.drawing.middle(n)));
    g.setLineDash([2, 4]);
    g.beginPath(); g.moveTo(...a); g.lineTo(...b); g.stroke();
    g.setLineDash([]);
    g.beginPath(); g.moveTo(x - 5, y - 5); g.lineTo(x + 5, y + 5); g.moveTo(x - 5, y + 5); g.lineTo(x + 5, y - 5); g.stroke();
  }
  /// Clicks of a polygon or a rope so far.
  private path(points: Point[]): void {
    const { pane, g } = this, all = (pane.cursor ? [...points, pane.cursor] : points).map((p) => pane.toScreen(p));
    g.strokeStyle = this.colour("accent");
    g.lineWidth = 1.6;
    g.setLineDash([5, 4]);
    g.beginPath();
    for (const p of all) g.lineTo(...p);
    if (pane.tool === "polygon") g.closePath();
    g.stroke();
    g.setLineDash([]);
    for (const p of all) this.ring(...p, 3, this.colour("accent"));
  }
  private link(link: Link, lit: boolean): void {
    const { pane, g } = this;
    if (link.kind !== "rope") { this.spring(link.kind, link.ends[0].at, link.ends[1].at, lit); return; }
    g.strokeStyle = this.colour(lit ? "accent" : "ink");
    g.lineWidth = 1.8;
    g.beginPath();
    for (const e of link.ends) g.lineTo(...pane.toScreen(e.at));
    g.stroke();
    for (const e of link.ends) this.ring(...pane.toScreen(e.at), 3, this.colour(lit ? "accent" : "ink"), this.colour("card"));
  }
  private spring(kind: "spring" | "damper", a: Point, b: Point, lit: boolean): void {
    const { pane, g } = this, p = pane.toScreen(a), q = pane.toScreen(b), l = Math.hypot(q[0] - p[0], q[1] - p[1]);
    g.save(); g.translate(...p); g.rotate(Math.atan2(q[1] - p[1], q[0] - p[0]));
    g.strokeStyle = this.colour(lit ? "accent" : "ink");
    g.lineWidth = 1.4;
    g.beginPath(); g.moveTo(0, 0);
    if (kind === "spring") { for (let k = 0; k <= 10; k++) g.lineTo(l * (0.15 + 0.07 * k), k === 0 || k === 10 ? 0 : k % 2 ? 7 : -7); g.lineTo(l, 0); }
    else { g.lineTo(0.5 * l, 0); g.moveTo(0.5 * l, -6); g.lineTo(0.5 * l, 6); g.moveTo(0.62 * l, -8); g.lineTo(0.38 * l, -8); g.lineTo(0.38 * l, 8); g.lineTo(0.62 * l, 8); g.moveTo(0.62 * l, 0); g.lineTo(l, 0); }
    g.stroke(); g.restore();
    for (const end of [p, q]) this.ring(end[0], end[1], 2.5, this.colour(lit ? "accent" : "ink"));
  }
  /// Where the bodies are now.
  private motion(): void {
    const { g, pane } = this, workspace = pane.hands.workspace, h = workspace.history;
    if (!h?.count || !pane.hands.running()) return;
    const i = workspace.live ? h.count - 1 : h.before(workspace.time), n = h.scene.bodies.length;
    g.strokeStyle = this.colour("accent");
    g.lineWidth = 1.6;
    h.scene.bodies.forEach((body, k) => {
      const b = pane.drawing.body(body.name), at = 7 * (i * n + k), p = h.poses;
      if (!b) return;
      this.outline(b, { at: [p[at], p[at + 1]], angle: 2 * Math.atan2(p[at + 5], p[at + 6]) });
      g.globalAlpha = 0.1; g.fillStyle = this.colour("accent"); g.fill(); g.globalAlpha = 0.85; g.stroke();
      g.globalAlpha = 1;
    });
  }
  /// Draws a preview of the object being dragged out.
  private sketch(from: Point, to: Point): void {
    const { pane, g } = this, tool = pane.tool, far = P2.far(from, to);
    g.strokeStyle = this.colour("accent");
    g.lineWidth = 1.6;
    g.setLineDash([5, 4]);
    if (tool === "bar") this.outline({ name: "", value: new Map(), kind: "bar", a: from, b: to, width: 0.04 });
    else if (tool === "disk") this.outline({ name: "", value: new Map(), kind: "disk", at: from, radius: far });
    else if (tool === "box") this.outline({ name: "", value: new Map(), kind: "box", at: P2.middle(from, to), size: P2.sub(to, from).map(Math.abs), angle: 0 });
    else { g.beginPath(); g.moveTo(...pane.toScreen(from)); g.lineTo(...pane.toScreen(to)); }
    g.stroke();
    g.setLineDash([]);
    if (far < 1e-6) return;
    const [x, y] = pane.toScreen(to), long = (v: number): string => String(Number((Math.abs(v) / LENGTHS[pane.unit]).toPrecision(3))), size = P2.sub(to, from).map(long);
    g.fillStyle = this.colour("accent");
    g.font = "600 12px system-ui, sans-serif";
    g.fillText(tool === "box" ? `${size[0]} \u00d7 ${size[1]} ${pane.unit}` : `${long(far)} ${pane.unit}`, x + 12, y - 10);
  }
}
