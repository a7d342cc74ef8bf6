// Every model of models/ opens from the list and is seen to move.

import assert from "node:assert";
import { readdirSync } from "node:fs";

// At rest from the start, so that only the time moves.
const STILL = new Set(["block_on_plane.yaml", "card_house.yaml", "stone_arch.yaml"]);

/// In the page, picture by picture: what the state and the view were first, and that both are others later.
function prepare() {
  const small = Object.assign(document.createElement("canvas"), { width: 64, height: 48 }), g = small.getContext("2d", { willReadFrequently: true });
  const painted = () => {
    g.clearRect(0, 0, 64, 48);
    g.drawImage(kane.workspace.canvas, 0, 0, 64, 48);
    return g.getImageData(0, 0, 64, 48).data.filter((v, i) => i % 4 === 3 && v > 100).length;
  };
  window.openOne = (path, still) => new Promise((done) => {
    const end = performance.now() + 60000, old = kane.engine.info;
    void kane.choose(path);
    const look = () => {
      const w = kane.workspace, h = w.history, info = kane.engine.info, error = document.querySelector(".editor .message:not([hidden])")?.textContent;
      if (info !== old && info.file.endsWith(path) && h.count > 1 && !w.dirty) {
        const a = h.state(0), b = h.state(h.count - 1), moved = a.some((v, i) => v !== b[i]) || still;
        if (moved && b.every(Number.isFinite) && h.times[h.count - 1] > h.times[0] && painted() > 0) { done(""); return; }
      }
      if (error || performance.now() > end) done(`${path}: ${error ?? `${h.count} samples until ${w.time} s of ${info.file}, ${painted()} pixels`}`);
      else setTimeout(look, 15);
    };
    look();
  });
}

export async function gallery(browser, { serve, until, models, shots }) {
  const server = await serve(models), errors = [];
  // Small, because the browser of the test draws without a graphics processor; two, because one waits while a model is derived.
  const context = await browser.newContext({ viewport: shots ? { width: 1280, height: 720 } : { width: 500, height: 380 } });
  const visit = async () => {
    const page = await context.newPage();
    page.on("pageerror", (e) => errors.push(String(e)));
    await page.goto(server.url);
    await until(page, "window.kane?.workspace.history?.count > 3", "the workbench moves");
    await page.evaluate(prepare);
    return page;
  };
  const pages = await Promise.all([visit(), visit()]);
  const names = (await pages[0].evaluate("fetch('files').then((r) => r.json())")).files.map((f) => f.path), waiting = names.filter((n) => !n.includes("/"));
  for (const name of readdirSync(models).filter((f) => f.endsWith(".yaml"))) assert.ok(names.includes(name), `${name} is in the list`);
  await Promise.all(pages.map(async (page) => {
    for (let name = waiting.shift(); name; name = waiting.shift()) {
      assert.equal(await page.evaluate(`window.openOne(${JSON.stringify(name)}, ${STILL.has(name)})`), "");
      if (shots) { await page.waitForTimeout(700); await page.screenshot({ path: `${shots}/model_${name.replace(/\W/g, "_")}.png` }); }
    }
  }));
  assert.deepEqual(errors, []);
  await context.close();
  await server.end();
}
