/**
 * Thirty cities of a station each, in every category, of which six have names that are longer than
 * a phone is wide; and a day of readings, which rise and fall.
 */
import type { Engine } from '../../../src/schema/aggregates.ts';
import { NOW } from '../../support/clock.ts';
import { install, reading } from '../../support/installation.ts';
import { serve } from '../../support/service.ts';

type Name = readonly [en: string, ru: string, hy: string];

const LONG: readonly Name[] = [
  [
    'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch',
    'Новоалександроневскосельскохозяйственноэкспериментальногорск',
    'Նորարարականգիտահետազոտականփորձարարականարտադրականավան',
  ],
  [
    'The Royal Town of Sutton Coldfield upon the Ebrook, North Side',
    'Посёлок санатория имени Серго Орджоникидзе и Центральной усадьбы',
    'Երևանի պետական համալսարանի ուսանողական ավանի հարավային մաս',
  ],
];
const SHORT: Name = ['Newcastle upon Tyne', 'Ростов-на-Дону', 'Նոր Հաճըն'];

/** The first six have long names. */
const nameOf = (n: number): Name =>
  ((n < 6 ? LONG[n % 2] : SHORT) as Name).map((name) => `${name} ${n + 1}`) as unknown as Name;

/** PM2.5 in each category of the index. */
const LEVELS = [45, 5, 20, 100, 180, 400];
const HOURS = 26;
const COUNT = 30;

const numbers = Array.from({ length: COUNT }, (_, n) => n);
const titleOf = (n: number) => {
  const [en, ru, hy] = nameOf(n);
  return { en, ru, hy };
};
/** Slugs have letters only. */
const slugOf = (n: number) =>
  `city-${[...String(n)].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`;

export const NETWORK = {
  time_zone: 'Asia/Yerevan',
  providers: [{ id: 'us', title: { en: 'Us' } }],
  regions: numbers.map((n) => ({ slug: slugOf(n), kind: 'city', title: titleOf(n) })),
  stations: numbers.map((n) => ({
    id: n + 1,
    provider: 'us',
    title: titleOf(n),
    latitude: 40 + n / 20,
    longitude: 44 + (n % 5) / 10,
    screening: false,
    regions: [slugOf(n)],
    sensors: [{ id: n + 1 }],
  })),
};

/** A reading an hour: the last is higher than those before it, lower, or like them. */
export const readingsUntil = (now: Date) =>
  numbers.flatMap((n) =>
    Array.from({ length: HOURS }, (_, ago) => {
      const at = new Date(now.getTime() - ago * 3_600_000 - 60_000);
      const level = LEVELS[n % LEVELS.length] as number;
      const change = ago < 2 ? ([1, 1.5, 0.6][n % 3] as number) : 1;
      const pm25 = level * change + (ago % 5) / 10; // the same for hours would be suspect
      return reading(n + 1, at, { pm25, pm10: pm25 * 1.2, temperature: 5 });
    }),
  );

export async function serveLongNames(engine: Engine) {
  const here = await install(engine, NETWORK);
  await here.accept(readingsUntil(NOW));
  await here.refresh(NOW);
  await here.digest(NOW);
  return serve(here);
}
