// Plots of signals over time. All share their span of time, a line at the time of the picture, and the cursor.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { colours, digits, element, prettyUnit } from "./dom";
import type { Signals } from "./signals";

const PALETTE = ["#2f6fb2", "#d9731a", "#3a9a4a", "#c9403a", "#7e57a8", "#8a5a44", "#c45a9c", "#5f6b76", "#a3a02a", "#1a9ab0"];
const MOST_POINTS = 3000;

/// What the plots need of their page.
export interface PlotPage {
  signals: Signals;
  time: number;
  marks: [number, string][];
  span: [number, number];
  go(t: number): void;
  setSpan(a: number, b: number): void;
  resetZoom(): void;
  redraw(): void;
  addPlot(names: string[], after?: Plot): void;
  removePlot(plot: Plot): void;
}

export class Plot {
  readonly root = element("div", { class: "plot" });
  private readonly chips = element("div", { class: "chips" });
  private readonly place = element("div", { class: "curve" });
  private chart: uPlot | null = null;
  private shape = "";  // of what the chart was made for
  private readonly values: HTMLElement[] = [];

  constructor(private readonly page: PlotPage, public names: string[]) {
    this.root.append(this.chips, this.place);
    this.refill();
    this.place.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }
  private shown(): string[] { return this.names.filter((n) => this.page.signals.has(n)); }
  private unit(): string | null { const first = this.shown()[0]; return first === undefined ? null : this.page.signals.unit(first); }
  /// A signal with a different unit gets a separate plot.
  addSignal(name: string): void {
    const unit = this.unit();
    if (unit !== null && this.page.signals.unit(name) !== unit) { this.page.addPlot([name], this); this.refill(); return; }
    this.names = [...this.names, name];
    this.refill();
    this.page.redraw();
  }
  refill(): void {
    this.values.length = 0;
    this.chips.replaceChildren(...this.names.map((name, i) => {
      const mark = element("i"), value = element("output");
      mark.style.background = PALETTE[i % PALETTE.length];
      this.values.push(value);
      return element("button", { class: "chip", title: `Remove ${name}`, onclick: () => { this.names = this.names.filter((n) => n !== name); this.refill(); this.page.redraw(); } }, mark, name, value);
    }));
    const choose = element("select", { "aria-label": "Add a signal", title: "Draw another signal; one with a different unit gets a separate plot" }, new Option("+ signal", ""));
    for (const [group, names] of this.page.signals.groups) {
      const list = element("optgroup", { label: group });
      for (const n of names) { const unit = this.page.signals.unit(n); if (!this.names.includes(n)) list.append(new Option(unit ? `${n}, ${unit}` : n, n)); }
      if (list.children.length) choose.append(list);
    }
    choose.addEventListener("change", () => { if (choose.value) this.addSignal(choose.value); });
    this.chips.append(choose, element("button", { class: "close", title: "Remove this plot", "aria-label": "Remove this plot", onclick: () => this.page.removePlot(this) }, "\u2715"));
  }
  private wheel(event: WheelEvent): void {
    event.preventDefault();
    if (!this.chart) return;
    const box = this.chart.over.getBoundingClientRect(), t = this.chart.posToVal(event.clientX - box.left, "x"), [a, b] = this.page.span, k = Math.exp(0.0015 * event.deltaY);
    this.page.setSpan(t - (t - a) * k, t + (b - t) * k);
  }

