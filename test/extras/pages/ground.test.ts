/** The ground of maps (MAP_GROUND): the shapes drawn from a file, and files that are refused. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeGround, readGround } from '../../../src/extras/pages/ground.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const feature = (type: string, coordinates: unknown, properties: object | null = null) => ({
  type: 'Feature',
  properties,
  geometry: { type, coordinates },
});
const collection = (...features: unknown[]) => ({ type: 'FeatureCollection', features });
const LINE = [
  [44.5, 40.1],
  [44.6, 40.2],
];
const RING = [
  [44, 40],
  [45, 40],
  [45, 41],
  [44, 40],
];

it.each<[kind: string, type: string, properties: object]>([
  ['border', 'LineString', { kind: 'border' }],
  ['border', 'LineString', { admin_level: 4 }],
  ['river', 'LineString', { waterway: 'river' }],
  ['river', 'LineString', { featurecla: 'River' }],
  ['road', 'LineString', { highway: 'primary' }],
  ['water', 'Polygon', { natural: 'water' }],
  ['water', 'Polygon', { featurecla: 'Lake' }],
  ['border', 'Polygon', { boundary: 'administrative' }],
  ['area', 'Polygon', { landuse: 'forest' }],
])('a %s is a %s with %j', (kind, type, properties) => {
  const [shape] = makeGround(feature(type, type === 'Polygon' ? [RING] : LINE, properties)).shapes;
  expect(shape?.slice(0, 2)).toEqual([kind, type === 'Polygon' ? 1 : 0]);
});

it('positions have latitude first, shapes have several parts, points are counted, and slivers are not drawn', () => {
  const sliver = [RING[0], RING[1], [44.00001, 40.00001], RING[0]];
  const { shapes, leftOut } = makeGround(
    collection(
      feature('MultiLineString', [LINE, LINE]),
      feature('MultiPolygon', [[RING], [RING, RING, sliver], [sliver]]),
      feature('Point', [44, 40]),
      { type: 'Feature', properties: null, geometry: null },
    ),
  );
  expect([shapes.map(([, , lines]) => lines.length), leftOut]).toEqual([[2, 1, 2], 1]);
  expect(shapes[0]?.[2][0]).toEqual(LINE.map(([lng, lat]) => [lat, lng]));
});

it('only points that are nearer than 20 m to a line of fewer points are left out', () => {
  const straight = Array.from({ length: 500 }, (_, n) => [44 + n / 1_000, 40 + (n % 2) / 10_000]);
  const bent = [...straight.slice(0, 250), [44.25, 40.001], ...straight.slice(250)];
  const pointsOf = (coordinates: unknown) =>
    makeGround(feature('LineString', coordinates)).shapes[0]?.[2][0];
  expect(pointsOf(straight)).toEqual([
    [40, 44],
    [40.0001, 44.499],
  ]);
  expect(pointsOf(bent)).toContainEqual([40.001, 44.25]);
  expect(pointsOf(bent)?.length).toBeLessThanOrEqual(7);
});

it.each<[what: string, content: unknown, message: RegExp]>([
  ['tags', '<gpx/>', /cannot be read as JSON.*Write it as GeoJSON/],
  ['TopoJSON', { type: 'Topology' }, /is not GeoJSON: .*found type "Topology".*Export it as/],
  [
    'metres',
    feature('LineString', [[500_000, 4_649_776]]),
    /has the position \[500000,4649776\], which is no longitude and latitude\. Convert it to WGS 84/,
  ],
  ['a latitude of null', feature('LineString', [[44, null]]), /has the position \[44,null\]/],
  ['a ring of null', feature('Polygon', [null]), /has a Polygon without coordinates/],
  ['points alone', feature('Point', [44, 40]), /has no line and no area/],
  ['a feature of null', collection(null), /has null in the place of a feature or geometry\. Leave/],
  [
    'no features',
    { type: 'FeatureCollection' },
    /has a FeatureCollection without features: expected a list, found null\. Leave/,
  ],
  ['too much', ' '.repeat(300_001), /has 301 KB, at most 300 are taken\. Leave out/],
])('a ground with %s is refused with the remedy', (_, content, message) => {
  const path = join(temporaryFolder('ground'), 'ground.geojson');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  expect(() => readGround(path)).toThrow(message);
});
