/**
 * `npm run generate`: writes the dashboards to grafana/dashboards, and the one that is not
 * provisioned beside that folder. A test compares the committed files with their source.
 */
import { writeFileSync } from 'node:fs';
import { DASHBOARDS } from './dashboards.ts';
import { publicApi } from './publicApi.ts';
import { runbooks } from './runbooks.ts';

const PROVISIONED = Object.fromEntries(
  Object.entries({ ...DASHBOARDS, runbooks }).map(([name, content]) => [
    `dashboards/${name}.json`,
    content,
  ]),
);

for (const [path, content] of Object.entries({ ...PROVISIONED, 'public-api.json': publicApi })) {
  const file = new URL(`../${path}`, import.meta.url);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
