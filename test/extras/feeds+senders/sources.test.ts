/**
 * A source of the network file is read alike as a file, as a push and as a feed, its words
 * mean what the options mean, and what cannot be followed is refused when the file is imported.
 */
import { readFileSync } from 'node:fs';
import request from 'supertest';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sql } from '../../../src/database/client.ts';
import { pullProvider } from '../../../src/extras/feeds/pullProvider.ts';
import type { SourceForms } from '../../../src/ingest/formats.ts';
import { importReadings } from '../../../src/ingest/importReadings.ts';
import type { Plan } from '../../../src/ingest/plan.ts';
import type { Declarations } from '../../../src/ingest/reading/declarations.ts';
import { sourceNamed } from '../../../src/ingest/store/sources.ts';
import { exportNetwork } from '../../../src/network/exportNetwork.ts';
import { type Pushing, usePushing } from '../../ingest/http/pushing.ts';
import { file, HOW, stored } from '../../ingest/support.ts';
import { NOW } from '../../support/clock.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { bringIn, smallNetwork } from '../../support/smallNetwork.ts';
import { openProvider, type Provider } from '../feeds/server.ts';

const SOURCES = {
  agency: {
    format: 'eea',
    shift: '-30min',
    only: { Verification: ['1'] },
    columns: { device: 'Station' },
    parameters: { pm25_raw: '6002' },
  },
  city: {
    zone: 'Europe/Berlin',
    date_format: 'dd/mm/yyyy',
    columns: {
      time: 'Datum+Zeit',
      pm25: ['Feinstaub fein', 'PM2.5'],
      temperature: { column: 'Temp', only: { 'Temp Status': ['ok'] } },
    },
    units: { pm25: 'mg/m3', temperature: 'f' },
    device: 'roof',
  },
  cloud: {
    rows: 'result.list',
    values: 'data',
    columns: { device: 'result.box', time: 'at', pm10_ugm3: 'dust.coarse' },
    skip: { state: ['test'] },
  },
  levels: {
    header: ['box', 'at', 'what', 'level'],
    delimiter: '|',
    columns: { device: 'box', time: 'at', parameter: 'what', value: 'level' },
    parameters: { humidity: 'RH', temperature_f: 'T' },
  },
  console: { push: 'get', columns: { temperature_f: 'tf', pm25_raw_ugm3: 'pm' }, device: 'roof' },
};

const NETWORK = {
  ...smallNetwork({ sensor: { device: 'roof' } }),
  sources: SOURCES,
};

type Case = [source: keyof typeof SOURCES, type: string, text: string, readings: object[]];

const CASES: Case[] = [
  [
    'agency',
    'text/csv',
    [
      'Station,Samplingpoint,Pollutant,Start,End,Value,Unit,AggType,Validity,Verification',
      'roof,s1,6002,2026-11-20 09:00:00,2026-11-20 10:00:00,11,ug.m-3,hour,1,1',
      'roof,s1,7,2026-11-20 09:00:00,2026-11-20 10:00:00,60,ug.m-3,hour,1,1',
      'roof,s1,7,2026-11-20 10:00:00,2026-11-20 11:00:00,61,ug.m-3,hour,-1,1',
      'roof,s1,7,2026-11-20 11:00:00,2026-11-20 12:00:00,62,ug.m-3,hour,1,3',
    ].join('\n'),
    [{ measured_at: '2026-11-20T07:30:00Z', pm25_raw: 11, o3: 60 }],
  ],
  [
    'city',
    'text/csv',
    [
      'Datum;Zeit;PM2.5;Temp;Temp Status',
      '05/11/2026;09:00;0,012;50;ok',
      '05/11/2026;10:00;0,013;500;off',
    ].join('\n'),
    [
      { measured_at: '2026-11-05T08:00:00Z', pm25: 12, temperature: 10 },
      { measured_at: '2026-11-05T09:00:00Z', pm25: 13, temperature: null },
    ],
  ],
  [
    'cloud',
    'application/json',
    JSON.stringify({
      result: {
        box: 'roof',
        list: [
          { at: '2026-11-20T09:00:00Z', data: { dust: { coarse: 20 }, humidity: 40 } },
          { at: '2026-11-20T09:30:00Z', state: 'test', data: { dust: { coarse: 99 } } },
        ],
      },
    }),
    [{ measured_at: '2026-11-20T09:00:00Z', pm10: 20, humidity: 40 }],
  ],
  [
    'levels',
    'text/csv',
    ['roof|2026-11-20T09:00:00Z|RH|55', 'roof|2026-11-20T09:00:00Z|T|68'].join('\n'),
    [{ measured_at: '2026-11-20T09:00:00Z', humidity: 55, temperature: 20 }],
  ],
];

