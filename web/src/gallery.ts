// The models of the served folder, with small pictures.

import { element } from "./dom";
import type { Thumbnails } from "./thumbnails";

export interface ServedFile { path: string; description: string }

export class Gallery {
  readonly root = element("div", { class: "gallery" });
  private readonly rows = element("div", { role: "list", class: "models" });
  private readonly filter = element("input", { type: "search", "aria-label": "Find a model" });
  private all: ServedFile[] = [];

  constructor(private readonly thumbnails: Thumbnails, private readonly choose: (path: string) => void) {
    this.filter.addEventListener("input", () => this.find());
    this.root.append(this.filter, this.rows);
  }
  async files(): Promise<ServedFile[]> {
    const answer = (await fetch("files").then((r) => r.json())) as { files: ServedFile[] };
    return answer.files;
  }
  async list(current: string | null): Promise<void> {
    let all: ServedFile[];
    try { all = await this.files(); } catch { return; }  // the server is away
    // Rows that are there already stay, so that none vanishes under the mouse.
    if (JSON.stringify(all) === JSON.stringify(this.all)) {
      [...this.rows.children].forEach((row, i) => { row.firstElementChild?.replaceWith(this.thumbnails.of(all[i].path)); });
      this.mark(current);
      return;
    }
    this.all = all;
    this.filter.placeholder = `Find among ${this.all.length} models`;
    this.rows.replaceChildren(...this.all.map((f) => element("button", { role: "listitem", "data-path": f.path, onclick: () => this.choose(f.path) },
      this.thumbnails.of(f.path), element("div", {}, element("b", {}, f.path.replace(/\.ya?ml$/, "")), element("span", {}, f.description)))));
    this.mark(current);
    this.find();
  }
  mark(path: string | null): void { for (const row of this.rows.querySelectorAll<HTMLElement>("button")) row.setAttribute("aria-current", String(row.dataset.path === path)); }
  private find(): void {
    const wanted = this.filter.value.toLowerCase();
    [...this.rows.children].forEach((row, i) => { (row as HTMLElement).hidden = !(this.all[i].path + " " + this.all[i].description).toLowerCase().includes(wanted); });
  }
}
