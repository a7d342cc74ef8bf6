// The model runs in the server; this is its image here. docs/protocol.md has the messages.

import type { Engine, MeterLine } from "./engine";
import type { Hold, ModelInfo } from "./model_info";
import type { Workspace } from "./workspace";

const MAGIC = 0x314e414b, HEAD = 64, MARKS = 2 ** 24 - 1, LATEST = 5000;  // ms

export class SocketEngine implements Engine {
  info!: ModelInfo;
  running = true;
  force: number | null = null;
  pace = 1;
  residual: number | null = null;
  values: number[] = [];
  private portEnergy: number | null = null;
  private wish: { on: boolean; until: number } | null = null;
  private mark = 1 + Math.floor(Math.random() * (MARKS - 1));
  private marked: { mark: number; until: number } | null = null;
  private waiting: ((why: string) => void)[] = [];

  constructor(private readonly workspace: Workspace, private readonly send: (message: object) => void) {}
  setInfo(info: ModelInfo): void {
    this.info = info;
    this.marked = null;
    this.values = info.parameters.map((p) => p.value);
    this.residual = info.constrained ? 0 : null;
  }
  frame(): void { /* samples come by themselves */ }
  /// Frames that were on their way still show the state before; until one agrees, or a second has passed, the wish counts.
  play(on: boolean): void { this.wish = { on, until: performance.now() + 1000 }; this.send({ type: "play", on }); }
  step(): void { this.send({ type: "step" }); }
  /// Frames that were under way when the run was put elsewhere are not shown.
  private newMark(): number {
    this.mark = this.mark % MARKS + 1;
    this.marked = { mark: this.mark, until: performance.now() + LATEST };
    return this.mark;
  }
  reset(): void { this.send({ type: "reset", mark: this.newMark() }); if (this.workspace.playing) this.play(true); }
  resume(t: number, state: ArrayLike<number>, stream = false): void { this.send({ type: "resume", t, state: Array.from(state), ...(stream ? {} : { mark: this.newMark() }) }); }
  setSpeed(value: number): void { this.send({ type: "speed", value }); }
  setInput(i: number, value: number): void { this.send({ type: "input", name: this.info.inputs[i].name, value }); }
  setParameter(i: number, value: number): Promise<string> {
    this.send({ type: "parameter", name: this.info.parameters[i].name, value });
    return new Promise((done) => { this.waiting.push(done); });
  }
  parameterValue(i: number): number { return this.values[i]; }
  pull(hold: Hold | null): void {
    if (hold) { this.send({ type: "pull", body: hold.body, point: hold.point, target: hold.target }); return; }
    this.send({ type: "release" });
    this.force = null;
  }
  /// Answers what waits for it; false if nothing does.
  settle(why: string): boolean {
    const waiting = this.waiting.splice(0);
    for (const done of waiting) done(why);
    return waiting.length > 0;
  }
  /// A binary frame.
  take(buffer: ArrayBuffer): void {
    if (buffer.byteLength < HEAD) return;
    const view = new DataView(buffer), version = view.getUint32(4, true);
    if (view.getUint32(0, true) !== MAGIC || !this.info || version !== this.info.version) return;
    const word = view.getUint32(48, true), flags = word & 0xff, states = view.getUint32(52, true), row = view.getUint32(56, true);
    if (this.marked && this.marked.mark !== word >>> 8 && performance.now() < this.marked.until) return;
    this.marked = null;
    this.pace = view.getFloat64(16, true);
    this.force = flags & 4 ? view.getFloat64(24, true) : null;
    this.portEnergy = flags & 4 ? view.getFloat64(32, true) : null;
    if (this.info.constrained) this.residual = view.getFloat64(40, true);
    const playing = this.running = (flags & 1) !== 0;
    if (this.wish && (playing === this.wish.on || performance.now() > this.wish.until)) this.wish = null;
    if (!this.wish && this.workspace.live && playing !== this.workspace.playing) this.workspace.showPlaying(playing);
    if (!this.workspace.live) return;
    const numbers = new Float64Array(buffer, HEAD, states + row);
    this.workspace.take(view.getFloat64(8, true), numbers.subarray(0, states), numbers.subarray(states));
  }
  meters(): MeterLine[] { return this.portEnergy === null ? [] : [[`hand ${this.portEnergy.toPrecision(3)} J`]]; }
}
