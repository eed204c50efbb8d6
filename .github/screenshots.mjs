/** Pictures of every dashboard as Grafana draws it, for people to look at: into screenshots/. Run by the workflow. */
import { mkdirSync } from 'node:fs';
import { chromium } from 'playwright';

const GRAFANA = 'http://127.0.0.1:3000';
const UIDS = ['network', 'region', 'station', 'compare', 'service'];

mkdirSync('screenshots', { recursive: true });
const browser = await chromium.launch();
const page = await browser.newPage({
  viewport: { width: 1600, height: 3000 },
  httpCredentials: {
    username: 'admin',
    password: process.env.GRAFANA_PASSWORD ?? '',
    send: 'always',
  },
});
for (const uid of UIDS) {
  await page.goto(`${GRAFANA}/d/airseries-${uid}?kiosk`, { waitUntil: 'networkidle' });
  await page.screenshot({ path: `screenshots/${uid}.png` });
}
await browser.close();
