/** A network file refers to what is in the database already, and must fit it. */
import { beforeEach, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { engines, testDatabase } from '../support/database.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { PROVIDER_KEYS } from '../support/network.ts';
import { bringIn, smallNetwork } from '../support/smallNetwork.ts';

// nothing here depends on the engine
let sql: Sql;
beforeEach(async () => {
  const db = await testDatabase(engines[0] ?? 'plain');
  sql = db.as();
  return () => db.drop();
});

it('names that exist only in the database may be referred to, and are left unchanged', async () => {
  await bringIn(sql, smallNetwork());
  const log = keepingLog();
  const third = {
    time_zone: 'Asia/Yerevan',
    providers: [],
    regions: [{ slug: 'quarter', kind: 'district', city: 'town', title: { en: 'Quarter' } }],
    stations: [
      {
        id: 3,
        provider: 'us',
        title: { en: 'T' },
        latitude: 42,
        longitude: 46,
        regions: ['quarter', 'town'],
        sensors: [{ id: 4, stations: [{ id: 2 }] }],
      },
    ],
  };
  const result = await importNetwork(sql, JSON.stringify(third), {
    providerKeys: PROVIDER_KEYS,
    log,
  });
  expect(result).toMatchObject({
    providers: { added: 0, unlisted: ['us'] },
    regions: { added: 0, changed: 1, unlisted: ['town'] }, // its centre moved
    stations: { added: 1, unlisted: ['1', '2'] },
    sensors: { added: 1, unlisted: ['1', '2', '3'] },
  });
  expect(log.lines.filter(({ level }) => level === 'info')).toHaveLength(4);
  const [quarter] =
    await sql`select map_latitude, map_longitude, map_delta from raw.region where slug = 'quarter'`;
  expect(quarter).toEqual({ map_latitude: 41, map_longitude: 45, map_delta: 0.2 });
  const [station] = await sql`select city_slug, district_slug from logic.station_place(now(), 3)`;
  expect(station).toEqual({ city_slug: 'town', district_slug: 'quarter' });
});

it('a device may move with all of its sensors, but is at one station at a time', async () => {
  const stations = [
    { id: 1, until: '2026-03-01' },
    { id: 2, since: '2026-03-01' },
  ];
  const device = 'esp8266-1';
  const moved = [1, 2].map((id) => ({ id, device, stations }));
  await bringIn(sql, smallNetwork({ one: { sensors: moved } }));
  const [station] = smallNetwork().stations;
  const third = { ...station, id: 3, sensors: [{ id: 31, device }] };
  await expect(bringIn(sql, { ...smallNetwork(), stations: [third] })).rejects.toThrow(
    'by sensor 1 of the database',
  );
});
