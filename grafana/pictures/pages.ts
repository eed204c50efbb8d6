/**
 * `npx tsx grafana/pictures/pages.ts http://localhost:8080`: draws the pictures of README.md and the pages
 * from a running service with the demo network, in Chromium: the overview, a station's page and the
 * widget. Prints each file with its size.
 */
import { statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const { CHROMIUM = '/usr/bin/chromium' } = process.env;
const [origin = 'http://localhost:8080'] = process.argv.slice(2);
const FOLDER = new URL('.', import.meta.url);

/** A page with widgets in the three languages and sizes, light and dark. */
const WIDGETS = `<!doctype html><meta charset="utf-8"><style>
  body { display: flex; gap: 24px; align-items: start; margin: 24px; background: #cfd6de; }
</style><script type="module" src="${origin}/widget.js"></script>
<air-quality region="velmora" lang="en" theme="light"></air-quality>
<air-quality station="3" lang="hy" theme="dark"></air-quality>
<air-quality station="22" lang="ru" theme="light" size="small"></air-quality>`;

async function openWidgets(page: Page): Promise<void> {
  const server = createServer((_req, res) =>
    res.setHeader('Content-Type', 'text/html').end(WIDGETS),
  ).listen(0);
  await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`, {
    waitUntil: 'networkidle',
  });
  await page.locator('air-quality .card').nth(2).waitFor();
  server.close();
}

const PICTURES: readonly {
  name: string;
  options: BrowserContextOptions;
  open: (page: Page) => Promise<unknown>;
}[] = [
  {
    name: 'overview',
    options: { viewport: { width: 1200, height: 800 } },
    open: (page) => page.goto(`${origin}/en/`, { waitUntil: 'networkidle' }),
  },
  {
    name: 'station-page',
    options: { viewport: { width: 1200, height: 800 }, colorScheme: 'dark' },
    open: (page) => page.goto(`${origin}/ru/station/3`, { waitUntil: 'networkidle' }),
  },
  { name: 'widget', options: { viewport: { width: 980, height: 210 } }, open: openWidgets },
];

// root has no sandbox
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
for (const { name, options, open } of PICTURES) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await open(page);
  const file = new URL(`${name}.png`, FOLDER);
  await page.screenshot({ path: file.pathname });
  await context.close();
  process.stdout.write(
    `grafana/pictures/${name}.png: ${Math.round(statSync(file).size / 1024)} KB\n`,
  );
}
await browser.close();
