// The equations beside the motion, set by KaTeX: choice of the generalized speeds and of the steps of Kane's method, symbols
// that explain themselves, the mass matrix as a picture, copies as LaTeX, text and code.

import katex from "katex";
import "katex/dist/katex.min.css";
import { colours, digits, element } from "./dom";
import { readExpression } from "./expression";
import type { SymbolName } from "./symbols";
import type { Workspace } from "./workspace";

interface FormulaJson { text: string; latex: string; lines?: [string, string][] }
type BlockJson = { kind: "heading"; level: number; text: string } | { kind: "text"; text: string; typeset: string }
  | { kind: "formulas"; number: number; folded: string; rows: FormulaJson[] } | { kind: "table"; header: FormulaJson[]; rows: FormulaJson[][] };
/// An answer of the server (docs/protocol.md).
export interface Derivation {
  version: number;
  speeds: string;
  steps: number[];
  blocks?: BlockJson[];
  message?: string;
  symbols?: Record<string, string>;    ///< LaTeX -> name
  mass?: { speeds: string[]; entries: { text: string; latex: string }[][] };
  operations?: number;                 ///< of one evaluation
  operations_before?: number;          ///< with the speeds of the model
  definitions?: string[];
  latex?: string;
  text?: string;
  code?: string;
}
export interface DeriveRequest { speeds: string; definitions?: string[]; steps: number[] }

const STEPS: [string, number[]][] = [["Equations of motion", [8]], ["All eight steps", []], ["1 Preliminaries", [1]], ["2 Coordinates and speeds", [2]],
  ["3\u20134 Velocities, partial velocities", [3, 4]], ["5 Accelerations", [5]], ["6 Generalized inertia forces", [6]], ["7 Generalized active forces", [7]],
  ["Degrees of freedom", [9]]];
/// A symbol with its index and its power, or a word that is none.
const SYMBOL = /\\(?:text|operatorname|mathbf|begin|end)\{[^{}]*\}|(\\dot\{(?:[A-Za-z]|\\[a-zA-Z]+)\}(?:_\{[^{}]*\})?|(?:\\math(?:rm|it)\{[^{}]*\}|\\[a-zA-Z]+|[A-Za-z])(?:_\{[^{}]*\})?)(\^\{[^{}]*\})?/g;
const WORK = 14;  // ms of typesetting between pictures

export class EquationPane {
  readonly root: HTMLElement;
  private readonly body = element("div", { class: "equations", id: "equations", title: "Click a symbol for its meaning and value", onclick: (event: MouseEvent) => this.click(event) });
  private readonly speeds = element("select", { id: "speeds", "aria-label": "Generalized speeds", title: "Generalized speeds of the equations shown here; the motion is the same" },
    new Option("speeds of the model", "model"), new Option("joint rates", "rates"), new Option("automatic: the shortest", "auto"), new Option("own definitions", "own"));
  private readonly steps = element("select", { id: "steps", "aria-label": "Part of the derivation" }, ...STEPS.map(([name], i) => new Option(name, String(i))));
  private readonly own = element("textarea", { id: "ownspeeds", rows: 3, hidden: true, spellcheck: "false", "aria-label": "Definitions of generalized speeds", placeholder: "one a line, such as  u1 = q1' + q2'" });
  private readonly cost = element("p", { class: "hint", id: "operations", role: "status" });
  private readonly massBox = element("details", { id: "mass" }, element("summary", {}, "Mass matrix"));
  private readonly massCanvas = element("canvas", { role: "img", "aria-label": "Mass matrix: the darker, the larger" });
  private readonly massEntry = element("p", { class: "hint" });
  private shown: Derivation | null = null;
  private masses: ((i: number) => number)[][] = [];
  private turn = 0;
  private drawnAt = 0;

