// The pages in Chromium: node browser_test.mjs KANE SOURCE

import assert from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";
import { drawing } from "./drawing.mjs";
import { gallery } from "./gallery.mjs";
import { measuring } from "./measuring.mjs";
import { serving } from "./serving.mjs";

const [kane, source] = process.argv.slice(2), models = path.join(source, "models"), scratch = mkdtempSync(path.join(tmpdir(), "kane_web_"));
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
/// Waits until the page's expression is true.
async function until(page, expression, what, ms = 60000) {
  let failure = "";  // an expression may ask for what is not there yet
  const look = (of) => page.evaluate(of).catch((error) => { failure = `; ${error.message}`; return false; });
  for (const end = Date.now() + ms; Date.now() < end; await wait(50)) if (await look(expression)) return;
  const seen = await look("(({ time, live, playing, history }) => JSON.stringify({ time, live, playing, samples: history?.count, version: kane.engine?.info?.version, note: document.getElementById('note')?.textContent, hint: document.querySelector('.hint.bad')?.textContent, error: document.querySelector('.editor .message')?.textContent }))(kane.workspace)");
  assert.fail(`${what}: not within ${ms} ms; the page has ${seen}${failure}`);
}
/// Pauses, and waits for the last sample and its picture.
async function rest(page) {
  await page.evaluate("kane.workspace.setPlaying(false)");
  await until(page, "!kane.engine.running", "it comes to rest");
  await page.evaluate("void (kane.workspace.dirty = true)");
  await until(page, "!kane.workspace.dirty && (kane.workspace.covered || !kane.workspace.view.moved)", "the picture shows where it rests");
}
const servers = new Set();  // none outlives the test
process.on("exit", () => { for (const server of servers) server.kill("SIGKILL"); });
async function serve(folder, ...options) {
  const server = spawn(kane, ["serve", folder, "--no-browser", ...options], { stdio: ["ignore", "pipe", "pipe"] });
  servers.add(server);
  server.stderr.on("data", (text) => process.stderr.write(text));
  const ended = new Promise((done) => { server.on("exit", done); });
  let printed = "";
  const url = await new Promise((done, fail) => {
    server.stdout.on("data", (text) => { printed += text; const found = /http:\S+(?=\n)/.exec(printed); if (found) done(found[0]); });
    void ended.then((code) => fail(new Error(`kane serve ended with ${code}`)));
  });
  return { url, port: new URL(url).port, end: (how = "SIGINT") => { server.kill(how); return ended; } };
}
/// Types a text in the place of the one in the editor.
async function write(page, text) {
  await page.click(".cm-content");
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}
/// Where the middle of a body is on the screen.
const onScreen = (body) => `(() => { const w = kane.workspace, part = w.history.scene.parts.find((p) => p.body === ${body});
  const p = w.view.camera.project(w.view.inGround(${body}, kane.partMiddle(part))), box = w.overlay.getBoundingClientRect(); return [box.left + p[0], box.top + p[1]]; })()`;
const painted = `(() => { const c = kane.workspace.canvas, g = kane.workspace.stage.renderer.getContext(), d = new Uint8Array(4 * c.width * c.height);
  g.readPixels(0, 0, c.width, c.height, g.RGBA, g.UNSIGNED_BYTE, d); let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 200; return n; })()`;

async function oneFilePage(browser) {
  const file = path.join(scratch, "pendulum.html");
  execFileSync(kane, ["export", path.join(models, "double_pendulum.yaml"), "--to", "page", "-o", file]);
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 }, offline: true }), page = await context.newPage(), errors = [], asked = [];
  page.on("pageerror", (e) => errors.push(String(e)));
  page.on("request", (r) => { if (!/^(file|data|blob):/.test(r.url())) asked.push(r.url()); });
  await page.goto("file://" + file);
  await until(page, "window.kane?.workspace.time > 0.3", "the page moves");
  await until(page, painted + " > 300", "something is drawn");
  // The same motion as kane simulate.
  const got = await page.evaluate("(() => { kane.workspace.setPlaying(false); kane.motion.reset(); kane.motion.tolerance = 1e-12; kane.motion.advance(2); return [...kane.motion.y]; })()");
  const table = String(execFileSync(kane, ["simulate", path.join(models, "double_pendulum.yaml"), "--until", "2", "--tolerance", "1e-13", "--out", "-", "--quiet"]));
  const expected = table.trim().split("\n").pop().split(",").slice(1).map(Number);
  got.forEach((v, i) => assert.ok(Math.abs(v - expected[i]) < 1e-9 * Math.max(1, Math.abs(expected[i])), `state ${i}: ${v}, not ${expected[i]}`));
  // A slider changes parameter, shape and motion; pulling works.
  await page.evaluate("kane.workspace.reset()");
  const before = await page.evaluate("Math.min(...kane.workspace.history.scene.parts[0].vertices.filter((_, i) => i % 6 === 1))");
  await page.fill(".slider[data-name=l1] .value input", "1");
  await page.press(".slider[data-name=l1] .value input", "Enter");
  await until(page, "kane.motion.parameters[2] === 1", "the parameter is set");
  await until(page, `Math.min(...kane.workspace.history.scene.parts[0].vertices.filter((_, i) => i % 6 === 1)) < ${before} - 0.3`, "the rod is longer");
  await pull(page, 0);
  assert.ok(await page.locator("#equations math").count() > 1, "equations are shown");
  assert.deepEqual(errors, []);
  assert.deepEqual(asked, []);
  await context.close();
}

