// The text of a model: CodeMirror with the schema's completion and help, and errors marked at their lines.

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentLess, insertTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState, StateEffect, StateField, Transaction } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers, rectangularSelection, type Tooltip } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { element } from "./dom";
import type { Schema } from "./schema";
import { placeAt } from "./yaml_place";

export interface ModelError { line: number; column: number; message: string }
export interface EditorHands { onEdit(text: string): void; onSave(): void; onSelect?(word: string): void }

const PAUSE = 120;  // ms after the last key
/// A change that comes from elsewhere: it can be undone, but is no edit.
const foreign = Annotation.define<boolean>();
const light = StateEffect.define<string>();

/// Lines that mention the selected name.
const lit = StateField.define<{ name: string; marks: DecorationSet }>({
  create: () => ({ name: "", marks: Decoration.none }),
  update(before, change) {
    let name = before.name;
    for (const effect of change.effects) if (effect.is(light)) name = effect.value;
    if (name === before.name && !change.docChanged) return before;
    if (!name) return { name, marks: Decoration.none };
    const word = new RegExp("(^|[^\\w])" + name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "($|[^\\w])"), line = Decoration.line({ class: "lit" }), marks = [];
    for (let i = 1; i <= change.state.doc.lines; i++) { const l = change.state.doc.line(i); if (word.test(l.text)) marks.push(line.range(l.from)); }
    return { name, marks: Decoration.set(marks) };
  },
  provide: (field) => EditorView.decorations.from(field, (value) => value.marks),
});

const style = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--key)" }, { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.string, tags.content], color: "var(--ink)" }, { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: "var(--faint)" },
]);

export class Editor {
  readonly root: HTMLElement;
  readonly save: HTMLButtonElement;
  readonly status = element("span", { class: "grow" });
  schema: Schema | null = null;
  readonly view: EditorView;
  private readonly message = element("div", { class: "message", role: "alert", hidden: true });
  private error: ModelError | null = null;
  private timer = 0;

