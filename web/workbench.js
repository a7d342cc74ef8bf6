// The workbench: gallery, text, live model, analysis. It talks to the server by one WebSocket; if that breaks, it comes back
// by itself, with the text as it was edited.

const STARTER = `kane: 1
name: pendulum
parameters: {m: 1 kg, l: 500 mm, g: 9.81 m/s^2, b: 0.02 N*m*s/rad}
gravity: -g*N.y
bodies:
  rod:
    mass: m
    shape: {rod: {length: l}, at: [0, -l/2, 0], orientation: {axis: x, angle: 90 deg}}
    points: {tip: [0, -l, 0]}
joints:
  pivot: {type: revolute, parent: N, child: rod, axis: z, coordinate: q, damping: b}
initial: {q: 60 deg}
`;

class Workbench {
  constructor() {
    this.workspace = new Workspace({ onSelect: (name) => this.editor.setLit(name), help: [["Ctrl+S", "save"], ["Ctrl+space", "complete a key"]] });
    this.editor = new Editor({ onEdit: (text) => this.edit(text), onSave: () => this.save(false) });
    this.thumbnails = new Thumbnails(this.workspace);
    this.gallery = element("div", { class: "gallery", role: "list" });
    this.engine = new SocketEngine(this.workspace, this);
    const text = this.workspace.panel("left", "Text", this.editor.root);
    text.classList.add("flush");
    this.drawing = new DrawPane({ workspace: this.workspace, text: () => this.editor.text, running: () => !this.unopened,
      onDraw: (next, runs) => this.takeDrawing(next, runs), onNew: () => this.startDrawing() });
    this.workspace.panel("left", "Draw", this.drawing.root);
    this.workspace.panel("left", "Models", this.gallery);
    this.workspace.onShow = (side, title) => {
      if (side === "left") this.drawing.show(title === "Draw");
      if (title === "Models") this.listFiles();
    };
    this.analysis = new AnalysisPane({ send: (m) => this.send(m), workspace: this.workspace, engine: () => this.engine });
    this.workspace.panel("right", "Analysis", this.analysis.root);
    this.workspace.show("left", "Text");
    document.getElementById("actions").append(
      element("button", { onclick: () => this.create() }, "New"), " ",
      element("button", { id: "draw", title: "Draw a mechanism with the mouse", onclick: () => this.draw() }, "Draw"), " ",
      element("button", { onclick: () => this.workspace.show("left", "Models") }, "Open"), " ",
      element("button", { class: "quiet", title: "A tour of a minute", onclick: () => this.tour.go(0) }, "Tour"));
    this.lost = element("div", { id: "lost", role: "status", hidden: true }, "The server does not answer. Trying again; your text is kept.");
    document.body.append(this.lost);
    fetch("schema.json").then((r) => r.json()).then((schema) => { this.editor.keys = new SchemaKeys(schema); }).catch(() => {});
    this.tour = new Tour(this.workspace);
    this.path = null;
    this.listFiles();
    this.connect();
  }

