/**
 * A service with more than a year of readings, so that its histories are as large as in production.
 */
import { NOW } from '../../../support/clock.ts';
import { engines } from '../../../support/database.ts';
import { citiesOfOneStation, type Installation, install } from '../../../support/installation.ts';
import { type Service, startService } from '../../../support/service.ts';

const SLUGS = [...'abcdefghij'].map((letter) => `city-${letter}`);
const DAYS = 400;

export const BASE = '/en/air-quality-app/v1';
export const HISTORIES = SLUGS.map((_, n) => `${BASE}/station/${n + 1}-history.json`);
/** The five endpoints. */
export const FIVE = [
  `${BASE}/stations.json`,
  `${BASE}/station/1.json`,
  `${BASE}/station/1-history.json`,
  `${BASE}/region/city-a.json`,
  `${BASE}/region/city-a-history.json`,
];

export type Busy = { here: Installation; service: Service; close(): Promise<void> };

export async function startBusy(environment: Record<string, string> = {}): Promise<Busy> {
  const here = await install(engines[0] ?? 'plain', citiesOfOneStation(SLUGS));
  const sql = here.database.superuser();
  await sql`
    insert into raw.readings (measured_at, sensor_id, temperature, humidity, pressure, pm1, pm25, pm10)
    select at, sensor, 10 + 10 * sin(n / 24.0), 50, 90000, 5, 12 + 10 * sin(n / 7.0 + sensor), 30
    from generate_series(1, ${SLUGS.length}::int) sensor,
      generate_series(${NOW}::timestamptz - ${DAYS}::int * interval '1 day', ${NOW}::timestamptz, interval '1 hour')
        with ordinality as t(at, n)`;
  await here.refresh(NOW);
  const service = await startService(here, { DEMO: 'off', ...environment });
  return {
    here,
    service,
    async close() {
      service.kill('SIGKILL');
      await service.finished;
      await here.close();
    },
  };
}

/** The 99th percentile. */
export function p99(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? 0;
}
