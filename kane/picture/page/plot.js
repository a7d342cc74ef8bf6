// Plots of signals over time on a canvas: zoom, hover, a line at the time of the picture. All plots share their span of
// time, kept by the page. The signals of a plot have the same unit, which stands at its axis.

const PALETTE = ["#2f6fb2", "#d9731a", "#3a9a4a", "#c9403a", "#7e57a8", "#8a5a44", "#c45a9c", "#5f6b76", "#a3a02a", "#1a9ab0"];

function niceStep(span, count) {
  const raw = span / Math.max(1, count), power = Math.pow(10, Math.floor(Math.log10(raw)));
  return power * [1, 2, 5, 10].find((k) => k * power >= raw * 0.999);
}

function numberText(v, step) {
  if (v === 0) return "0";
  const a = Math.abs(v);
  if (a >= 1e5 || a < 1e-4) return v.toExponential(Math.max(0, Math.min(8, Math.ceil(Math.log10(a / (step || a)) + 0.01)))).replace("e+", "e");
  return String(+v.toFixed(Math.max(0, Math.min(12, -Math.floor(Math.log10(step || a * 1e-6))))));
}

class Plot {
  constructor(page, names) {
    this.page = page;
    this.names = names;
    this.root = document.createElement("div");
    this.root.className = "plot";
    this.chips = document.createElement("div");
    this.chips.className = "chips";
    this.canvas = document.createElement("canvas");
    this.root.append(this.chips, this.canvas);
    this.range = null;  // of values; null: as the curves need it
    this.listen();
    this.refill();
  }
  signals() { return this.names.map((n) => this.page.signals.get(n)).filter(Boolean); }
  unit() { return this.signals()[0]?.unit ?? null; }
  /// A signal with a different unit gets a separate plot.
  addSignal(name) {
    const unit = this.unit(), other = this.page.signals.get(name);
    if (unit !== null && other.unit !== unit) { this.page.addPlot([name], this); this.refill(); return; }
    this.names.push(name);
    this.range = null;
    this.refill();
    this.page.redraw();
  }
  color(i) { return PALETTE[i % PALETTE.length]; }

  refill() {
    this.chips.replaceChildren();
    this.names.forEach((name, i) => {
      const chip = document.createElement("button");
      chip.className = "chip";
      chip.title = "Remove " + name;
      const mark = document.createElement("i");
      mark.style.background = this.color(i);
      chip.append(mark, name);
      chip.onclick = () => { this.names = this.names.filter((n) => n !== name); this.range = null; this.refill(); this.page.redraw(); };
      this.chips.append(chip);
    });
    const choose = document.createElement("select");
    choose.setAttribute("aria-label", "Add a signal");
    choose.title = "Draw another signal; one with a different unit gets a separate plot";
    choose.append(new Option("+ signal", ""));
    for (const [group, names] of this.page.groups) {
      const list = document.createElement("optgroup");
      list.label = group;
      for (const n of names) {
        const unit = this.page.signals.get(n).unit;
        if (!this.names.includes(n)) list.append(new Option(unit ? `${n}, ${unit}` : n, n));
      }
      if (list.children.length) choose.append(list);
    }
    choose.onchange = () => { if (choose.value) this.addSignal(choose.value); };
    const close = document.createElement("button");
    close.className = "close";
    close.textContent = "\u2715";
    close.title = "Remove this plot";
    close.onclick = () => this.page.removePlot(this);
    this.chips.append(choose, close);
  }

