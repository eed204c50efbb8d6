/** Regenerates src/network/network.schema.json from the schema that files are checked with. */
import { writeFileSync } from 'node:fs';
import { networkJsonSchema } from '../../src/network/schema.ts';
import { PROVIDER_KEYS, SOURCE_FORMS } from '../support/network.ts';

const path = new URL('../../src/network/network.schema.json', import.meta.url);
writeFileSync(path, `${JSON.stringify(networkJsonSchema(PROVIDER_KEYS, SOURCE_FORMS), null, 2)}\n`);
