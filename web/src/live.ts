// The one-file page: the model runs here, by WebAssembly.

import "./page.css";
import { element } from "./dom";
import { Motion } from "./kernel";
import { symbolAt } from "./mathml_symbols";
import type { Sample } from "./model_info";
import { partMiddle } from "./picking";
import { type PageData, WasmEngine } from "./wasm_engine";
import { type EquationSheet, Workspace } from "./workspace";

/// YAML with keys and remarks told apart.
function colourText(pre: HTMLElement, text: string): void {
  for (const line of text.split("\n")) {
    const parts = /^(\s*(?:- )?)([A-Za-z_][\w. -]*)(:)(.*)$/.exec(line), rest = parts ? parts[4] : line, hash = /(^|\s)#/.exec(rest), cut = hash ? hash.index : rest.length;
    if (parts) pre.append(parts[1], element("span", { class: "k" }, parts[2]), parts[3]);
    pre.append(rest.slice(0, cut));
    if (hash) pre.append(element("span", { class: "c" }, rest.slice(cut)));
    pre.append("\n");
  }
}

/// Equations that Kane has set as MathML.
function mathmlSheet(workspace: Workspace, html: string): EquationSheet {
  const body = element("div", { class: "equations", id: "equations", title: "Click a symbol for its meaning and value",
    onclick: (event: MouseEvent) => workspace.symbols.explain(symbolAt(event.target as Element, (n) => workspace.signals.knows(n))) });
  body.innerHTML = html;
  return { root: element("div", {}, workspace.symbols.box, body), draw: () => undefined, light: () => undefined };
}

async function startPage(): Promise<void> {
  const data = JSON.parse(document.getElementById("data")?.textContent ?? "") as PageData;
  const motion = await Motion.load(data), workspace = new Workspace(), text = element("pre", { class: "text" });
  workspace.setSheet(mathmlSheet(workspace, data.equations ?? ""));
  if (data.text) { workspace.panel("left", "Text", text); colourText(text, data.text); }
  const engine = new WasmEngine(motion, data, workspace), preview: Sample[] = [];
  // A look ahead, so that the picture holds what is coming.
  const begin = performance.now(), show = (): number => preview.push([motion.t, motion.y.slice(), motion.row().slice()]);
  for (show(); motion.t < data.t + 4 && performance.now() - begin < 250 && motion.advance(motion.t + 0.05, 100);) show();
  motion.failed = false;
  motion.reset();
  workspace.open(engine, preview);
  engine.show();
  Object.assign(window, { kane: { workspace, engine, motion, partMiddle } });  // for tests, and for the curious
}
void startPage();