  // ---- the chart ---------------------------------------------------------------------------------------------------------------
  private make(width: number): void {
    const paint = colours(), line = paint("line"), faint = paint("faint"), font = "11px system-ui, sans-serif", unit = prettyUnit(this.unit() ?? "");
    const axis = { stroke: faint, font, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 } };
    this.chart?.destroy();
    this.chart = new uPlot({
      width, height: 170, padding: [10, 14, 0, 0], legend: { show: false },
      scales: { x: { time: false, range: () => [...this.page.span] as uPlot.Range.MinMax },
        y: { range: (_, low, high) => { const pad = high > low ? 0.06 * (high - low) : Math.max(Math.abs(high ?? 0) * 0.1, 1e-9); return [(low ?? 0) - pad, (high ?? 1) + pad]; } } },
      axes: [{ ...axis, size: 30, space: 70, values: (_, all) => all.map((v, i) => digits(v, 6) + (i === all.length - 1 ? " s" : "")) },
        { ...axis, size: 58, space: 30, values: (_, all) => all.map((v) => digits(v, 6)), label: unit || undefined, labelFont: font, labelSize: 18, labelGap: 0 }],
      series: [{}, ...this.shown().map((_, i) => ({ stroke: PALETTE[i % PALETTE.length], width: 1.6, points: { show: false } }))],
      cursor: { sync: { key: "kane", setSeries: false }, drag: { x: true, y: false, setScale: false }, points: { size: 7 } },
      hooks: { draw: [(chart) => this.drawMarks(chart)], setSelect: [(chart) => this.zoom(chart)], setCursor: [(chart) => this.showValues(chart)] },
    }, [[0, 1], ...this.shown().map(() => [null, null])] as uPlot.AlignedData, this.place);
    const over = this.chart.over;
    let down: [number, number] | null = null;
    over.addEventListener("pointerdown", (event) => { down = [event.clientX, event.clientY]; });
    over.addEventListener("click", (event) => {  // a click, not a zoom
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4 && this.chart) this.page.go(this.chart.posToVal(event.clientX - over.getBoundingClientRect().left, "x"));
    });
    over.addEventListener("dblclick", () => this.page.resetZoom());
  }
  private zoom(chart: uPlot): void {
    const { left, width } = chart.select;
    if (width > 8) this.page.setSpan(chart.posToVal(left, "x"), chart.posToVal(left + width, "x"));
    if (width > 0) chart.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
  }
  /// A line at the time of the picture, and events.
  private drawMarks(chart: uPlot): void {
    const { ctx, bbox } = chart, [a, b] = this.page.span, paint = colours();
    const bar = (t: number, width: number, color: string, alpha: number): void => {
      if (t < a || t > b) return;
      ctx.save();
      ctx.globalAlpha = alpha;
      ctx.fillStyle = color;
      ctx.fillRect(chart.valToPos(t, "x", true) - width / 2, bbox.top, width, bbox.height);
      ctx.restore();
    };
    const ratio = devicePixelRatio || 1;
    for (const [t] of this.page.marks) bar(t, ratio, paint("warn"), 0.35);
    bar(this.page.time, 1.5 * ratio, paint("ink"), 0.5);
  }
  /// Beside the names: at the cursor, else at the time of the picture.
  private showValues(chart: uPlot): void {
    const at = chart.cursor.idx;
    this.shown().forEach((_, i) => {
      const column = chart.data[i + 1], value = at === null || at === undefined ? null : column?.[at];
      this.values[i].textContent = value === null || value === undefined ? "" : digits(value);
    });
  }
  draw(): void {
    const width = this.place.clientWidth;
    if (!width) return;
    const names = this.shown(), shape = [names.join("\n"), document.documentElement.dataset.theme, matchMedia("(prefers-color-scheme: dark)").matches, this.unit()].join("|");
    if (!this.chart || shape !== this.shape) { this.shape = shape; this.make(width); }
    if (this.chart && this.chart.width !== width) this.chart.setSize({ width, height: 170 });
    const [first, last] = this.page.signals.window(this.page.span), stride = Math.max(1, Math.ceil((last - first + 1) / MOST_POINTS));
    const at: number[] = [];
    for (let i = first; i <= last; i += stride) at.push(i);
    this.chart?.setData([at.map((i) => this.page.signals.time(i)), ...names.map((n) => { const value = this.page.signals.reader(n); return at.map((i) => { const v = value(i); return Number.isFinite(v) ? v : null; }); })] as uPlot.AlignedData);
    if (this.chart && (this.chart.cursor.idx === null || this.chart.cursor.idx === undefined)) {
      const now = this.page.signals.at(this.page.time);
      names.forEach((n, i) => { this.values[i].textContent = digits(this.page.signals.reader(n)(now)); });
    }
  }
  end(): void { this.chart?.destroy(); this.root.remove(); }
}
