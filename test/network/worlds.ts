/**
 * Invented cities of 16 stations, 2 km apart, over 200 hours, seeded: the air at each station, and
 * the values of its instrument (C9).
 */
import type { Random } from '../support/random.ts';

export const STATIONS = 16;
export const HOURS = 200;

/** PM2.5 of the air at an hour and a place, in km from the city's corner. */
type Air = (hour: number, x: number, y: number) => number;

export type Station = {
  x: number;
  y: number;
  /** Has a chimney beside it, whose smoke it measures rightly. */
  isBesideChimney: boolean;
  hours: { pm25: number; pm10: number }[];
};
/** `event`: the hours in which the air is special, `until` exclusive. */
export type City = { stations: Station[]; event: { since: number; until: number } };

/** A sum of uniform numbers, nearly normal: mean 0, standard deviation 1. */
const normal = (random: Random) =>
  Array.from({ length: 12 }, () => random.next()).reduce((a, b) => a + b, -6);
const between = (random: Random, low: number, high: number) => low + random.next() * (high - low);
/** As an instrument says it, which ends at 1,000. */
const round = (value: number) => Math.round(Math.min(value, 1_000) * 10) / 10;
const bell = (distance: number, sigma: number) => Math.exp(-((distance / sigma) ** 2) / 2);
const isNight = (hour: number) => (hour + 19) % 24 < 14; // 19 to 9 o'clock, from hour 0 at midnight

/** The air of the whole city: about 12 µg/m³, less in the afternoon, changing slowly. */
function background(random: Random): (hour: number) => number {
  let drift = 0;
  const hours = Array.from({ length: HOURS }, (_, hour) => {
    drift = 0.95 * drift + 0.1 * normal(random);
    return 12 * Math.exp(drift) * (1 + 0.25 * Math.cos((hour % 24) * (Math.PI / 12)));
  });
  return (hour) => hours[hour] as number;
}

/** The event of a world, on top of the background. */
type Event = (random: Random) => { since: number; until: number; air: Air };

const nothing: Event = () => ({ since: 0, until: HOURS, air: () => 0 });

/** Smoke in a band 3 km wide (at half of its peak) that moves over the city at 0.3 to 0.8 km/h. */
const front: Event = (random) => {
  const angle = random.next() * Math.PI * 2;
  const peak = between(random, 150, 400);
  const passage = Math.round(12 / between(random, 0.3, 0.8));
  const since = 60 + random.below(60);
  const air: Air = (hour, x, y) => {
    const along = (x - 3) * Math.cos(angle) + (y - 3) * Math.sin(angle);
    return peak * bell(along + 6 - (12 * (hour - since)) / passage, 3 / 2.355);
  };
  return { since, until: since + passage, air };
};

/** Displays of some hundred metres to 2 km on two nights, which take hours to disperse. */
const newYear: Event = (random) => {
  const displays = [0, 1].flatMap((night) =>
    Array.from({ length: night === 0 ? 6 : 3 }, () => ({
      since: 96 + night * 24 - 2 + random.below(4),
      x: between(random, 0, 6),
      y: between(random, 0, 6),
      sigma: between(random, 0.6, 1.8),
      peak: between(random, 100, 500) / (night + 1),
      hours: between(random, 2, 6),
    })),
  );
  const air: Air = (hour, x, y) => {
    let pm25 = bell(hour - 98, 4) * 30; // everywhere
    for (const display of displays) {
      if (hour < display.since) continue;
      const nearness = bell(Math.hypot(x - display.x, y - display.y), display.sigma);
      pm25 += display.peak * nearness * Math.exp((display.since - hour) / display.hours);
    }
    return pm25;
  };
  return { since: 94, until: 94 + 36, air };
};

/** Each night the air of the valley's floor, 1.4 to 2.8 km wide, stays there with its smoke. */
const valley: Event = (random) => {
  const angle = random.next() * Math.PI;
  const middle = between(random, -1, 1);
  const width = between(random, 1.4, 2.8) / 2.355;
  const nights = Array.from({ length: HOURS / 24 + 2 }, () => between(random, 20, 130));
  const air: Air = (hour, x, y) => {
    if (!isNight(hour)) return 0;
    const across = (x - 3) * Math.cos(angle) + (y - 3) * Math.sin(angle) - middle;
    return (nights[Math.floor((hour + 12) / 24)] as number) * bell(across, width);
  };
  return { since: 0, until: HOURS, air };
};

/** A station, with up to 600 m to its east and north. */
const nearAStation = (random: Random) => ({
  x: 2 * random.below(4) + between(random, 0, 0.6),
  y: 2 * random.below(4) + between(random, 0, 0.6),
});

/** Smoke around places, each from an hour on for some hours. */
type Fire = { x: number; y: number; sigma: number; peak: number; since: number; hours: number };
const burning =
  (fires: readonly Fire[]): Air =>
  (hour, x, y) =>
    fires
      .filter((fire) => hour >= fire.since && hour < fire.since + fire.hours)
      .reduce(
        (sum, fire) => sum + fire.peak * bell(Math.hypot(x - fire.x, y - fire.y), fire.sigma),
        0,
      );

/** One night, fires of some hundred metres beside a few stations. */
const bonfire: Event = (random) => {
  const fires = Array.from({ length: 2 + random.below(3) }, () => ({
    ...nearAStation(random),
    sigma: between(random, 0.4, 0.9),
    peak: between(random, 150, 500),
    since: 100 + random.below(3),
    hours: 7 + random.below(6),
  }));
  return { since: 100, until: 115, air: burning(fires) };
};

/** A brick kiln fires for less than a day, beside a station. */
const kiln: Event = (random) => {
  const since = 60 + random.below(60);
  const hours = 14 + random.below(9);
  const fire = {
    ...nearAStation(random),
    sigma: between(random, 0.6, 1.2),
    peak: between(random, 150, 400),
    ...{ since, hours },
  };
  return { since, until: since + hours, air: burning([fire]) };
};

const EVENTS = { plain: nothing, front, 'new year': newYear, valley, bonfire, kiln };
export type World = keyof typeof EVENTS;

/** With `chimney`, one stands beside a station. */
export function invent(random: Random, world: World, { chimney = false } = {}): City {
  const everywhere = background(random);
  const { since, until, air } = EVENTS[world](random);
  const order = Array.from({ length: STATIONS }, (_, n) => n);
  // shuffled: the first station has the chimney
  for (let n = STATIONS - 1; n > 0; n--) {
    const other = random.below(n + 1);
    const place = order[n] as number;
    order[n] = order[other] as number;
    order[other] = place;
  }
  const stations = order.map((place, n): Station => {
    const [x, y] = [2 * (place % 4), 2 * Math.floor(place / 4)];
    const isBesideChimney = chimney && n === 0;
    const smoke = between(random, 100, 300);
    const works = random.below(12);
    random.below(60); // the cities of src/network/README.md were drawn with it
    const scale = between(random, 0.88, 1.12);
    const noise = () => 1 + 0.05 * normal(random);
    const hours = Array.from({ length: HOURS }, (_, hour) => {
      const own = isBesideChimney && (hour + works) % 24 < 9 ? smoke : 0;
      const pm25 = everywhere(hour) + air(hour, x, y) + own;
      return {
        pm25: round(pm25 * scale * noise()),
        pm10: round((5 + 1.5 * pm25) * scale * noise()),
      };
    });
    return { x, y, isBesideChimney, hours };
  });
  return { stations, event: { since, until } };
}
