// The figures of the workbench: node bench/workbench.mjs build/bin/kane build/tests/web
//
// The second argument is the folder where the browser test keeps its driver (tests/web/run.sh). Times are of this machine with
// all that runs on it; the browser draws without a graphics processor.

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [kane, driver] = process.argv.slice(2).map((p) => path.resolve(p)), source = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const { chromium } = createRequire(path.join(driver, "package.json"))("playwright-core");
const scratch = mkdtempSync(path.join(tmpdir(), "kane_figures_")), models = path.join(source, "models");
const wait = (ms) => new Promise((done) => setTimeout(done, ms)), median = (all) => all.sort((a, b) => a - b)[all.length >> 1];
const started = new Set();
process.on("exit", () => { for (const p of started) p.kill("SIGKILL"); });

async function serve(folder) {
  const server = spawn(kane, ["serve", folder, "--no-browser"], { stdio: ["ignore", "pipe", "ignore"] });
  started.add(server);
  let printed = "";
  const url = await new Promise((done) => { server.stdout.on("data", (text) => { printed += text; const found = /http:\S+(?=\n)/.exec(printed); if (found) done(found[0]); }); });
  return { url, pid: server.pid, end: () => server.kill("SIGINT") };
}
/// Seconds of the processor that a process has used, with its children.
function cpu(pid, tree = true) {
  let used = 0;
  const all = tree ? execFileSync("ps", ["-e", "-o", "pid=,ppid="]).toString().trim().split("\n").map((l) => l.trim().split(/\s+/).map(Number)) : [];
  for (const todo = [pid]; todo.length;) {
    const p = todo.pop();
    try { const parts = readFileSync(`/proc/${p}/stat`, "utf8").replace(/.*\) /, "").split(" "); used += (Number(parts[11]) + Number(parts[12])) / 100; } catch { continue; }
    todo.push(...all.filter(([, parent]) => parent === p).map(([child]) => child));
  }
  return used;
}
async function until(page, expression) {
  for (const end = Date.now() + 60000; Date.now() < end; await wait(30)) if (await page.evaluate(expression).catch(() => false)) return;
  throw new Error(`not within a minute: ${expression}`);
}
async function open(page, url, model) {
  await page.goto(`${url}#${model}`);
  await page.reload();
  await until(page, `window.kane?.engine?.info?.file?.endsWith('${model}') && kane.workspace.history.count > 3`);
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
await context.addInitScript("try { localStorage.setItem('kane.toured', '1'); } catch {}");
const page = await context.newPage();
try {
  const server = await serve(models);
  console.log("From an edit to the first state of the new model, ms (median of 9; the editor waits 120 ms after the last key before it sends)");
  for (const model of ["planar2r.yaml", "stanford_arm.yaml", "bicycle_nonlinear.yaml"]) {
    await open(page, server.url, model);
    const times = [];
    for (let i = 0; i < 9; i++) {
      times.push(await page.evaluate((k) => new Promise((done) => {
        const before = kane.engine.info.version, begin = performance.now(), take = kane.engine.take;
        kane.engine.take = (buffer) => {
          const version = new DataView(buffer).getUint32(4, true);
          take.call(kane.engine, buffer);
          if (version > before && kane.engine.info.version === version) { kane.engine.take = take; done(performance.now() - begin); }
        };
        kane.send({ type: "edit", text: `${kane.editor.text}# ${k}\n` });
      }), i));
      await wait(300);
    }
    console.log(`  ${model.padEnd(26)} ${median(times).toFixed(0)}`);
  }

  await open(page, server.url, "double_pendulum.yaml");
  const pulls = [];
  for (let i = 0; i < 15; i++) {
    pulls.push(await page.evaluate(() => new Promise((done) => {
      const e = kane.engine, take = e.take, begin = performance.now();
      e.take = (buffer) => { take.call(e, buffer); if (e.force !== null) { e.take = take; done(performance.now() - begin); } };
      e.pull({ body: 1, point: [0, -0.1, 0], target: [0.3, -0.3, 0] });
    })));
    await page.evaluate("kane.engine.pull(null)");
    await wait(150);
  }
  console.log(`From a mouse event to the first picture with its force, ms (median of 15; a picture is 16.7): ${median(pulls).toFixed(0)}`);

  console.log("Processor time of the server for one run, % of a core");
  for (const count of [1, 10, 50]) {
    await page.goto("about:blank");
    await page.goto(server.url + "files");
    await page.evaluate(([url, n]) => { window.sockets = Array.from({ length: n }, () => { const s = new WebSocket(url.replace("http", "ws") + "live"); s.binaryType = "arraybuffer"; s.onopen = () => { s.send('{"type":"open","path":"double_pendulum.yaml"}'); s.send('{"type":"play","on":true}'); }; window.frames_seen = 0; s.onmessage = () => { window.frames_seen++; }; return s; }); }, [server.url, count]);
    await wait(2000);
    const [before, seen, begin] = [cpu(server.pid, false), await page.evaluate("window.frames_seen"), performance.now()];
    await wait(5000);
    const seconds = (performance.now() - begin) / 1000;
    console.log(`  ${String(count).padStart(3)} watchers ${(100 * (cpu(server.pid, false) - before) / seconds).toFixed(1).padStart(6)}   (${((await page.evaluate("window.frames_seen") - seen) / seconds / count).toFixed(0)} states a second each)`);
  }
  server.end();

  // A hundred bodies: pendulums side by side.
  writeFileSync(path.join(scratch, "hundred.yaml"), `kane: 1
name: hundred
gravity: [0, 0, -9.81 m/s^2]
repeat:
  to: 100
  bodies:
    "rod{i}": {mass: 1 kg, shape: {box: [0.05, 0.05, 0.5], at: [0, 0, -0.25]}}
  joints:
    "pin{i}": {type: revolute, parent: N, at: ["0.1*{i}", 0, 0], child: "rod{i}", axis: x, coordinate: "q{i}"}
  initial: {"q{i}": "0.01*{i}"}
`);
  const other = await serve(scratch);
  await open(page, other.url, "hundred.yaml");
  await wait(3000);
  const me = browser.process?.()?.pid ?? Number(execFileSync("pgrep", ["-o", "-P", String(process.pid), "chromium"]).toString());
  await page.evaluate("(() => { const s = kane.workspace.stage, draw = s.draw; window.pictures = 0; s.draw = (...all) => { window.pictures++; draw.apply(s, all); }; })()");
  const [used, pageUsed, begin] = [cpu(other.pid, false), cpu(me), performance.now()];
  await wait(6000);
  const seconds = (performance.now() - begin) / 1000, share = (now, before) => (100 * (now - before) / seconds).toFixed(1);
  console.log(`100 bodies: ${(await page.evaluate("window.pictures") / seconds).toFixed(0)} pictures a second, ${(await page.evaluate("kane.engine.pace")).toFixed(2)} x real time; server ${share(cpu(other.pid, false), used)} %, browser ${share(cpu(me), pageUsed)} % of a core`);
  let bytes = 0;
  for (const name of ["", "workbench.js", "workbench.css"]) bytes += await page.evaluate(`fetch(${JSON.stringify(other.url + name)}).then((r) => r.arrayBuffer()).then((b) => b.byteLength)`);
  const single = path.join(scratch, "pendulum.html");
  execFileSync(kane, ["export", path.join(models, "double_pendulum.yaml"), "--to", "page", "-o", single]);
  console.log(`Bytes: workbench ${bytes}, one-file page of a double pendulum ${statSync(single).size}`);
  other.end();
} finally {
  await browser.close();
  rmSync(scratch, { recursive: true, force: true });
}
process.exit(0);
