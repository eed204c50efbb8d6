/**
 * Screening of particles among invented cities (C9): how many honest stations are left out of their
 * city in smoke, fireworks and inversions, how many faults are found, and the city's values. The
 * rule before, without neighbours that measure it too, is compared.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../src/database/client.ts';
import { screen } from '../../src/network/screening.ts';
import { NOW } from '../support/clock.ts';
import { onEveryEngineInAll, type TestDatabase, testDatabase } from '../support/database.ts';
import { seeded } from '../support/random.ts';
import { bringIn } from '../support/smallNetwork.ts';
import {
  type City,
  type Fault,
  HOURS,
  invent,
  STATIONS,
  type Station,
  type World,
} from './worlds.ts';

const HOUR = 3_600_000;
const FIRST = NOW.getTime() - HOURS * HOUR;
const EACH = 6;
const FAULTS: readonly Fault[] = ['stuck', 'channel', 'times five', 'dead'];
const AIRS: readonly World[] = ['plain', 'front', 'new year', 'valley'];

type Placed = City & { world: World | 'chimney' | 'faults'; slug: string; first: number };

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
    ...AIRS.flatMap((air) =>
      [1, 2, 3].map(() => ({
        world: 'faults' as const,
        ...invent(random, air, { faults: FAULTS }),
      })),
    ),
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
    stations.map(({ x, y, sensors }, index) => ({
      id: first + index,
      latitude: 30 + (n % 40) + y / 111.2,
      longitude:
        44 + Math.floor(n / 40) + x / (111.2 * Math.cos(((30 + (n % 40)) * Math.PI) / 180)),
      provider: 'us',
      title: { en: `${first + index}` },
      regions: [slug],
      sensors: sensors.map((_, sensor) => ({ id: first + index + sensor * 10_000 })),
      ...(trusted.has(first + index) ? { trusted: true } : {}),
    })),
  ),
});

async function measure(owner: Sql, cities: readonly Placed[]): Promise<void> {
  for (const { stations, first } of cities) {
    const rows = stations.flatMap(({ sensors }, index) =>
      sensors.flatMap(({ pm25, pm10 }, sensor) =>
        pm25.map((value, hour) => ({
          sensor_id: first + index + sensor * 10_000,
          measured_at: new Date(FIRST + hour * HOUR),
          pm25: value,
          pm10: pm10[hour] as number,
        })),
      ),
    );
    await owner`insert into raw.readings ${owner(rows)}`;
  }
}

type Period = { station: number; since: number; until: number };

/** The test outlier as it was: no matter how many neighbours measure it too. */
async function outliersBefore(owner: Sql): Promise<Period[]> {
  const hours = await owner<{ station: number; hour: number }[]>`
    with hour as materialized (
      select h.station_id, m.region_slug, h.bucket, h.pm25, not exists (
        select from raw.screened_period p where p.station_id = h.station_id and p.reason <> 'outlier'
          and p.since <= h.bucket and h.bucket < p.until) as is_neighbour
      from rollup.station_hourly h join raw.membership m on m.station_id = h.station_id
        and m.since <= h.bucket and h.bucket < m.until
    )
    select one.station_id as station, ((extract(epoch from one.bucket) * 1000 - ${FIRST}) / ${HOUR})::int as hour
    from hour one
    join hour other on other.region_slug = one.region_slug and other.bucket = one.bucket
      and other.station_id <> one.station_id and other.is_neighbour
    where one.pm25 > 30
    group by one.station_id, one.bucket, one.pm25
    having count(*) >= 3 and one.pm25 > 3 * percentile_cont(0.5) within group (order by other.pm25)
    order by 1, 2`;
  const groups: (Period & { hours: number })[] = [];
  for (const { station, hour } of hours) {
    const last = groups.at(-1);
    if (last?.station === station && hour - last.until <= 24) {
      last.until = hour + 1;
      last.hours += 1;
    } else groups.push({ station, since: hour, until: hour + 1, hours: 1 });
  }
  return groups
    .filter((group) => group.hours >= 6)
    .map((group) => (HOURS - group.until < 24 ? { ...group, until: HOURS } : group));
}

