// The workbench: gallery, text, live model, analysis. It talks to the server by one WebSocket; if that breaks, it comes back
// by itself, with the text as it was edited.

import "./page.css";
import "./workbench.css";
import { AnalysisPane, type Analysis, respond } from "./analysis";
import { byId, element, forget, recall, remember } from "./dom";
import { DrawPane } from "./draw_pane";
import { BLANK } from "./drawing";
import { Editor, type ModelError } from "./editor";
import { type Derivation, EquationPane } from "./equations";
import { Gallery } from "./gallery";
import { LockPanel } from "./locks";
import type { ModelInfo, Sample } from "./model_info";
import { partMiddle } from "./picking";
import { Schema } from "./schema";
import { SocketEngine } from "./socket_engine";
import { Thumbnails } from "./thumbnails";
import { Tour } from "./tour";
import { Workspace } from "./workspace";

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
const UNTITLED = "untitled", PATIENCE = 1000;  // ms before another try to connect

/// Messages of the server (docs/protocol.md).
type Message = { type: "hello"; write: boolean; open: string } | ({ type: "model"; preview: Sample[]; text: string } & ModelInfo) | ({ type: "error" } & ModelError)
  | ({ type: "equations" } & Derivation) | { type: "values"; values: number[] } | { type: "refused"; name: string; message: string } | { type: "event"; t: number; text: string }
  | { type: "note"; message: string } | { type: "stopped"; t: number; message: string } | { type: "saved"; path: string; seen: string } | { type: "unsaved"; message: string }
  | { type: "locks"; locked: string[]; constraints?: { name: string; on: boolean }[] } | ({ type: "analysis" } & Analysis);
interface FileText { text: string; seen: string }

class Workbench {
  readonly workspace: Workspace;
  readonly editor: Editor;
  readonly engine: SocketEngine;
  readonly drawing: DrawPane;
  readonly analysis: AnalysisPane;
  readonly equations: EquationPane;
  readonly tour: Tour;
  private readonly locks: LockPanel;
  private readonly thumbnails: Thumbnails;
  private readonly gallery: Gallery;
  private readonly lost = element("div", { id: "lost", role: "status", hidden: true });
  private readonly asking = element("form", { class: "asking", hidden: true });
  private socket!: WebSocket;
  private path: string | null = null;
  private saved: string | undefined;
  private saving = "";
  private seen: string | undefined;
  private writable = false;
  private fresh = false;
  private unopened = false;  // an empty sheet: what ran before runs on
  private drawn: string | null = null;  ///< a drawing's text whose run is to begin

  constructor() {
    const workspace = this.workspace = new Workspace({
      onSelect: (name) => { this.editor.setLit(name); this.equations.light(name); },
      onJoint: (name) => this.locks.toggle(name),
      help: [["double-click a joint", "lock or release it"], ["Ctrl+S", "save"], ["Ctrl+space", "complete a key"], ["F8", "to the mistake"], ["Ctrl+F", "find in the text"], ["Ctrl+Z", "undo"]] });
    this.equations = new EquationPane(workspace, (request) => this.send({ type: "derive", ...request }));
    workspace.setSheet(this.equations);
    this.editor = new Editor({ onEdit: (text) => this.edit(text), onSave: () => this.save(false), onSelect: (word) => workspace.selectNamed(word) });
    this.thumbnails = new Thumbnails(workspace);
    this.gallery = new Gallery(this.thumbnails, (path) => void this.choose(path));
    this.engine = new SocketEngine(workspace, (message) => this.send(message));
    this.editor.root.append(this.asking);
    workspace.panel("left", "Text", this.editor.root).classList.add("flush");
    this.drawing = new DrawPane({ workspace, text: () => this.editor.text, running: () => !this.unopened, onDraw: (next, runs) => this.takeDrawing(next, runs), onNew: () => this.startDrawing() });
    workspace.panel("left", "Draw", this.drawing.root);
    workspace.panel("left", "Models", this.gallery.root);
    this.locks = new LockPanel(workspace, (message) => this.send(message));
    byId("left-parameters").append(this.locks.root);
    this.analysis = new AnalysisPane({ send: (m) => this.send(m), workspace, engine: () => this.engine });
    workspace.panel("right", "Analysis", this.analysis.root);
    workspace.arrange("left", ["Text", "Draw", "Parameters", "Models"]);
    workspace.onShow = (side, title) => {
      if (side === "left") { this.editor.flush(); this.drawing.show(title === "Draw"); }
      if (title === "Models") void this.gallery.list(this.path);
    };
    workspace.show("left", "Text");
    byId("actions").append(
      element("button", { title: "A new model, as text", onclick: () => this.create() }, "New"), " ",
      element("button", { id: "draw", title: "Draw a mechanism with the mouse", onclick: () => this.draw() }, "Draw"), " ",
      element("button", { title: "The models of the folder", onclick: () => workspace.show("left", "Models") }, "Open"), " ",
      element("button", { class: "quiet", title: "A tour of a minute", onclick: () => this.tour.go(0) }, "Tour"));
    document.body.append(this.lost);
    this.asking.addEventListener("submit", (event) => event.preventDefault());
    fetch("schema.json").then((r) => r.json()).then((schema) => { this.editor.schema = new Schema(schema); }).catch(() => undefined);
    this.tour = new Tour();
    void this.gallery.list(null);
    this.connect();
  }

