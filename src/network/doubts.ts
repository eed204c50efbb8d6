/**
 * What can be imported and is hardly meant: kinds of sensors that are nearly a known one, formulas
 * for no sensor or for none with PM2.5, titles in the language of a country's code, altitudes that
 * no place has, and a time after which every sensor, or none, would be offline. Each is a warning
 * with its place in the file.
 */
import { distance } from 'fastest-levenshtein';
import { LOCALES, type Locale } from '../contract/endpoints.ts';
import { isOfKind } from '../ingest/store/instruments.ts';
import type { Issue, ParsedNetwork } from './read.ts';
import { type Correction, secondsOf } from './schema.ts';

/** Kinds as networks name them; one that contains one of these is known. */
const OF_PARTICLES: readonly string[] = [
  ...['SDS011', 'SDS018', 'SDS019', 'SDS021', 'SDS198'],
  ...['PMS1003', 'PMS3003', 'PMS5003', 'PMS6003', 'PMS7003', 'PMS9003', 'PMSA003'],
  ...[
    'SPS30',
    'HPMA115',
    'NextPM',
    'IPS7100',
    'OPC-N2',
    'OPC-N3',
    'OPC-R1',
    'SEN5',
    'SEN6',
    'PPD42',
  ],
];
const OF_OTHERS: readonly string[] = [
  ...['BME280', 'BME680', 'BME688', 'BMP085', 'BMP180', 'BMP280', 'BMP388', 'BMP390'],
  ...['DHT11', 'DHT22', 'AM2302', 'AM2320', 'SHT1', 'SHT2', 'SHT3', 'SHT4', 'HTU21', 'Si7021'],
  ...['HDC1080', 'DS18B20', 'SCD30', 'SCD4', 'SGP30', 'SGP4'],
];
const KINDS: readonly string[] = [...OF_PARTICLES, ...OF_OTHERS];
const plain = (kind: string) => kind.toLowerCase().replace(/[^a-z0-9]/g, '');
const PLAIN_KINDS = KINDS.map(plain);

/** A station may name all its instruments in one kind: `SDS011+BME280`. */
const measuresNoParticles = (kind: string): boolean =>
  isOfKind(kind, OF_OTHERS.map(plain)) && !isOfKind(kind, OF_PARTICLES.map(plain));

const hasFormula = (correction: Correction | undefined): boolean =>
  Array.isArray(correction)
    ? correction.some(({ formula }) => formula !== 'none')
    : correction !== undefined && correction !== 'none';
/** A shorter name is near to too many. */
const SHORTEST = 5;

/** The known kind that a kind nearly is; undefined: it is known itself, or like none. */
function nearKind(kind: string): string | undefined {
  if (isOfKind(kind, PLAIN_KINDS)) return undefined;
  return KINDS.find(
    (known) => plain(known).length >= SHORTEST && distance(plain(known), plain(kind)) === 1,
  );
}

/** Codes of countries, and of languages in three letters. */
const MEANT: Readonly<Record<string, Locale>> = {
  am: 'hy',
  arm: 'hy',
  hye: 'hy',
  rus: 'ru',
  eng: 'en',
  gb: 'en',
  us: 'en',
};

/** Few sensors send more often, and lists are made anew once a minute. */
const SHORTEST_STALE_AFTER_S = 300;
/** The slowest providers known are six days behind (S4). */
const LONGEST_STALE_AFTER_S = 14 * 86_400;

/** Metres: the shore of the Dead Sea, and the highest summit, with some room. */
const LOWEST = -450;
const HIGHEST = 9_000;

/** Doubts in the order of the file; one about several elements is reported once, at the first. */
export function networkDoubts(network: ParsedNetwork): Issue[] {
  const { providers, regions, stations, sensors, corrections, lineOf } = network;
  const places = new Map<string, string[]>();
  const add = (position: string, message: string) =>
    places.set(message, [...(places.get(message) ?? []), position]);

  for (const { position, stale_after: staleAfter } of providers)
    if (staleAfter !== undefined && secondsOf(staleAfter) < SHORTEST_STALE_AFTER_S)
      add(
        `${position}.stale_after`,
        `after ${staleAfter} without a reading a station is offline, and few sensors send so often: write several times the interval of the slowest, or leave it out for 3 hours`,
      );
  for (const { position, stale_after: staleAfter } of providers)
    if (staleAfter !== undefined && secondsOf(staleAfter) > LONGEST_STALE_AFTER_S)
      add(
        `${position}.stale_after`,
        `a station without a reading for ${staleAfter} would still show its last values as current: write several times the interval of the slowest, or leave it out for 3 hours`,
      );
  for (const { position, altitude } of stations)
    if (altitude != null && (altitude < LOWEST || altitude > HIGHEST))
      add(
        `${position}.altitude`,
        `expected metres above the sea from ${LOWEST} to ${HIGHEST}, found ${altitude}: correct it, or leave it out`,
      );
  for (const { position, title } of [...providers, ...regions, ...stations]) {
    if (typeof title !== 'object') continue;
    for (const key of Object.keys(title)) {
      const meant = MEANT[key];
      if (meant !== undefined && title[meant] === undefined)
        add(
          `${position}.title.${key}`,
          `nothing is shown in the language ${key}: write ${meant}, if that is meant (the languages are ${LOCALES.join(', ')})`,
        );
    }
  }
  const kinds = new Set(sensors.flatMap(({ kind }) => kind ?? []));
  for (const { position, kind } of sensors) {
    const near = nearKind(kind ?? '');
    if (near !== undefined)
      add(
        `${position}.kind`,
        `${kind} is not a kind that is known: write ${near}, if that is meant, so that corrections and checks of that instrument apply`,
      );
  }
  const uncorrectable = (kind: string) =>
    `a ${kind} measures no PM2.5, so its formula corrects nothing: leave the formula out, or correct the kind`;
  for (const { position, kind, correction } of sensors)
    if (kind != null && hasFormula(correction) && measuresNoParticles(kind))
      add(`${position}.correction`, uncorrectable(kind));
  for (const [kind, correction] of Object.entries(corrections))
    if (kinds.has(kind) && hasFormula(correction) && measuresNoParticles(kind))
      add(`corrections.${kind}`, uncorrectable(kind));
  for (const kind of Object.keys(corrections))
    if (!kinds.has(kind)) {
      const near = [...kinds].find((one) => distance(plain(one), plain(kind)) <= 1);
      const remedy = near === undefined ? 'correct the name' : `write ${near}, if that is meant`;
      add(
        `corrections.${kind}`,
        `no sensor of the file is of the kind ${kind}, so its formula corrects nothing: ${remedy}, or leave it out`,
      );
    }
  return [...places]
    .map(([message, [position = '', ...others]]) => ({
      line: lineOf(position),
      position: others.length === 0 ? position : `${position} and ${others.length} more`,
      message,
    }))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}
