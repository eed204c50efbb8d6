/**
 * S7: the memory of a service that keeps its lists, and of the server's processes that answer it.
 */
import { LOCALES } from '../../../../../src/contract/endpoints.ts';
import { fetchRaw } from '../../load/bare.ts';
import { memoryOf, watchServer } from '../../load/memory.ts';
import type { Context, Measure, Row } from '../../run/measure.ts';
import { startService } from '../../run/service.ts';
import { timed } from './documents.ts';
import { countryRow } from './row.ts';

async function run(context: Context): Promise<Row[]> {
  const { database, stations } = await context.country();
  const service = await startService(database);
  const watch = watchServer(database.target);
  try {
    for (let turn = 0; turn < 3; turn++) {
      for (const locale of LOCALES) {
        const path = `/${locale}/air-quality-app/v1/stations.json`;
        await timed(service, path);
        await fetchRaw(service.port, path, { 'Accept-Encoding': 'gzip' });
      }
    }
    const row = { id: 'S7', unit: 'MiB' } as const;
    const resident = memoryOf(service.pid, 'VmRSS');
    const { together } = await watch.end();
    return [
      countryRow(stations, {
        ...row,
        title: 'memory of the service',
        values: [resident],
        detail: 'resident, after the list in three locales, plain and compressed, three times',
      }),
      countryRow(stations, {
        ...row,
        title: "memory of the database's processes that answer it",
        values: [together],
        detail: 'most at a time, without what they share',
      }),
    ];
  } finally {
    await service.close();
  }
}

export const memory: Measure = { ids: ['S7'], title: 'memory', run };
