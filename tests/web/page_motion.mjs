// The motion of a one-file page, computed by the page's own kernel in Node: node page_motion.mjs PAGE KERNEL UNTIL STEP
// prints t, coordinates and speeds as comma-separated values.

import { readFileSync } from "fs";
import { pathToFileURL } from "url";

const [page, kernel, until, step] = process.argv.slice(2);
const html = readFileSync(page, "utf8");
const data = JSON.parse(/<script id="data" type="application\/json">([\s\S]*?)<\/script>/.exec(html)[1]);
const { Motion } = await import(pathToFileURL(kernel));
const motion = await Motion.load(data);
console.log(["t", ...data.coordinates, ...data.speeds].join(","));
for (let k = 0; ; k++) {
  const t = data.t + k * Number(step);
  if (t > Number(until) + 1e-9) break;
  if (!motion.advance(t)) throw new Error(`the motion ends at ${motion.t}`);
  console.log([motion.t, ...motion.y].join(","));
}
