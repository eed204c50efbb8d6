/** Updates the table of metrics in grafana/README.md. */
import { readFileSync, writeFileSync } from 'node:fs';
import { metricsTable } from './metricsTable.ts';

const path = new URL('../../grafana/README.md', import.meta.url);
const readme = readFileSync(path, 'utf8');
const table = /\| metric +\| type [\s\S]*?\n(?!\|)/;
if (!table.test(readme))
  throw new Error('grafana/README.md has no table that begins with "| metric | type"');
writeFileSync(
  path,
  readme.replace(table, () => `${metricsTable()}\n`),
);
