// The model runs in the server; this is its image here. docs/protocol.md has the messages.

class SocketEngine {
  constructor(workspace, link) {
    this.workspace = workspace;
    this.link = link;
    this.force = null;
    this.pace = 1;
    this.waiting = [];
  }
  setInfo(info) { this.info = info; this.values = info.parameters.map((p) => p.value); this.residual = info.constrained ? 0 : null; }
  send(message) { this.link.send(message); }
  frame() {}
  /// Frames that were on their way still show the state before; until one agrees, or a second has passed, the wish counts.
  play(on) { this.wish = { on, until: performance.now() + 1000 }; this.send({ type: "play", on }); }
  step() { this.send({ type: "step" }); }
  reset() { this.send({ type: "reset" }); if (this.workspace.playing) this.play(true); }
  resume(t, state) { this.send({ type: "resume", t, state: [...state] }); }
  setSpeed(value) { this.send({ type: "speed", value }); }
  setInput(i, value) { this.send({ type: "input", name: this.info.inputs[i].name, value }); }
  setParameter(i, value) {
    this.send({ type: "parameter", name: this.info.parameters[i].name, value });
    return new Promise((done) => { this.waiting.push(done); });
  }
  parameterValue(i) { return this.values[i]; }
  pull(hold) {
    if (hold) { this.send({ type: "pull", body: hold.body, point: hold.point, target: hold.target }); this.workspace.first = null; }
    else { this.send({ type: "release" }); this.force = null; }
  }
  settle(why) { for (const done of this.waiting.splice(0)) done(why); }
  /// A binary frame.
  take(buffer) {
    const view = new DataView(buffer), version = view.getUint32(4, true);
    if (view.getUint32(0, true) !== 0x314e414b || !this.info || version !== this.info.version) return;
    const flags = view.getUint32(48, true), states = view.getUint32(52, true), row = view.getUint32(56, true);
    this.pace = view.getFloat64(16, true);
    this.force = flags & 4 ? view.getFloat64(24, true) : null;
    this.portEnergy = flags & 4 ? view.getFloat64(32, true) : null;
    if (this.info.constrained) this.residual = view.getFloat64(40, true);
    const playing = (flags & 1) !== 0;
    if (this.wish && (playing === this.wish.on || performance.now() > this.wish.until)) this.wish = null;
    if (!this.wish && this.workspace.live && playing !== this.workspace.playing) this.workspace.showPlaying(playing);
    if (!this.workspace.live) return;
    const numbers = new Float64Array(buffer, 64, states + row);
    this.workspace.sample(view.getFloat64(8, true), numbers.subarray(0, states), numbers.subarray(states));
  }
  meters() { return this.portEnergy === null || this.portEnergy === undefined ? [] : [[`hand ${this.portEnergy.toPrecision(3)} J`]]; }
}
