/**
 * Reads sensors.csv, the list in airquality.am's open data and in our own export, as a network file: one line per sensor, with the station
 * where it stands. What such a list does not say is made up from ids (titles of cities and providers) or left out (periods).
 */

import { InputError } from '../base/inputError.ts';
import { splitCsvLine } from '../ingest/formats/csv.ts';
import { textOfCell } from '../ingest/formats/textCell.ts';

type SensorList = {
  /** A network file, not checked yet. */
  network: object;
  /** Sensors that stand nowhere, as the list says: a network has no place for them. */
  withoutStation: string[];
};

type Line = { number: number; get(column: string): string };

const NEEDED = [
  'id',
  'station_id',
  'city_slug',
  'district_slug',
  'provider',
  'latitude',
  'longitude',
];
/** Newer files of the portal begin with psql's reply to `set time zone`. */
const PREAMBLE = /^SET\r?\n/;

/**
 * A station gets the provider, titles and coordinates of its first sensor, and all of its sensors for all time. A sensor that is suspicious
 * is so for all time, too. `name` is for messages. Throws InputError if the text is no such list, and for a district in two cities.
 */
export function networkOfSensorList(
  text: string,
  { name, timeZone }: { name: string; timeZone: string },
): SensorList {
  const all = linesOf(text, name);
  const placed = all.filter((line) => line.get('station_id') !== '');
  const districts = firstOf(placed, 'district_slug');
  for (const line of placed) checkCity(line, districts, name);
  return {
    network: {
      time_zone: timeZone,
      providers: firstOf(placed, 'provider').map((line) => ({
        id: line.get('provider'),
        title: line.get('provider'),
      })),
      regions: [...firstOf(placed, 'city_slug').map(cityOf), ...districts.map(districtOf)],
      stations: firstOf(placed, 'station_id').map((first) =>
        stationOf(
          first,
          placed.filter((line) => line.get('station_id') === first.get('station_id')),
        ),
      ),
    },
    withoutStation: all.filter((line) => !placed.includes(line)).map((line) => line.get('id')),
  };
}

/** Throws InputError for a line whose district is in another city than on the first line that names it; `districts` are these first lines. */
function checkCity(line: Line, districts: readonly Line[], name: string): void {
  const [district, city] = [line.get('district_slug'), line.get('city_slug')];
  const first = districts.find((each) => each.get('district_slug') === district);
  if (first === undefined || first.get('city_slug') === city) return;
  throw new InputError(
    `${name}:${line.number}`,
    `${district} is in ${city} here, but in ${first.get('city_slug')} on line ${first.number}`,
    'A district is in one city: correct one of the two.',
  );
}

/** The first line of each value of a column, empty ones left out. */
function firstOf(lines: readonly Line[], column: string): Line[] {
  const first = new Map<string, Line>();
  for (const line of lines) if (!first.has(line.get(column))) first.set(line.get(column), line);
  first.delete('');
  return [...first.values()];
}

function cityOf(line: Line): object {
  const slug = line.get('city_slug');
  return { slug, kind: 'city', title: { en: titleOf(slug) } };
}

function districtOf(line: Line): object {
  const slug = line.get('district_slug');
  return { slug, kind: 'district', city: line.get('city_slug'), title: { en: titleOf(slug) } };
}

/** `nor-nork` is Nor Nork. */
const titleOf = (slug: string): string =>
  slug
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ');

function stationOf(first: Line, sensors: readonly Line[]): object {
  const altitude = sensors.map((line) => line.get('altitude')).find((text) => text !== '');
  return {
    id: numberIn(first.get('station_id')),
    provider: first.get('provider'),
    title: titlesOf(first),
    latitude: numberIn(first.get('latitude')),
    longitude: numberIn(first.get('longitude')),
    ...(altitude === undefined ? {} : { altitude: numberIn(altitude) }),
    regions: ['city_slug', 'district_slug']
      .map((column) => first.get(column))
      .filter((slug) => slug !== ''),
    sensors: sensors.map((line) => ({
      id: numberIn(line.get('id')),
      kind: line.get('sensor_type') || null,
      device: line.get('external_id') === line.get('id') ? null : line.get('external_id') || null,
      ...(/^(true|t|1)$/i.test(line.get('is_suspicious')) ? { suspicious: true } : {}),
    })),
  };
}

/** The language of `title` is told by its script; in Latin letters it counts as English, unless address_en is given. */
function titlesOf(line: Line): Record<string, string> {
  const [english, title] = [line.get('address_en'), line.get('title')];
  const locale = /\p{Script=Armenian}/u.test(title)
    ? 'hy'
    : /\p{Script=Cyrillic}/u.test(title)
      ? 'ru'
      : 'en';
  return {
    ...(title === '' ? {} : { [locale]: title }),
    ...(english === '' ? {} : { en: english }),
  };
}

/** Text that is no number stays text, so that the import of the network can name it. */
const numberIn = (text: string): number | string => (/^-?[\d.]+$/.test(text) ? Number(text) : text);

function linesOf(text: string, name: string): Line[] {
  const [header, ...rest] = joinQuoted(text.replace(/^\ufeff/, '').replace(PREAMBLE, '\n'));
  const columns = splitCsvLine(header?.text ?? '', ',') ?? [];
  const missing = NEEDED.filter((column) => !columns.includes(column));
  const remedy = 'Needed is sensors.csv as airquality.am or `export` publishes it.';
  if (missing.length > 0) {
    throw new InputError(
      `${name}:${header?.number ?? 1}`,
      `the header lacks ${missing.join(', ')}`,
      remedy,
    );
  }
  if (rest.length === 0) throw new InputError(name, 'it lists no sensor', remedy);
  return rest.map(({ number, text: line }) => {
    const fields = splitCsvLine(line, ',');
    if (fields?.length !== columns.length) {
      throw new InputError(
        `${name}:${number}`,
        `the line does not have the header's ${columns.length} fields`,
        remedy,
      );
    }
    return { number, get: (column) => textOfCell(fields[columns.indexOf(column)] ?? '') };
  });
}

/** Lines that are not blank, with their numbers; a quoted field may contain line breaks. */
function joinQuoted(text: string): { number: number; text: string }[] {
  const joined: { number: number; text: string }[] = [];
  let open: { number: number; text: string } | undefined;
  text.split(/\r?\n/).forEach((part, index) => {
    const current =
      open === undefined
        ? { number: index + 1, text: part }
        : { ...open, text: `${open.text}\n${part}` };
    open = current.text.split('"').length % 2 === 0 ? current : undefined;
    if (open === undefined && current.text !== '') joined.push(current);
  });
  return open === undefined ? joined : [...joined, open];
}