  constructor(private readonly workspace: Workspace, private readonly ask: (request: DeriveRequest) => void) {
    const copy = element("select", { id: "copy", "aria-label": "Copy the equations" }, new Option("Copy \u2026", ""), new Option("LaTeX", "latex"), new Option("text", "text"), new Option("code (Python)", "code"));
    copy.addEventListener("change", () => { void this.copy(copy.value as "latex" | "text" | "code"); copy.value = ""; });
    this.speeds.addEventListener("change", () => { this.own.hidden = this.speeds.value !== "own"; if (this.own.hidden || this.own.value.trim()) this.request(); else this.own.focus(); });
    this.own.addEventListener("change", () => this.request());
    this.steps.addEventListener("change", () => this.request());
    this.massBox.append(this.massCanvas, this.massEntry);
    this.massBox.addEventListener("toggle", () => { workspace.dirty = true; });
    this.massCanvas.addEventListener("pointermove", (event) => this.pointAtMass(event));
    this.root = element("div", {}, element("div", { id: "equationbar" }, this.speeds, this.steps, copy), this.own, this.cost, workspace.symbols.box, this.body, this.massBox);
    this.clear();
  }
  private request(): void {
    const definitions = this.own.value.split("\n").map((line) => line.trim()).filter(Boolean);
    this.cost.textContent = "Deriving \u2026";
    this.ask({ speeds: this.speeds.value, ...(this.speeds.value === "own" ? { definitions } : {}), steps: STEPS[Number(this.steps.value)][1] });
  }
  /// Another model, or another text of it.
  clear(): void {
    this.turn++;
    this.shown = null;
    this.body.replaceChildren(element("p", { class: "hint" }, "The equations are being derived."));
    this.massBox.hidden = true;
    this.cost.textContent = "";
  }
  /// Whether the server's first answer, for the speeds of the model, is what is wanted.
  get plain(): boolean { return this.speeds.value === "model" && this.steps.value === "0"; }
  /// An answer to another question than the present one is late.
  accepts(d: Derivation): boolean { return d.speeds === this.speeds.value && d.steps.join() === STEPS[Number(this.steps.value)][1].join(); }
  renew(): void { if (!this.plain) this.request(); }