const here = usePushing(NETWORK);
let ingest: Sql;
let feed: Provider;
beforeAll(async () => {
  ingest = here.database.as('airseries_ingest');
  feed = await openProvider();
  return () => feed.close();
});
beforeEach(() => bringIn(here.owner, NETWORK));

const forms = READING_FORMATS.sources as SourceForms;

/** As `import readings --source NAME` does, with options beside it. */
async function imported(name: string, text: string, beside: Declarations = {}) {
  const declared = forms.declaredBy(await sourceNamed(ingest, name, '--source'), beside);
  const format = { ...declared, timeZone: here.database.timeZone };
  return await importReadings(ingest, [file('source.txt', text)], { ...HOW, format });
}

const pushed = (name: string, text: string, type: string, query = '') =>
  request(here.app)
    .post(`/v1/push/${name}${query}`)
    .set({ Authorization: `Bearer ${here.token}`, 'Content-Type': type })
    .send(text);

const polled = (name: string, text: string) => {
  feed.serve(text);
  const pull = { provider: 'us', url: feed.url(), declared: { source: name } };
  const options = { clock: () => NOW, hosts: [feed.host], formats: READING_FORMATS };
  return pullProvider(here.writes, pull, options);
};

it.each(CASES)(
  'source %s is read alike by an import, by a push to its name and by a feed',
  async (name, type, text, readings) => {
    // rows of one parameter each
    const accepted = ['agency', 'levels'].includes(name) ? 2 : readings.length;
    const expected = readings.map((one) => expect.objectContaining({ sensor_id: 1, ...one }));
    const taken = async () => {
      const rows = (await stored(here.owner)).map(({ measured_at, ...row }) => ({
        ...row,
        measured_at: new Date(measured_at).toISOString().replace('.000', ''),
      }));
      await here.owner`truncate raw.readings`;
      return rows;
    };
    expect(await imported(name, text)).toMatchObject({ failed: false, quarantined: {} });
    expect(await taken()).toEqual(expected);
    const { body, status } = await pushed(name, text, type);
    expect([status, body]).toMatchObject([200, { accepted, quarantined: [] }]);
    expect(await taken()).toEqual(expected);
    expect(await polled(name, text)).toMatchObject({ accepted, quarantined: 0 });
    expect(await taken()).toEqual(expected);
  },
);

it('options beside a source take precedence, word by word', async () => {
  const text = 'Datum;Zeit;PM2.5;Temp;Temp Status\n05/11/2026;09:00;12;20;ok\n';
  const beside = { units: ['pm25=ug/m3'], columns: ['temperature_c=Temp'], zone: 'UTC' };
  await imported('city', text, { ...beside, units: [...beside.units, 'temperature=c'] });
  expect(await stored(here.owner)).toMatchObject([{ pm25: 12, temperature: 20 }]);
  const { body } = await pushed(
    'city',
    text,
    'text/csv',
    '?zone=UTC&unit=pm25=ug/m3&unit=temperature=c',
  );
  expect(body).toMatchObject({ unchanged: 1, quarantined: [] });
});

