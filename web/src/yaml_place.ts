// Which place of a model a cursor in its YAML is at: the path of keys above it, in blocks and in {flow: maps}.

export interface YamlPlace {
  path: string[];   ///< keys; "-" for an item of a list
  typed: string;    ///< what has been written of the key or value
  isKey: boolean;
  key: string;      ///< for a value: its key
}

/// The keys above a line that is indented by `indent`.
function keysAbove(lines: string[], before: number, given: number): string[] {
  const path: string[] = [];
  let indent = given;
  for (let i = before; i >= 0 && indent > 0; i--) {
    const above = /^(\s*)(- )?([\w. -]+):\s*(#.*)?$/.exec(lines[i]);
    if (!above) continue;
    const width = above[1].length + (above[2] ? 2 : 0);
    if (width >= indent) continue;
    path.unshift(above[3]);
    indent = above[1].length;
    if (above[2]) path.splice(path.length - 1, 0, "-");
  }
  return path;
}

/// The place of a column of a line; null in a remark.
export function placeAt(lines: string[], line: number, column: number): YamlPlace | null {
  const text = lines[line].slice(0, column), lead = /^(\s*)((?:- )*)/.exec(text) as RegExpExecArray;
  const indent = lead[1].length + lead[2].length, path = keysAbove(lines, line - 1, lead[2] ? lead[1].length + 1 : indent);
  for (let k = 0; k < lead[2].length / 2; k++) path.push("-");
  const open: { list: boolean; depth: number }[] = [];
  let word = "", key = "", quote = "";
  for (let i = indent; i < text.length; i++) {
    const c = text[i];
    if (quote) { if (c === quote) quote = ""; continue; }
    if (c === '"' || c === "'") { quote = c; continue; }
    if (c === "#" && (i === 0 || /\s/.test(text[i - 1]))) return null;
    const top = open[open.length - 1];
    if (c === ":" && (i + 1 >= text.length || text[i + 1] === " ") && !key) { key = word.trim(); word = ""; }
    else if (c === "{" || c === "[") {
      const depth = path.length;
      if (key) path.push(key);
      else if (top?.list) path.push("-");
      open.push({ list: c === "[", depth });
      key = word = "";
    } else if (c === "," && top) { key = word = ""; }
    else if ((c === "}" || c === "]") && top) { open.pop(); path.length = top.depth; key = word = ""; }
    else word += c;
  }
  const typed = word.trimStart(), top = open[open.length - 1];
  if (key) return { path: [...path, key], typed, isKey: false, key };
  if (top?.list) return { path: [...path, "-"], typed, isKey: false, key: path[path.length - 1] ?? "" };
  return { path, typed, isKey: true, key: "" };
}
