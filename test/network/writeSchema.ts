/** Writes src/network/network.schema.json anew from the schema that files are checked by. */
import { writeFileSync } from 'node:fs';
import { networkJsonSchema } from '../../src/network/schema.ts';

const path = new URL('../../src/network/network.schema.json', import.meta.url);
writeFileSync(path, `${JSON.stringify(networkJsonSchema(), null, 2)}\n`);
