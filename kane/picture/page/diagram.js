// A quantity along a beam at the time of the picture, such as its bending moment, over the band that it fills during the run.

class Diagram {
  constructor(page, data) {
    this.page = page;
    this.title = data.title;
    this.unit = data.unit;
    this.s = data.s;
    this.values = data.signals.map((name) => page.signals.get(name)).map((signal) => (signal ? signal.values : []));
    this.low = this.values.map((v) => this.extreme(v, Math.min));
    this.high = this.values.map((v) => this.extreme(v, Math.max));
    this.root = document.createElement("div");
    this.root.className = "plot";
    const head = document.createElement("div");
    head.className = "chips";
    head.textContent = `${this.title}, over the arc length`;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-label", this.title);
    this.root.append(head, this.canvas);
  }
  extreme(values, pick) {
    let r = NaN;
    for (const v of values) if (Number.isFinite(v)) r = Number.isNaN(r) ? v : pick(r, v);
    return r;
  }
  draw(sample) {
    const ratio = window.devicePixelRatio || 1, c = this.canvas, w = c.clientWidth, h = c.clientHeight;
    if (!w) return;
    c.width = Math.round(w * ratio);
    c.height = Math.round(h * ratio);
    const g = c.getContext("2d"), style = getComputedStyle(document.body), faint = style.getPropertyValue("--faint"), line = style.getPropertyValue("--line");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    g.font = "11px system-ui, sans-serif";
    const box = { x: 62, y: 20, w: w - 80, h: h - 44 }, end = this.s[this.s.length - 1];
    let low = Math.min(0, ...this.low.filter(Number.isFinite)), high = Math.max(0, ...this.high.filter(Number.isFinite));
    if (!(high > low)) { low = -1; high = 1; }
    const pad = 0.06 * (high - low);
    low -= pad;
    high += pad;
    const X = (s) => box.x + s / end * box.w, Y = (v) => box.y + box.h - (v - low) / (high - low) * box.h;
    this.axes(g, box, X, Y, { low, high, end }, faint, line);
    g.fillStyle = g.strokeStyle = style.getPropertyValue("--accent");
    g.globalAlpha = 0.15;
    this.path(g, X, Y, this.s.map((_, k) => k), (k) => this.high[k]);
    this.path(g, X, Y, this.s.map((_, k) => this.s.length - 1 - k), (k) => this.low[k], true);
    g.fill();
    g.globalAlpha = 1;
    g.lineWidth = 1.6;
    this.path(g, X, Y, this.s.map((_, k) => k), (k) => this.values[k][sample]);
    g.stroke();
  }
  path(g, X, Y, order, value, goesOn) {
    if (!goesOn) g.beginPath();
    order.forEach((k, i) => (i === 0 && !goesOn ? g.moveTo(X(this.s[k]), Y(value(k))) : g.lineTo(X(this.s[k]), Y(value(k)))));
  }
  axes(g, box, X, Y, range, faint, line) {
    g.lineWidth = 1;
    g.strokeStyle = line;
    g.fillStyle = faint;
    const ds = niceStep(range.end, box.w / 90), dv = niceStep(range.high - range.low, box.h / 34);
    g.textAlign = "center";
    g.textBaseline = "top";
    for (let k = 0; k * ds <= range.end * (1 + 1e-9); k++) {
      g.beginPath(); g.moveTo(X(k * ds), box.y); g.lineTo(X(k * ds), box.y + box.h); g.stroke();
      g.fillText(numberText(k * ds, ds) + ((k + 1) * ds > range.end * (1 + 1e-9) ? " m" : ""), X(k * ds), box.y + box.h + 5);
    }
    g.textAlign = "right";
    g.textBaseline = "middle";
    for (let k = Math.ceil(range.low / dv); k * dv <= range.high; k++) {
      g.beginPath(); g.moveTo(box.x, Y(k * dv)); g.lineTo(box.x + box.w, Y(k * dv)); g.stroke();
      g.fillText(numberText(k * dv, dv), box.x - 6, Y(k * dv));
    }
    g.strokeRect(box.x, box.y, box.w, box.h);
    g.textAlign = "left";
    g.fillText(this.unit.replaceAll("*", "\u2009"), 4, 9);
  }
}
