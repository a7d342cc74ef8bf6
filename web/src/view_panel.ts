// What the view shows: the list under "Show".

import { element } from "./dom";
import type { SceneView, Shown } from "./view";

const MOST_TRAILS = 60;
const TEXTS: [keyof Shown, string][] = [["names", "names"], ["joints", "joints"], ["frames", "frames"], ["centres", "mass centres"], ["velocities", "velocities"],
  ["loads", "loads and contacts"], ["reactions", "reactions of joints"], ["numbers", "numbers at arrows"], ["legend", "legend of arrows"], ["planes", "planes of contacts"],
  ["grid", "grid"], ["shadows", "shadows"]];

export class ShownPanel {
  readonly root: HTMLElement;
  private readonly box = element("div", { id: "shown" });
  constructor(private readonly changed: () => void) { this.root = element("details", {}, element("summary", { title: "What the view shows" }, "Show"), this.box); }
  fill(view: SceneView): void {
    const scene = view.history.scene, missing: Partial<Record<keyof Shown, boolean>> = {
      loads: !scene.arrows.some((a) => !a.reaction || a.contact), reactions: !scene.arrows.some((a) => a.reaction && !a.contact), numbers: !scene.arrows.length,
      legend: !scene.arrows.length, planes: !scene.planes.length, joints: !scene.joints?.length, centres: !scene.bodies.some((b) => b.com !== undefined) };
    const check = (text: string, on: boolean, change: (on: boolean) => void): HTMLElement => {
      const input = element("input", { type: "checkbox" });
      input.checked = on;
      input.addEventListener("change", () => { change(input.checked); this.changed(); });
      return element("label", {}, input, " " + text);
    };
    const follow = element("select", { "aria-label": "Follow" }, new Option("nothing", ""), ...scene.bodies.map((b, i) => new Option(b.name, `body ${i}`)));
    follow.addEventListener("change", () => { view.setFollowed(follow.value); this.changed(); });
    this.box.replaceChildren(
      ...TEXTS.filter(([key]) => !missing[key]).map(([key, text]) => check(text, view.shown[key], (on) => { view.shown[key] = on; })),
      ...scene.points.slice(0, MOST_TRAILS).map((p) => check("trail of " + p.name, view.trails.has(p.point), (on) => { if (on) view.trails.add(p.point); else view.trails.delete(p.point); })),
      element("label", {}, "follow ", follow));
  }
}
