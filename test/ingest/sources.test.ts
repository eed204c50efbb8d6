/**
 * A source replaces the values that it has, and no others (S3, S2): every way in, followed by every
 * other. All bring readings of one sensor and time.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { importReadings } from '../../src/ingest/importReadings.ts';
import { retryQuarantined } from '../../src/ingest/quarantine/retry.ts';
import type { Declarations } from '../../src/ingest/reading/declarations.ts';
import { acceptReadings } from '../../src/ingest/store/accept.ts';
import { differences } from '../aggregate/differences.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll } from '../support/database.ts';
import { READING_FORMATS } from '../support/formats.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { openPushing, type Pushing, push, send } from './http/pushing.ts';
import { file, reading } from './support.ts';

const SENSOR = 7;
const DEVICE = 'esp8266-elsewhere';
const T = NOW.toISOString();

type Given = { pm25?: number | null; pm10?: number | null; temperature?: number | null };
type Outcome = { accepted: number; unchanged: number; replaced?: { values: number } | null };
/** Brings values in; null is left empty. */
type Way = (here: Here, given: Given) => Promise<Outcome>;
type Here = Pushing & { ingest: Sql };

async function imported(
  { ingest }: Here,
  text: string,
  format: Declarations = {},
): Promise<Outcome> {
  const options = {
    formats: READING_FORMATS,
    now: NOW,
    log: keepingLog(),
    terminal: false,
    format,
  };
  return await importReadings(ingest, [file('readings', text)], options);
}

const pushed = async (here: Here, body: string | object, type = 'application/json') => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return (await send(here.app, here.token, text, { 'Content-Type': type })).body as Outcome;
};

const csv = (given: Given, delimiter = ',') =>
  [
    ['sensor_id', 'time', ...Object.keys(given)].join(delimiter),
    [SENSOR, T, ...Object.values(given).map((value) => value ?? '')].join(delimiter),
    '',
  ].join('\n');

/** P1 and P2 are the names of Sensor.Community. */
const CODES: Record<string, string> = { pm25: 'P2', pm10: 'P1', temperature: 'temperature' };

/** Ways in that can leave a parameter empty. */
const EMPTYING: Record<string, Way> = {
  'a wide table': (here, given) => imported(here, csv(given)),
  'a table with blanks of its own': (here, given) =>
    imported(here, csv(given, ';').replaceAll(';;', ';---;').replace(/;$/gm, ';N/A')),
  'a file of JSON lines': (here, given) =>
    imported(here, JSON.stringify({ sensor_id: SENSOR, time: T, ...given })),
  'rows of one parameter': (here, given) =>
    imported(
      here,
      [
        'location_id,sensors_id,location,datetime,lat,lon,parameter,units,value',
        ...Object.entries(given).map(
          ([name, value]) =>
            `1,${SENSOR},x,${T},40,44,${name},${name === 'temperature' ? 'c' : 'µg/m³'},${value ?? ''}`,
        ),
        '',
      ].join('\n'),
      { shift: '0min' },
    ),
  'a file of Sensor.Community': (here, given) =>
    imported(
      here,
      [
        ['sensor_id', 'sensor_type', 'location', 'timestamp']
          .concat(Object.keys(given).map((name) => CODES[name] as string))
          .join(';'),
        [SENSOR, 'SDS011', 1, T.slice(0, 19), ...Object.values(given).map((v) => v ?? '')].join(
          ';',
        ),
        '',
      ].join('\n'),
    ),
  'a push of JSON': (here, given) => pushed(here, [{ sensor_id: SENSOR, time: T, ...given }]),
  'a push of CSV': (here, given) => pushed(here, csv(given), 'text/csv'),
  'a push of lines': (here, given) =>
    pushed(
      here,
      Object.entries(given)
        .map(([name, value]) => JSON.stringify({ sensor_id: SENSOR, time: T, [name]: value }))
        .join('\n'),
      'application/x-ndjson',
    ),
  'The Things Stack': (here, given) =>
    pushed(here, {
      end_device_ids: { device_id: DEVICE },
      uplink_message: { received_at: T, decoded_payload: given },
    }),
  ChirpStack: (here, given) =>
    pushed(here, { time: T, fPort: 1, deviceInfo: { devEui: DEVICE }, object: given }),
};

const WAYS: Record<string, Way> = {
  ...EMPTYING,
  'Home Assistant': async (here, given) => {
    let last: Outcome = { accepted: 0, unchanged: 0 };
    for (const [name, state] of Object.entries(given))
      last = await pushed(here, {
        sensor_id: SENSOR,
        entity_id: `sensor.${name}`,
        state: String(state),
        last_updated: T,
        attributes: {
          device_class: name,
          unit_of_measurement: name === 'temperature' ? '°C' : 'µg/m³',
        },
      });
    return last;
  },
  airRohr: async ({ app, token }, given) => {
    const sensordatavalues = Object.entries(given).map(([name, value]) => ({
      value_type: name === 'temperature' ? 'BME280_temperature' : `SDS_${CODES[name]}`,
      value: String(value),
    }));
    const headers = { 'X-Sensor': DEVICE };
    return (await push(app, token, { sensordatavalues }, headers)).body;
  },
};

/** Ways in that differ from each other in how they are read. */
const PAIRED = Object.entries(WAYS).filter(
  ([name]) =>
    ![
      'a table with blanks of its own',
      'a file of Sensor.Community',
      'a push of CSV',
      'ChirpStack',
    ].includes(name),
);

