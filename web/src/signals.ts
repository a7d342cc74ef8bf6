// The quantities that can be plotted, metered and saved: by name, in groups, each a number for each sample.

import { type Lookup, readExpression } from "./expression";
import type { History, SignalPlace } from "./history";

interface Signal { unit: string; value: (sample: number) => number }

export class Signals {
  readonly groups = new Map<string, string[]>();
  private readonly all = new Map<string, Signal>();

  /// `parameters`: their values now.
  constructor(private readonly history: History, private readonly parameters: () => Map<string, number>) {
    const scene = history.scene, from = (place: SignalPlace) => (i: number): number => history.value(place, i);
    for (const s of scene.signals) this.add(s.group, this.all.has(s.name) ? `${s.name} (${s.group})` : s.name, s.unit, from(s));
    if (scene.kinetic !== undefined) this.add("energy", "kinetic energy", "J", from({ from: "energy", at: "kinetic" }));
    if (scene.potential !== undefined) {
      this.add("energy", "potential energy", "J", from({ from: "energy", at: "potential" }));
      this.add("energy", "total energy", "J", from({ from: "energy", at: "total" }));
    }
    this.addReactions();
    this.addMomentum();
  }
  private add(group: string, name: string, unit: string, value: (i: number) => number): void {
    this.all.set(name, { unit, value });
    this.groups.set(group, [...(this.groups.get(group) ?? []), name]);
  }
  /// The size of each force and torque that an arrow shows.
  private addReactions(): void {
    const h = this.history, n = h.scene.arrows.length;
    h.scene.arrows.forEach((arrow, k) => {
      const kind = arrow.torque ? "torque" : "force", group = arrow.reaction ? "reactions of joints" : "loads", name = `${kind} ${arrow.name}`;
      if (this.all.has(name)) return;
      this.add(group, name, arrow.torque ? "N*m" : "N", (i) => Math.hypot(...[0, 1, 2].map((c) => h.vectors[3 * (i * n + k) + c])));
    });
  }
  /// Linear momentum of everything, from places of the mass centres in two samples.
  private addMomentum(): void {
    const h = this.history, bodies = h.scene.bodies.filter((b) => b.com !== undefined && b.mass > 0);
    if (!bodies.length) return;
    "xyz".split("").forEach((axis, k) => this.add("momentum", `momentum ${axis}`, "kg*m/s", (i) => {
      const a = Math.max(0, i - 1), dt = h.times[i] - h.times[a];
      if (!(dt > 0)) return NaN;
      const now = h.row(i), before = h.row(a);
      return bodies.reduce((sum, b) => sum + b.mass * (now[(b.com as number) + k] - before[(b.com as number) + k]) / dt, 0);
    }));
  }

  has(name: string): boolean { return this.all.has(name); }
  unit(name: string): string { return this.all.get(name)?.unit ?? ""; }
  get names(): string[] { return [...this.all.keys()]; }
  reader(name: string): (sample: number) => number { return this.all.get(name)?.value ?? (() => NaN); }
  get count(): number { return this.history.count; }
  time(sample: number): number { return this.history.times[sample]; }
  /// The sample at a time.
  at(t: number): number { return this.history.before(t); }
  /// The first and the last sample of a span of time, and one more at each side.
  window([a, b]: [number, number]): [number, number] {
    const last = this.history.count - 1;
    return [this.history.before(a), Math.max(0, Math.min(last, this.history.before(b) + 1))];
  }

  // ---- expressions ---------------------------------------------------------------------------------------------------------------
  knows(name: string): boolean {
    const s = this.history.scene;
    return name === "t" || (name === "kinetic" && s.kinetic !== undefined) || (name === "potential" && s.potential !== undefined)
      || s.signals.some((one) => one.name === name) || this.parameters().has(name);
  }
  lookup(i: number): Lookup {
    const h = this.history;
    return (name) => {
      if (name === "t") return h.times[i];
      if (name === "kinetic" || name === "potential") return h.energy(i, name);
      const s = h.scene.signals.find((one) => one.name === name);
      return s ? h.value(s, i) : this.parameters().get(name) ?? NaN;
    };
  }
  /// A meter becomes a signal. Throws a sentence if it is not an expression of known names.
  addExpression(text: string): (sample: number) => number {
    const term = readExpression(text, (name) => this.knows(name)), value = (i: number): number => term(this.lookup(i));
    if (!this.all.has(text)) this.add("meters", text, "", value);
    return value;
  }
}
