// Expressions that a user types: "m*g*sin(q1) + u1^2".

/// The value of a name.
export type Lookup = (name: string) => number;
type Term = (value: Lookup) => number;

const FUNCTIONS: Record<string, (...x: number[]) => number> = {
  sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin, acos: Math.acos, atan: Math.atan, atan2: Math.atan2, sqrt: Math.sqrt,
  exp: Math.exp, log: Math.log, abs: Math.abs, min: Math.min, max: Math.max, hypot: Math.hypot, sign: Math.sign, floor: Math.floor,
};
const MOST_TOKENS = 400;

/// Reads an expression and returns a function of the values of its names. Throws a sentence if it is not an expression of these.
export function readExpression(text: string, known: (name: string) => boolean): Term {
  const tokens: string[] = text.match(/\d+\.?\d*(?:e[-+]?\d+)?|\.\d+|[A-Za-z_]\w*(?:\.\w+)*|\*\*|[-+*/^(),]|\S/gi) ?? [];
  if (tokens.length > MOST_TOKENS) throw new Error(`an expression has at most ${MOST_TOKENS} parts`);
  let i = 0;
  const need = (token: string): void => {
    if (tokens[i++] !== token) throw new Error(`'${token}' is expected ${i <= tokens.length ? `before '${tokens[i - 1]}'` : "at the end"}`);
  };
  const sum = (): Term => {
    let a = product();
    while (tokens[i] === "+" || tokens[i] === "-") {
      const minus = tokens[i++] === "-", l = a, r = product();
      a = minus ? (v) => l(v) - r(v) : (v) => l(v) + r(v);
    }
    return a;
  };
  const product = (): Term => {
    let a = factor();
    while (tokens[i] === "*" || tokens[i] === "/") {
      const over = tokens[i++] === "/", l = a, r = factor();
      a = over ? (v) => l(v) / r(v) : (v) => l(v) * r(v);
    }
    return a;
  };
  const factor = (): Term => {
    if (tokens[i] === "-") { i++; const a = factor(); return (v) => -a(v); }
    if (tokens[i] === "+") { i++; return factor(); }
    const base = atom();
    if (tokens[i] !== "^" && tokens[i] !== "**") return base;
    i++;
    const power = factor();
    return (v) => base(v) ** power(v);
  };
  const atom = (): Term => {
    const token = tokens[i++];
    if (token === undefined) throw new Error("something is missing at the end");
    if (token === "(") { const a = sum(); need(")"); return a; }
    if (/^[\d.]/.test(token)) { const number = Number(token); return () => number; }
    if (tokens[i] === "(") {
      const f = Object.hasOwn(FUNCTIONS, token) ? FUNCTIONS[token] : null, given: Term[] = [];
      if (!f) throw new Error(`there is no function '${token}'`);
      i++;
      do { given.push(sum()); } while (tokens[i] === "," && i++ >= 0);
      need(")");
      return (v) => f(...given.map((a) => a(v)));
    }
    if (token === "pi") return () => Math.PI;
    if (!known(token)) throw new Error(/^\w/.test(token) ? `nothing here is called '${token}'` : `'${token}' cannot stand in an expression`);
    return (v) => v(token);
  };
  const result = sum();
  if (i < tokens.length) throw new Error(`'${tokens[i]}' is not expected there`);
  return result;
}