onEveryEngineInAll('two sources', (engine) => {
  let here: Here;
  beforeAll(async () => {
    const pushing = await openPushing(engine);
    here = { ...pushing, ingest: pushing.database.as('airseries_ingest') };
  });
  beforeEach(() => here.owner`truncate raw.readings, raw.quarantine`);
  afterAll(() => here.close());

  const stored = async () =>
    (await here.owner`select pm25, pm10, temperature from raw.readings`).map((row) => ({ ...row }));

  const pairs = PAIRED.flatMap(([first, bring]) =>
    PAIRED.map(([second, bringNext]) => ({ first, second, bring, bringNext })),
  );

  test.each(pairs)(
    'neither of two sources takes a value of the other (S3): $first, then $second',
    async (pair) => {
      await pair.bring(here, { pm25: 5, temperature: 20 });
      const outcome = await pair.bringNext(here, { pm10: 7 });
      expect(outcome).toMatchObject({ accepted: 1, unchanged: 0 });
      expect(outcome.replaced ?? null).toBeNull();
      expect(await stored()).toEqual([{ pm25: 5, pm10: 7, temperature: 20 }]);
      expect(await pair.bringNext(here, { pm10: 7 })).toMatchObject({ accepted: 0 });
      const corrected = await pair.bringNext(here, { pm25: 6 });
      expect(corrected.replaced).toMatchObject({ values: 1 });
      expect(await stored()).toEqual([{ pm25: 6, pm10: 7, temperature: 20 }]);
    },
  );

  test.each(Object.entries(WAYS))(
    'a value out of bounds takes nothing away (S2): %s',
    async (_, bring) => {
      await bring(here, { pm25: 5, pm10: 7 });
      await bring(here, { pm25: 9_999, pm10: 8 });
      expect(await stored()).toEqual([{ pm25: 5, pm10: 8, temperature: null }]);
      expect(
        await here.owner`select kind, reason from raw.quarantine where kind = 'value'`,
      ).toEqual([{ kind: 'value', reason: 'out_of_bounds:pm25' }]);
    },
  );

  describe.each(Object.entries(EMPTYING))('%s', (source, bring) => {
    test(`${source} withdraws the values that it leaves empty, and no others (S3)`, async () => {
      await WAYS['a push of JSON']?.(here, { pm25: 5, pm10: 7, temperature: 20 });
      const outcome = await bring(here, { pm25: null, pm10: 8 });
      expect(outcome).toMatchObject({ accepted: 1, replaced: { values: 2 } });
      expect(await stored()).toEqual([{ pm25: null, pm10: 8, temperature: 20 }]);
      const again = await bring(here, { pm25: null, pm10: 8 });
      expect(again).toMatchObject({ accepted: 0 });
      expect(again.replaced ?? null).toBeNull();
    });

    test(`${source} without any value withdraws, and is refused where nothing is stored (S2, S3)`, async () => {
      await WAYS['a push of JSON']?.(here, { pm25: 5, temperature: 20 });
      expect(await bring(here, { pm25: null })).toMatchObject({
        accepted: 1,
        replaced: { values: 1 },
      });
      expect(await stored()).toEqual([{ pm25: null, pm10: null, temperature: 20 }]);
      expect(await bring(here, { pm25: null })).toMatchObject({ accepted: 0, unchanged: 0 });
      expect(await here.owner`select reason from raw.quarantine`).toEqual([{ reason: 'no_value' }]);
      expect(await bring(here, { temperature: null })).toMatchObject({ accepted: 1 });
      expect(await stored()).toEqual([]); // a row without a value is no reading
      expect(await differences(here.database)).toEqual([]);
    });
  });

  test.each(Object.entries(WAYS))(
    'a retry from quarantine fills what is missing, and replaces nothing (S2): %s',
    async (_, bring) => {
      const early = new Date(NOW.getTime() - 3_600_000);
      const waiting = [reading(SENSOR, T, { pm25: 1, pm10: 2, humidity: '' })];
      const ingest = here.database.as('airseries_ingest');
      const { quarantined } = await acceptReadings(ingest, waiting, {
        now: early,
        source: 'early',
      });
      expect(quarantined).toEqual([{ index: 0, reason: 'in_the_future' }]);
      await bring(here, { pm25: 5, temperature: 20 });
      const retried = await retryQuarantined(here.owner, {
        formats: READING_FORMATS,
        now: NOW,
        log: keepingLog(),
        terminal: false,
      });
      expect(retried).toMatchObject({ retried: 1, accepted: 1 });
      expect(await stored()).toEqual([{ pm25: 5, pm10: 2, temperature: 20 }]);
    },
  );

  test('two sources that write at once lose nothing, in new rows and in existing rows', async () => {
    const ingest = [here.ingest, here.database.as('airseries_ingest')];
    const times = Array.from({ length: 300 }, (_, n) =>
      new Date(NOW.getTime() - n * 60_000).toISOString(),
    );
    for (const round of [1, 2]) {
      await Promise.all(
        ingest.map((pool, index) => {
          const name = index === 0 ? 'pm25' : 'pm10';
          const readings = times.map((time) => reading(SENSOR, time, { [name]: round }));
          const ordered = index === 0 ? readings : readings.reverse();
          return acceptReadings(pool, ordered, { now: NOW, source: name });
        }),
      );
      const rows = await here.owner`
        select distinct pm25, pm10, count(*) over ()::int as n from raw.readings`;
      expect(rows).toEqual([{ pm25: round, pm10: round, n: 300 }]);
    }
  });
});
