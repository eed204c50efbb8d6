/** Networks made of sensors.csv: of the portal's list in small, of our own export, and of lists with mistakes. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { demoNetwork } from '../../src/demo/network.ts';
import { exportOpenData } from '../../src/export/exportOpenData.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { importSensorList } from '../../src/network/importSensorList.ts';
import { keepingLog, NOW } from '../ingest/support.ts';
import { onEveryEngine, type TestDatabase, testDatabase } from '../support/database.ts';

const HEADER =
  'id,station_id,city_slug,district_slug,address_en,title,provider,external_id,sensor_type,latitude,longitude,altitude,first_measurement_time,last_measurement_time,is_suspicious';
/** As the portal writes them: text with spaces in quotes, several sensors and providers at a station, sensors at none. */
const PORTAL = [
  HEADER,
  '2,1,capital,hill-side,Baker,"Engineering House (Net.org)",community,80681,SDS011,40.200000,44.582000,1373.10,"2023-06-01 04:00:00","2025-02-28 18:14:01",false',
  '3,1,capital,hill-side,Baker,"Engineering House (Net.org)",community,80682,BME280,40.200001,44.582000,1373.10,"2023-05-08 19:00:00","2025-02-28 18:14:01",true',
  '435,169,capital,,"North ave, 26/1","ք. Երևան, Հյուսիս 26/1",city_network,DKKTX5685,CLARITY_NODE,40.210632,44.531128,,"2025-02-26 16:00:00","2025-02-28 17:00:00",false',
  '436,,,,,"26B, улица Пушкина",others,239,others,40.183927,44.521161,,"2025-02-28 00:34:45","2025-02-28 18:12:57",false',
  '440,170,,,,"42, улица Пушкина, ""Центр""",others,240,others,40.18,44.52,,,,false',
];

