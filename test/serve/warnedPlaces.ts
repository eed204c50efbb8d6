/** Places whose category changed in the hours of a day, for their documents and feeds. */
import type { Engine } from '../../src/schema/aggregates.ts';
import { NOW } from '../support/clock.ts';
import { install, reading, type Values } from '../support/installation.ts';

export const HOUR_MS = 3_600_000;
export const [WALK, GASES, SHY, SUSPECT, WEATHER, OLD, NEW, EDGE] = [1, 2, 3, 4, 5, 6, 7, 8];

const WARNED = {
  time_zone: 'Asia/Yerevan',
  providers: [{ id: 'us', title: 'Us', stale_after: '3 hours' }],
  regions: [
    { slug: 'velmora', kind: 'city', title: { en: 'Velmora', ru: 'Вельмора', hy: 'Վելմորա' } },
    { slug: 'quay', kind: 'district', city: 'velmora', title: { en: 'Quay' } },
    { slug: 'lindau', kind: 'city', title: { en: 'Lindau' } },
    { slug: 'bay', kind: 'city', title: { en: 'Bay' } },
  ],
  stations: [
    { id: WALK, title: { en: 'Mill & <b>sons</b>' }, regions: ['velmora', 'quay'] },
    { id: GASES, title: { en: 'Port' }, regions: ['lindau'] },
    {
      id: SHY,
      title: { en: 'Shy' },
      regions: ['velmora'],
      hidden: [{ since: '2026-10-01T00:00:00+04:00', until: '2026-11-20T16:20:00+04:00' }],
    },
    {
      id: SUSPECT,
      title: { en: 'Doubt' },
      regions: ['bay'],
      is_bad_pm: [{ since: '2026-11-20T03:30:00+04:00', until: '2026-11-20T05:10:00+04:00' }],
    },
    { id: WEATHER, title: { en: 'Vane' } },
    { id: OLD, title: { en: 'Old' } },
    { id: NEW, title: { en: 'New' } },
    { id: EDGE, title: { en: 'Edge' } },
  ].map((station) => ({
    latitude: 40,
    longitude: 44,
    provider: 'us',
    screening: false,
    regions: [],
    sensors: [{ id: station.id + 10 }],
    ...station,
  })),
};

/** The hours of a sensor, one after the other; PM2.5 where it is a number, null for none. */
export const hours = (sensor: number, from: string, values: readonly (number | Values | null)[]) =>
  values.flatMap((value, n) => {
    if (value === null) return [];
    const at = Date.parse(from) + n * HOUR_MS + 60_000;
    return [reading(sensor, at, typeof value === 'number' ? { pm25: value } : value)];
  });

const DAY = '2026-11-20T00:00:00+04:00';
export const at = (hour: string, day = '2026-11-20') => `${day}T${hour}:00+04:00`;

export async function installWarned(engine: Engine) {
  const here = await install(engine, WARNED);
  await here.accept([
    ...hours(11, DAY, [5, 20, 41.2, 20, 5, 5, 5, null, 60, null, null, 5, 5, 5, 5, 5]),
    // O3 129.5 is 130 (X1); 60 ppb of NO2 are 115 µg/m³
    ...hours(12, DAY, [
      { o3: 40 },
      { o3: 129.5, no2: 5 },
      { o3: 40, no2: 60 },
      { o3: 70 },
      { o3: 40 },
      { o3: 40 },
      { o3: 40, so2: 12 },
      ...Array<Values>(9).fill({ o3: 40 }),
    ]),
    ...hours(13, DAY, [60, 60, 60]),
    ...hours(14, DAY, [5, 5, 20, 300, 300, 300, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20]),
    ...hours(15, DAY, [{ temperature: 5 }, { temperature: 6 }]),
    ...hours(16, '2026-10-20T20:00:00+04:00', [60, 60, 60, 60, 5, 5, 5]),
    ...hours(17, '2026-11-20T14:00:00+04:00', [{ pm25: 5, pm10: 260, o3: 150 }]),
    // AQI 154, 209, 210, 191 and 190; 147.4 and 147.6 are 140.4 and 140.6 × 1.05
    ...hours(18, DAY, [60, 133.5, 134.1, 111.9, 111.9, 111.9, 111.1, 111.1, 111.1, 147.4, 147.6]),
  ]);
  await here.refresh(NOW);
  return here;
}
