// Uses the page of a report as a reader would, and writes what it saw into the page as JSON, for page_test.cpp. It runs before
// the page's own script, so that it hears all that is drawn: texts, and the colours of strokes.
"use strict";
const seen = { errors: [] }, drawn = { texts: [], strokes: new Set() };
window.addEventListener("error", (event) => seen.errors.push(String(event.message)));
window.addEventListener("unhandledrejection", (event) => seen.errors.push(String(event.reason)));
const consoleError = console.error;
console.error = (...words) => { seen.errors.push(words.join(" ")); consoleError(...words); };
const drawText = CanvasRenderingContext2D.prototype.fillText, drawStroke = CanvasRenderingContext2D.prototype.stroke;
CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
  if (this.canvas.id !== "overlay") drawn.texts.push(text);
  return drawText.call(this, text, ...rest);
};
CanvasRenderingContext2D.prototype.stroke = function (...rest) {
  if (this.canvas === document.querySelector(".plot canvas") && this.lineWidth > 1.5) drawn.strokes.add(this.strokeStyle);
  return drawStroke.call(this, ...rest);
};
// Without a screen there are no frames to wait for.
let finished = false;
window.requestAnimationFrame = (draw) => { if (!finished) setTimeout(() => draw(performance.now()), 40); };

const at = (id) => document.getElementById(id);
const clock = () => parseFloat(at("clock").textContent);
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
/// Records the next pictures drawn.
async function look() {
  drawn.texts = [];
  drawn.strokes.clear();
  window.dispatchEvent(new Event("resize"));
  await wait(200);
  return { texts: [...drawn.texts], curves: drawn.strokes.size };
}
function point(kind, canvas, x, y) {
  const box = canvas.getBoundingClientRect();
  canvas.dispatchEvent(new PointerEvent(kind, { pointerId: 1, bubbles: true, clientX: box.left + x, clientY: box.top + y }));
}
const key = (name, target) => target.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
/// The numbers at the axis of time of the first plot.
const lastTime = (texts) => texts.filter((t) => / s$/.test(t) && !t.includes("=")).map(parseFloat)[0];

async function play() {
  seen.begin = clock();
  at("speed").value = "0.1";
  at("play").click();
  seen.playSign = at("play").textContent;
  await wait(1000);
  at("play").click();
  await wait(100);
  seen.played = clock();
  await wait(300);
  seen.paused = clock();
  at("speed").value = "0.5";
  key(" ", document.body);
  await wait(1000);
  key(" ", document.body);
  await wait(100);
  seen.playedFaster = clock();
}
async function scrub() {
  at("scrub").value = 500;
  at("scrub").dispatchEvent(new Event("input"));
  await wait(100);
  seen.scrubbed = clock();
  key("ArrowRight", document.body);
  await wait(100);
  seen.stepped = clock();
  key("ArrowLeft", at("play"));  // also while a button has the focus
  await wait(100);
  seen.steppedBack = clock();
  key(" ", at("scrub"));
  seen.playsFromSlider = at("play").textContent !== "\u25b6";
  key(" ", at("scrub"));
}
async function choose() {
  seen.plots = document.querySelectorAll(".plot").length;
  seen.curves = (await look()).curves;
  const first = document.querySelector(".plot"), choose = (plot, name) => {
    const list = plot.querySelector("select");
    list.value = name;
    list.dispatchEvent(new Event("change"));
  };
  // Another unit: a plot of its own, right below.
  choose(first, "total energy");
  seen.curvesWithEnergy = (await look()).curves;
  seen.chipsBelow = [...first.nextElementSibling.querySelectorAll(".chip")].map((c) => c.textContent);
  seen.plotsWithEnergy = document.querySelectorAll(".plot").length;
  choose(first.nextElementSibling, "kinetic energy");
  seen.chipsThen = first.nextElementSibling.querySelectorAll(".chip").length;
  // A plot with nothing in it takes whatever comes first.
  at("addplot").click();
  const last = [...document.querySelectorAll(".plot")].pop();
  choose(last, "total energy");
  seen.lastChips = [...last.querySelectorAll(".chip")].map((c) => c.textContent);
  last.querySelector(".close").click();
  // The units of each plot stand at its axis, and are those of all its signals.
  const units = new Map(JSON.parse(at("data").textContent).signals.map((s) => [s.name, s.unit]));
  seen.mixed = [...document.querySelectorAll(".plot")]
    .filter((p) => new Set([...p.querySelectorAll(".chip")].map((c) => units.get(c.textContent))).size > 1).length;
  seen.unitTexts = (await look()).texts.filter((t) => ["rad", "m", "J", "rad/s", "m/s"].includes(t));
  // One less.
  first.querySelector(".chip").click();
  seen.curvesLess = (await look()).curves;
}
async function follow() {
  const list = at("follow");
  seen.followed = [...list.options].map((o) => o.textContent);
  list.value = "body 0";
  list.dispatchEvent(new Event("change"));
  await look();
  at("reset").click();
  await look();
  seen.followReset = list.value;
}
async function zoom() {
  const canvas = document.querySelector(".plot canvas"), w = canvas.clientWidth;
  seen.wholeEnd = lastTime((await look()).texts);
  // Half of the box is a quarter of the time to either side of its middle.
  point("pointerdown", canvas, 62 + 0.25 * (w - 80), 60);
  point("pointermove", canvas, 62 + 0.75 * (w - 80), 62);
  point("pointerup", canvas, 62 + 0.75 * (w - 80), 62);
  seen.zoomEnd = lastTime((await look()).texts);
  const middle = { clientX: canvas.getBoundingClientRect().left + 62 + 0.5 * (w - 80), cancelable: true };
  canvas.dispatchEvent(new WheelEvent("wheel", { ...middle, deltaY: -1000 }));
  seen.wheelEnd = lastTime((await look()).texts);
  canvas.dispatchEvent(new MouseEvent("dblclick"));
  seen.resetEnd = lastTime((await look()).texts);
  point("pointermove", canvas, 62 + 0.5 * (w - 80), 60);
  seen.hover = (await look()).texts.filter((t) => t.includes(" = "));
  point("pointerleave", canvas, 0, 0);
  seen.hoverAfter = (await look()).texts.filter((t) => t.includes(" = "));
  point("pointerdown", canvas, 62 + 0.75 * (w - 80), 60);
  point("pointerup", canvas, 62 + 0.75 * (w - 80), 60);
  await wait(100);
  seen.clicked = clock();
}
function untitled() {
  return [...document.querySelectorAll("button, select, summary, input:not([type=checkbox])")]
    .filter((e) => !e.title && e.id !== "modelname").map((e) => e.outerHTML.slice(0, 80));
}

window.addEventListener("load", async () => {
  // There is no pointer to capture in a browser without a mouse.
  HTMLCanvasElement.prototype.setPointerCapture = () => {};
  try {
    await wait(300);
    for (const part of [play, scrub, choose, zoom, follow]) await part();
    seen.untitled = untitled();
    seen.events = at("events").rows.length;
    seen.shownTexts = (await look()).texts.filter((t) => /NaN|undefined|Infinity/.test(t));
  } catch (error) {
    seen.errors.push(String(error.stack));
  }
  finished = true;
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
});