  // ---- setting ---------------------------------------------------------------------------------------------------------------
  show(d: Derivation): void {
    const turn = ++this.turn;
    this.cost.classList.toggle("bad", Boolean(d.message));
    if (d.message) {
      if (d.version !== this.shown?.version) { this.clear(); this.body.replaceChildren(); }  // of a model that is gone
      this.cost.textContent = d.message;
      this.cost.classList.add("bad");
      return;
    }
    this.shown = d;
    this.cost.textContent = [d.operations ? `${d.operations} operations` : "", d.operations_before ? `${d.operations_before} with the speeds of the model` : "", d.definitions?.length ? `with ${d.definitions.join(", ")}` : ""].filter(Boolean).join("; ");
    const parts = (d.blocks ?? []).flatMap((block) => this.block(block));
    let at = 0;
    const work = (): void => {  // a part of it for each picture, so that the motion goes on
      if (turn !== this.turn) return;
      const made: HTMLElement[] = [], first = at === 0;
      for (const begin = performance.now(); at < parts.length && performance.now() - begin < WORK;) made.push(parts[at++]());
      if (first) this.body.replaceChildren(...made); else this.body.append(...made);
      if (at < parts.length) setTimeout(work, 0);
    };
    work();
    this.prepareMass();
  }
  private marked(latex: string): string {
    const names = this.shown?.symbols ?? {};
    return latex.replace(SYMBOL, (all: string, found: string | undefined) => {
      if (!found) return all;
      const rate = found.startsWith("\\dot{"), plain = rate ? found.replace(/^\\dot\{([^}]*)\}/, "$1") : found, name = Object.hasOwn(names, plain) ? names[plain] : "";
      return name ? `\\htmlData{name=${name}${rate ? ",rate=1" : ""}}{${all}}` : all;
    });
  }
  private set(into: HTMLElement, latex: string, display: boolean, fallback: string): HTMLElement {
    try { katex.render(latex, into, { displayMode: display, throwOnError: true, strict: "ignore", trust: (c) => c.command === "\\htmlData", output: "htmlAndMathml" }); }
    catch { into.textContent = fallback; }
    return into;
  }
  private formula(row: FormulaJson, number: number): HTMLElement {
    const mark = (latex: string): string => this.marked(latex);
    const latex = !row.lines ? mark(row.latex) : `\\begin{aligned}${row.lines.map(([a, b]) => `${mark(a)} & ${mark(b)}`).join(" \\\\ ")}\\end{aligned}`;
    const box = element("div", { class: "equation" }, this.set(element("div", { class: "math" }), latex, true, row.text));
    if (number) box.append(element("span", { class: "number" }, `(${number})`));
    return box;
  }
  private block(block: BlockJson): (() => HTMLElement)[] {
    if (block.kind === "heading") return [() => element(block.level === 1 ? "h2" : "h3", {}, block.text)];
    if (block.kind === "text") return [() => this.paragraph(block.text, block.typeset)];
    if (block.kind === "table") return [() => this.table(block.header, block.rows)];
    if (block.folded) return [() => element("details", {}, element("summary", {}, block.folded), ...block.rows.map((row, i) => this.formula(row, block.number ? block.number + i : 0)))];
    return block.rows.map((row, i) => () => this.formula(row, block.number ? block.number + i : 0));
  }
  private paragraph(text: string, typeset: string): HTMLElement {
    const p = element("p");
    if (!typeset) { p.textContent = text; return p; }
    typeset.split("$").forEach((part, i) => p.append(i % 2 ? this.set(element("span"), this.marked(part), false, part) : part));
    return p;
  }
  private table(header: FormulaJson[], rows: FormulaJson[][]): HTMLElement {
    const table = element("table"), cells = (tag: "td" | "th", row: FormulaJson[]): HTMLElement =>
      element("tr", {}, ...row.map((cell) => /^\\(text|mathrm)\{/.test(cell.latex) || !cell.latex ? element(tag, {}, cell.text) : element(tag, {}, this.set(element("span"), this.marked(cell.latex), false, cell.text))));
    table.append(cells("th", header), ...rows.map((row) => cells("td", row)));
    return element("div", { class: "scroll" }, table);
  }
  private click(event: MouseEvent): void {
    const at = (event.target as Element).closest<HTMLElement>("[data-name]"), name = at?.dataset.name;
    const found: SymbolName | null = name && this.workspace.signals.knows(name) ? { name, rate: at.dataset.rate === "1" } : null;
    this.workspace.symbols.explain(found);
    this.light(found?.name ?? "");
  }
  /// Terms with a name are lit up.
  light(name: string): void {
    for (const e of this.body.querySelectorAll("[data-name]")) e.classList.toggle("lit", (e as HTMLElement).dataset.name === name);
  }

  // ---- the mass matrix ---------------------------------------------------------------------------------------------------------
  private prepareMass(): void {
    const mass = this.shown?.mass, { signals } = this.workspace;
    this.masses = [];
    this.massBox.hidden = !mass;
    if (!mass) return;
    try {
      this.masses = mass.entries.map((row) => row.map((entry) => { const term = readExpression(entry.text, () => true); return (i: number) => term(signals.lookup(i)); }));
    } catch { this.massBox.hidden = true; }
    this.massEntry.textContent = "Point at an entry.";
  }
  draw(i: number): void {
    const n = this.masses.length, now = performance.now();
    if (!n || !this.massBox.open || !this.massCanvas.offsetParent || now - this.drawnAt < 80) return;
    this.drawnAt = now;
    const c = this.massCanvas, g = c.getContext("2d"), ratio = devicePixelRatio || 1, side = Math.min(300, 48 * n), paint = colours();
    if (!g) return;
    c.style.width = c.style.height = side + "px";
    c.width = c.height = Math.round(side * ratio);
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    const value = this.masses.map((row) => row.map((entry) => entry(i))), scale = value.map((row, k) => Math.sqrt(Math.abs(row[k])) || 1), cell = side / n;
    value.forEach((row, r) => row.forEach((v, k) => {
      const zero = this.shown?.mass?.entries[r][k].text === "0", share = zero ? 0 : Math.min(1, 0.12 + 0.88 * Math.abs(v) / (scale[r] * scale[k]));
      g.globalAlpha = 1;
      g.fillStyle = paint("paper");
      g.fillRect(k * cell, r * cell, cell - 1, cell - 1);
      g.globalAlpha = share;
      g.fillStyle = v < 0 ? paint("warn") : paint("accent");
      g.fillRect(k * cell, r * cell, cell - 1, cell - 1);
      g.globalAlpha = 1;
      if (cell < 34 || zero) return;
      g.fillStyle = share > 0.6 ? "#ffffff" : paint("ink");
      g.font = "10.5px system-ui, sans-serif";
      g.textAlign = "center";
      g.fillText(digits(v, 3), (k + 0.5) * cell, (r + 0.55) * cell);
    }));
  }
  private pointAtMass(event: PointerEvent): void {
    const n = this.masses.length, box = this.massCanvas.getBoundingClientRect(), k = Math.floor((event.clientX - box.left) / box.width * n), r = Math.floor((event.clientY - box.top) / box.height * n);
    const entry = this.shown?.mass?.entries[r]?.[k];
    if (!entry || this.massEntry.dataset.at === `${r} ${k}`) return;
    this.massEntry.dataset.at = `${r} ${k}`;
    this.massEntry.replaceChildren(this.set(element("span"), `M_{${r + 1}${k + 1}} = ${this.marked(entry.latex)}`, false, entry.text));
  }

  // ---- copies ------------------------------------------------------------------------------------------------------------------
  private async copy(form: "latex" | "text" | "code"): Promise<void> {
    const text = this.shown?.[form];
    if (!text) { this.workspace.note("There are no equations to copy in this form."); return; }
    try { await navigator.clipboard.writeText(text); }
    catch {  // an older browser, or one that forbids it
      const area = element("textarea", {}, text);
      document.body.append(area);
      area.select();
      document.execCommand("copy");
      area.remove();
    }
    this.workspace.note(`The equations are copied as ${form === "latex" ? "LaTeX" : form}.`, "ok");
  }
}
