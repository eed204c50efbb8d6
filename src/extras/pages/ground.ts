/**
 * The ground of maps without tiles (MAP_GROUND): water, rivers, roads and borders of a GeoJSON
 * file. It is checked and simplified when the service starts, and the service itself sends it.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { InputError } from '../../base/inputError.ts';
import { truncate } from '../../base/printable.ts';
import type { Content } from '../extra.ts';
import { FILE_HEADERS } from './assets.ts';

const MAX_BYTES = 300_000;
/** Degrees of latitude: 20 m, about a pixel of a map that shows a city. */
const TOLERANCE = 0.0002;
const DIGITS = 4;

const KINDS = ['area', 'water', 'river', 'road', 'border'] as const;
type Kind = (typeof KINDS)[number];
type Position = readonly [lat: number, lng: number];
/** An area is an outer ring and its holes; anything else is one line or several. */
export type Shape = readonly [kind: Kind, isArea: 0 | 1, lines: readonly Position[][]];

/** The ground that maps draw, as a file that pages load. `leftOut`: the number of points of the source. */
export type Ground = { url: string; content: Content; shapes: readonly Shape[]; leftOut: number };

/** Why a GeoJSON cannot be a ground. */
class Unusable extends Error {
  readonly problem: string;
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(`${problem}. ${remedy}`);
    this.problem = problem;
    this.remedy = remedy;
  }
}

/** Reads the file of MAP_GROUND. Throws an InputError. */
export function readGround(path: string): Ground {
  const fail = (problem: string, remedy = 'Name a GeoJSON file, or unset MAP_GROUND.') =>
    new InputError(`MAP_GROUND=${path}`, problem, remedy);
  const size = statSync(path, { throwIfNoEntry: false });
  if (size === undefined) throw fail('there is no such file');
  if (!size.isFile()) throw fail(size.isDirectory() ? 'is a folder' : 'is not a file');
  if (size.size > MAX_BYTES)
    throw fail(
      `has ${Math.ceil(size.size / 1_000)} KB, at most ${MAX_BYTES / 1_000} are taken`,
      'Leave out what is far from the stations and small roads, or simplify it, such as with mapshaper.',
    );
  let geojson: unknown;
  try {
    geojson = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw fail(`cannot be read as JSON (${(error as Error).message})`, 'Write it as GeoJSON.');
  }
  try {
    return makeGround(geojson);
  } catch (error) {
    if (error instanceof Unusable) throw fail(error.problem, error.remedy);
    throw error;
  }
}

/** Reads from GeoJSON all that a map can draw. Throws Unusable where that is nothing. */
export function makeGround(geojson: unknown): Ground {
  const shapes: Shape[] = [];
  let leftOut = 0;
  for (const { geometry, properties } of featuresOf(geojson)) {
    const lines = linesOf(geometry);
    if (lines === undefined) {
      leftOut++;
      continue;
    }
    for (const { isArea, positions } of lines) {
      const simple = positions.map(simplify).filter(({ length }) => length >= (isArea ? 4 : 2));
      if (simple.length > 0) shapes.push([kindOf(properties, isArea), isArea ? 1 : 0, simple]);
    }
  }
  if (shapes.length === 0)
    throw new Unusable(
      'has no line and no area, and nothing else is drawn',
      'Put rivers, roads, water or borders into it.',
    );
  const text = JSON.stringify(shapes);
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const kind = { type: 'application/json; charset=utf-8', headers: FILE_HEADERS };
  const content: Content = { locale: 'en', text, kind };
  return { url: `/assets/${hash}/ground.json`, content, shapes, leftOut };
}

type Fields = Readonly<Record<string, unknown>>;
type Feature = { geometry: Fields; properties: Fields };

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const GEOMETRIES = /^(Multi)?(Point|LineString|Polygon)$/;

function featuresOf(value: unknown): Feature[] {
  const fields = fieldsOf(value);
  const { type, features, geometry, geometries, properties } = fields;
  if (type === 'FeatureCollection' && Array.isArray(features)) return features.flatMap(featuresOf);
  if (type === 'Feature' && geometry === null) return [];
  if (type === 'Feature')
    return featuresOf(geometry).map((one) => ({ ...one, properties: fieldsOf(properties) }));
  if (type === 'GeometryCollection' && Array.isArray(geometries))
    return geometries.flatMap(featuresOf);
  if (GEOMETRIES.test(String(type))) return [{ geometry: fields, properties: {} }];
  if (type === 'FeatureCollection') throw noList(type, 'features', features);
  if (type === 'GeometryCollection') throw noList(type, 'geometries', geometries);
  if (value === null)
    throw new Unusable('has null in the place of a feature or geometry', 'Leave it out.');
  throw new Unusable(
    `is not GeoJSON: expected a FeatureCollection, found ${type === undefined ? 'no type' : `type ${JSON.stringify(type)}`}`,
    'Export it as GeoJSON in WGS 84.',
  );
}