it('the entry that a plan prints reads the file as the options did', async () => {
  const text =
    'Station;When;PM2.5 [mg/m3];Alt;Flag\nroof;05/11/2026 09:00;0,012;;1\nroof;05/11/2026 10:00;;0,02;1\n';
  const declared: Declarations = {
    columns: ['device=Station', 'Time=When', 'pm2.5=PM2.5 [mg/m3]'],
    units: ['pm2.5=mg/m3'],
    only: ['Flag=1, 2'],
    zone: 'Europe/Berlin',
    dateFormat: 'dd/mm/yyyy',
    shift: '-1h',
  };
  const format = { ...declared, timeZone: here.database.timeZone };
  const path = file('planned.csv', text);
  const plans: Plan[] = [];
  const confirm = {
    isWanted: () => true,
    decide: async (plan: Plan) => plans.push(plan) < 0,
  };
  await importReadings(ingest, [path], { ...HOW, format, confirm });
  await importReadings(ingest, [path], { ...HOW, format });
  const [plan] = plans as [Plan];
  expect(plan.entry).toEqual({
    format: 'airseries',
    columns: { device: 'Station', time: 'When', 'pm2.5': 'PM2.5 [mg/m3]' },
    units: { 'pm2.5': 'mg/m3' },
    ...{ zone: 'Europe/Berlin', date_format: 'dd/mm/yyyy', shift: '-1h' },
    only: { Flag: ['1', '2'] },
  });
  await bringIn(here.owner, { ...NETWORK, sources: { ...SOURCES, planned: plan.entry } });
  expect(await imported('planned', text)).toMatchObject({
    accepted: 0,
    unchanged: 1,
    failed: false,
  });
});

describe('a push', () => {
  it('comes by GET where the source says so, and else by POST alone', async () => {
    const get = (path: string) => request(here.app).get(path);
    const { body, status } = await get(`/v1/push/console/${here.token}?tf=50&pm=7`);
    expect([status, body]).toMatchObject([200, { accepted: 1 }]);
    expect(await stored(here.owner)).toMatchObject([
      { sensor_id: 1, temperature: 10, pm25_raw: 7 },
    ]);
    const refused = await get(`/v1/push/city/${here.token}?PM2.5=7`);
    expect([refused.status, refused.get('Allow')]).toEqual([405, 'POST']);
  });

  it('to a name that no source has is answered as before, and a known one needs a token', async () => {
    const to = (path: string) => request(here.app).post(path).send('x');
    expect(await to('/v1/push/nothing')).toMatchObject({ status: 404 });
    expect(await to('/v1/push/Nothing')).toMatchObject({ status: 404 });
    expect(await to('/v1/push/city')).toMatchObject({ status: 401 });
    const { status, body } = await pushed('city', '{}', 'application/json', '?colour=red');
    expect([status, body.detail]).toEqual([400, expect.stringContaining('no parameter "colour"')]);
  });

  it('asks the database for names once a minute, whatever the names', async () => {
    let asked = 0;
    const query: Pushing['writes']['query'] = (text, ...rest) => {
      if (text.includes('raw.source')) asked += 1;
      return here.writes.query(text, ...rest);
    };
    const app = here.another({ writes: { ...here.writes, query } });
    for (const name of ['a', 'b', 'city', 'a', 'city', 'c'])
      await request(app).post(`/v1/push/${name}`).send('x');
    expect(asked).toBe(1);
  });
});

it('an unknown source is refused with those that there are', async () => {
  const all = 'agency, city, cloud, console, levels';
  await expect(imported('citi', 'x')).rejects.toThrow(
    `--source: there is no source citi. There are: ${all}.`,
  );
  await expect(polled('citi', 'x')).rejects.toThrow(`provider us: there is no source citi.`);
});

