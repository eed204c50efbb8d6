/**
 * A station's current values and status at their bounds (C1, C2): exactly an hour older than the
 * newest value, exactly as old as the provider allows, and a millisecond to either side. Every row
 * is a separate station.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEveryEngineInAll } from '../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
  type Values,
} from '../support/installation.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const STALE = 3 * HOUR;

type Measured = { before: number; values: Values; sensor?: 'second' | undefined };
type Row = readonly [title: string, measured: readonly Measured[], expected: object];

const offline = {
  status: 'offline',
  measurement_time: null,
  'pm2.5': null,
  pm10: null,
  temperature: null,
  aqi: null,
};
const at = (before: number) =>
  `${new Date(NOW + 4 * HOUR - before).toISOString().slice(0, 19)}+04:00`;

/** The values that a sensor of the station measured, that many milliseconds before now. */
const was = (before: number, values: Values, sensor?: 'second'): Measured => ({
  before,
  values,
  sensor,
});

const ROWS: readonly Row[] = [
  [
    'C1: a value exactly 60 minutes older than the newest takes no part',
    [was(0, { pm25: 10 }), was(60 * MINUTE, { pm25: 50 })],
    { 'pm2.5': 10 },
  ],
  [
    'C1: a value 59 minutes and 59.999 seconds older than the newest counts; rain is summed over that hour',
    [
      was(0, { pm25: 10, rain: 1 }),
      was(60 * MINUTE - 1, { pm25: 50, rain: 2 }),
      was(60 * MINUTE, { rain: 8 }),
    ],
    { 'pm2.5': 30, rain: 3 },
  ],
  [
    'C1: the hour is counted back from the newest value, not from now',
    [was(2 * HOUR, { pm25: 10 }), was(3 * HOUR - 1, { pm25: 50 })],
    { 'pm2.5': 30, measurement_time: at(2 * HOUR) },
  ],
  [
    'C1: the hour is counted back from the newest value of the same parameter, not of another',
    [
      was(0, { temperature: 5 }),
      was(30 * MINUTE, { pm25: 10 }),
      was(80 * MINUTE, { pm25: 50, temperature: 25 }),
    ],
    { 'pm2.5': 30, temperature: 5, measurement_time: at(0) },
  ],
  [
    'C1: the hour of one parameter is not lengthened by the newest value of another',
    [
      was(0, { temperature: 5 }),
      was(30 * MINUTE, { pm25: 10 }),
      was(60 * MINUTE, { temperature: 25 }),
    ],
    { 'pm2.5': 10, temperature: 5 },
  ],
  [
    'C1: the values of that hour count even where they are older than stale_after',
    [was(STALE - SECOND, { pm25: 10 }), was(STALE + 30 * MINUTE, { pm25: 50 })],
    { 'pm2.5': 30 },
  ],
  [
    'C1: a parameter whose newest value is exactly as old as stale_after is null, at a station that is online',
    [was(0, { temperature: 5 }), was(STALE, { pm25: 10 })],
    { status: 'online', 'pm2.5': null, aqi: null, temperature: 5 },
  ],
  [
    'C1: a parameter whose newest value is a millisecond younger than stale_after has a value',
    [was(0, { temperature: 5 }), was(STALE - 1, { pm25: 10 })],
    { 'pm2.5': 10, temperature: 5 },
  ],
  [
    'C1: every sensor has an hour of its own, and counts once',
    [
      was(0, { pm25: 10 }),
      was(2 * HOUR, { pm25: 20 }, 'second'),
      was(2 * HOUR + 50 * MINUTE, { pm25: 40 }, 'second'),
    ],
    { 'pm2.5': 20 },
  ],
  [
    'C1: a stale sensor does not count, and the station has the values of the other',
    [was(0, { pm25: 10 }), was(STALE, { pm25: 40 }, 'second')],
    { 'pm2.5': 10 },
  ],
  [
    'C1: a value measured at this very instant counts',
    [was(0, { pm25: 10 })],
    { 'pm2.5': 10, measurement_time: at(0) },
  ],
  [
    'C1: a value measured a millisecond later does not count yet',
    [was(-1, { pm25: 50 }), was(HOUR, { pm25: 10 })],
    { 'pm2.5': 10, measurement_time: at(HOUR) },
  ],
  [
    'C2: a station whose newest reading is exactly as old as stale_after is offline',
    [was(STALE, { pm25: 10 })],
    offline,
  ],
  [
    'C2: a station whose newest reading is a millisecond younger than stale_after is online',
    [was(STALE - 1, { pm25: 10, pm10: 20 })],
    { status: 'online', measurement_time: at(STALE - 1), 'pm2.5': 10, pm10: 20 },
  ],
  [
    'C2: a station that will measure in a millisecond is offline until then',
    [was(-1, { pm25: 10 })],
    offline,
  ],
];

/** The second sensor of a station. */
const secondOf = (station: number) => station + 100;

function network() {
  const base = citiesOfOneStation(['town'], { staleAfter: '3 hours' });
  const [first] = base.stations;
  const station = (id: number, provider: string, sensors: number[]) => ({
    ...first,
    id,
    provider,
    sensors: sensors.map((sensor) => ({ id: sensor })),
  });
  return {
    ...base,
    providers: [...base.providers, { id: 'hasty', title: 'Hasty', stale_after: '90 minutes' }],
    stations: [
      ...ROWS.map((_, row) => station(row + 1, 'us', [row + 1, secondOf(row + 1)])),
      station(301, 'hasty', [301]),
      station(302, 'hasty', [302]),
    ],
  };
}

onEveryEngineInAll('current values of a station', (engine) => {
  let here: Installation;
  beforeAll(async () => {
    here = await install(engine, network());
    await here.accept([
      ...ROWS.flatMap(([, measured], row) =>
        measured.map(({ before, values, sensor }) =>
          reading(sensor === 'second' ? secondOf(row + 1) : row + 1, NOW - before, values),
        ),
      ),
      reading(301, NOW - 90 * MINUTE, { pm25: 10 }),
      reading(302, NOW - 90 * MINUTE + 1, { pm25: 10 }),
    ]);
  });
  afterAll(() => here.close());

  it.each(ROWS.map(([title], row) => [title, row] as const))('%s', async (_, row) => {
    expect(await here.get(`station/${row + 1}.json`, new Date(NOW))).toMatchObject(
      (ROWS[row] as Row)[2],
    );
  });

  it('C2: stale_after is set by the provider: exactly 90 minutes is stale, a millisecond less is not', async () => {
    expect(await here.get('station/301.json', new Date(NOW))).toMatchObject(offline);
    expect(await here.get('station/302.json', new Date(NOW))).toMatchObject({
      status: 'online',
      'pm2.5': 10,
    });
  });

  it('C2: the list agrees with the document of every station', async () => {
    await here.refresh(new Date(NOW));
    const { stations } = await here.get('stations.json', new Date(NOW));
    expect(stations).toHaveLength(ROWS.length + 2);
    for (const station of stations)
      expect(await here.get(`station/${station.id}.json`, new Date(NOW))).toEqual(station);
  });
});
