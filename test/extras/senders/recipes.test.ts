/**
 * The recipes of src/extras/senders, in its README and beside it, run as they are written: files are
 * turned and imported, documents are sent.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import request from 'supertest';
import { beforeEach, describe, expect, test } from 'vitest';
import { importReadings } from '../../../src/ingest/importReadings.ts';
import { listQuarantine } from '../../../src/ingest/quarantine/list.ts';
import type { Declarations } from '../../../src/ingest/reading/declarations.ts';
import { usePushing } from '../../ingest/http/pushing.ts';
import { ENGINE, file, HOW, stored, useTown } from '../../ingest/support.ts';
import { READING_FORMATS } from '../../support/formats.ts';
import { runProgram } from '../../support/program.ts';
import { smallNetwork } from '../../support/smallNetwork.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { needs } from '../../support/tools.ts';

const textOf = (path: string) =>
  readFileSync(new URL(`../../../src/extras/senders/${path}`, import.meta.url), 'utf8');

/** The block of the README with this beginning, or the file of this name. */
function recipe(beginning: string): string {
  if (/^\w+\/[\w-]+\.\w+$/.test(beginning)) return textOf(beginning);
  const blocks = [...textOf('README.md').matchAll(/```\w+\n(.*?)```/gs)].map(([, one = '']) => one);
  const found = blocks.filter((block) => block.startsWith(beginning));
  expect(found, beginning).toHaveLength(1);
  return found[0] ?? '';
}

const devices = (...sensors: [id: number, device: string][]) => ({
  sensors: sensors.map(([id, device]) => ({ id, device })),
});
const town = useTown(
  ENGINE,
  smallNetwork({
    one: devices([1, 'roof'], [2, '4']),
    two: devices([3, 'garden'], [4, 'DEBB007']),
  }),
);

const imported = (path: string, format: Declarations = {}) =>
  importReadings(town.ingest, [path], { ...HOW, format });

/**
 * Runs the lines of a recipe, for a file with this delimiter, and imports what they made as its last
 * line declares.
 */
async function turned(beginning: string, wide: string, delimiter = ',') {
  const folder = temporaryFolder('wide');
  writeFileSync(join(folder, 'wide.csv'), wide);
  const [lines = '', command = ''] = recipe(beginning).split('\nnode src/airseries.js ');
  const adapted = lines.replace('-F,', `-F'${delimiter}'`);
  execFileSync('/bin/sh', ['-ec', adapted], { cwd: folder });
  const option = (name: string) => command.match(new RegExp(`--${name} (\\S+)`))?.[1];
  const [, made = ''] = command.match(/^import readings (\S+)/) ?? [];
  return await imported(join(folder, made), { zone: option('zone'), shift: option('shift') });
}

/** The stored values of a parameter, each with its hour in winter time. */
const hoursOf = async (parameter: string) =>
  (await stored(town.owner)).flatMap(({ sensor_id, measured_at, [parameter]: value }) =>
    value === null
      ? []
      : [[sensor_id, new Date(Date.parse(measured_at) + 3_600_000).toISOString(), value]],
  );

const HOURS = Array.from({ length: 24 }, (_, hour) => `H${String(hour + 1).padStart(2, '0')}`);

/** The start of each hour of the day, in winter time. */
const STARTS = HOURS.map((_, hour) => `2026-11-18T${String(hour).padStart(2, '0')}:00:00.000Z`);

test(
  'a wide file of hours is recognized, and the lines of the README turn it',
  needs('awk'),
  async () => {
    const values = HOURS.map((_, hour) => `${hour + 1},5`);
    const header = ['station', 'date', ...HOURS].join(';');
    const wide = `${header}\r\n${['roof', '2026-11-18', ...values].join(';')}\r\n`;
    const { failures } = await imported(file('wide.csv', wide));
    expect(failures).toEqual([
      expect.stringMatching(/with a column for each hour of a day: .* under "Wide files"\.$/),
    ]);
    const summary = await turned('# station,date,H01', wide, ';');
    expect(summary).toMatchObject({ received: 24, accepted: 24, failed: false });
    expect(await hoursOf('pm25')).toEqual(STARTS.map((start, hour) => [1, start, hour + 1.5]));
  },
);

