// The first visit: five things to try, one after the other, each beside what it is about. It blocks nothing.

import { element, recall, remember } from "./dom";

const STEPS = [
  ["#stage", "Pull it", "Drag a part of the mechanism with the mouse. The arrow is the force; let go and it swings on. Double-click a joint to lock it."],
  ["#leftpanels", "Change it", "This text is the model. Change a number: the motion goes on with it. A mistake is marked at its line."],
  ["#lefttabs", "Turn a knob", "Parameters has a slider for each length, mass and stiffness. Draw has a sheet for a mechanism of your own."],
  ["#rightpanels", "Read it", "The equations of motion of what you see. Click a symbol for its value; choose other speeds and see them change. Plots, Measure and Analysis are beside them."],
  ["#transport", "Go back in time", "Drag the time line into the past and press play: the motion continues from there."],
] as const;

export class Tour {
  private at = -1;
  private readonly box = element("div", { id: "tour", role: "dialog", "aria-label": "A short tour", hidden: true });
  constructor() {
    this.box.addEventListener("keydown", (event) => { if (event.key === "Escape") this.end(); });
    document.body.append(this.box);
    if (!recall("toured")) setTimeout(() => { if (this.at < 0 && !recall("toured")) this.go(0); }, 1500);
  }
  go(i: number): void {
    this.at = i;
    if (i >= STEPS.length) { this.end(); return; }
    const [where, title, text] = STEPS[i];
    this.box.replaceChildren(element("b", {}, title), element("p", {}, text), element("div", { class: "row" },
      element("span", { class: "hint" }, `${i + 1} of ${STEPS.length}`), element("button", { class: "quiet", onclick: () => this.end() }, "Skip"),
      element("button", { class: "next", onclick: () => this.go(i + 1) }, i + 1 < STEPS.length ? "Next" : "Done")));
    this.box.hidden = false;
    const panel = document.querySelector(where), shown = panel && getComputedStyle(panel).display === "contents" ? panel.parentElement : panel;
    const target = shown?.getBoundingClientRect(), own = this.box.getBoundingClientRect();
    const clamp = (v: number, most: number): number => Math.max(8, Math.min(most - 8, v));
    if (!target || !target.width) return;
    const x = where === "#stage" ? target.left + target.width / 2 - own.width / 2 : target.left > innerWidth / 2 ? target.left - own.width - 12
      : target.width > innerWidth / 2 ? innerWidth / 2 - own.width / 2 : target.right + 12;
    const y = where === "#stage" ? target.bottom - own.height - 14 : where === "#transport" ? target.top - own.height - 12 : target.top + 40;
    this.box.style.left = clamp(x, innerWidth - own.width) + "px";
    this.box.style.top = clamp(y, innerHeight - own.height) + "px";
  }
  private end(): void { this.box.hidden = true; remember("toured", "1"); }
}
