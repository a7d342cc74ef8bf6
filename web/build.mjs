// node build.mjs OUT: writes the bundles of the pages to the folder OUT.
//
//     workbench.js, workbench.css   the page of kane serve
//     live.js, live.css             the one-file page of kane export --to page
//     kernel.mjs                    the integrator of the one-file page, for Node

import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = path.dirname(fileURLToPath(import.meta.url)), out = process.argv[2];
const common = { absWorkingDir: here, bundle: true, minify: true, legalComments: "none", target: "es2021", charset: "utf8", logLevel: "warning",
  loader: { ".woff2": "dataurl", ".woff": "empty", ".ttf": "empty" } };
await Promise.all([
  build({ ...common, entryPoints: ["src/workbench.ts", "src/live.ts"], outdir: out, format: "iife" }),
  build({ ...common, entryPoints: ["src/kernel.ts"], outfile: path.join(out, "kernel.mjs"), format: "esm" }),
]);
