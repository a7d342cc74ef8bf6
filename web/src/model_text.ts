// Entries of a model file that stand on one line each, as the drawing writes them:
//
//     bodies:
//       bar1: {mass: 1 kg, points: {end: [0.5, 0, 0]}}   # remarks stay
//
// They are read and replaced in the text itself, so that everything else in it survives.

/// A value in flow style.
export type Flow = string | Flow[] | FlowMap;
export type FlowMap = Map<string, Flow>;
/// A mistake in the text, with its line.
export class PlaceError extends Error { constructor(message: string, readonly line?: number) { super(message); } }
/// A value of a map that is a map itself; undefined if it is something else.
export const mapIn = (value: Flow | undefined): FlowMap | undefined => (value instanceof Map ? value : undefined);
export const textIn = (value: Flow | undefined): string | undefined => (typeof value === "string" ? value : undefined);
export const listIn = (value: Flow | undefined): Flow[] | undefined => (Array.isArray(value) ? value : undefined);

/// Reads "{a: 1 kg, b: [2, 3]}": maps become Map, lists arrays, the rest stays text. Throws a sentence if it is not like that.
export function readFlow(text: string): Flow {
  let i = 0;
  const blank = (): void => { while (text[i] === " ") i++; };
  const fail = (what: string): never => { throw new Error(`${what} is expected in '${text}'`); };
  const scalar = (ends: string): string => {
    const from = i;
    let depth = 0;
    for (; i < text.length; i++) {
      if (text[i] === '"' || text[i] === "'") { const end = text.indexOf(text[i], i + 1); if (end < 0) fail("an end of quotes"); i = end; continue; }
      if (text[i] === "(") depth++;
      if (text[i] === ")") depth--;
      if (depth <= 0 && ends.includes(text[i])) break;
    }
    return text.slice(from, i).trim();
  };
  const value = (ends: string): Flow => {
    blank();
    if (text[i] === "[") return list();
    if (text[i] === "{") return map();
    return scalar(ends);
  };
  const list = (): Flow[] => {
    const all: Flow[] = [];
    for (i++, blank(); text[i] !== "]"; blank()) {
      all.push(value(",]"));
      blank();
      if (text[i] === ",") i++;
      else if (text[i] !== "]") fail("]");
    }
    i++;
    return all;
  };
  const map = (): FlowMap => {
    const all: FlowMap = new Map();
    for (i++, blank(); text[i] !== "}"; blank()) {
      const key = scalar(":,}");
      if (text[i] !== ":") fail(":");
      i++;
      all.set(key, value(",}"));
      blank();
      if (text[i] === ",") i++;
      else if (text[i] !== "}") fail("}");
    }
    i++;
    return all;
  };
  const result = value("");
  blank();
  if (i < text.length) fail("nothing more");
  return result;
}
export function writeFlow(value: Flow): string {
  if (value instanceof Map) return "{" + [...value].map(([key, v]) => `${key}: ${writeFlow(v)}`).join(", ") + "}";
  return Array.isArray(value) ? "[" + value.map(writeFlow).join(", ") + "]" : String(value);
}

/// The order in which new sections are put.
const SECTIONS = ["kane", "name", "description", "parameters", "inputs", "gravity", "bodies", "joints", "points", "constraints", "contacts", "loads"];

export class ModelText {
  readonly lines: string[];
  constructor(text: string) { this.lines = text.replace(/\n+$/, "").split("\n"); }
  get text(): string { return this.lines.join("\n") + "\n"; }
  /// The lines of a section, from its head to before `end`; null if there is none.
  private range(section: string): { head: number; end: number } | null {
    const head = this.lines.findIndex((l) => l.startsWith(section + ":"));
    if (head < 0) return null;
    let end = head + 1;
    for (let k = end; k < this.lines.length && !/^[^\s#]/.test(this.lines[k]); k++) if (/^\s/.test(this.lines[k]) && this.lines[k].trim()) end = k + 1;
    return { head, end };
  }
  /// name -> {line, value, remark}. Throws {message, line} if an entry does not stand on one line.
  entries(section: string): Map<string, { line: number; value: Flow; remark: string }> {
    const found = new Map<string, { line: number; value: Flow; remark: string }>(), range = this.range(section);
    if (!range) return found;
    const wrong = (line: number, message: string): never => { throw new PlaceError(message, line + 1); };
    if (!/^\w+:\s*(#.*)?$/.test(this.lines[range.head])) wrong(range.head, `'${section}' does not have one line for each entry`);
    for (let k = range.head + 1; k < range.end; k++) {
      if (/^\s*(#.*)?$/.test(this.lines[k])) continue;
      const parts = /^ +([A-Za-z_]\w*):\s+([^\s#].*?)(\s+#.*)?$/.exec(this.lines[k]);
      if (!parts) return wrong(k, `'${section}' does not have one line for each entry`);
      try { found.set(parts[1], { line: k, value: readFlow(parts[2]), remark: parts[3] || "" }); }
      catch (error) { wrong(k, (error as Error).message); }
    }
    return found;
  }
  /// Writes an entry in its place, or at the end of its section. A line that says the same already is left alone.
  set(section: string, name: string, value: Flow): void {
    const old = this.entries(section).get(name), text = writeFlow(value);
    if (old && writeFlow(old.value) === text) return;
    if (old) { this.lines[old.line] = this.lines[old.line].replace(/^( +\w+: ).*$/, (_, start: string) => start + text + old.remark); return; }
    if (!this.range(section)) {
      const before = SECTIONS.slice(0, SECTIONS.indexOf(section)).map((s) => this.range(s)?.end ?? 0);
      this.lines.splice(Math.max(0, ...before), 0, section + ":");
    }
    this.lines.splice(this.range(section)?.end ?? this.lines.length, 0, `  ${name}: ${text}`);
  }
  remove(section: string, name: string): void {
    const old = this.entries(section).get(name);
    if (!old) return;
    this.lines.splice(old.line, 1);
    if (this.entries(section).size === 0) this.lines.splice(this.range(section)?.head ?? 0, 1);
  }
}