describe('in the network file', () => {
  it('sources come and go with the list, and stay where there is none', async () => {
    const listed = { providers: [], regions: [], stations: [], time_zone: NETWORK.time_zone };
    const names = async () =>
      (await here.owner<{ name: string }[]>`select name from raw.source order by name`).map(
        ({ name }) => name,
      );
    const { city, cloud } = SOURCES;
    const changed = { city: { ...city, zone: 'UTC' }, cloud, extra: {} };
    expect((await bringIn(here.owner, { ...listed, sources: changed })).sources).toEqual({
      ...{ added: 1, changed: 1, unchanged: 1 },
      removed: ['agency', 'console', 'levels'],
    });
    expect(await bringIn(here.owner, listed)).not.toHaveProperty('sources');
    expect(await names()).toEqual(['city', 'cloud', 'extra']);
    await bringIn(here.owner, { ...listed, sources: {} });
    expect(await names()).toEqual([]);
  });

  it('an export has them, and importing it changes nothing', async () => {
    const exported = (await exportNetwork(here.owner)) as { sources: object };
    expect(exported.sources).toEqual(SOURCES);
    expect(await bringIn(here.owner, exported)).toMatchObject({
      sources: { added: 0, changed: 0, unchanged: 5, removed: [] },
      stations: { changed: 0 },
    });
  });

  it('the sources in the README are accepted', async () => {
    const readme = readFileSync(
      new URL('../../../src/extras/senders/README.md', import.meta.url),
      'utf8',
    );
    const [, text] = /```json\n("sources": [\s\S]*?)```/.exec(readme) ?? [];
    const network = { ...NETWORK, ...JSON.parse(`{${text}}`) };
    expect(await bringIn(here.owner, network)).toMatchObject({ sources: { added: 2, changed: 1 } });
  });

  const refused = async (sources: unknown, more: object = {}): Promise<string> =>
    await bringIn(here.owner, { ...NETWORK, ...more, sources }).then(
      () => 'nothing',
      ({ message }: Error) => message,
    );

  it.each<[what: string, sources: unknown, message: string]>([
    [
      'the name of a format',
      { eea: {} },
      'sources.eea: /v1/push/eea has a meaning without it: choose another name, such as my-eea',
    ],
    ['a name that is a path', { any: {} }, 'sources.any: /v1/push/any has a meaning'],
    ['a name of devices', { airrohr: {} }, 'sources.airrohr: /v1/push/airrohr has a meaning'],
    ['a name with a blank', { 'my box': {} }, 'sources.my box: expected a name of up to 40'],
    ['an unknown word', { a: { colums: {} } }, 'sources.a: unknown key "colums"; the keys here'],
    ['an unknown format', { a: { format: 'x' } }, 'sources.a.format: "x" found, expected one of'],
    ['an unknown name', { a: { columns: { pm27: 'x' } } }, 'unknown name "pm27"'],
    [
      'an unknown name with a verdict',
      { a: { columns: { pm27: { column: 'x' } } } },
      'sources.a.columns.pm27: expected one of sensor_id',
    ],
    ['a unit of another', { a: { units: { pm25: 'c' } } }, '"units": pm25 has no unit "c"'],
    ['a shift', { a: { shift: '1 day' } }, '"shift": '],
    ['a rounding', { a: { round: 'hour' } }, '"round": expected minute, found "hour"'],
    ['an order of dates', { a: { date_format: 'ymd' } }, '"date_format": there is no "ymd"'],
    ['the zone of the network', { a: { zone: 'network' } }, 'sources.a.zone: expected a zone'],
    ['a list', [], 'sources: [] found, expected an object'],
  ])('%s is refused', async (_, sources, message) => {
    expect(await refused(sources)).toContain(message);
  });

  it('a feed names a source that there is, or a kind', async () => {
    const feeding = (pull: object) => ({
      providers: [{ id: 'us', title: 'Us', pull: { url: 'https://air.example/', ...pull } }],
    });
    expect(await refused(SOURCES, feeding({ source: 'citi' }))).toContain(
      'providers[0].pull.source: there is no source citi: there are agency, city, cloud',
    );
    expect(await refused(SOURCES, feeding({ source: 'city', kind: 'eea' }))).toContain(
      'providers[0].pull.source: expected either kind or source',
    );
    expect(await refused(SOURCES, feeding({}))).toContain(
      'providers[0].pull.kind: missing, expected one of "airgradient"',
    );
    expect(await refused(undefined, feeding({ source: 'city' }))).toBe('nothing');
  });
});
