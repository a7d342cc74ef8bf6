// The text of a model: YAML in colours, marks at lines with errors, and completion of keys from the JSON Schema.

/// The keys that may stand at a place, found by the indentation above it.
class SchemaKeys {
  constructor(schema) { this.schema = schema; }
  resolve(node) {
    for (let i = 0; node && node.$ref && i < 20; i++)
      node = node.$ref.replace(/^#\//, "").split("/").reduce((s, key) => s?.[decodeURIComponent(key)], this.schema);
    return node;
  }
  /// All alternatives of a node.
  choices(node, depth = 0) {
    node = this.resolve(node);
    if (!node || depth > 6) return [];
    return [node, ...["anyOf", "oneOf", "allOf"].flatMap((k) => (node[k] || []).flatMap((n) => this.choices(n, depth + 1)))];
  }
  below(nodes, key) {
    return nodes.flatMap((n) => this.choices(n)).flatMap((n) => {
      if (n.properties?.[key]) return [n.properties[key]];
      const found = Object.entries(n.patternProperties || {}).find(([pattern]) => new RegExp(pattern).test(key));
      if (found) return [found[1]];
      return typeof n.additionalProperties === "object" ? [n.additionalProperties] : [];
    });
  }
  at(path) {
    let nodes = [this.schema];
    for (const key of path) nodes = key === "-" ? nodes.flatMap((n) => this.choices(n)).flatMap((n) => (n.items ? [n.items] : [])) : this.below(nodes, key);
    const keys = new Map();
    for (const n of nodes.flatMap((m) => this.choices(m)))
      for (const [key, value] of Object.entries(n.properties || {})) if (!keys.has(key)) keys.set(key, this.resolve(value)?.description || value.description || "");
    return keys;
  }
}

class Editor {
  /// `hands`: onEdit(text) shortly after the last key, onSave().
  constructor(hands) {
    this.hands = hands;
    this.gutter = element("div", { class: "gutter", "aria-hidden": "true" });
    this.pre = element("pre", { "aria-hidden": "true" });
    this.area = element("textarea", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": "Text of the model" });
    this.message = element("div", { class: "message", role: "alert", hidden: true });
    this.status = element("span", { class: "grow" });
    this.save = element("button", { title: "Save the file (Ctrl+S)", onclick: () => hands.onSave() }, "Save");
    this.list = element("div", { class: "complete", role: "listbox", hidden: true });
    this.paper = element("div", { class: "paper" }, this.pre, this.area, this.list);
    this.code = element("div", { class: "code" }, this.gutter, this.paper);
    this.root = element("div", { class: "editor" }, this.code, this.message, element("div", { class: "bar" }, this.status, this.save));
    this.area.addEventListener("input", () => { this.draw(); this.suggest(false); clearTimeout(this.timer); this.timer = setTimeout(() => hands.onEdit(this.text), 250); });
    this.area.addEventListener("keydown", (event) => this.key(event));
    this.area.addEventListener("blur", () => setTimeout(() => { this.list.hidden = true; }, 150));
  }
  get text() { return this.area.value; }
  setText(text) { if (this.area.value === text) return; this.area.value = text; this.setError(null); this.draw(); }
  /// {line, column, message} or null.
  setError(error) {
    this.error = error;
    this.message.hidden = !error;
    if (error) this.message.textContent = (error.line ? `Line ${error.line}: ` : "") + error.message;
    this.draw();
  }
  /// Lines that mention a name are highlighted.
  setLit(name) { this.lit = name; this.draw(); }
  draw() {
    const lines = this.area.value.split("\n");
    this.pre.replaceChildren();
    const named = this.lit ? new RegExp("(^|[^\\w])" + this.lit.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "($|[^\\w])") : null;
    lines.forEach((line, i) => {
      const bad = this.error && this.error.line === i + 1;
      const row = element("span", { class: "line" + (bad ? " bad" : named?.test(line) ? " lit" : "") });
      const parts = /^(\s*(?:- )?)([A-Za-z_][\w. -]*)(:)(.*)$/.exec(line), rest = parts ? parts[4] : line, hash = /(^|\s)#/.exec(rest);
      if (parts) row.append(parts[1], element("span", { class: "k" }, parts[2]), parts[3]);
      row.append(rest.slice(0, hash ? hash.index : rest.length));
      if (hash) row.append(element("span", { class: "c" }, rest.slice(hash.index)));
      this.pre.append(row, "\n");
    });
    this.gutter.replaceChildren(...lines.flatMap((_, i) => [this.error?.line === i + 1 ? element("span", { class: "bad", title: this.error.message }, String(i + 1)) : String(i + 1), element("br")]));
  }
  key(event) {
    const a = this.area;
    if (!this.list.hidden) {
      const all = [...this.list.children], at = all.findIndex((e) => e.getAttribute("aria-selected") === "true");
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        all[at]?.setAttribute("aria-selected", "false");
        const next = all[(at + (event.key === "ArrowDown" ? 1 : all.length - 1)) % all.length];
        next.setAttribute("aria-selected", "true");
        next.scrollIntoView({ block: "nearest" });
        return;
      }
      if (event.key === "Enter" || event.key === "Tab") { event.preventDefault(); all[Math.max(0, at)].click(); return; }
      if (event.key === "Escape") { this.list.hidden = true; event.preventDefault(); return; }
    }
    if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); this.hands.onSave(); return; }
    if (event.ctrlKey && event.key === " ") { event.preventDefault(); this.suggest(true); return; }
    if (event.key === "Tab") { event.preventDefault(); this.insert("  "); return; }
    if (event.key === "Enter") {  // keep the indentation, and one more after a key without a value
      event.preventDefault();
      const line = a.value.slice(0, a.selectionStart).split("\n").pop(), indent = /^\s*/.exec(line)[0];
      this.insert("\n" + indent + (/:\s*$/.test(line) ? "  " : ""));
    }
  }
  insert(text) { document.execCommand("insertText", false, text); }  // the one way that keeps undo
  suggest(asked) {
    const before = this.area.value.slice(0, this.area.selectionStart), lines = before.split("\n"), line = lines.pop();
    const typed = /^(\s*)(- )?([A-Za-z_]*)$/.exec(line);
    this.list.hidden = true;
    if (!this.keys || !typed || (!asked && typed[3].length < 1)) return;
    const path = [];
    let indent = typed[1].length + (typed[2] ? 2 : 0);
    if (typed[2]) path.unshift("-");
    for (let i = lines.length - 1; i >= 0 && indent > 0; i--) {
      const above = /^(\s*)(- )?([\w. -]+):\s*(#.*)?$/.exec(lines[i]), width = above ? above[1].length + (above[2] ? 2 : 0) : -1;
      if (!above || width >= indent) continue;
      path.unshift(above[3]);
      indent = above[1].length;
    }
    const found = [...this.keys.at(path)].filter(([key]) => key.startsWith(typed[3]) && key !== typed[3]).slice(0, 40);
    if (!found.length) return;
    this.list.replaceChildren(...found.map(([key, text], i) => element("div", { role: "option", "aria-selected": String(i === 0), title: text,
      onmousedown: (e) => e.preventDefault(), onclick: () => { this.list.hidden = true; this.insert(key.slice(typed[3].length) + ": "); } },
      key, element("small", {}, text.slice(0, 60)))));
    const row = parseFloat(getComputedStyle(this.pre).lineHeight) || 19, wide = 7.6;
    this.list.style.top = 8 + row * (lines.length + 1) + "px";
    this.list.style.left = 6 + wide * typed[1].length + "px";
    this.list.hidden = false;
  }
}
