// Joints that are locked and constraints that are imposed while the model runs, by a click.

import { element } from "./dom";
import type { Workspace } from "./workspace";

export class LockPanel {
  readonly root = element("div", { id: "locks" });
  private locked: string[] = [];
  private constraints: { name: string; on: boolean }[] = [];
  constructor(private readonly workspace: Workspace, private readonly send: (message: object) => void) {}
  /// Another model: nothing is locked in it until the server says so.
  open(): void { this.take([], []); }
  toggle(joint: string): void { this.send({ type: "lock", name: joint, on: !this.locked.includes(joint) }); }
  take(locked: string[], constraints: { name: string; on: boolean }[]): void {
    this.locked = locked;
    this.constraints = constraints;
    if (!this.workspace.view) return;
    this.workspace.view.locked = new Set(locked);
    this.workspace.dirty = true;
    const joints = (this.workspace.history.scene.joints ?? []).filter((j) => j.lockable);
    const row = (name: string, on: boolean, kind: string, change: (on: boolean) => void): HTMLElement => {
      const box = element("input", { type: "checkbox", "data-lock": name });
      box.checked = on;
      box.addEventListener("change", () => change(box.checked));
      return element("label", { class: "lock" }, box, " " + name, element("small", {}, kind));
    };
    this.root.replaceChildren(
      ...(joints.length ? [element("h2", { class: "small" }, "Locked joints"), ...joints.map((j) => row(j.name, locked.includes(j.name), j.kind, () => this.toggle(j.name)))] : []),
      ...(this.constraints.length ? [element("h2", { class: "small" }, "Constraints imposed"), ...this.constraints.map((c) => row(c.name, c.on, "", (on) => this.send({ type: "impose", name: c.name, on })))] : []));
  }
}