test.each([
  [',', '.'],
  ['\t', ','],
])(
  'a wide file of stations with %j is recognized, and the lines of the README turn it',
  needs('awk'),
  async (delimiter, point) => {
    const rows = [
      ['time', 'roof', 'garden'],
      ['2026-11-18 08:00', `5${point}5`, '6'],
      ['2026-11-18 09:00', '7', `8${point}5`],
    ];
    const wide = rows.map((row) => `${row.join(delimiter)}\n`).join('');
    const { failures } = await imported(file('wide.csv', wide), { zone: 'Europe/Berlin' });
    expect(failures).toEqual([
      expect.stringMatching(/a wide file, with a column for each station.* under "Wide files"\./),
    ]);
    await turned('# time,roof,garden', wide, delimiter);
    expect((await stored(town.owner)).map(({ sensor_id, pm25 }) => [sensor_id, pm25])).toEqual([
      [1, 5.5],
      [1, 7],
      [3, 6],
      [3, 8.5],
    ]);
  },
);

test('the lines turn the file of Madrid, each hour of it', needs('awk'), async () => {
  const header = `PROVINCIA;MUNICIPIO;ESTACION;MAGNITUD;PUNTO_MUESTREO;ANO;MES;DIA;${HOURS.map((hour) => `${hour};${hour.replace('H', 'V')}`).join(';')}`;
  /** The value of an hour is its number, and a part that tells the rows apart. */
  const row = (magnitude: string, part: string, verdict = (_hour: number) => 'V') =>
    [
      ...['28', '079', '004', magnitude, `28079004_${magnitude}_38`, '2026', '11', '18'],
      ...HOURS.flatMap((_, hour) => [`${hour + 1}.${part}`, verdict(hour + 1)]),
    ].join(';');
  const rows = [
    row('1', '10'),
    row('8', '20'),
    row('09', '30'),
    row('10', '40', (hour) => (hour === 3 ? 'N' : 'V')),
    row('14', '50'),
    row('6', '60'),
    row('12', '70'),
  ];
  const summary = await turned('recipes/madrid.sh', `${[header, ...rows].join('\r\n')}\r\n`);
  expect(summary).toMatchObject({ received: 119, failed: false, quarantined: {}, values: {} });
  const expected = (part: number) =>
    STARTS.map((start, hour) => [2, start, expect.closeTo(hour + 1 + part, 4)]);
  expect(await hoursOf('so2')).toEqual(expected(0.1));
  expect(await hoursOf('pm25')).toEqual(expected(0.3));
  expect(await hoursOf('pm10')).toEqual(expected(0.4).filter((_, hour) => hour !== 2));
  expect(await hoursOf('o3')).toEqual(expected(0.5));
  const no2 = STARTS.map((start, hour) => [2, start, expect.closeTo((hour + 1.2) / 1.9125, 4)]);
  expect(await hoursOf('no2')).toEqual(no2);
});