onEveryEngineInAll('invented cities', (engine) => {
  const cities = inventAll();
  const placeOf = (station: number) => {
    const city = cities[Math.floor((station - 1) / 100)] as Placed;
    return { ...(city.stations[station - city.first] as Station), world: city.world };
  };
  let db: TestDatabase;
  let owner: Sql;
  let found: Period[];
  let before: Period[];

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
        select station_id as station, ${hourOf('since')} as since, ${hourOf(`least(until, '${NOW.toISOString()}')`)} as until
        from raw.screened_period`),
    ];
    before = await outliersBefore(owner);
    return () => db.drop();
  });

  /** Hours since the first one. */
  const hourOf = (at: string) =>
    owner.unsafe(`((extract(epoch from ${at}) - ${FIRST / 1000}) / 3600)::int`);
  /** Periods of honest stations in 1,000 station-days of a world. */
  const falsePeriods = (periods: readonly Period[], world: Placed['world']) => {
    const days = (cities.filter((city) => city.world === world).length * STATIONS * HOURS) / 24;
    const ofHonest = periods
      .map(({ station }) => placeOf(station))
      .filter((place) => {
        return place.world === world && place.fault === undefined && !place.isBesideChimney;
      });
    return (1_000 * ofHonest.length) / days;
  };
  const foundOf = (periods: readonly Period[], is: (place: Station) => boolean) =>
    new Set(periods.map(({ station }) => station).filter((station) => is(placeOf(station)))).size;

  it.each<[Placed['world'], { before: number; now: number }]>([
    ['plain', { before: 0, now: 0 }],
    ['chimney', { before: 0, now: 0 }],
    ['front', { before: 30, now: 2 }],
    ['new year', { before: 8, now: 3 }],
    ['valley', { before: 25, now: 2 }],
    ['faults', { before: 10, now: 2 }],
  ])('few honest stations are left out of their city (C9): %s', (world, bounds) => {
    const [then, now] = [falsePeriods(before, world), falsePeriods(found, world)];
    expect(then).toBeGreaterThanOrEqual(bounds.before);
    expect(now).toBeLessThanOrEqual(bounds.now);
  });

  it.each(FAULTS)('every planted fault is found (C9): %s', (fault) => {
    const planted = cities.flatMap(({ stations }) => stations).filter((one) => one.fault === fault);
    const is = (place: Station) => place.fault === fault;
    expect(foundOf(found, is)).toBe(planted.length);
  });

  it('a city in a front of smoke is shown as its stations measure it (C9)', async () => {
    const fronts = cities.filter(({ world }) => world === 'front');
    const sums = { all: 0, now: 0, before: 0 };
    let worstBefore = 1;
    for (const { slug, first, event } of fronts) {
      const hours = await owner<{ hour: number; station: number; pm25: number; city: number }[]>`
        select ${hourOf('h.bucket')} as hour, h.station_id as station, h.pm25, r.pm25 as city
        from rollup.station_hourly h
        join rollup.region_hourly r on r.bucket = h.bucket and r.region_slug = ${slug}
        where h.station_id between ${first} and ${first + STATIONS - 1}`;
      for (let hour = event.since; hour < event.until; hour++) {
        const all = hours.filter((h) => h.hour === hour);
        const kept = all.filter(
          ({ station }) =>
            !before.some((p) => p.station === station && p.since <= hour && hour < p.until),
        );
        const mean = (of: typeof all) => of.reduce((sum, { pm25 }) => sum + pm25, 0) / of.length;
        sums.all += mean(all);
        sums.before += mean(kept);
        sums.now += all[0]?.city ?? Number.NaN;
        worstBefore = Math.min(worstBefore, mean(kept) / mean(all));
      }
    }
    expect(sums.now / sums.all).toBeGreaterThan(0.97);
    expect(sums.before / sums.all).toBeLessThan(0.75);
    expect(worstBefore).toBeLessThan(0.3);
  });

  it('a station beside a chimney is taken for a fault until it is trusted (C9)', async () => {
    const beside = (place: Station) => place.isBesideChimney === true;
    expect(foundOf(found, beside)).toBe(EACH);
    const stations = cities.flatMap(({ stations, first }) =>
      stations.flatMap((place, index) => (beside(place) ? [first + index] : [])),
    );
    await bringIn(owner, network(cities, new Set(stations)));
    await screen(db.target, NOW);
    expect(await owner`select from logic.flag where station_id in ${owner(stations)}`).toEqual([]);
  });
});