  // ---- the link ------------------------------------------------------------------------------------------------------------------
  connect() {
    const url = new URL("live", location.href);
    url.protocol = "ws:";
    this.socket = new WebSocket(url);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => { this.lost.hidden = true; if (this.path && !this.unopened) this.open(this.path, this.path === "untitled" ? this.editor.text : this.draft()); };
    this.socket.onmessage = (event) => {
      if (event.data instanceof ArrayBuffer) this.engine.take(event.data);
      else this.take(JSON.parse(event.data));
    };
    this.socket.onclose = () => { this.lost.hidden = false; setTimeout(() => this.connect(), 1000); };
  }
  send(message) { if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message)); }
  take(m) {
    const actions = {
      hello: () => this.hello(m), model: () => this.show(m), error: () => { this.editor.setError(m); if (this.drawing.visible) this.drawing.hint(m.message); },
      equations: () => { if (m.version === this.engine.info?.version) this.workspace.setEquations(m.html); },
      values: () => { this.engine.values = m.values; this.engine.settle(""); },
      refused: () => this.engine.settle(`${m.name} cannot have this value: ${m.message}`),
      event: () => this.workspace.mark(m.t, m.text), note: () => this.workspace.note(m.message),
      stopped: () => { this.workspace.showPlaying(false); this.workspace.note(m.message, "bad"); },
      saved: () => { this.seen = m.seen; this.saved = this.editor.text; this.dropDraft(); this.status("saved"); },
      unsaved: () => this.unsaved(m), analysis: () => this.analysis.show(m),
    };
    actions[m.type]?.();
  }
  hello(m) {
    this.writable = m.write;
    this.editor.save.hidden = !m.write;
    if (this.path) return;
    const wanted = decodeURIComponent(location.hash.slice(1)) || m.open || recall("last");
    if (wanted === "untitled" && /^bodies:/m.test(recall("draft.untitled") || "")) { this.create(recall("draft.untitled")); return; }
    fetch("files").then((r) => r.json()).then(({ files }) => {
      const names = files.map((f) => f.path);
      const first = [wanted, "double_pendulum.yaml", names[0]].find((n) => n && names.includes(n));
      if (first) this.choose(first);
      else this.create();
    });
  }

  // ---- models --------------------------------------------------------------------------------------------------------------------
  async listFiles() {
    const { files } = await fetch("files").then((r) => r.json());
    const filter = element("input", { type: "text", placeholder: `Find among ${files.length} models`, "aria-label": "Find a model" });
    const rows = files.map((f) => element("button", { role: "listitem", "aria-current": String(f.path === this.path), "data-path": f.path, onclick: () => this.choose(f.path) },
      this.thumbnails.of(f.path), element("div", {}, element("b", {}, f.path.replace(/\.ya?ml$/, "")), element("span", {}, f.description))));
    filter.addEventListener("input", () => { for (const [i, row] of rows.entries()) row.hidden = !(files[i].path + files[i].description).toLowerCase().includes(filter.value.toLowerCase()); });
    this.gallery.replaceChildren(filter, ...rows);
  }
  /// The text of a file as it was edited here and not saved.
  draft() { return recall("draft." + this.path) || ""; }
  dropDraft() { try { localStorage.removeItem("kane.draft." + this.path); } catch { /* none */ } }
  async choose(path) {
    const file = await fetch("file/" + encodeURIComponent(path)).then((r) => (r.ok ? r.json() : null));
    if (!file) { this.workspace.note(`'${path}' cannot be read.`); return; }
    this.path = path;
    this.seen = file.seen;
    this.saved = file.text;
    location.hash = encodeURIComponent(path);
    remember("last", path);
    this.fresh = true;
    this.unopened = false;
    this.open(path, this.draft());
    this.workspace.show("left", "Text");
    for (const row of this.gallery.querySelectorAll("button")) row.setAttribute("aria-current", String(row.dataset.path === path));
  }
  open(path, text) {
    this.editor.setText(text || this.saved || "");
    this.send(path === "untitled" ? { type: "open", text } : { type: "open", path, ...(text ? { text } : {}) });
    this.workspace.showPlaying(true);
    this.send({ type: "play", on: true });
    this.status();
  }
  create(text = STARTER) {
    this.startText(text);
    this.openText(text);
    this.workspace.show("left", "Text");
  }
  /// A text that belongs to no file yet.
  startText(text) {
    this.path = "untitled";
    this.seen = undefined;
    this.saved = "";
    location.hash = "untitled";
    this.editor.setText(text);
    remember("draft.untitled", text);
    this.status();
  }
  openText(text) {
    this.fresh = true;
    this.unopened = false;
    this.send({ type: "open", text });
    this.workspace.showPlaying(true);
    this.send({ type: "play", on: true });
  }

  // ---- drawing -------------------------------------------------------------------------------------------------------------------
  /// The drawing of this model, or an empty sheet if it was not drawn.
  draw() {
    this.workspace.show("left", "Draw");
    if (this.drawing.problem && this.path !== "untitled") this.drawing.start();
  }
  /// An empty sheet; what ran before runs on until there is a body.
  startDrawing() {
    this.startText(BLANK);
    this.unopened = true;
  }
  /// The text has changed by drawing: it runs from the start, which is the pose that was drawn.
  takeDrawing(text, runs) {
    this.editor.setText(text);
    if (this.path) remember("draft." + this.path, text);
    this.status();
    if (!runs) { this.unopened = true; return; }
    this.restart = true;
    this.run(text);
  }
  run(text) {
    if (this.unopened && this.path === "untitled") { this.openText(text); return; }
    this.unopened = false;
    this.send({ type: "edit", text });
  }
  show(info) {
    const same = !this.fresh && this.engine.info && this.engine.info.name === info.name;
    this.fresh = false;
    this.editor.setError(null);
    const past = same ? this.workspace.history : null;
    this.engine.setInfo(info);
    this.engine.settle("");
    this.workspace.open(this.engine, info.preview, same);
    if (this.path !== "untitled") this.thumbnails.take(this.path);
    if (past) this.workspace.note("");
    if (this.restart) { this.restart = false; this.workspace.reset(); }
    if (!this.editor.text) this.editor.setText(info.text);
  }
  edit(text) {
    if (this.drawing.visible) this.drawing.read();
    if (this.path) remember("draft." + this.path, text);
    this.run(text);
    this.status();
  }
  status(text) {
    const changed = this.saved !== undefined && this.editor.text !== this.saved;
    this.editor.status.textContent = text || (changed ? (this.writable ? "not saved" : "edited here; the server does not write") : "");
    this.editor.save.disabled = !changed;
    document.getElementById("file").textContent = (this.path || "") + (changed ? " \u2022" : "");
  }
  save(force) {
    let path = this.path;
    if (path === "untitled") { path = prompt("Name of the file", "model.yaml"); if (!path) return; this.path = path; }
    this.send({ type: "save", path, text: this.editor.text, seen: this.seen || "0", force });
  }
  unsaved(m) {
    if (/has changed on disk/.test(m.message) && confirm(m.message + ".\nReplace it with the text of this page?")) this.save(true);
    else this.workspace.note(m.message);
  }
}

window.kane = new Workbench();
