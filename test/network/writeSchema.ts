/** Regenerates src/network/network.schema.json from the schema that files are checked with. */
import { writeFileSync } from 'node:fs';
import { networkJsonSchema } from '../../src/network/schema.ts';

const path = new URL('../../src/network/network.schema.json', import.meta.url);
writeFileSync(path, `${JSON.stringify(networkJsonSchema(), null, 2)}\n`);