onEveryEngine('import network --from-sensors', (engine) => {
  let db: TestDatabase;
  let owner: Sql;
  const log = keepingLog();
  const bring = (text: string, name = 'sensors.csv') =>
    importSensorList(owner, text, { name, timeZone: db.timeZone, log });
  const problems = (...lines: string[]) => bring([HEADER, ...lines].join('\n')).catch((error: Error) => error.message);
  const stations = () => owner`
    select s.id, s.provider_id as provider, s.title, s.latitude, s.longitude, s.altitude, place.city_slug, place.district_slug
    from raw.station s left join logic.station_place(now()) place on place.station_id = s.id order by s.id`;
  const sensors = () => owner`
    select r.sensor_id, r.station_id, s.kind, s.device, exists (select from raw.suspicious_period p where p.sensor_id = s.id) as is_suspicious
    from raw.sensor s join raw.sensor_station r on r.sensor_id = s.id order by r.sensor_id`;

  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as();
  });
  beforeEach(async () => {
    await owner`truncate raw.provider, raw.region, raw.station, raw.sensor cascade`;
  });
  afterAll(() => db.drop());

  test.each([
    ['as it is', PORTAL.join('\n')],
    ['after SET, with CRLF', `SET\n${PORTAL.join('\r\n')}\r\n`],
  ])('makes a network of the portal’s list (%s)', async (_, text) => {
    const result = await bring(text);
    expect(result).toMatchObject({
      providers: { added: 3 },
      regions: { added: 2 },
      stations: { added: 3 },
      sensors: { added: 4 },
      without_station: ['436'],
    });
    expect([...(await stations())]).toEqual([
      ...[{ id: 1, provider: 'community', title: { en: 'Baker' }, latitude: 40.2, longitude: 44.582 }].map(
        (station) => ({
          ...station,
          altitude: 1373.1,
          city_slug: 'capital',
          district_slug: 'hill-side',
        }),
      ),
      {
        id: 169,
        provider: 'city_network',
        title: { en: 'North ave, 26/1', hy: 'ք. Երևան, Հյուսիս 26/1' },
        latitude: 40.210632,
        longitude: 44.531128,
        altitude: null,
        city_slug: 'capital',
        district_slug: null,
      },
      {
        id: 170,
        provider: 'others',
        title: { ru: '42, улица Пушкина, "Центр"' },
        latitude: 40.18,
        longitude: 44.52,
        altitude: null,
        city_slug: null,
        district_slug: null,
      },
    ]);
    expect([...(await sensors())]).toEqual([
      { sensor_id: 2, station_id: 1, kind: 'SDS011', device: '80681', is_suspicious: false },
      { sensor_id: 3, station_id: 1, kind: 'BME280', device: '80682', is_suspicious: true },
      { sensor_id: 435, station_id: 169, kind: 'CLARITY_NODE', device: 'DKKTX5685', is_suspicious: false },
      { sensor_id: 440, station_id: 170, kind: 'others', device: '240', is_suspicious: false },
    ]);
    const [district] = await owner`select title, city_slug from raw.region where slug = 'hill-side'`;
    expect(district).toEqual({ title: { en: 'Hill Side' }, city_slug: 'capital' });
    expect(await bring(text)).toMatchObject({
      stations: { changed: 0, unchanged: 3 },
      sensors: { changed: 0, unchanged: 4 },
    });
  });

  test('leaves titles of regions and providers that the database knows', async () => {
    const known = {
      time_zone: db.timeZone,
      providers: [{ id: 'community', title: 'The Community', stale_after: '1 hour' }],
      regions: [{ slug: 'capital', kind: 'city', title: { en: 'The Capital' }, map: { latitude: 1, longitude: 2 } }],
      stations: [],
    };
    await importNetwork(owner, JSON.stringify(known), { log });
    await bring(PORTAL.join('\n'));
    const [row] = await owner`
      select (select title from raw.provider where id = 'community') as provider, (select title from raw.region where slug = 'capital') as city`;
    expect(row).toEqual({ provider: 'The Community', city: { en: 'The Capital' } });
  });

  test('makes the same stations and sensors of our own export of the demo network', async () => {
    const network = JSON.stringify({ ...demoNetwork(db.timeZone), time_zone: db.timeZone });
    await importNetwork(owner, network, { log });
    const before = { stations: [...(await stations())], sensors: [...(await sensors())] };
    expect(before.stations.length).toBeGreaterThan(30);
    const folder = mkdtempSync(join(tmpdir(), 'airseries-sensors-'));
    const options = { timeZone: db.timeZone, now: NOW, log, terminal: false, license: undefined };
    await exportOpenData(db.target, folder, options);
    const list = readFileSync(join(folder, 'sensors.csv'), 'utf8');

    await owner`truncate raw.provider, raw.region, raw.station, raw.sensor cascade`;
    await bring(list);
    const listed = new Set([...(await stations())].map(({ id }) => id));
    expect([...(await stations())]).toEqual(
      before.stations
        .filter(({ id }) => listed.has(id))
        .map((station) => ({ ...station, title: { en: station.title.en, hy: station.title.hy } })),
    );
    expect([...(await sensors())]).toEqual(before.sensors.filter(({ station_id }) => listed.has(station_id)));
    expect(before.stations.filter(({ id }) => !listed.has(id)).length).toBeLessThan(2); // hidden ones are not published

    await exportOpenData(db.target, folder, options);
    expect(readFileSync(join(folder, 'sensors.csv'), 'utf8')).toBe(list);
    rmSync(folder, { recursive: true });
  });

  test('gets back the texts of our own export that a spreadsheet would run as formulas', async () => {
    const formulas = { kind: '+kind', device: '@SUM(A1)' };
    const network = {
      time_zone: db.timeZone,
      providers: [{ id: '-us', title: 'Us' }],
      regions: [],
      stations: [
        {
          ...{
            id: 1,
            provider: '-us',
            title: { en: '=HYPERLINK("https://evil.example")' },
            latitude: 40,
            longitude: 44,
          },
          regions: [],
          sensors: [
            { id: 1, ...formulas },
            { id: 2, device: '-7' },
            { id: 3, device: "'=1" },
            { id: 4, device: "d'1" },
          ],
        },
      ],
    };
    await importNetwork(owner, JSON.stringify(network), { log, file: 'network.json' });
    const folder = mkdtempSync(join(tmpdir(), 'airseries-formulas-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    await exportOpenData(db.target, folder, {
      timeZone: db.timeZone,
      now: NOW,
      log,
      terminal: false,
      license: undefined,
    });
    const text = readFileSync(join(folder, 'sensors.csv'), 'utf8');
    const cells = ["'=HYPERLINK(", "'+kind", "'@SUM(A1)", "'-7", "''=1", "d'1", "'-us"];
    for (const cell of cells) expect(text).toMatch(new RegExp(`[,"]${cell.replaceAll(/[+()]/g, '\\$&')}`));
    expect(text).not.toMatch(/(?:^|,)"?[=+\-@]/m);
    const again = await bring(text);
    expect(again).toMatchObject({
      stations: { added: 0, changed: 0 },
      sensors: { added: 0, changed: 0, unchanged: 4 },
    });
  });

  test('names every problem with its line', async () => {
    const message = await problems(
      '1,1,Capital,,Baker,Baker,us,1,SDS011,40,44,,,,false',
      '2,2,town,quarter,Baker,Baker,us,2,SDS011,north,44,,,,false',
      '2,3,village,quarter,Baker,Baker,us,2,SDS011,40,444,,,,false',
      '4,4,town,,Baker,Baker,us,1,SDS011,40,44,,,,false',
      '4,4,town,,Baker,Baker,us,1,SDS011,40,44,,,,false',
      'x,5,town,,Baker,Baker,,1,SDS011,40,44,high,,,false',
    );
    const found = String(message).split('\n').slice(1);
    const expected = [
      /^ {2}line 2, city_slug or district_slug: .*a slug of lowercase letters/,
      /^ {2}line 3, latitude: .*expected a number/,
      /^ {2}line 4, district_slug: quarter is in village here, but in town on line 3: a district is in one city$/,
      /^ {2}line 4, longitude: .*180/,
      /^ {2}line 4, id: 2 is there already, at line 3/,
      /^ {2}line 6, id: 4 is there already, at line 5/,
      /^ {2}line 7, external_id: device 1 is at station 4 at the same time, by line 5/,
      /^ {2}line 7, id: .*expected a number/,
      /^ {2}line 7, provider: /,
      /^ {2}line 7, altitude: /,
    ];
    expect(expected.filter((wanted) => !found.some((line) => wanted.test(line)))).toEqual([]);
    expect(found).toHaveLength(expected.length);
    expect(await stations()).toHaveLength(0);
  });

  test.each([
    ['{"time_zone":"Asia/Yerevan"}', /^sensors.csv:1: the header lacks id, station_id, .*Needed is sensors.csv/],
    [
      'SET\nid,station_id,latitude\n1,1,40',
      /^sensors.csv:2: the header lacks city_slug, district_slug, provider, longitude/,
    ],
    [HEADER, /^sensors.csv: it lists no sensor/],
    ['', /^sensors.csv:1: the header lacks/],
    [`${HEADER}\n1,1,town`, /^sensors.csv:2: the line does not have the header's 15 fields/],
    [`${HEADER}\n1,1,"town`, /^sensors.csv:2: the line does not have/],
  ])('refuses %j', async (text, message) => {
    await expect(bring(text)).rejects.toThrow(message);
  });
});
