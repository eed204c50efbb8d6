/**
 * Screening of particles among invented cities (C9): how many honest stations are suspect and how
 * many are left out of their city in smoke, fireworks and inversions, and what the city shows in its
 * worst hour.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { screen } from '../../src/network/screening.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { seeded } from '../support/random.ts';
import { bringIn } from '../support/smallNetwork.ts';
import { type City, HOURS, invent, STATIONS, type World } from './worlds.ts';

const HOUR = 3_600_000;
const FIRST = NOW.getTime() - HOURS * HOUR;
const EACH = 5;
const AIRS: readonly World[] = ['plain', 'front', 'new year', 'valley', 'bonfire', 'kiln'];

type Placed = City & { world: World | 'chimney'; slug: string; first: number };

function inventAll(): Placed[] {
  const random = seeded(62);
  const cities = [
    ...AIRS.flatMap((world) =>
      Array.from({ length: EACH }, () => ({ world, ...invent(random, world) })),
    ),
    ...Array.from({ length: EACH }, () => ({
      world: 'chimney' as const,
      ...invent(random, 'plain', { chimney: true }),
    })),
  ];
  return cities.map((city, n) => ({
    ...city,
    slug: `city-${String.fromCharCode(97 + Math.floor(n / 26), 97 + (n % 26))}`,
    first: 100 * n + 1,
  }));
}

/** A degree apart, so that no city has neighbours in another. */
const network = (cities: readonly Placed[], trusted: ReadonlySet<number> = new Set()) => ({
  time_zone: 'Asia/Yerevan',
  providers: [{ id: 'us', title: 'Us' }],
  regions: cities.map(({ slug }) => ({ slug, kind: 'city', title: { en: slug } })),
  stations: cities.flatMap(({ stations, slug, first }, n) =>
    stations.map(({ x, y }, index) => ({
      id: first + index,
      latitude: 30 + (n % 40) + y / 111.2,
      longitude:
        44 + Math.floor(n / 40) + x / (111.2 * Math.cos(((30 + (n % 40)) * Math.PI) / 180)),
      provider: 'us',
      title: { en: `${first + index}` },
      regions: [slug],
      sensors: [{ id: first + index }],
      ...(trusted.has(first + index) ? { trusted: true } : {}),
    })),
  ),
});

async function measure(owner: Sql, cities: readonly Placed[]): Promise<void> {
  for (const { stations, first } of cities) {
    const rows = stations.flatMap(({ hours }, index) =>
      hours.map((values, hour) => ({
        sensor_id: first + index,
        measured_at: new Date(FIRST + hour * HOUR),
        ...values,
      })),
    );
    await owner`insert into raw.readings ${owner(rows)}`;
  }
}

type Hour = { station: number; hour: number; pm25: number; published: number };
const mean = (of: readonly Hour[]) => of.reduce((sum, { pm25 }) => sum + pm25, 0) / of.length;

type Period = { station: number; since: number; until: number; is_left_out: boolean };

