// Pictures of the models as the workbench shows them: node scripts/gallery_pictures.mjs KANE DRIVER OUT [MODEL...]
//
// DRIVER is the folder where the browser test keeps its driver (build/tests/web after tests/web/run.sh). OUT gets NAME.jpg for
// each model, and index.html, a page that shows them all. The picture of the README is that of one model:
//
//     node scripts/gallery_pictures.mjs build/bin/kane build/tests/web docs/pictures --window workbench slider_crank
//
// With --window NAME the whole window is taken, as NAME.jpg.

import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const arguments_ = process.argv.slice(2), at = arguments_.indexOf("--window"), name = at < 0 ? "" : arguments_.splice(at, 2)[1];
const [kane, driver, out, ...wanted] = arguments_;
if (!out) { console.error("node gallery_pictures.mjs KANE DRIVER OUT [--window NAME] [MODEL...]"); process.exit(2); }
const { chromium } = createRequire(path.join(path.resolve(driver), "package.json"))("playwright-core");
const models = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "models");
mkdirSync(out, { recursive: true });
const server = spawn(kane, ["serve", models, "--no-browser"], { stdio: ["ignore", "pipe", "inherit"] });
process.on("exit", () => server.kill("SIGKILL"));
let printed = "";
const url = await new Promise((done) => { server.stdout.on("data", (text) => { printed += text; const found = /http:\S+(?=\n)/.exec(printed); if (found) done(found[0]); }); });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 680 }, colorScheme: "light" });
await context.addInitScript("try { localStorage.setItem('kane.toured', '1'); } catch {}");
const page = await context.newPage();
const until = async (what) => { for (const end = Date.now() + 60000; Date.now() < end;) { if (await page.evaluate(what).catch(() => false)) return; await page.waitForTimeout(50); } throw new Error(`not within a minute: ${what}`); };
await page.goto(url);
await until("window.kane?.workspace.history?.count > 3");
const all = (await page.evaluate("fetch('files').then((r) => r.json())")).files.filter((f) => !f.path.includes("/")), shown = [];
for (const { path: file, description } of all) {
  const model = file.replace(/\.ya?ml$/, "");
  if (wanted.length && !wanted.includes(model)) continue;
  await page.evaluate(`kane.choose(${JSON.stringify(file)})`);
  await until(`kane.engine.info.file.endsWith(${JSON.stringify(file)}) && kane.workspace.time > 0.7`);
  await page.evaluate("(() => { const w = kane.workspace; w.setPlaying(false); w.stage.level = 0; w.dirty = true; })()");  // with shadows
  await page.waitForTimeout(600);
  await (name ? page : page.locator("#stage")).screenshot({ path: path.join(out, `${name || model}.jpg`), quality: 80 });
  shown.push({ model, description });
}
if (!name) {
  const plain = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
  writeFileSync(path.join(out, "index.html"), `<!doctype html><meta charset="utf-8"><title>Models of Kane</title>
<style>body{font:14px system-ui,sans-serif;display:grid;grid-template-columns:repeat(auto-fill,minmax(260px,1fr));gap:18px;margin:24px}figure{margin:0}img{width:100%;border-radius:6px}</style>
${shown.map(({ model, description }) => `<figure><img src="${model}.jpg" alt="" loading="lazy"><figcaption><b>${model}</b> ${plain(description)}</figcaption></figure>`).join("\n")}
`);
}
console.log(`${shown.length} picture${shown.length === 1 ? "" : "s"} in ${out}`);
await browser.close();
process.exit(0);
