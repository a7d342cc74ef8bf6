// A slider for a parameter or an input: its name, a range, a field for the number, its unit.

import { element, prettyUnit } from "./dom";

export interface SliderRow { root: HTMLElement; show(value: number): void }
export interface SliderItem { name: string; value: number; unit: string }

/// `change` sets a value; it answers "" or a sentence why not. `follows`: other parameters determine it.
export function parameterSlider(item: SliderItem, change: (v: number) => Promise<string>, complain: (why: string) => void, follows = false): SliderRow {
  const size = Math.abs(item.value), short = /[*]s|^$/.test(item.unit || "");
  const low = item.value > 0 ? item.value / 4 : item.value < 0 ? 3 * item.value : short ? 0 : -10;
  const high = item.value > 0 ? 3 * item.value : item.value < 0 ? item.value / 4 : short ? 1 : 10;
  const range = element("input", { type: "range", min: low, max: high, step: "any", value: item.value, "aria-label": item.name, disabled: follows });
  const field = element("input", { type: "text", inputmode: "decimal", "aria-label": item.name + " value", readonly: follows });
  const name = element("label", { title: follows ? "follows other parameters" : item.name }, item.name);
  const root = element("div", { class: "slider" + (follows ? " follows" : ""), "data-name": item.name }, name, range,
    element("span", { class: "value" }, field, element("span", { class: "unit" }, prettyUnit(item.unit))));
  const write = (v: number): void => { field.value = String(Number(v.toPrecision(size && size < 1e-3 ? 3 : 4))); };
  const set = async (v: number): Promise<void> => {
    if (!Number.isFinite(v)) return;
    const why = await change(v);
    root.classList.toggle("bad", why !== "");
    if (why) complain(why);
  };
  write(item.value);
  range.addEventListener("input", () => { write(Number(range.value)); void set(Number(range.value)); });
  field.addEventListener("change", () => { const v = Number(field.value.replace(",", ".")); range.value = String(v); void set(v); });
  name.addEventListener("dblclick", () => { if (follows) return; range.value = String(item.value); write(item.value); void set(item.value); });
  return { root, show: (v) => { range.value = String(v); write(v); } };
}