/// Drags a body and sees the force and the point follow.
async function pull(page, body) {
  await rest(page);
  const [x, y] = await page.evaluate(onScreen(body));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await until(page, "kane.workspace.view.pulled", "the body is caught");
  await page.evaluate("kane.workspace.toggle()");
  await page.mouse.move(x + 60, y - 90, { steps: 4 });
  await until(page, "kane.engine.force > 0.01", "there is a force");
  await page.mouse.up();
  await until(page, "kane.engine.force === null", "the hand lets go");
}

async function workbench(browser) {
  const server = await serve(models);
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } }), page = await context.newPage(), errors = [], asked = [];
  page.on("pageerror", (e) => errors.push(String(e)));
  page.on("request", (r) => { if (!r.url().startsWith(server.url) && !/^(data|blob):/.test(r.url())) asked.push(r.url()); });
  await page.goto(server.url);
  await until(page, "window.kane?.workspace.time > 0.3", "the workbench moves");
  await until(page, painted + " > 300", "something is drawn");
  await until(page, "document.querySelectorAll('#equations .katex').length > 1", "equations are shown");
  await pull(page, 0);
  // A mistake is marked at its line, and the motion goes on; its correction takes effect.
  const text = await page.evaluate("kane.editor.text"), t = await page.evaluate("kane.workspace.time"), wrong = text.split("\n").findIndex((l) => l.startsWith("gravity")) + 1;
  await write(page, text.replace("gravity:", "gravitty:"));
  await page.waitForSelector(".cm-lintRange-error");
  assert.equal(await page.textContent(".cm-lintRange-error"), "gravitty");
  assert.match(await page.textContent(".editor .message"), new RegExp(`^Line ${wrong}: `));
  await until(page, `kane.workspace.time > ${t} + 0.2`, "the motion goes on");
  const version = await page.evaluate("kane.engine.info.version");
  await write(page, text.replace("damping: b}", "damping: 3*b}"));
  await until(page, `kane.engine.info.version > ${version} && document.querySelector('#equations').textContent.includes('3') && !document.querySelector('.cm-lintRange-error')`, "new equations");
  // Back in time, and on from there, slowly: the first sample that comes is one of the past, however seldom the page looks.
  await until(page, "kane.workspace.time > kane.workspace.history.times[0] + 0.5", "there is a past to go back to");
  await page.selectOption("#speed", "0.05");
  await rest(page);
  await page.evaluate("kane.workspace.go(kane.workspace.history.times[0] + 0.1)");
  const past = await page.evaluate("kane.workspace.time");
  await page.keyboard.press("Escape");
  await page.evaluate("(() => { const w = kane.workspace, take = w.take; window.taken = []; w.take = (t, ...sample) => { window.taken.push(t); take.call(w, t, ...sample); }; })()");
  await page.click("#play");
  await until(page, `kane.workspace.live && window.taken.some((t) => t > ${past})`, "it goes on");
  const [first, after] = await page.evaluate(`[window.taken[0], window.taken.find((t) => t > ${past})]`);
  assert.ok(after < past + 0.1, `it goes on from the past, ${past}, not from ${first} to ${after}`);
  assert.ok(await page.evaluate("kane.workspace.history.times.every((t, i, all) => !i || t > all[i - 1])"), "what came after is forgotten");
  await page.selectOption("#speed", "1");
  // An edit survives a reload; a second page sees the same run; a server that comes back is found.
  await page.reload();
  await until(page, "window.kane?.workspace.history?.count > 3", "it moves after a reload");
  assert.ok((await page.evaluate("kane.editor.text")).includes("3*b"), "the edit is kept");
  const second = await context.newPage();
  await second.goto(server.url);
  await until(second, "window.kane?.workspace.history?.count > 3", "a second page moves");
  await second.close();
  // Another model from the gallery, with contacts.
  await page.click("#lefttabs button:has-text('Models')");
  await page.click(".gallery button[data-path='newtons_cradle.yaml']");
  await until(page, "kane.engine.info.name === 'newtons_cradle' && kane.workspace.time > 0.1", "another model moves");
  // The list of models keeps a picture of it.
  await until(page, "/^data:image/.test(kane.recall('picture.newtons_cradle.yaml'))", "a picture is taken");
  await page.click("#lefttabs button:has-text('Models')");
  await until(page, "document.querySelector(\".gallery button[data-path='newtons_cradle.yaml'] img\")?.naturalWidth === 144", "the picture is shown");
  assert.deepEqual(errors, []);
  assert.deepEqual(asked, []);
  await server.end();
  await until(page, "!document.getElementById('lost').hidden", "the page says that the server is gone");
  await context.close();
}

let browser;
try {
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", timeout: 120000, args: ["--no-sandbox", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
  // No tour but where it is tested. SHOTS names a folder for pictures of the page; ONLY a part of the tests.
  const toured = { newContext: async (options) => { const context = await browser.newContext(options); context.setDefaultTimeout(60000); return context; } };
  const untoured = { newContext: async (options) => { const context = await toured.newContext(options); await context.addInitScript("try { localStorage.setItem('kane.toured', '1'); } catch {}"); return context; } };
  const tools = { kane, scratch, serve, until, rest, write, pull, onScreen, models, shots: process.env.SHOTS };
  const parts = { "one-file page": () => oneFilePage(untoured), workbench: () => workbench(untoured), drawing: () => drawing(untoured, tools), measuring: () => measuring(toured, tools),
    gallery: () => gallery(untoured, tools), serving: () => serving(untoured, tools) };
  for (const [name, part] of Object.entries(parts)) {
    if (process.env.ONLY && process.env.ONLY !== name) continue;
    const begin = performance.now();
    await part();
    console.log(`${name}: ok, ${((performance.now() - begin) / 1000).toFixed(1)} s`);
  }
} finally {
  await browser?.close();
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(0);