  // ---- the link ------------------------------------------------------------------------------------------------------------------
  private connect(): void {
    const url = new URL("live", location.href);
    url.protocol = "ws:";
    this.socket = new WebSocket(url);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      this.lost.hidden = true;
      if (!this.path || this.unopened) return;
      // What stands in the editor, though it may have been typed too late to be remembered.
      const text = this.editor.text, edited = text !== this.saved;
      if (edited) remember("draft." + this.path, text);
      this.open(this.path, edited ? text : "");
    };
    this.socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => {
      if (event.data instanceof ArrayBuffer) this.engine.take(event.data);
      else this.take(JSON.parse(event.data) as Message);
    };
    this.socket.onclose = () => {
      this.lost.hidden = false;
      // A server that was started anew has another token, unless it keeps it in a file.
      fetch("files").then((r) => r.status === 403).catch(() => false).then((anew) => {
        this.lost.textContent = anew ? "The server was started again and has a new address: open the one that it printed. Your text is kept." : "The server does not answer. Trying again; your text is kept.";
      }).catch(() => undefined);
      setTimeout(() => this.connect(), PATIENCE);
    };
  }
  private send(message: object): void { if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message)); }
  private take(m: Message): void {
    const w = this.workspace;
    switch (m.type) {
      case "hello": this.hello(m.write, m.open); break;
      case "model": this.show(m); break;
      case "error": this.editor.setError(m); if (this.drawing.visible) this.drawing.hint(m.message); break;
      case "equations": if (m.version === this.engine.info?.version && (m.message || this.equations.accepts(m))) this.equations.show(m); break;
      case "values": this.engine.values = m.values; if (!this.engine.settle("")) w.adoptValues(); break;
      case "refused": this.engine.settle(`${m.name} cannot have this value: ${m.message}`); break;
      case "event": w.mark(m.t, m.text); break;
      case "note": w.note(m.message); break;
      case "stopped": w.showPlaying(false); w.note(m.message, "bad"); break;
      case "locks": this.locks.take(m.locked, m.constraints ?? []); break;
      case "saved": this.noteSaved(m.path, m.seen); break;
      case "unsaved": this.unsaved(m.message); break;
      case "analysis": this.analysis.show(m); break;
    }
  }
  private hello(write: boolean, open: string): void {
    this.writable = write;
    this.editor.save.hidden = !write;
    if (this.path) return;
    const wanted = decodeURIComponent(location.hash.slice(1)) || open || recall("last"), kept = recall("draft." + UNTITLED) ?? "";
    if (wanted === UNTITLED && /^bodies:/m.test(kept)) { this.create(kept); return; }
    void this.gallery.files().then((files) => {
      const names = files.map((f) => f.path), first = [wanted, "double_pendulum.yaml", names[0]].find((n) => n && names.includes(n));
      if (first) void this.choose(first);
      else this.create();
    });
  }

  // ---- models --------------------------------------------------------------------------------------------------------------------
  /// The text of a file as it was edited here and not saved.
  private draft(): string { return recall("draft." + this.path) ?? ""; }
  private dropDraft(): void { forget("draft." + this.path); }
  async choose(path: string): Promise<void> {
    this.editor.flush();
    const file = await fetch("file/" + encodeURIComponent(path)).then((r) => (r.ok ? (r.json() as Promise<FileText>) : null)).catch(() => null);
    if (!file) { this.workspace.note(`'${path}' cannot be read.`); return; }
    this.path = path;
    this.drawn = null;
    this.seen = file.seen;
    this.saved = file.text;
    location.hash = encodeURIComponent(path);
    remember("last", path);
    this.fresh = true;
    this.unopened = false;
    this.editor.setText(this.draft() || file.text, true);
    this.open(path, this.draft());
    this.workspace.show("left", "Text");
    this.gallery.mark(path);
  }
  private open(path: string, text: string): void {
    this.editor.setText(text || this.saved || "");
    this.send(path === UNTITLED ? { type: "open", text } : { type: "open", path, ...(text ? { text } : {}) });
    this.workspace.showPlaying(true);
    this.send({ type: "play", on: true });
    this.status();
  }
  create(text = STARTER): void {
    this.startText(text);
    this.openText(text);
    this.workspace.show("left", "Text");
  }
  /// A text that belongs to no file yet.
  private startText(text: string): void {
    this.path = UNTITLED;
    this.drawn = null;
    this.seen = undefined;
    this.saved = "";
    location.hash = UNTITLED;
    this.editor.setText(text, true);
    remember("draft." + UNTITLED, text);
    this.status();
  }
  private openText(text: string): void {
    this.fresh = true;
    this.unopened = false;
    this.send({ type: "open", text });
    this.workspace.showPlaying(true);
    this.send({ type: "play", on: true });
  }

  // ---- drawing -------------------------------------------------------------------------------------------------------------------
  /// The drawing of this model, or an empty sheet if it was not drawn.
  private draw(): void {
    this.workspace.show("left", "Draw");
    if (this.drawing.problem && this.path !== UNTITLED) this.drawing.start();
  }
  /// An empty sheet; what ran before runs on until there is a body.
  private startDrawing(): void {
    this.startText(BLANK);
    this.unopened = true;
  }
  /// The text has changed by drawing: it runs from the start, which is the pose that was drawn.
  private takeDrawing(text: string, runs: boolean): void {
    this.editor.setText(text);
    if (this.path) remember("draft." + this.path, text);
    this.status();
    if (!runs) { this.unopened = true; return; }
    this.drawn = text;
    this.run(text);
  }
  private run(text: string): void {
    if (this.unopened && this.path === UNTITLED) { this.openText(text); return; }
    this.unopened = false;
    this.workspace.leavePast();  // the new model goes on from what is seen
    this.send({ type: "edit", text });
  }
  private show(info: ModelInfo & { preview: Sample[]; text: string }): void {
    const same = !this.fresh && this.engine.info?.name === info.name;
    this.fresh = false;
    this.editor.setError(null);
    this.engine.setInfo(info);
    this.engine.settle("");
    this.workspace.open(this.engine, info.preview, same);
    if (!same) this.equations.clear();
    this.equations.renew();
    this.locks.open();
    this.analysis.open();
    this.thumbnails.take(this.path === UNTITLED ? null : this.path);
    if (same) this.workspace.note("");
    if (this.drawn !== null) {  // also of drawings before the last one, and after a run that stopped
      if (info.text === this.drawn) this.drawn = null;
      this.workspace.showPlaying(true);
      this.workspace.reset();
    }
    if (!this.editor.text) this.editor.setText(info.text);
  }
  private edit(text: string): void {
    if (this.drawing.visible) this.drawing.read();
    if (this.path) remember("draft." + this.path, text);
    this.drawn = null;
    this.run(text);
    this.status();
  }
  private status(text?: string): void {
    const changed = this.saved !== undefined && this.editor.text !== this.saved;
    this.editor.status.textContent = text ?? (changed ? (this.writable ? "not saved" : "edited here; the server does not write") : "");
    this.editor.save.disabled = !changed;
    byId("file").textContent = (this.path ?? "") + (changed ? " \u2022" : "");
  }

  // ---- saving --------------------------------------------------------------------------------------------------------------------
  /// A question below the text, with what may be answered.
  private ask(text: string, ...answers: [string, () => void][]): void {
    this.asking.replaceChildren(element("span", {}, text), ...answers.map(([label, act]) => element("button", { type: "button", onclick: () => { this.asking.hidden = true; act(); } }, label)));
    this.asking.hidden = false;
  }
  private save(force: boolean): void {
    if (!this.writable || !this.path) return;
    if (this.path === UNTITLED) {
      const name = element("input", { type: "text", value: "model.yaml", "aria-label": "Name of the file" });
      this.ask("Save as", ["Save", () => this.saveAs(name.value.trim(), false)], ["Cancel", () => undefined]);
      this.asking.insertBefore(name, this.asking.children[1]);
      this.asking.onsubmit = () => { this.asking.hidden = true; this.saveAs(name.value.trim(), false); };
      name.focus();
      name.select();
      return;
    }
    this.saveAs(this.path, force);
  }
  private saveAs(path: string, force: boolean): void {
    this.saving = this.editor.text;
    if (path) this.send({ type: "save", path, text: this.editor.text, seen: path === this.path ? this.seen ?? "0" : "0", force });
  }
  /// The text that was sent is on disk; what was typed since then is not.
  private noteSaved(path: string, seen: string): void {
    this.seen = seen;
    this.saved = this.saving;
    if (path !== this.path) { this.dropDraft(); this.path = path; }
    if (this.editor.text === this.saved) { this.dropDraft(); this.status("saved"); return; }
    remember("draft." + path, this.editor.text);
    this.status();
  }
  private unsaved(message: string): void {
    const path = this.path;
    if (path && /has changed on disk/.test(message)) this.ask(message + ".", ["Replace it with this text", () => this.saveAs(path, true)], ["Cancel", () => undefined]);
    else this.workspace.note(message);
  }
}

// For tests, and for the curious.
Object.assign(window, { kane: Object.assign(new Workbench(), { partMiddle, recall, respond }) });
