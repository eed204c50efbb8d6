/** A network whose published numbers have changed, for every reason, for its documents and feeds. */
import type { Engine } from '../../src/schema/aggregates.ts';
import { NOW } from '../support/clock.ts';
import { install, reading } from '../support/installation.ts';

const HOUR_MS = 3_600_000;
/** Text that must not be taken for XML, HTML, or the end of either. */
export const MARKUP = `<b>R&amp;D</b> "1" ]]> & 'co'`;
export const ESCAPED = `&lt;b&gt;R&amp;amp;D&lt;/b&gt; "1" ]]&gt; &amp; 'co'`;

const CHANGED = {
  time_zone: 'Asia/Yerevan',
  providers: [{ id: 'us', title: 'Us', stale_after: '3 hours' }],
  regions: [
    { slug: 'town', kind: 'city', title: { en: 'Town', ru: 'Город', hy: 'Քաղաք' } },
    { slug: 'old-town', kind: 'district', city: 'town', title: { en: 'Old town' } },
    { slug: 'port', kind: 'city', title: { en: 'Port' } },
  ],
  stations: [
    { id: 1, title: { en: 'First', ru: 'Первая', hy: 'Առաջին' }, regions: ['town', 'old-town'] },
    {
      id: 2,
      title: { en: MARKUP },
      // in the town until the 11th of October, in the port since
      regions: [
        { slug: 'town', until: '2026-10-11T00:00:00+04:00' },
        { slug: 'port', since: '2026-10-11T00:00:00+04:00' },
      ],
      is_bad_pm: [{ since: '2026-11-10T08:30:00+04:00', until: '2026-11-12T00:00:00+04:00' }],
    },
    {
      id: 3,
      title: { en: 'Shy' },
      regions: ['town'],
      hidden: [{ since: '2026-11-01T00:20:00+04:00' }],
    },
    {
      id: 4,
      title: { en: 'New' },
      regions: ['port'],
      hidden: [{ until: '2026-10-20T10:30:00+04:00' }],
    },
  ].map((station) => ({
    latitude: 40,
    longitude: 44,
    provider: 'us',
    screening: false,
    sensors: [{ id: station.id + 10 }],
    ...station,
  })),
};

type Row = readonly [reason: string, of: Whose, since: string, until: string, shown: string];
type Whose = { station?: number; region?: string; sensor?: number };
/** Local days, and when it showed. */
const ROWS: readonly Row[] = [
  // the same local day and reason: one change
  ['late', { station: 1 }, '2026-10-01', '2026-10-02', '2026-11-03 00:10'],
  ['late', { station: 2 }, '2026-10-10', '2026-10-13', '2026-11-03 23:50'],
  ['late', { station: 3 }, '2026-10-20', '2026-10-21', '2026-11-03 12:00'],
  // its own numbers stay, those of the port follow
  ['flag', { station: 2 }, '2026-11-10 08:00', '2026-11-12', '2026-11-12 03:00'],
  [
    'membership',
    { station: 2, region: 'port' },
    '2026-11-10 08:00',
    '2026-11-12',
    '2026-11-12 03:00',
  ],
  // of hours that were never published before
  ['first', { station: 1 }, '2020-01-01', '2026-10-01', '2026-11-03 00:10'],
  ['placement', { station: 1, sensor: 11 }, '2026-10-01', '2026-11-01', '2026-11-05 10:00'],
  ['version', {}, '2025-01-01', '2026-11-14', '2026-11-14 09:00'],
  // 35 days ago, 36 days ago, two years and a day ago
  ['corrected', { station: 1 }, '2026-09-01', '2026-09-02', '2026-10-17'],
  ['deleted', { station: 1 }, '2026-08-01', '2026-08-02', '2026-10-16 23:59'],
  ['repair', { station: 1 }, '2024-08-01', '2024-08-02', '2024-11-19 12:00'],
];

export async function installChanged(engine: Engine) {
  const here = await install(engine, CHANGED);
  const hours = (id: number, from: string, until: string, value = 10) =>
    Array.from({ length: (Date.parse(until) - Date.parse(from)) / HOUR_MS }, (_, n) =>
      reading(id, Date.parse(from) + n * HOUR_MS + 60_000, { pm25: value }),
    );
  await here.accept([
    ...hours(11, '2026-10-01T00:00:00+04:00', '2026-11-15T00:00:00+04:00'),
    // two hours are no silence of a provider with three, and four are
    ...hours(11, '2026-11-15T02:00:00+04:00', '2026-11-18T00:00:00+04:00'),
    ...hours(11, '2026-11-18T04:00:00+04:00', '2026-11-20T10:00:00+04:00'),
    ...hours(12, '2026-11-19T00:00:00+04:00', '2026-11-20T16:00:00+04:00'),
  ]);
  await here.refresh(NOW);
  const owner = here.database.as();
  await owner`delete from rollup.change`;
  for (const [reason, { station = null, region = null, sensor = null }, ...times] of ROWS) {
    const [since, until, shown] = times.map((time) =>
      time.includes(' ') ? `${time}+04` : `${time} 00:00+04`,
    ) as [string, string, string];
    await owner`insert into rollup.change (reason, station_id, region_slug, sensor_id, regions, since, until, shown_at)
      select ${reason}, ${station}, ${region}, ${sensor}, case when ${station !== null && region === null} then h.regions end,
        h.since, h.until, ${shown}
      from logic.hours_by_regions(${station}, tstzrange(${since}, ${until})) h`;
  }
  // not shown yet
  await owner`insert into rollup.change (reason, station_id, since, until)
    values ('late', 1, '2026-10-01', '2026-10-02')`;
  return here;
}
