// Bundle entry.js into one readable ES module: `npm run vendor`, or `npm run vendor -- FILE` to write elsewhere.
// Equal inputs give equal bytes, so that CI can rebuild the file and compare it with the one in the repository.
import { build } from "esbuild";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = process.argv[2]
  ? resolve(process.env.INIT_CWD ?? ".", process.argv[2])
  : join(here, "../src/tacit/serve/page/vendor.js");

const result = await build({
  absWorkingDir: here,
  entryPoints: ["entry.js"],
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: false,
  charset: "utf8",
  metafile: true,
  write: false,
});

/** Name, version and licence of a package whose code is in the bundle, as its own files give them. */
function notice(name) {
  const folder = join(here, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) throw new Error(`${name} has no licence file, and its text must travel with its code`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
}

const inputs = Object.keys(Object.values(result.metafile.outputs)[0].inputs);
const packages = new Set(inputs.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
const notices = [...packages].sort().map(notice).join(`\n\n${"-".repeat(80)}\n\n`);
const text = `/*!
Libraries that the explorer's page uses, in one file. Do not edit: \`npm run vendor\` in the folder vendor/ writes it.

${notices.replaceAll("*/", "* /")}
*/
${result.outputFiles[0].text}`;
writeFileSync(target, `${text.replace(/[ \t\r]+$/gm, "").trimEnd()}\n`);
console.log(`${target}: ${packages.size} packages, ${Math.round(text.length / 1024)} KB`);
