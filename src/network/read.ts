/**
 * Parses a network file into its elements, each with its position in the file, and a list of
 * issues.
 */
import { z } from 'zod';
import { AIRSERIES } from '../base/shell.ts';
import { parseLocated } from './json.ts';
import { parseAt } from './messages.ts';
import {
  Network,
  Provider,
  type ProviderKeys,
  Region,
  Screened,
  Sensor,
  SOURCE_NAME,
  type SourceForms,
  Station,
} from './schema.ts';

/**
 * Something wrong in the file. `position` is such as `stations[3].sensors[0].id`, or empty for the
 * file as a whole.
 */
export type Issue = { line?: number | undefined; position: string; message: string };

/** The lists of an object are read element by element. */
const LIST = z.array(z.unknown());
const NetworkOfLists = Network.extend({ providers: LIST, regions: LIST, stations: LIST });
const StationOfLists = Station.extend({ regions: LIST, sensors: LIST, screened: LIST.default([]) });

type Path = readonly PropertyKey[];
/** An object with any key undefined if its value was invalid. */
type Usable<Schema extends z.ZodObject> = {
  [Key in keyof z.output<Schema>]: z.output<Schema>[Key] | undefined;
};

/**
 * Returns a reader that adds every issue to the list and goes on with what is valid, so that all issues
 * of a file are found at once. Where anything is undefined that the schema requires, there are
 * issues, and nothing is stored.
 */
function makeReader(issues: Issue[], keys: ProviderKeys, forms: SourceForms | undefined) {
  // the core knows what a provider has besides as `pull: unknown`
  const ProviderWithKeys = Provider.extend(keys) as unknown as typeof Provider;

  /** Undefined if any part is invalid. */
  function whole<Schema extends z.ZodType>(schema: Schema, given: unknown, at: Path) {
    const { value, faults } = parseAt(schema, given, at);
    for (const { path, message } of faults) issues.push({ position: positionOf(path), message });
    return { value, faults };
  }

  /** The element, with undefined for every invalid key; anything but an object has no keys. */
  function usable<Schema extends z.ZodObject>(
    schema: Schema,
    given: unknown,
    at: Path,
  ): Usable<Schema> {
    const { value, faults } = whole(schema, given, at);
    if (value !== undefined) return value;
    const invalid = new Set(faults.map(({ path }) => path[at.length]));
    const keys = Object.entries(schema.shape)
      .filter(([key]) => !invalid.has(key))
      .map(([key, one]) => [key, one.safeParse(Object(given)[key]).data]);
    return Object.fromEntries(keys);
  }

  const each = <T>(list: readonly unknown[] = [], at: Path, read: (one: unknown, at: Path) => T) =>
    list.map((one, index) => read(one, [...at, index]));

  function station(given: unknown, at: Path) {
    const { regions, sensors, screened, ...rest } = usable(StationOfLists, given, at);
    return {
      ...rest,
      regions: each(
        regions,
        [...at, 'regions'],
        (one, path) => whole(Station.shape.regions.element, one, path).value,
      ),
      sensors: each(sensors, [...at, 'sensors'], (one, path) => usable(Sensor, one, path)),
      screened: each(
        screened,
        [...at, 'screened'],
        (one, path) => whole(Screened, one, path).value,
      ),
    };
  }

  /** As they were given. */
  function sources(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
    if (forms === undefined) {
      issues.push({ position: 'sources', message: NO_SOURCES });
      return {};
    }
    for (const [name, declaration] of Object.entries(given)) {
      if (!SOURCE_NAME.test(name))
        issues.push({ position: `sources.${name}`, message: NO_SOURCE_NAME });
      if (forms.reserved.includes(name))
        issues.push({
          position: `sources.${name}`,
          message: `/v1/push/${name} has a meaning without it: choose another name, such as my-${name}`,
        });
      whole(forms.schema, declaration, ['sources', name]);
    }
    return given;
  }

  return function network(given: unknown) {
    const { time_zone, corrections, ...lists } = usable(NetworkOfLists, given, []);
    return {
      time_zone,
      corrections: corrections ?? {},
      sources: lists.sources && sources(lists.sources),
      providers: each(lists.providers, ['providers'], (one, at) =>
        usable(ProviderWithKeys, one, at),
      ),
      regions: each(lists.regions, ['regions'], (one, at) => usable(Region, one, at)),
      stations: each(lists.stations, ['stations'], station),
    };
  };
}

