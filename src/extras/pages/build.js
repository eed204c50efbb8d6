/** Checks and bundles what pages load: into dist/browser, the widget in a file of its own. */
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const browser = fileURLToPath(new URL('browser/', import.meta.url));
const outdir = fileURLToPath(new URL('../../../dist/browser', import.meta.url));
const options = {
  absWorkingDir: browser,
  outdir,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  logLevel: 'warning',
};

const { status } = spawnSync('tsc', ['-p', browser], { stdio: 'inherit' });
if (status !== 0) process.exit(1);
rmSync(outdir, { recursive: true, force: true });
const entryPoints = ['explore.ts', 'live.ts', 'map.ts', 'search.ts', 'developers.ts', 'docs.ts'];
const { bundle, format, ...ofStyle } = options;
await build({ ...ofStyle, entryPoints: ['../style/*.css'] });
// Leaflet's own modules: what other ones need at run time would be a file more on every page
const alias = { leaflet: 'leaflet/dist/leaflet-src.esm.js' };
await build({ ...options, entryPoints, alias, splitting: true });
// the widget has its style in itself
await build({
  ...options,
  entryPoints: ['widget.ts'],
  alias: { style: outdir },
  loader: { '.css': 'text' },
});
