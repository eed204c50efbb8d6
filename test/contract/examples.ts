/**
 * `npm run examples`: writes the examples in the OpenAPI document from a service that runs with the
 * demo network on http://localhost:8080, at the paths of the parameters' examples. Lists and feeds
 * are cut to one element, files to a line.
 */
import { writeFileSync } from 'node:fs';
import { PATH_PARAMETERS } from '../../src/contract/endpoints.ts';
import { ALL_ENDPOINTS } from '../../src/contract/explore.ts';

const [origin = 'http://localhost:8080'] = process.argv.slice(2);
const FILE = new URL('../../src/contract/examples.json', import.meta.url);
const PARAMETERS: Readonly<Record<string, { example: string | number }>> = PATH_PARAMETERS;

const examples: Record<string, unknown> = {};
for (const [name, { path, media }] of Object.entries(ALL_ENDPOINTS)) {
  const answer = await fetch(
    origin + path.replace(/\{(\w+)\}/g, (_, key) => String(PARAMETERS[key]?.example)),
  );
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
  const text = await answer.text();
  if (media === undefined) examples[name] = JSON.parse(text, shorten);
  else if (media === 'text/csv') examples[name] = `${text.split('\n').slice(0, 2).join('\n')}\n`;
  else examples[name] = text.replace(/(<\/entry>)[\s\S]*(?=<\/feed>)/, '$1\n');
}
const lines = Object.entries(examples).map(
  ([name, example]) => `"${name}": ${JSON.stringify(example)}`,
);
writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);

/** A list of one is as good as one of a thousand, but a pair is a pair. */
function shorten(_key: string, value: unknown): unknown {
  return Array.isArray(value) && typeof value[0] === 'object' ? value.slice(0, 1) : value;
}
