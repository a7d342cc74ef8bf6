// What is written over the view: names, numbers of forces, mass centres, the legend of the arrows, the axes of the ground.

import { colours } from "./dom";
import { partMiddle } from "./picking";
import { V, originOf, type Vec } from "./vectors";
import { ARROW_KINDS, type SceneView } from "./view";

const FONT = "system-ui, sans-serif";

/// Steps of 1, 2 or 5 with about `count` of them in a span.
export function niceStep(span: number, count: number): number {
  const raw = span / Math.max(1, count), power = Math.pow(10, Math.floor(Math.log10(raw)));
  return power * ([1, 2, 5, 10].find((k) => k * power >= raw * 0.999) ?? 10);
}

class Overlay {
  private readonly c: CanvasRenderingContext2D;
  private readonly paint = colours();
  constructor(private readonly view: SceneView) {
    const canvas = view.stage.overlay;
    this.c = canvas.getContext("2d") as CanvasRenderingContext2D;
    const ratio = canvas.width / view.camera.width;
    this.c.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.c.clearRect(0, 0, view.camera.width, view.camera.height);
    this.c.lineJoin = "round";
  }
  private label(text: string, at: Vec, color: string, weight = 400, dy = 0): void {
    const p = this.view.camera.project(at);
    if (!p) return;
    this.c.font = `${weight} 12px ${FONT}`;
    this.c.lineWidth = 3;
    this.c.strokeStyle = this.paint("card");
    this.c.fillStyle = color;
    this.c.strokeText(text, p[0] + 7, p[1] - 6 + dy);
    this.c.fillText(text, p[0] + 7, p[1] - 6 + dy);
  }
  draw(): void {
    const { view, paint } = this, scene = view.history.scene;
    if (!view.stage.renderer) {
      this.c.font = `14px ${FONT}`;
      this.c.fillStyle = paint("ink");
      this.c.fillText("This browser does not support WebGL, which the animation needs.", 20, 70);
    }
    this.smallBodies();
    if (view.shown.centres) scene.bodies.forEach((_, b) => { const at = view.centre(b); if (at) this.massCentre(at); });
    if (view.shown.names) {
      scene.bodies.forEach((body, b) => this.label(body.name, this.middle(b), paint("ink")));
      scene.balls.forEach((ball) => this.label(ball.name, view.place(ball.point), paint("ink")));
    }
    if (view.shown.numbers) this.numbers();
    if (view.pulled && view.force !== null) this.label(`${Number(view.force.toPrecision(3))} N`, view.pulled.target, paint("accent"), 600);
    const named = view.hovered >= 0 ? view.hovered : view.selected;
    if (named >= 0 && !view.shown.names && !view.pulled) this.label(scene.bodies[named].name, this.middle(named), paint("ink"), 600);
    this.joints();
    if (view.shown.legend) this.legend();
    this.axes();
  }
  private middle(body: number): Vec {
    const part = this.view.history.scene.parts.find((p) => p.body === body);
    return part ? this.view.inGround(body, partMiddle(part)) : originOf(this.view.poses[body]);
  }
  private joints(): void {
    const { view, paint } = this, joints = view.history.scene.joints ?? [];
    joints.forEach((joint, i) => {
      const locked = view.locked.has(joint.name);
      if (locked) this.label("locked", view.jointPlace(i), paint("bad"), 600, 14);
      if (i === view.hoveredJoint) this.label(`${joint.name}: double-click to ${locked ? "release" : "lock"}`, view.jointPlace(i), paint("ink"), 600);
    });
  }
  /// A dot where a body is too small to be seen.
  private smallBodies(): void {
    const { view, c } = this, scene = view.history.scene, least = 4.5;
    const mark = (at: Vec, radius: number, color: string): void => {
      const p = view.camera.project(at);
      if (!p || radius * view.camera.pixels(at) >= least) return;
      c.beginPath();
      c.arc(p[0], p[1], least, 0, 7);
      c.fillStyle = color;
      c.fill();
    };
    scene.bodies.forEach((_, b) => {
      const own = scene.parts.filter((part) => part.body === b);
      if (own.length) mark(originOf(view.poses[b]), this.reach(b), own[0].color);
    });
    for (const ball of scene.balls) mark(view.place(ball.point), ball.radius, ball.color);
  }
  private static readonly reaches = new WeakMap<object, number[]>();
  private reach(body: number): number {
    const scene = this.view.history.scene;
    let all = Overlay.reaches.get(scene);
    if (!all) {
      all = scene.bodies.map(() => 0);
      for (const part of scene.parts)
        if (part.body >= 0)
          for (let i = 0; i + 5 < part.vertices.length; i += 6) all[part.body] = Math.max(all[part.body], Math.hypot(part.vertices[i], part.vertices[i + 1], part.vertices[i + 2]));
      Overlay.reaches.set(scene, all);
    }
    return all[body];
  }
  /// The sign of a mass centre: a disk of four quarters.
  private massCentre(at: Vec): void {
    const p = this.view.camera.project(at), c = this.c;
    if (!p) return;
    for (let quarter = 0; quarter < 4; quarter++) {
      c.beginPath();
      c.moveTo(p[0], p[1]);
      c.arc(p[0], p[1], 6.5, quarter * Math.PI / 2, (quarter + 1) * Math.PI / 2);
      c.fillStyle = quarter % 2 ? this.paint("card") : this.paint("ink");
      c.fill();
    }
    c.beginPath();
    c.arc(p[0], p[1], 6.5, 0, 7);
    c.lineWidth = 1.2;
    c.strokeStyle = this.paint("ink");
    c.stroke();
  }
  private numbers(): void {
    const { view } = this;
    view.history.scene.arrows.forEach((arrow, i) => {
      if (!view.isArrowShown(i)) return;
      const size = V.length(view.arrow(i)), kind = ARROW_KINDS[view.arrowKind(i)];
      if (view.extent.arrowLength(size, arrow.torque) > 0.03 * view.extent.radius) this.label(`${Number(size.toPrecision(3))} ${kind.unit}`, view.tip(i), kind.color, 600);
    });
  }
  /// The meaning of the arrows' colours, and their scale.
  private legend(): void {
    const { view, c } = this, scene = view.history.scene, right = view.camera.width - 14;
    const kinds = ARROW_KINDS.map((kind, k) => ({ ...kind, k })).filter(({ k }) => scene.arrows.some((a, i) => view.arrowKind(i) === k && view.isArrowShown(i) && view.extent.unitLength[a.torque ? 1 : 0] > 0));
    c.font = `11px ${FONT}`;
    c.textAlign = "right";
    kinds.forEach((kind, row) => {
      const y = view.camera.height - 14 - 17 * (kinds.length - 1 - row), torque = kind.unit !== "N";
      const each = view.extent.unitLength[torque ? 1 : 0] * view.camera.pixels(view.camera.target), amount = each > 0 ? niceStep(40 / each, 1) : 0, long = amount * each;
      c.strokeStyle = kind.color;
      c.lineWidth = 3;
      if (long > 0) { c.beginPath(); c.moveTo(right - long, y - 4); c.lineTo(right, y - 4); c.stroke(); }
      c.fillStyle = this.paint("ink");
      c.fillText(kind.name + (long > 0 ? `, ${Number(amount.toPrecision(3))} ${kind.unit}` : ""), right - Math.max(long, 0) - 6, y);
    });
    c.textAlign = "left";
  }
  private axes(): void {
    const { view, c } = this, o = [42, view.camera.height - 42], l = 28;
    c.font = `12px ${FONT}`;
    ([[1, 0, 0], [0, 1, 0], [0, 0, 1]] as Vec[]).forEach((axis, k) => {
      const x = o[0] + l * V.dot(axis, view.camera.right), y = o[1] - l * V.dot(axis, view.camera.above);
      if (Math.hypot(x - o[0], y - o[1]) < 3) return;
      c.strokeStyle = c.fillStyle = ["#d0403a", "#3a9a4a", "#3a6fd0"][k];
      c.lineWidth = 2;
      c.beginPath();
      c.moveTo(o[0], o[1]);
      c.lineTo(x, y);
      c.stroke();
      c.fillText("xyz"[k], x + 3 * Math.sign(x - o[0] + 0.01), y);
    });
  }
}

export function drawOverlay(view: SceneView): void { new Overlay(view).draw(); }