test('the lines turn the file of UBA, each hour of it', needs('awk'), async () => {
  const header =
    '\ufeff"Bundesland / Messnetz";Stationscode;Stationsname;Stationsumgebung;"Art der Station";Schadstoff;"Art der Auswertung";Datum;Uhrzeit;Messwert;Einheit';
  const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`;
  const row = (pollutant: string, hour: number | undefined, value: string) =>
    [
      'Brandenburg;DEBB007;Elsterwerda;"vorstädtisches Gebiet";Hintergrund',
      `"${pollutant}"`,
      hour === undefined ? '"Tagesmittel (1TMW)"' : '"Ein-Stunden-Mittelwert (1SMW)"',
      ...["'18.11.2026'", hour === undefined ? '-' : `'${clock(hour)}'`, value, 'µg/m³'],
    ].join(';');
  const hourly = (pollutant: string, offset: number) =>
    HOURS.map((_, hour) => row(pollutant, hour + 1, hour === 4 ? '-' : `${hour + 1 + offset}`));
  const rows = [
    ...hourly('Feinstaub (PM₁₀)', 30),
    ...hourly('Feinstaub (PM₂,₅)', 0),
    ...hourly('Stickstoffdioxid (NO₂)', 60),
    ...hourly('Ozon (O₃)', 90),
    ...hourly('Schwefeldioxid (SO₂)', 120),
    ...hourly('Kohlenmonoxid (CO)', 0.1),
    row('Feinstaub (PM₁₀)', undefined, '999'),
    `"Quelle: Umweltbundesamt"`,
  ];
  const summary = await turned('recipes/uba.sh', `${[header, ...rows].join('\n')}\n`);
  expect(summary).toMatchObject({ received: 115, failed: false, quarantined: {}, values: {} });
  const expected = (offset: number, factor = 1) =>
    STARTS.map((start, hour) => [4, start, expect.closeTo((hour + 1 + offset) / factor, 4)]).filter(
      (_, hour) => hour !== 4,
    );
  expect(await hoursOf('pm25')).toEqual(expected(0));
  expect(await hoursOf('pm10')).toEqual(expected(30));
  expect(await hoursOf('no2')).toEqual(expected(60, 1.9125));
  expect(await hoursOf('o3')).toEqual(expected(90));
  expect(await hoursOf('so2')).toEqual(expected(120));
});

test(
  'a nested document of UBA is recognized, and the line in README and message turns it',
  needs('jq'),
  async () => {
    const hours = (values: (number | null)[]) =>
      Object.fromEntries(
        values.map((value, n) => [
          `2026-11-18 0${n}:00:00`,
          [1, 2, value, `2026-11-18 0${n + 1}:00:00`, value === null ? null : '1'],
        ]),
      );
    const document = JSON.stringify({
      request: { component: '1', scope: '2', lang: 'de', datetime_from: '2026-11-18 01:00:00' },
      indices: { data: { 'station id': { 'date start': ['component id', 'scope id', 'value'] } } },
      data: { roof: hours([29, null, 31]), garden: hours([17]) },
      count: 2,
    });
    await imported(file('nested.json', document));
    const [refused] = (await listQuarantine(town.owner, {}, 1, READING_FORMATS)).lines;
    expect(refused?.explanation).toMatch(/under stations and times in "data"/);
    await town.owner`truncate raw.quarantine`;
    const folder = temporaryFolder('nested');
    writeFileSync(join(folder, 'nested.json'), document);
    const [lines = '', command = ''] = recipe('recipes/uba-json.sh').split(
      '\nnode src/airseries.js ',
    );
    const line = lines.split('\n').at(-1) ?? '';
    execFileSync('/bin/sh', ['-ec', line], { cwd: folder });
    expect(refused?.explanation).toContain(line.slice(0, line.indexOf(' nested.json')));
    expect(command.trim()).toBe(
      'import readings rows.ndjson --column pm10_ugm3=value --zone +01:00',
    );
    const summary = await imported(join(folder, 'rows.ndjson'), {
      columns: ['pm10_ugm3=value'],
      zone: '+01:00',
    });
    expect(summary).toMatchObject({ received: 4, failed: false });
    expect(await hoursOf('pm10')).toEqual([
      [1, STARTS[0], 29],
      [1, STARTS[2], 31],
      [3, STARTS[0], 17],
    ]);
  },
);

/** The parts of WeeWX's weewx/restx.py that an extension uses. */
const RESTX = `
import threading, urllib.request
class StdRESTful:
    def __init__(self, engine, config_dict):
        self.bind = engine
def get_site_dict(config_dict, service, *args):
    site = config_dict['StdRESTful'].get(service)
    return site if site and all(name in site for name in args) else None
class RESTThread(threading.Thread):
    def __init__(self, q, protocol_name):
        threading.Thread.__init__(self, name=protocol_name)
        self.queue = q
    def get_request(self, url):
        return urllib.request.Request(url)
    def run(self):
        record = self.queue.get()
        request = self.get_request(self.format_url(record))
        body, content_type = self.get_post_body(record)
        request.add_header('Content-Type', content_type)
        urllib.request.urlopen(request, data=body.encode('utf-8'))
`;
/** Starts the extension, and announces a record. */
const RUN = `
import json, sys, types, weewx, user.airseries
bound = {}
site, record = [json.loads(given) for given in sys.argv[1:]]
user.airseries.AirSeries(bound.__setitem__, {'StdRESTful': {}})
assert bound == {}
service = user.airseries.AirSeries(bound.__setitem__, {'StdRESTful': {'AirSeries': site}})
bound[weewx.NEW_ARCHIVE_RECORD](types.SimpleNamespace(record=record))
service.archive_thread.join()
`;

describe('documents sent by HTTP', () => {
  const here = usePushing();
  beforeEach(() => here.owner`update raw.sensor set device = 'garden' where id = 7`);

  test('the push of Home Assistant does not lose other sensors if one is unavailable', async () => {
    const [, payload = ''] = recipe('devices/home-assistant.yaml').split('payload: >-\n');
    // Jinja's filters, as Home Assistant documents them
    const states: Record<string, string> = {
      'sensor.garden_pm25': '5.5',
      'sensor.garden_temperature': 'unavailable',
    };
    const FILTERED = /{{ states\("([\w.]+)"\) \| float\(none\) \| tojson }}/g;
    const body = payload.replaceAll(FILTERED, (_, name: string) => {
      const number = Number.parseFloat(states[name] ?? '');
      return JSON.stringify(Number.isNaN(number) ? null : number);
    });
    expect(body).not.toContain('{{');
    const answer = await request(here.app)
      .post('/v1/push/home-assistant')
      .set({ Authorization: `Bearer ${here.token}`, 'Content-Type': 'application/json' })
      .send(body);
    expect(answer.body).toMatchObject({ accepted: 1, quarantined: [], time: 'server' });
    expect(await stored(here.owner)).toMatchObject([
      { sensor_id: 7, pm25: 5.5, temperature: null },
    ]);
  });

  test('the request of ESPHome is accepted, and a sensor without a value leaves its parameter empty', async () => {
    const [block = '', code = ''] = recipe('devices/esphome.yaml').split('json: |-\n');
    const path = /:8082(\S+)/.exec(block)?.[1] ?? '';
    const type = /Content-Type: (\S+)/.exec(block)?.[1] ?? '';
    // ArduinoJson, which ESPHome builds its bodies with, writes NaN as null
    const states: Record<string, number | null> = {
      pm_2_5: 5.5,
      temperature: null,
      pressure: 1000,
    };
    const fields = [...code.matchAll(/root\["(\w+)"\] = (?:"(\w+)"|id\((\w+)\)\.state);/g)];
    expect(fields).toHaveLength(code.trim().split('\n').length);
    const body = fields.map(([, name, text, id = '']) => [name, text ?? states[id] ?? null]);
    const answer = await request(here.app)
      .post(path)
      .set({ Authorization: `Bearer ${here.token}`, 'Content-Type': type })
      .send(JSON.stringify(Object.fromEntries(body)));
    expect(answer.body).toMatchObject({ accepted: 1, quarantined: [], time: 'server' });
    expect(await stored(here.owner)).toMatchObject([
      { sensor_id: 7, pm25_raw: 5.5, pm10: null, temperature: null, pressure: 100_000 },
    ]);
  });

  /** Runs `work` while the app listens. */
  async function withPort<T>(work: (port: number) => Promise<T>): Promise<T> {
    const server = here.app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      return await work((server.address() as AddressInfo).port);
    } finally {
      server.close();
    }
  }

  test('the extension of WeeWX sends a record of the archive', needs('python3'), async () => {
    const folder = temporaryFolder('weewx');
    for (const part of ['weewx', 'user']) mkdirSync(join(folder, part));
    const files = {
      'weewx/__init__.py': 'NEW_ARCHIVE_RECORD = 1\n',
      'weewx/restx.py': RESTX,
      'user/airseries.py': recipe('devices/weewx.py'),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const url = /url = http:\/\/air\.example:8082(\S+)/.exec(recipe('devices/weewx.conf'))?.[1];
    const record = { dateTime: 1795161900, usUnits: 1, interval: 5, outTemp: 41, rain: null };
    const site = (port: number) => ({ url: `http://127.0.0.1:${port}${url}`, token: here.token });
    await here.owner`update raw.sensor set device = 'wx' where id = 7`;
    await withPort(async (port) => {
      writeFileSync(join(folder, 'run.py'), RUN);
      const { finished } = runProgram(
        ['python3', 'run.py', JSON.stringify(site(port)), JSON.stringify(record)],
        { environment: {}, folder },
      );
      expect((await finished).code).toBe(0);
    });
    expect(await stored(here.owner)).toMatchObject([
      { sensor_id: 7, measured_at: '2026-11-20T12:00:00+04:00', temperature: 5 },
    ]);
  });

  /** Runs a bridge of MQTT to its end, with this message alone. */
  async function bridged(beginning: string, topic: string, message: object | string) {
    const folder = temporaryFolder('mqtt');
    const text = typeof message === 'string' ? message : JSON.stringify(message);
    const line = `${topic} ${text}`;
    const program = `#!/bin/sh\ncat << 'END'\n${line}\nEND\n`;
    writeFileSync(join(folder, 'mosquitto_sub'), program);
    chmodSync(join(folder, 'mosquitto_sub'), 0o755);
    return await withPort(async (port) => {
      const lines = recipe(beginning).replace('localhost:8082', `127.0.0.1:${port}`);
      const { finished } = runProgram(['/bin/sh', '-ec', lines], {
        environment: { PATH: `${folder}:${process.env.PATH}`, TOKEN: here.token },
        folder,
      });
      const { stdout } = await finished;
      return JSON.parse(stdout) as object;
    });
  }

  test('the three lines push a message of Zigbee2MQTT', needs('curl'), async () => {
    const message = { temperature: 21.3, pressure: 1013, last_seen: '2026-11-20T09:00:00+01:00' };
    const answer = await bridged('devices/zigbee2mqtt.sh', 'zigbee2mqtt/garden', message);
    expect(answer).toMatchObject({ accepted: 1, quarantined: [] });
    expect(await stored(here.owner)).toMatchObject([
      { measured_at: '2026-11-20T12:00:00+04:00', temperature: 21.3, pressure: 101_300 },
    ]);
  });

  test('the three lines push what ESPHome says over MQTT', needs('curl'), async () => {
    const beginning = 'devices/esphome-mqtt.sh';
    expect(await bridged(beginning, 'garden/sensor/pm_2_5/state', '5.5')).toMatchObject({
      accepted: 1,
      quarantined: [],
    });
    expect(await bridged(beginning, 'garden/sensor/pressure/state', '1000.0')).toMatchObject({
      accepted: 1,
    });
    expect(await bridged(beginning, 'garden/sensor/temperature/state', 'nan')).toMatchObject({
      status: 422,
    });
    expect(await stored(here.owner)).toMatchObject([
      { sensor_id: 7, pm25: 5.5, pressure: 100_000 },
    ]);
  });

  test('the three lines push a message of Tasmota', needs('curl'), async () => {
    const message = {
      Time: '2026-11-20T09:00:00',
      BME280: { Temperature: 21.5, Humidity: 40.2, Pressure: 1013.2 },
      SDS0X1: { 'PM2.5': 5.5, PM10: 7.7 },
      PressureUnit: 'hPa',
      TempUnit: 'C',
    };
    const answer = await bridged('devices/tasmota.sh', 'tele/garden/SENSOR', message);
    expect(answer).toMatchObject({ accepted: 1, quarantined: [] });
    expect(await stored(here.owner)).toMatchObject([
      { measured_at: '2026-11-20T12:00:00+04:00', pm25: 5.5, pm10: 7.7, pressure: 101_320 },
    ]);
  });
});
