// Symbols of equations that are set as MathML: which name of the model a part of them is.

import type { SymbolName } from "./symbols";

const GREEK: Record<string, string> = { "\u03b1": "alpha", "\u03b2": "beta", "\u03b3": "gamma", "\u03b4": "delta", "\u03b5": "epsilon", "\u03b6": "zeta", "\u03b7": "eta", "\u03b8": "theta",
  "\u03ba": "kappa", "\u03bb": "lambda", "\u03bc": "mu", "\u03bd": "nu", "\u03be": "xi", "\u03c1": "rho", "\u03c3": "sigma", "\u03c4": "tau", "\u03c6": "phi",
  "\u03d5": "phi", "\u03c7": "chi", "\u03c8": "psi", "\u03c9": "omega", "\u0393": "Gamma", "\u0394": "Delta", "\u0398": "Theta", "\u03a6": "Phi", "\u03a9": "Omega" };

/// The name in the model of the symbol at a node, as "q1" for a q with the index 1, and whether it has a dot; null if it is
/// no name of the model. `known(name)` says which names there are.
export function symbolAt(node: Element, known: (name: string) => boolean): SymbolName | null {
  const spell = (text: string): string => [...text].map((c) => GREEK[c] ?? c).join("").replace(/[\s\u02d9\u2061]/g, "");
  for (let at: Element | null = node; at && at.localName !== "math"; at = at.parentElement) {
    if (!["mi", "msub", "msup", "msubsup", "mover"].includes(at.localName)) continue;
    const parts = at.localName === "mi" || at.localName === "mover" ? [at] : at.localName === "msup" ? [at.children[0]] : [...at.children].slice(0, 2);
    const spelled = parts.map((part) => spell(part.textContent ?? "")), outer = at.parentElement;
    // The letter of an indexed symbol means the symbol, and so does the letter below a dot.
    const indexed = (e: Element | null | undefined): boolean => /^m(sub|subsup|over)$/.test(e?.localName ?? "");
    if (indexed(outer) || (outer?.localName === "mrow" && indexed(outer.parentElement))) continue;
    for (const name of [spelled.join(""), spelled.join("_")])
      if (known(name)) return { name, rate: /\u02d9/.test(parts.map((part) => part.textContent).join("")) };
  }
  return null;
}