  constructor(private readonly hands: EditorHands) {
    this.save = element("button", { title: "Save the file (Ctrl+S)", onclick: () => hands.onSave() }, "Save");
    this.view = new EditorView({ state: this.state("") });
    this.message.addEventListener("click", () => this.goToError());
    this.root = element("div", { class: "editor" }, this.view.dom, this.message, element("div", { class: "bar" }, this.status, this.save));
  }
  private state(text: string): EditorState {
    return EditorState.create({ doc: text, extensions: [
      lineNumbers(), foldGutter(), highlightActiveLine(), highlightActiveLineGutter(), history(), drawSelection(), rectangularSelection(), indentOnInput(), bracketMatching(),
      closeBrackets(), highlightSelectionMatches(), yaml(), syntaxHighlighting(style), indentUnit.of("  "), lintGutter(), lit,
      autocompletion({ override: [(context) => this.complete(context)], icons: false, activateOnTyping: true }),
      hoverTooltip((view, at) => this.help(view, at), { hoverTime: 350 }),
      EditorView.contentAttributes.of({ "aria-label": "Text of the model", spellcheck: "false", autocapitalize: "off" }),
      keymap.of([{ key: "Mod-s", preventDefault: true, run: () => { this.hands.onSave(); return true; } }, { key: "Tab", run: insertTab, shift: indentLess }, { key: "F8", run: () => { this.goToError(); return true; } },
        ...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...foldKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
      EditorView.updateListener.of((update) => {
        if (!update.docChanged) return;
        if (update.transactions.every((t) => t.annotation(foreign))) return;
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.flush(), PAUSE);
      }),
      EditorView.domEventHandlers({ dblclick: () => { const { main } = this.view.state.selection, word = this.view.state.sliceDoc(main.from, main.to).trim(); if (/^[A-Za-z_]\w*$/.test(word)) this.hands.onSelect?.(word); return false; } }),
    ] });
  }
  get text(): string { return this.view.state.doc.toString(); }
  /// What was typed takes effect now, not after the pause.
  flush(): void {
    if (!this.timer) return;
    this.forget();
    this.hands.onEdit(this.text);
  }
  private forget(): void { clearTimeout(this.timer); this.timer = 0; }
  /// Another text in the place of this one. With `fresh`, it belongs to another file and begins without a past.
  setText(text: string, fresh = false): void {
    this.forget();
    if (fresh) { this.view.setState(this.state(text)); this.setError(null); return; }
    const before = this.text;
    if (before === text) return;
    let start = 0, end = 0;
    const most = Math.min(before.length, text.length);
    while (start < most && before[start] === text[start]) start++;
    while (end < most - start && before[before.length - 1 - end] === text[text.length - 1 - end]) end++;
    this.view.dispatch({ changes: { from: start, to: before.length - end, insert: text.slice(start, text.length - end) }, annotations: [foreign.of(true), Transaction.userEvent.of("input.drawing")] });
    this.setError(null);
  }
  setError(error: ModelError | null): void {
    this.error = error;
    this.message.hidden = !error;
    const marks: Diagnostic[] = [], doc = this.view.state.doc;
    if (error) {
      this.message.textContent = (error.line ? `Line ${error.line}: ` : "") + error.message;
      if (error.line >= 1 && error.line <= doc.lines) {
        const line = doc.line(error.line), from = Math.min(line.to, line.from + Math.max(0, error.column - 1)), word = /^[\w.'-]+/.exec(doc.sliceString(from, line.to));
        const [a, b] = error.column ? [from, Math.min(line.to, from + Math.max(1, word?.[0].length ?? 1))] : [line.from + (/^\s*/.exec(line.text)?.[0].length ?? 0), line.to];
        marks.push({ from: a, to: Math.max(a, b), severity: "error", message: error.message });
      }
    }
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }
  private goToError(): void {
    const doc = this.view.state.doc;
    if (!this.error || this.error.line < 1 || this.error.line > doc.lines) return;
    this.view.dispatch({ selection: { anchor: doc.line(this.error.line).from }, scrollIntoView: true });
    this.view.focus();
  }
  /// Lines that mention a name are highlighted.
  setLit(name: string): void { this.view.dispatch({ effects: light.of(name) }); }

  // ---- completion and help -------------------------------------------------------------------------------------------------------
  private lines(state: EditorState): string[] { return state.doc.toString().split("\n"); }
  private complete(context: CompletionContext): CompletionResult | null {
    if (!this.schema) return null;
    const lines = this.lines(context.state), line = context.state.doc.lineAt(context.pos), place = placeAt(lines, line.number - 1, context.pos - line.from);
    if (!place || (!context.explicit && !/^[A-Za-z_]/.test(place.typed)) || /[^\w.-]/.test(place.typed)) return null;
    const options: Completion[] = place.isKey
      ? [...this.schema.keys(place.path)].map(([label, info]) => ({ label, info: info || undefined, apply: label + ": ", type: "property" }))
      : [...this.schema.values(place.path).map((label) => ({ label, type: "enum" })), ...this.names(lines, place.key).map((label) => ({ label, type: "variable", detail: "of this model" }))];
    return options.length ? { from: context.pos - place.typed.length, options, validFor: /^[\w.-]*$/ } : null;
  }
  /// Names of the model that a key may refer to.
  private names(lines: string[], key: string): string[] {
    const of: Record<string, string[]> = { parent: ["bodies"], child: ["bodies"], on: ["bodies"], body: ["bodies"], from: ["points", "bodies"], to: ["points", "bodies"], joint: ["joints"], point: ["points"] };
    const sections = of[key] ?? [], found = sections.includes("bodies") ? ["N"] : [];
    let inside = false;
    for (const line of lines) {
      const head = /^(\w+):/.exec(line), entry = /^ {2}([A-Za-z_]\w*):/.exec(line);
      if (head) inside = sections.includes(head[1]);
      else if (inside && entry) found.push(entry[1]);
    }
    return found;
  }
  private help(view: EditorView, at: number): Tooltip | null {
    const line = view.state.doc.lineAt(at), text = line.text;
    let from = at - line.from, to = from;
    while (from > 0 && /\w/.test(text[from - 1])) from--;
    while (to < text.length && /\w/.test(text[to])) to++;
    if (!this.schema || from === to) return null;
    const isKey = /^\s*:(\s|$)/.test(text.slice(to)), place = placeAt(this.lines(view.state), line.number - 1, isKey ? from : to);
    if (!place) return null;
    const path = isKey ? [...place.path, text.slice(from, to)] : place.path, help = this.schema.help(path);
    if (!help) return null;
    return { pos: line.from + from, end: line.from + to, above: true, create: () => ({ dom: element("div", { class: "help" }, element("b", {}, path.filter((k) => k !== "-").join(" \u203a ")), element("div", {}, help)) }) };
  }
}