  // ---- zoom and hover ------------------------------------------------------------------------------------------------
  timeAt(x) { const [a, b] = this.page.span; return a + (x - this.box.x) / this.box.w * (b - a); }
  valueAt(y) { return this.low + (this.box.y + this.box.h - y) / this.box.h * (this.high - this.low); }
  listen() {
    const c = this.canvas;
    let start = null, moved = false, span = null, range = null;
    const place = (event) => { const r = c.getBoundingClientRect(); return [event.clientX - r.left, event.clientY - r.top]; };
    c.addEventListener("pointerdown", (event) => {
      start = place(event);
      moved = false;
      span = [...this.page.span];
      range = [this.low, this.high];
      c.setPointerCapture(event.pointerId);
    });
    c.addEventListener("pointermove", (event) => {
      const p = place(event);
      if (start && Math.hypot(p[0] - start[0], p[1] - start[1]) > 4) moved = true;
      if (start && moved && event.shiftKey) {
        const dt = (p[0] - start[0]) / this.box.w * (span[1] - span[0]), dv = (p[1] - start[1]) / this.box.h * (range[1] - range[0]);
        this.range = [range[0] + dv, range[1] + dv];
        this.page.setSpan(span[0] - dt, span[1] - dt);
      } else if (start && moved) {
        this.marquee = [start, p];
      }
      this.page.hover = this.timeAt(p[0]);
      this.mouse = p;
      this.page.redraw();
    });
    c.addEventListener("pointerup", (event) => {
      const p = place(event);
      if (start && !moved) this.page.go(this.timeAt(p[0]));
      if (start && moved && this.marquee) {
        const [a, b] = this.marquee, wide = Math.abs(a[0] - b[0]) > 8, tall = Math.abs(a[1] - b[1]) > 24;
        const values = [this.valueAt(a[1]), this.valueAt(b[1])].sort((x, y) => x - y);
        const times = [this.timeAt(a[0]), this.timeAt(b[0])].sort((x, y) => x - y);
        if (tall) this.range = values;
        if (wide) this.page.setSpan(times[0], times[1]);
      }
      start = this.marquee = null;
      this.page.redraw();
    });
    c.addEventListener("pointerleave", () => { this.page.hover = null; this.mouse = null; this.page.redraw(); });
    c.addEventListener("dblclick", () => this.page.resetZoom());
    c.addEventListener("wheel", (event) => {
      event.preventDefault();
      const t = this.timeAt(place(event)[0]), [a, b] = this.page.span, k = Math.exp(0.0015 * event.deltaY);
      this.page.setSpan(t - (t - a) * k, t + (b - t) * k);
    }, { passive: false });
  }

  // Marks at the times of events: contacts that open and close, sticking, modes.
  events(g, X) {
    const [t0, t1] = this.page.span;
    g.fillStyle = "#c9403a";
    g.globalAlpha = 0.25;
    for (const [t] of this.page.events) if (t >= t0 && t <= t1) g.fillRect(X(t) - 0.5, this.box.y, 1, this.box.h);
    g.globalAlpha = 1;
  }

