/** Network files made of sensors.csv: of the portal's list in small, of our own export, and of lists with mistakes. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { demoNetwork } from '../../src/extras/demo/network.ts';
import { exportOpenData } from '../../src/extras/export/exportOpenData.ts';
import { importNetwork } from '../../src/network/importNetwork.ts';
import { networkOfSensorList } from '../../src/network/sensorList.ts';
import { keepingLog, NOW } from '../ingest/support.ts';
import { engines, type TestDatabase, testDatabase } from '../support/database.ts';

const TIME_ZONE = 'Asia/Yerevan';
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

const listed = (text: string) =>
  networkOfSensorList(text, { name: 'sensors.csv', timeZone: TIME_ZONE });

describe('a list of sensors', () => {
  test.each([
    ['as it is', PORTAL.join('\n')],
    ['after SET, with CRLF', `SET\n${PORTAL.join('\r\n')}\r\n`],
  ])('becomes a network file (%s)', (_, text) => {
    const { network, withoutStation } = listed(text);
    expect(withoutStation).toEqual(['436']);
    expect(network).toEqual({
      time_zone: TIME_ZONE,
      providers: ['community', 'city_network', 'others'].map((id) => ({ id, title: id })),
      regions: [
        { slug: 'capital', kind: 'city', title: { en: 'Capital' } },
        { slug: 'hill-side', kind: 'district', city: 'capital', title: { en: 'Hill Side' } },
      ],
      stations: [
        {
          ...{
            id: 1,
            provider: 'community',
            title: { en: 'Baker' },
            latitude: 40.2,
            longitude: 44.582,
          },
          altitude: 1373.1,
          regions: ['capital', 'hill-side'],
          sensors: [
            { id: 2, kind: 'SDS011', device: '80681' },
            { id: 3, kind: 'BME280', device: '80682', suspicious: true },
          ],
        },
        {
          ...{ id: 169, provider: 'city_network', latitude: 40.210632, longitude: 44.531128 },
          title: { en: 'North ave, 26/1', hy: 'ք. Երևան, Հյուսիս 26/1' },
          regions: ['capital'],
          sensors: [{ id: 435, kind: 'CLARITY_NODE', device: 'DKKTX5685' }],
        },
        {
          ...{ id: 170, provider: 'others', latitude: 40.18, longitude: 44.52 },
          title: { ru: '42, улица Пушкина, "Центр"' },
          regions: [],
          sensors: [{ id: 440, kind: 'others', device: '240' }],
        },
      ],
    });
  });

  test.each([
    [
      '{"time_zone":"Asia/Yerevan"}',
      /^sensors.csv:1: the header lacks id, station_id, .*Needed is sensors.csv/,
    ],
    [
      'SET\nid,station_id,latitude\n1,1,40',
      /^sensors.csv:2: the header lacks city_slug, district_slug, provider, longitude/,
    ],
    [HEADER, /^sensors.csv: it lists no sensor/],
    ['', /^sensors.csv:1: the header lacks/],
    [`${HEADER}\n1,1,town`, /^sensors.csv:2: the line does not have the header's 15 fields/],
    [
      `${HEADER}\n1,1,town,quarter,,,us,1,,40,44,,,,\n2,1,village,quarter,,,us,2,,40,44,,,,`,
      /^sensors.csv:3: quarter is in village here, but in town on line 2. A district is in one city/,
    ],
    [`${HEADER}\n1,1,"town`, /^sensors.csv:2: the line does not have/],
  ])('refuses %j', (text, message) => {
    expect(() => listed(text)).toThrow(message);
  });
});

// nothing here depends on the engine
describe('our own list of sensors', () => {
  let db: TestDatabase;
  let owner: Sql;
  const log = keepingLog();
  const bring = (text: string) =>
    importNetwork(owner, JSON.stringify(listed(text).network), { log });
  const stations = () => owner`
    select s.id, s.provider_id as provider, s.title, s.latitude, s.longitude, s.altitude, place.city_slug, place.district_slug
    from raw.station s left join logic.station_place(now()) place on place.station_id = s.id order by s.id`;
  const sensors = () => owner`
    select r.sensor_id, r.station_id, s.kind, s.device, exists (select from raw.suspicious_period p where p.sensor_id = s.id) as is_suspicious
    from raw.sensor s join raw.sensor_station r on r.sensor_id = s.id order by r.sensor_id`;

  beforeAll(async () => {
    db = await testDatabase(engines[0] as (typeof engines)[0], TIME_ZONE);
    owner = db.as();
  });
  beforeEach(async () => {
    await owner`truncate raw.provider, raw.region, raw.station, raw.sensor cascade`;
  });
  afterAll(() => db.drop());

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
    expect([...(await sensors())]).toEqual(
      before.sensors.filter(({ station_id }) => listed.has(station_id)),
    );
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
    for (const cell of cells)
      expect(text).toMatch(new RegExp(`[,"]${cell.replaceAll(/[+()]/g, '\\$&')}`));
    expect(text).not.toMatch(/(?:^|,)"?[=+\-@]/m);
    const again = await bring(text);
    expect(again).toMatchObject({
      stations: { added: 0, changed: 0 },
      sensors: { added: 0, changed: 0, unchanged: 4 },
    });
  });
});
