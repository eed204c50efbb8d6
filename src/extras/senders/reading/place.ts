/** Finds the columns with the place that a reading gives itself (S9). */
import type { Names } from '../../../ingest/rows/row.ts';
import { type Position, positionOf } from '../rows/cells.ts';
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