  // ---- drawing -------------------------------------------------------------------------------------------------------
  measure() {
    const [first, last] = this.page.indices();
    let low = Infinity, high = -Infinity;
    for (const s of this.signals())
      for (let i = first; i <= last; i++) {
        const v = s.values[i];
        if (Number.isFinite(v)) { if (v < low) low = v; if (v > high) high = v; }
      }
    if (low > high) [low, high] = [0, 1];
    const size = Math.max(Math.abs(high), Math.abs(low));
    // A constant, apart from rounding: a tenth of it to either side, or one unit around zero.
    const pad = high - low > 1e-12 * size ? 0.06 * (high - low) : 0.1 * size || 1;
    [this.low, this.high] = this.range || [low - pad, high + pad];
  }
  draw() {
    const ratio = window.devicePixelRatio || 1, c = this.canvas, w = c.clientWidth, h = c.clientHeight;
    if (!w) return;
    c.width = Math.round(w * ratio);
    c.height = Math.round(h * ratio);
    const g = c.getContext("2d"), style = getComputedStyle(document.body);
    const ink = style.getPropertyValue("--ink"), faint = style.getPropertyValue("--faint"), line = style.getPropertyValue("--line");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, w, h);
    g.font = "11px system-ui, sans-serif";
    this.measure();
    const box = this.box = { x: 62, y: 20, w: w - 80, h: h - 44 };
    const [t0, t1] = this.page.span, X = (t) => box.x + (t - t0) / (t1 - t0) * box.w;
    const Y = (v) => box.y + box.h - (v - this.low) / (this.high - this.low) * box.h;
    this.axes(g, X, Y, faint, line);
    g.save();
    g.beginPath();
    g.rect(box.x, box.y, box.w, box.h);
    g.clip();
    this.events(g, X);
    this.signals().forEach((s, i) => this.curve(g, s.values, X, Y, this.color(i)));
    g.fillStyle = faint;
    g.globalAlpha = 0.55;
    g.fillRect(X(this.page.time) - 0.75, box.y, 1.5, box.h);
    if (this.marquee) {
      const [a, b] = this.marquee, tall = Math.abs(a[1] - b[1]) > 24;
      g.globalAlpha = 0.15;
      g.fillStyle = style.getPropertyValue("--accent");
      g.fillRect(Math.min(a[0], b[0]), tall ? Math.min(a[1], b[1]) : box.y, Math.abs(a[0] - b[0]), tall ? Math.abs(a[1] - b[1]) : box.h);
    }
    g.globalAlpha = 1;
    g.restore();
    if (this.page.hover !== null) this.tooltip(g, X, Y, ink, style.getPropertyValue("--card"), line);
  }
  axes(g, X, Y, faint, line) {
    const box = this.box, [t0, t1] = this.page.span;
    g.lineWidth = 1;
    g.strokeStyle = line;
    g.fillStyle = faint;
    const dt = niceStep(t1 - t0, box.w / 90), dv = niceStep(this.high - this.low, box.h / 34);
    g.textAlign = "center";
    g.textBaseline = "top";
    for (let k = Math.ceil(t0 / dt); k * dt <= t1 + 1e-9 * dt; k++) {
      const x = X(k * dt);
      g.beginPath(); g.moveTo(x, box.y); g.lineTo(x, box.y + box.h); g.stroke();
      g.fillText(numberText(k * dt, dt) + ((k + 1) * dt > t1 + 1e-9 * dt ? " s" : ""), x, box.y + box.h + 5);
    }
    g.textAlign = "right";
    g.textBaseline = "middle";
    for (let k = Math.ceil(this.low / dv); k * dv <= this.high; k++) {
      const y = Y(k * dv);
      g.beginPath(); g.moveTo(box.x, y); g.lineTo(box.x + box.w, y); g.stroke();
      g.fillText(numberText(k * dv, dv), box.x - 6, y);
    }
    g.strokeRect(box.x, box.y, box.w, box.h);
    const unit = this.unit();
    if (unit) { g.textAlign = "left"; g.fillText(unit.replaceAll("*", "\u2009"), 4, 9); }
  }
  /// Where a pixel holds many samples, a stroke from their least to their greatest shows all of them.
  curve(g, values, X, Y, color) {
    const t = this.page.t, [first, last] = this.page.indices();
    g.strokeStyle = color;
    g.lineWidth = 1.6;
    g.lineJoin = "round";
    g.beginPath();
    let open = false, column = -1, low = 0, high = 0, end = 0;
    const dense = last - first > 3 * this.box.w;
    const flush = () => { if (column >= 0) { g.lineTo(column, Y(low)); g.lineTo(column, Y(high)); g.lineTo(column, Y(end)); } };
    for (let i = first; i <= last; i++) {
      const v = values[i], x = X(t[i]);
      if (!Number.isFinite(v)) { flush(); column = -1; open = false; continue; }
      if (!dense) { open ? g.lineTo(x, Y(v)) : g.moveTo(x, Y(v)); open = true; continue; }
      const pixel = Math.round(x);
      if (pixel !== column) { flush(); if (!open) g.moveTo(pixel, Y(v)); column = pixel; low = high = v; open = true; }
      low = Math.min(low, v); high = Math.max(high, v); end = v;
    }
    flush();
    g.stroke();
  }
  tooltip(g, X, Y, ink, card, line) {
    const i = this.page.nearest(this.page.hover), x = X(this.page.t[i]), box = this.box;
    if (x < box.x - 1 || x > box.x + box.w + 1) return;
    g.strokeStyle = ink;
    g.globalAlpha = 0.35;
    g.beginPath(); g.moveTo(x, box.y); g.lineTo(x, box.y + box.h); g.stroke();
    g.globalAlpha = 1;
    const rows = [["t", this.page.t[i], null, "s"]];
    this.signals().forEach((s, k) => {
      rows.push([s.name, s.values[i], this.color(k), s.unit]);
      g.fillStyle = this.color(k);
      const y = Y(s.values[i]);
      if (y >= box.y && y <= box.y + box.h) { g.beginPath(); g.arc(x, y, 3, 0, 7); g.fill(); }
    });
    if (!this.mouse) return;
    const texts = rows.map((r) => `${r[0]} = ${Number(r[1]).toPrecision(7)}${r[3] ? " " + r[3] : ""}`);
    const wide = Math.max(...texts.map((t) => g.measureText(t).width)) + 26, tall = 15 * rows.length + 8;
    const left = x + 12 + wide > box.x + box.w ? x - 12 - wide : x + 12, top = Math.max(box.y, Math.min(this.mouse[1] - tall / 2, box.y + box.h - tall));
    g.fillStyle = card;
    g.strokeStyle = line;
    g.fillRect(left, top, wide, tall);
    g.strokeRect(left, top, wide, tall);
    g.textAlign = "left";
    g.textBaseline = "middle";
    rows.forEach((r, k) => {
      const y = top + 12 + 15 * k;
      if (r[2]) { g.fillStyle = r[2]; g.fillRect(left + 7, y - 1.5, 9, 3); }
      g.fillStyle = ink;
      g.fillText(texts[k], left + 20, y);
    });
  }
}