onEveryEngineInAll('invented cities', (engine) => {
  const cities = inventAll();
  const cityOf = (station: number) => cities[Math.floor((station - 1) / 100)] as Placed;
  const isBesideChimney = (station: number) => {
    const { stations, first } = cityOf(station);
    return stations[station - first]?.isBesideChimney === true;
  };
  let db: TestDatabase;
  let owner: Sql;
  let found: Period[];
  /** By city and hour: the mean as published, and as its stations measured. */
  let hours: readonly Hour[];

  beforeAll(async () => {
    db = await testDatabase(engine);
    owner = db.as('airseries_owner', 'UTC');
    await bringIn(owner, network(cities));
    await measure(owner, cities);
    await db.refresh(NOW);
    await screen(db.target, NOW);
    await db.refresh(NOW);
    found = [
      ...(await owner<Period[]>`
        select station_id as station, ${hourOf('since')} as since, ${hourOf(`least(until, '${NOW.toISOString()}')`)} as until,
          hours is null as is_left_out
        from raw.screened_period`),
    ];
    hours = await owner<Hour[]>`
      select h.station_id as station, ${hourOf('h.bucket')} as hour, h.pm25, r.pm25 as published
      from rollup.station_hourly h
      join raw.membership m on m.station_id = h.station_id and m.since <= h.bucket and h.bucket < m.until
      join rollup.region_hourly r on r.bucket = h.bucket and r.region_slug = m.region_slug`;
    return () => db.drop();
  });

  /** Hours since the first one. */
  const hourOf = (at: string) =>
    owner.unsafe(`((extract(epoch from ${at}) - ${FIRST / 1000}) / 3600)::int`);
  /** Periods of honest stations in 1,000 station-days of a world. */
  const falsePeriods = (world: Placed['world'], is: (period: Period) => boolean) => {
    const days = (cities.filter((city) => city.world === world).length * STATIONS * HOURS) / 24;
    const wrong = found.filter(
      (one) => cityOf(one.station).world === world && !isBesideChimney(one.station) && is(one),
    );
    return Math.round((10_000 * wrong.length) / days) / 10;
  };

  /**
   * The hour of a world's cities that is furthest from what the honest stations measured: their
   * mean, the mean without all periods found, as if 6 hours were enough, and the published one.
   */
  function worstHour(world: Placed['world']) {
    const means = cities
      .filter((city) => city.world === world)
      .flatMap(({ first, event }) => {
        const own = hours.filter(({ station }) => Math.floor(station / 100) * 100 + 1 === first);
        return Array.from({ length: event.until - event.since }, (_, n) => {
          const all = own.filter(({ hour }) => hour === event.since + n);
          const isFound = ({ station, hour }: Hour) =>
            found.some((p) => p.station === station && p.since <= hour && hour < p.until);
          return {
            truth: mean(all),
            atOnce: mean(all.filter((one) => !isFound(one))),
            published: all[0]?.published ?? Number.NaN,
          };
        });
      });
    const worst = (by: 'atOnce' | 'published') => {
      const error = (one: (typeof means)[number]) => Math.abs(Math.log(one[by] / one.truth));
      const { truth, [by]: said } = means.reduce((a, b) => (error(b) > error(a) ? b : a));
      return [Math.round(said), Math.round(truth)];
    };
    return { atOnce: worst('atOnce'), published: worst('published') };
  }

  // per 1,000 station-days, periods of honest stations, and of these the ones that hide air; and the
  // worst hour of a city, as it would be if six hours hid a station, and as it is published: PM2.5, and
  // the mean of what its honest stations measured
  it.each<
    [Placed['world'], Record<'said' | 'hidden', number>, Record<'atOnce' | 'published', number[]>]
  >([
    ['plain', { said: 0, hidden: 0 }, { atOnce: [15, 15], published: [15, 15] }],
    ['front', { said: 3, hidden: 0 }, { atOnce: [14, 24], published: [17, 17] }],
    ['new year', { said: 1.5, hidden: 0 }, { atOnce: [16, 20], published: [92, 92] }],
    ['valley', { said: 0, hidden: 0 }, { atOnce: [16, 16], published: [16, 16] }],
    ['bonfire', { said: 10.5, hidden: 0 }, { atOnce: [9, 46], published: [21, 21] }],
    ['kiln', { said: 10.5, hidden: 0 }, { atOnce: [13, 45], published: [20, 20] }],
    ['chimney', { said: 0, hidden: 0 }, { atOnce: [6, 21], published: [6, 21] }],
  ])(
    'smoke that passes is said, and not hidden from its city (C9): %s',
    (world, periods, worst) => {
      expect({
        said: falsePeriods(world, () => true),
        hidden: falsePeriods(world, (one) => one.is_left_out),
      }).toEqual(periods);
      expect(worstHour(world)).toEqual(worst);
    },
  );

  it('a station beside a chimney is taken for a fault until it is trusted (C9)', async () => {
    const stations = cities
      .flatMap(({ stations, first }) => stations.map((_, index) => first + index))
      .filter(isBesideChimney);
    expect(stations).toHaveLength(EACH);
    expect(found.map(({ station }) => station)).toEqual(expect.arrayContaining(stations));
    await bringIn(owner, network(cities, new Set(stations)));
    await screen(db.target, NOW);
    expect(await owner`select from logic.flag where station_id in ${owner(stations)}`).toEqual([]);
  });
});
