// Keys that work anywhere but where text is typed.

import type { Workspace } from "./workspace";

export function listenToKeys(w: Workspace): void {
  addEventListener("keydown", (event) => {
    const at = event.target as HTMLElement;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || at.closest?.("select, textarea, dialog, .cm-editor, [contenteditable], input[type=text]")) return;
    if (event.key === " " && at.closest?.("button, summary, input")) return;
    if (event.key.startsWith("Arrow") && (at as HTMLInputElement).type === "range" && at.id !== "scrub") return;
    const keys: Record<string, () => void> = { " ": () => w.toggle(), ".": () => w.step(), r: () => w.reset(), R: () => w.reset(), f: () => w.view.fit(), F: () => w.view.fit(),
      "2": () => w.switchFlat(), "?": () => w.help(), ArrowLeft: () => w.goBy(-0.02), ArrowRight: () => w.goBy(0.02) };
    if (!keys[event.key] || !w.engine) return;
    event.preventDefault();
    keys[event.key]();
  });
}