const NO_SOURCES =
  'without the extra senders, readings come in our own form, which has nothing to declare: leave this key out';
const NO_SOURCE_NAME =
  'expected a name of up to 40 lowercase letters a to z, digits and hyphens, as in "eea-berlin"';

export type ParsedNetwork = ReturnType<typeof parseNetwork>;
export type ParsedRegion = ParsedNetwork['regions'][number];
export type ParsedStation = ParsedNetwork['stations'][number];
export type ParsedSensor = ParsedNetwork['sensors'][number];

/**
 * Returns the remedy for a file in another language, which its first line tells; undefined if it
 * may be JSON.
 */
function otherLanguage(text: string): string | undefined {
  const lines = text.split('\n', 100).map((line) => line.trim());
  const first = lines.find((line) => line !== '' && !line.startsWith('#')) ?? '';
  if (/^[{[/]/.test(first)) return undefined;
  if (first.startsWith('---') || /^[\w-]{1,50}:(?:\s|$)/.test(first)) {
    return 'this is YAML, and a network file is JSON: convert it, as with yq -o=json';
  }
  if (!/[,;\t]/.test(first)) return undefined;
  if (/(^|[,;\t"])(time|timestamp|date|datetime|pm2[.,_]?5)\b/i.test(first))
    return `these are readings as CSV, and a network file is JSON: ${IMPORT_READINGS}`;
  return 'this is CSV, and a network file is JSON; src/extras/archive/README.md turns sensors.csv, the list in open data, into one';
}

/** Returns the remedy for JSON that is something else; undefined if it may be a network. */
function otherContent(json: unknown): string | undefined {
  const { type, stations } = Object(json) as { type?: unknown; stations?: unknown };
  if (stations !== undefined) return undefined;
  if (
    /^(FeatureCollection|Feature|GeometryCollection|Multi\w+|Point|Polygon|LineString)$/.test(
      String(type),
    )
  )
    return 'this is GeoJSON, and a network file lists stations, each with its latitude and longitude: src/network/README.md has one; MAP_GROUND names the file with the ground of maps';
  const [first] = Array.isArray(json) ? json : [];
  const { sensor_id, device, time } = Object(first) as Record<string, unknown>;
  return (sensor_id ?? device ?? time) === undefined
    ? undefined
    : `these are readings, and a network file describes stations: ${IMPORT_READINGS}`;
}

const IMPORT_READINGS = `import them with ${AIRSERIES} import readings FILE`;

/** Never throws. */
export function parseNetwork(text: string, keys: ProviderKeys = {}, sources?: SourceForms) {
  const { value, slips, lineOf } = parseLocated(text);
  const other = value === undefined ? otherLanguage(text) : otherContent(value);
  const json = other === undefined ? value : undefined;
  const issues: Issue[] = (other === undefined ? slips : [{ line: 1, message: other }]).map(
    (slip) => ({
      ...slip,
      position: '',
    }),
  );
  if (/\\u0000/.test(text))
    issues.push({
      position: '',
      message: 'it holds the character \\u0000, which cannot be stored',
    });
  // what could not be read at all is not reported as missing besides
  const network = makeReader(json === undefined ? [] : issues, keys, sources)(json);
  const stations = listed('stations', network.stations);
  return {
    timeZone: network.time_zone,
    providers: listed('providers', network.providers),
    regions: listed('regions', network.regions),
    stations,
    /** Sensors, with the id of the station that each is listed under. */
    sensors: stations.flatMap(({ position, id, sensors }) =>
      listed(`${position}.sensors`, sensors).map((sensor) => ({ ...sensor, stationId: id })),
    ),
    /** Formulas by kind of sensor. */
    corrections: network.corrections,
    /** Declarations by name; undefined: the database keeps its own. */
    sources: network.sources,
    /** Every `since` and `until` of the file. */
    times: timesIn(network),
    issues,
    lineOf,
  };
}

/** The elements with their positions. */
const listed = <T extends object>(key: string, elements: readonly T[]) =>
  elements.map((element, index) => ({ ...element, position: `${key}[${index}]` }));

function timesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]) =>
    (key === 'since' || key === 'until') && typeof value === 'string' ? [value] : timesIn(value),
  );
}

function positionOf(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
