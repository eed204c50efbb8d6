/** Regenerates src/database/generated/apiTypes.ts from a temporary database (npm run generate). */
import { writeFileSync } from 'node:fs';
import { CORE } from '../support/definitions.ts';
import { makeDatabase } from '../support/makeDatabase.ts';
import { openServers } from '../support/run/servers.ts';
import { apiTypes } from './apiTypes.ts';

const { targets, close } = await openServers();
try {
  const database = await makeDatabase(targets, 'plain', 'Asia/Yerevan', CORE);
  const path = new URL('../../src/database/generated/apiTypes.ts', import.meta.url);
  writeFileSync(path, await apiTypes(database.as('airseries_reader')));
  await database.drop();
} finally {
  await close();
}
