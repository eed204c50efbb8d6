/**
 * Lists, digests and metrics show the current values that the last refresh found (C1); a station's
 * own document is computed from its readings. At the instant of a refresh both say the same.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { deleteReadings } from '../../src/ingest/store/deleteReadings.ts';
import { isAll, onEveryEngineInAll } from '../support/database.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../support/installation.ts';
import { patient } from '../support/patience.ts';
import { type Random, seeded } from '../support/random.ts';

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];
const STATIONS = 12;
const SENSORS = 20;
const PARAMETERS = [
  'temperature',
  'humidity',
  'pm25',
  'pm25_raw',
  'pm10',
  'wind_direction',
  'rain',
];
const STEPS = isAll ? 12 : 4;

/** A network in which some sensors moved, got a formula or were suspicious lately. */
function makeNetwork(random: Random, now: number) {
  const lately = () => new Date(now - random.below(5 * HOUR)).toISOString();
  const sensors = Array.from({ length: SENSORS }, (_, index) => {
    const [home, other] = [1 + (index % STATIONS), 1 + random.below(STATIONS)];
    const moved = lately();
    return {
      home,
      sensor: {
        id: index + 1,
        ...(random.below(4) === 0 && { correction: [{ formula: 'epa-2021', since: lately() }] }),
        ...(random.below(8) === 0 && {
          suspicious: [{ since: lately(), until: new Date(now + HOUR).toISOString() }],
        }),
        ...(random.below(4) === 0 &&
          other !== home && {
            stations: [
              { id: other, until: moved },
              { id: home, since: moved },
            ],
          }),
      },
    };
  });
  return {
    time_zone: 'Asia/Yerevan',
    providers: [
      { id: 'slow', title: 'Slow', stale_after: '3 hours' },
      { id: 'quick', title: 'Quick', stale_after: '30 minutes' },
    ],
    regions: [{ slug: 'town', kind: 'city', title: { en: 'Town' } }],
    stations: Array.from({ length: STATIONS }, (_, index) => ({
      id: index + 1,
      provider: index % 2 === 0 ? 'slow' : 'quick',
      title: { en: 'S' },
      latitude: 40,
      longitude: 44,
      screening: false,
      regions: ['town'],
      sensors: sensors.filter(({ home }) => home === index + 1).map(({ sensor }) => sensor),
    })),
  };
}

onEveryEngineInAll('recorded current values', (engine) => {
  const random = seeded(7);
  let now = Date.parse('2026-11-20T12:00:00Z');
  let here: Installation;
  let owner: Sql;
  beforeAll(async () => {
    here = await install(engine, makeNetwork(random, now));
    owner = here.database.as();
    return () => here.close();
  });

  let compared = 0;
  /** The differences of the list and the stations' own documents at an instant. */
  const differences = async (at: number) => {
    const instant = new Date(at);
    const rows = await here.published`
      select to_jsonb(every) as listed, to_jsonb(own) as own
      from api.station_current(${instant}) every cross join lateral api.station_current(${instant}, every.id) own order by every.id`;
    return rows.flatMap(({ listed, own }) =>
      Object.keys(own).flatMap((key) => {
        compared += 1;
        if (listed[key] === own[key]) return [];
        return [`${instant.toISOString()} ${own.id} ${key}: ${listed[key]}, not ${own[key]}`];
      }),
    );
  };
  const pm10 = async (at: number, only?: number) => {
    const [row] = await here.published`
      select pm10 from api.station_current(${new Date(at)}, ${only ?? null}) where id = 1`;
    return row?.pm10;
  };

  it('the list shows the values of the last refresh that are not stale yet', async () => {
    await here.importNetwork(citiesOfOneStation(['a', 'b'], { staleAfter: '40 minutes' }));
    await here.accept([reading(1, now - MINUTE, { pm10: 10 })], new Date(now));
    await here.accept([reading(1, now - SECOND, { temperature: 5 })], new Date(now)); // stays longer
    // from a clock that is ahead
    await here.accept([reading(1, now + 3 * MINUTE, { pm10: 50 })], new Date(now));
    await here.refresh(new Date(now));
    expect([await pm10(now), await pm10(now, 1)]).toEqual([10, 10]);
    expect([await pm10(now + 3 * MINUTE), await pm10(now + 3 * MINUTE, 1)]).toEqual([10, 30]);
    expect(await pm10(now + 39 * MINUTE - 1)).toBe(10);
    expect(await pm10(now + 39 * MINUTE)).toBe(null);
    await here.refresh(new Date(now + 3 * MINUTE));
    expect(await pm10(now + 3 * MINUTE)).toBe(30);
    expect(await pm10(now + 3 * MINUTE - 1), 'computed, because it is before the refresh').toBe(10);
    await owner`truncate raw.readings`;
    now += 5 * MINUTE;
    await here.importNetwork(makeNetwork(random, now));
  });

  const happen = async () => {
    const what = random.below(10);
    if (what === 0) {
      await here.importNetwork(makeNetwork(random, now));
      return;
    }
    if (what === 1) {
      const from = new Date(now - random.below(3 * HOUR));
      const period = { from, to: new Date(from.getTime() + random.below(HOUR) + SECOND) };
      await deleteReadings(owner, { sensor: 1 + random.below(SENSORS), ...period });
      return;
    }
    const readings = Array.from({ length: 1 + random.below(60) }, () => {
      const at = now + 5 * MINUTE - random.below(random.below(4) === 0 ? 6 * HOUR : 40 * MINUTE);
      const given = PARAMETERS.filter(() => random.below(3) > 0).map((name) => [
        name,
        random.below(90),
      ]);
      return reading(1 + random.below(SENSORS), at, Object.fromEntries(given));
    });
    await here.accept(readings, new Date(now));
  };

  it('recorded current values equal the values computed from the readings after random changes', {
    timeout: patient(60_000 + STEPS * 1_000),
  }, async ({ annotate }) => {
    const wrong: string[] = [];
    for (let step = 0; step < STEPS; step++) {
      await happen();
      now += random.below(20 * MINUTE);
      await here.refresh(new Date(now));
      const [recorded] = await owner<
        { n: number }[]
      >`select count(*)::int as n from rollup.current`;
      expect(recorded?.n).toBeGreaterThan(SENSORS / 4);
      for (const at of [now, now - random.below(2 * MINUTE), now - random.below(3 * HOUR)]) {
        wrong.push(...(await differences(at)));
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    await annotate(`${compared} values, 0 wrong`);
  });
});
