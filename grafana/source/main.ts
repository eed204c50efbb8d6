/**
 * `npm run generate`: writes the dashboards to grafana/dashboards. A test compares the committed
 * files with their source.
 */
import { writeFileSync } from 'node:fs';
import { DASHBOARDS } from './dashboards.ts';
import { runbooks } from './runbooks.ts';

const folder = new URL('../dashboards/', import.meta.url);

for (const [name, content] of Object.entries({ ...DASHBOARDS, runbooks })) {
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(content, null, 2)}\n`);
}
