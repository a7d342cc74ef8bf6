// Symbols of typeset equations: which name of the model each one is, what it means, and its value now.

const GREEK = { "\u03b1": "alpha", "\u03b2": "beta", "\u03b3": "gamma", "\u03b4": "delta", "\u03b5": "epsilon", "\u03b6": "zeta", "\u03b7": "eta", "\u03b8": "theta",
  "\u03ba": "kappa", "\u03bb": "lambda", "\u03bc": "mu", "\u03bd": "nu", "\u03be": "xi", "\u03c1": "rho", "\u03c3": "sigma", "\u03c4": "tau", "\u03c6": "phi",
  "\u03d5": "phi", "\u03c7": "chi", "\u03c8": "psi", "\u03c9": "omega", "\u0393": "Gamma", "\u0394": "Delta", "\u0398": "Theta", "\u03a6": "Phi", "\u03a9": "Omega" };

/// {name, rate}: the name in the model of the symbol at a node, as "q1" for a q with the index 1, and whether it has a dot;
/// null if it is no name of the model. `known(name)` says which names there are.
function symbolAt(node, known) {
  const spell = (text) => [...text].map((c) => GREEK[c] || c).join("").replace(/[\s\u02d9\u2061]/g, "");
  for (let at = node; at && at.localName !== "math"; at = at.parentNode) {
    if (!["mi", "msub", "msup", "msubsup", "mover"].includes(at.localName)) continue;
    const parts = [...(at.localName === "mi" || at.localName === "mover" ? [at] : at.localName === "msup" ? [at.children[0]] : [...at.children].slice(0, 2))];
    const spelled = parts.map((part) => spell(part.textContent)), outer = at.parentNode;
    // The letter of an indexed symbol means the symbol, and so does the letter below a dot.
    if (/^m(sub|subsup|over)$/.test(outer.localName) || (outer.localName === "mrow" && /^m(sub|subsup|over)$/.test(outer.parentNode.localName))) continue;
    for (const name of [spelled.join(""), spelled.join("_")]) if (known(name)) return { name, rate: /\u02d9/.test(parts.map((part) => part.textContent).join("")) };
  }
  return null;
}

class SymbolReader {
  /// `box`: where the answer stands.
  constructor(workspace, box) { Object.assign(this, { workspace, box }); }
  explain(event) {
    const w = this.workspace, m = w.measures, found = w.history?.count ? symbolAt(event.target, (n) => m.knows(n)) : null;
    this.box.hidden = !found;
    this.shown = found;
    if (!found) return;
    const info = w.engine.info, parameter = info.parameters.find((p) => p.name === found.name), signal = w.history.scene.signals.find((s) => s.name === found.name);
    const kinds = { coordinates: "coordinate", speeds: "generalized speed", outputs: "output", inputs: "input" };
    const kind = parameter ? "parameter" : signal ? kinds[signal.group] || "signal" : found.name === "t" ? "time" : "input";
    const unit = prettyUnit((parameter || signal)?.unit);
    this.number = element("output");
    this.box.replaceChildren(element("b", {}, found.name + (found.rate ? "\u2032" : "")), found.rate ? ` rate of change of the ${kind} ${found.name}, now ` : ` ${kind}, now `, this.number, " " + unit + (found.rate ? "/s" : ""));
    const row = parameter && w.sliders.querySelector(`[data-name="${CSS.escape(found.name)}"]`);
    if (row && parameter.free !== false) this.box.append(" ", element("button", { class: "quiet", onclick: () => { w.show("left", "Parameters"); row.scrollIntoView({ block: "nearest" }); row.querySelector("input").focus(); } }, "change"));
    this.draw(w.live ? w.history.count - 1 : w.history.before(w.time));
  }
  /// The value goes on with the motion.
  draw(i) {
    if (!this.shown || !this.box.offsetParent) return;
    const w = this.workspace, { name, rate } = this.shown, m = w.measures;
    if (!m.knows(name)) { this.box.hidden = true; this.shown = null; return; }
    const value = (k) => m.lookup(k)(name), t = w.history.times;
    const now = !rate ? value(i) : i > 0 && t[i] > t[i - 1] ? (value(i) - value(i - 1)) / (t[i] - t[i - 1]) : NaN;
    this.number.textContent = Number.isFinite(now) ? String(Number(now.toPrecision(5))) : "\u2013";
  }
}
