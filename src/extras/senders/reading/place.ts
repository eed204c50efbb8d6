/**
 * The place that a reading gives itself, and pressure that is not of its place: a sensor may have
 * moved, and pressure that is reduced to sea level is not the station's (S9).
 */

import { readNumber } from '../../../ingest/numbers.ts';
import type { Doubt } from '../../../ingest/reading/doubt.ts';
import type { SourceNotes } from '../../../ingest/reading/notes.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import type { Names, Row } from '../../../ingest/rows/row.ts';
import type { Format } from '../formats/format.ts';
import { cellAt, type Position, positionOf } from '../rows/cells.ts';
import { wordsOf } from './words.ts';

/** The fields with a latitude and a longitude. */
export type PlaceColumns = { name: string; latitude: Position; longitude: Position };

const LATITUDES = ['lat', 'latitude'];
const LONGITUDES = ['lon', 'lng', 'long', 'longitude'];
/** Where objects have them, as Sensor.Community and OpenAQ write. */
const WITHIN = ['location', 'coordinates', 'gps'];
/** Words beside them that change nothing. */
const NO_MATTER = 'gps deg degrees decimal wgs84 site station sensor device'.split(' ');

/** Undefined: rows with these names have no place. */
export function placeColumnsOf(names: Names, isInPayload?: true): PlaceColumns | undefined {
  const find = (words: readonly string[]): [name: string, position: Position] | undefined => {
    const index = names.list.findIndex((name) => isOneOf(name, words));
    const name = names.list[index];
    if (name !== undefined) return [name, { index, path: undefined }];
    return WITHIN.flatMap((head): [string, Position][] => {
      const field = `${head}.${words.at(-1)}`;
      const position = names.isTable ? undefined : positionOf(names, field);
      return position === undefined ? [] : [[field, position]];
    })[0];
  };
  const latitude = find(LATITUDES);
  const longitude = find(LONGITUDES);
  if (latitude === undefined || longitude === undefined) return undefined;
  const inLevel = (position: Position) => (isInPayload ? { ...position, isInPayload } : position);
  return {
    name: latitude[0],
    latitude: inLevel(latitude[1]),
    longitude: inLevel(longitude[1]),
  };
}

/** Names are short; a long one has too many words. */
const LONGEST_NAME = 40;

function isOneOf(name: string, words: readonly string[]): boolean {
  if (name.length > LONGEST_NAME || !/l(?:at|on|ng)/i.test(name)) return false;
  const [word = '', ...more] = wordsOf(name).filter((one) => !NO_MATTER.includes(one));
  return more.length === 0 && words.includes(word);
}

/** True for the name of a field that has one of the two, or a path to it: `location.latitude`. */
export function isPlaceColumn(path: string): boolean {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return isOneOf(name, LATITUDES) || isOneOf(name, LONGITUDES);
}

/** A bound for memory: a receiver without a fix wanders. */
const MOST_PLACES = 20_000;

/** Notes the place of a row, to 100 m. A receiver that has no fix says 0, 0. */
export function notePlace(
  places: SourceNotes['places'],
  row: Row,
  columns: PlaceColumns,
  { sensorId, device, measuredAt }: { sensorId: unknown; device?: string; measuredAt: unknown },
): void {
  const latitude = readNumber(cellAt(row, columns.latitude));
  const longitude = readNumber(cellAt(row, columns.longitude));
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return;
  if (typeof measuredAt !== 'string' || (latitude === 0 && longitude === 0)) return;
  if (!(Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)) return;
  const key = [sensorId ?? device, latitude.toFixed(3), longitude.toFixed(3)].join(' ');
  const known = places.get(key);
  if (known !== undefined) {
    if (measuredAt < known.first) known.first = measuredAt;
    else if (measuredAt > known.last) known.last = measuredAt;
  } else if (places.size < MOST_PLACES) {
    const { name } = columns;
    const times = { first: measuredAt, last: measuredAt };
    places.set(key, { sensorId, device, latitude, longitude, name, ...times });
  }
}

/** As agencies and instruments name it, in the languages of their files: whole words, and their beginnings. */
const REDUCED =
  /^(?:rel|red|slp?|mslp?|psl|prmsl|pmer|qnh|qff|nn|altimeter|baromrel\w*|(?:relativ|reduc|reduz|redu[ií]t|ridott|привед|относит|հարաբերական|ծով)\p{L}*|mer|mar|mare|meere\p{L}*|моря|sealevel\p{L}*)$/u;
/** Chinese and Japanese have no blanks. */
const REDUCED_PARTS = /海平面|海面|相[对對]/;

/** True for a name of pressure that is reduced to sea level. */
export function isReducedPressure(name: string, { reduced = [] }: Format): boolean {
  const words = wordsOf(name.normalize('NFKC'));
  return (
    reduced.includes(name.toLowerCase()) ||
    REDUCED_PARTS.test(name) ||
    words.some((word, at) => REDUCED.test(word) || (word === 'sea' && words[at + 1] === 'level'))
  );
}

/** Pressure that is never stored as the station's. */
export const reducedPressure = (
  { reduced }: { reduced: ReadonlySet<string> },
  say: Vocabulary,
): Doubt[] =>
  [...reduced].map((name) => ({
    what: `${name} says that it is pressure reduced to sea level, which is not that of the station`,
    remedy: `Take the absolute pressure instead, as in ${say.option('column', 'pressure=NAME')}, or leave this one out: pressure of sea level is not stored.`,
    stops: 'always',
  }));