/** What stands where a list of `what` is expected. */
const noList = (type: unknown, what: string, found: unknown) =>
  new Unusable(
    `has a ${type} without ${what}: expected a list, found ${truncate(JSON.stringify(found ?? null))}`,
    'Leave it out.',
  );

type Drawn = { isArea: boolean; positions: Position[][] };

/** Undefined for points, which a ground has no use for. */
function linesOf({ type, coordinates }: Fields): Drawn[] | undefined {
  const all = (value: unknown) => {
    if (!Array.isArray(value)) throw noList(type, 'coordinates', value);
    return value as unknown[];
  };
  const rings = (value: unknown) => all(value).map((line) => all(line).map(positionOf));
  switch (type) {
    case 'LineString':
      return [{ isArea: false, positions: [all(coordinates).map(positionOf)] }];
    case 'MultiLineString':
      return [{ isArea: false, positions: rings(coordinates) }];
    case 'Polygon':
      return [{ isArea: true, positions: rings(coordinates) }];
    case 'MultiPolygon':
      return all(coordinates).map((one) => ({ isArea: true, positions: rings(one) }));
    default:
      return undefined;
  }
}

function positionOf(value: unknown): Position {
  const [lng, lat] = Array.isArray(value) ? value : [];
  const isOnGlobe = (degrees: unknown, most: number) =>
    typeof degrees === 'number' && Math.abs(degrees) <= most;
  if (!isOnGlobe(lng, 180) || !isOnGlobe(lat, 90))
    throw new Unusable(
      `has the position ${truncate(JSON.stringify(value))}, which is no longitude and latitude`,
      value === null ? 'Leave it out.' : 'Convert it to WGS 84 (EPSG:4326).',
    );
  return [lat, lng];
}

/**
 * Its property `kind`, or what OpenStreetMap and Natural Earth call it; else a plain area or a
 * road.
 */
function kindOf(properties: Fields, isArea: boolean): Kind {
  const { kind, waterway, natural, water, boundary, admin_level, featurecla } = properties;
  const named = KINDS.find((one) => one === kind);
  if (named !== undefined) return named;
  const text = String(featurecla ?? '').toLowerCase();
  if (boundary !== undefined || admin_level !== undefined || text.includes('boundary'))
    return 'border';
  if (isArea) {
    const isWater = natural === 'water' || water !== undefined || waterway !== undefined;
    return isWater || /lake|ocean|reservoir/.test(text) ? 'water' : 'area';
  }
  return waterway !== undefined || text.includes('river') ? 'river' : 'road';
}

/** Douglas and Peucker: what remains is nowhere farther than the tolerance from what there was. */
function simplify(line: readonly Position[]): Position[] {
  const kept = new Set([0, line.length - 1]);
  const open: [number, number][] = [[0, line.length - 1]];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const [from, to] = part;
    let farthest = from;
    let most = TOLERANCE;
    for (let n = from + 1; n < to; n++) {
      const away = distance(line[n] as Position, line[from] as Position, line[to] as Position);
      if (away > most) [farthest, most] = [n, away];
    }
    if (farthest === from) continue;
    kept.add(farthest);
    open.push([from, farthest], [farthest, to]);
  }
  const round = (degrees: number) => Number(degrees.toFixed(DIGITS));
  return line.filter((_, n) => kept.has(n)).map(([lat, lng]) => [round(lat), round(lng)]);
}

/** From a line between two positions, in degrees of latitude. */
function distance([lat, lng]: Position, [lat1, lng1]: Position, [lat2, lng2]: Position): number {
  const scale = Math.cos((lat * Math.PI) / 180);
  const [x, y] = [(lng - lng1) * scale, lat - lat1];
  const [dx, dy] = [(lng2 - lng1) * scale, lat2 - lat1];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, (x * dx + y * dy) / length));
  return Math.hypot(x - along * dx, y - along * dy);
}
