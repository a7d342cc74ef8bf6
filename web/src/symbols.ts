// What a symbol of the equations means, and its value now.

import { digits, element, prettyUnit } from "./dom";
import type { Workspace } from "./workspace";

export interface SymbolName { name: string; rate: boolean }
const KINDS: Record<string, string> = { coordinates: "coordinate", speeds: "generalized speed", outputs: "output", inputs: "input" };

export class SymbolReader {
  readonly box = element("p", { id: "symbol", role: "status", hidden: true });
  private shown: SymbolName | null = null;
  private readonly number = element("output");

  constructor(private readonly workspace: Workspace) {}
  explain(found: SymbolName | null): void {
    const w = this.workspace;
    this.shown = found;
    this.box.hidden = !found;
    if (!found) return;
    const parameter = w.info.parameters.find((p) => p.name === found.name), signal = w.history.scene.signals.find((s) => s.name === found.name);
    const kind = parameter ? "parameter" : signal ? KINDS[signal.group] ?? "signal" : found.name === "t" ? "time" : "input";
    const unit = prettyUnit((parameter ?? signal)?.unit) + (found.rate ? "/s" : "");
    this.box.replaceChildren(element("b", {}, found.name + (found.rate ? "\u2032" : "")), found.rate ? ` rate of change of the ${kind} ${found.name}, now ` : ` ${kind}, now `, this.number, ` ${unit}`);
    const row = parameter ? w.sliderOf(found.name) : null;
    if (row && parameter?.free !== false)
      this.box.append(" ", element("button", { class: "quiet", onclick: () => { w.show("left", "Parameters"); row.scrollIntoView({ block: "nearest" }); row.querySelector("input")?.focus(); } }, "change"));
    this.draw(w.sample);
  }
  /// The value goes on with the motion.
  draw(i: number): void {
    if (!this.shown || !this.box.offsetParent) return;
    const { signals, history } = this.workspace, { name, rate } = this.shown;
    if (!signals.knows(name)) { this.explain(null); return; }
    const value = (k: number): number => signals.lookup(k)(name), t = history.times;
    this.number.textContent = digits(!rate ? value(i) : i > 0 && t[i] > t[i - 1] ? (value(i) - value(i - 1)) / (t[i] - t[i - 1]) : NaN);
  }
}
