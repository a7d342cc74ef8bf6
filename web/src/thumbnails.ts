// Small pictures for the list of models: each model that was open here is kept as it looked.

import { element, recall, remember } from "./dom";
import type { Workspace } from "./workspace";

const WIDE = 144, HIGH = 90;

export class Thumbnails {
  private timer = 0;
  constructor(private readonly workspace: Workspace) {}
  /// Takes the picture of the model that is shown, as soon as the camera has come to rest; null: it has no file.
  take(path: string | null): void {
    clearTimeout(this.timer);
    if (path === null) return;
    this.timer = window.setTimeout(() => {
      if (this.workspace.covered) return;
      const from = this.workspace.canvas, small = element("canvas", { width: WIDE, height: HIGH }), scale = 1.2 * Math.min(WIDE / from.width, HIGH / from.height);
      if (!from.width || !from.height) return;
      small.getContext("2d")?.drawImage(from, (WIDE - scale * from.width) / 2, (HIGH - scale * from.height) / 2, scale * from.width, scale * from.height);
      remember("picture." + path, small.toDataURL("image/webp", 0.8));
    }, 1500);
  }
  /// An image, or an empty place.
  of(path: string): HTMLElement {
    const url = recall("picture." + path);
    return url ? element("img", { src: url, alt: "", width: WIDE / 2, height: HIGH / 2 }) : element("i", { class: "nopicture" });
  }
}
