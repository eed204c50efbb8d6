/** The ground of maps (MAP_GROUND): the shapes drawn from a file, and files that are refused. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
const ROAD = feature('LineString', LINE);
const SQUARE = [
  [44, 40],
  [45, 40],
  [45, 41],
  [44, 40],
];

describe('the drawn ground', () => {
  it('the kind of a line or area is read from `kind`, or as OpenStreetMap and Natural Earth tag it', () => {
    const kinds = (...features: object[]) =>
      makeGround(collection(...features)).shapes.map(([kind, isArea]) => [kind, isArea]);
    const line = (properties: object) => feature('LineString', LINE, properties);
    const area = (properties: object) => feature('Polygon', [SQUARE], properties);
    expect(
      kinds(
        line({ kind: 'border' }),
        line({ waterway: 'river' }),
        line({ highway: 'primary' }),
        line({ admin_level: 4 }),
        line({ featurecla: 'River' }),
        line({}),
        area({ natural: 'water' }),
        area({ featurecla: 'Lake' }),
        area({ boundary: 'administrative' }),
        area({ landuse: 'forest' }),
      ),
    ).toEqual([
      ['border', 0],
      ['river', 0],
      ['road', 0],
      ['border', 0],
      ['river', 0],
      ['road', 0],
      ['water', 1],
      ['water', 1],
      ['border', 1],
      ['area', 1],
    ]);
  });

  it('positions have latitude first, features may have several parts and holes, points are only counted, and slivers are not drawn', () => {
    const sliver = [SQUARE[0], SQUARE[1], [44.00001, 40.00001], SQUARE[0]];
    const { shapes, leftOut } = makeGround(
      collection(
        feature('MultiLineString', [LINE, LINE]),
        feature('MultiPolygon', [[SQUARE], [SQUARE, SQUARE, sliver], [sliver]]),
        feature('Point', [44, 40]),
        { type: 'Feature', properties: null, geometry: null },
      ),
    );
    expect(shapes.map(([, , lines]) => lines.length)).toEqual([2, 1, 2]);
    expect(shapes[0]?.[2][0]).toEqual([
      [40.1, 44.5],
      [40.2, 44.6],
    ]);
    expect(leftOut).toBe(1);
  });

  it('only points that are nearer than 20 m to a line of fewer points are left out', () => {
    const straight = Array.from({ length: 500 }, (_, n) => [44 + n / 1_000, 40 + (n % 2) / 10_000]);
    const bent = [...straight.slice(0, 250), [44.25, 40.001], ...straight.slice(250)];
    const pointsOf = (coordinates: number[][]) =>
      makeGround(feature('LineString', coordinates)).shapes[0]?.[2][0];
    expect(pointsOf(straight)).toEqual([
      [40, 44],
      [40.0001, 44.499],
    ]);
    expect(pointsOf(bent)).toContainEqual([40.001, 44.25]);
    expect(pointsOf(bent)?.length).toBeLessThanOrEqual(7);
  });
});

describe('a refused ground', () => {
  const file = (text: string) => {
    const path = join(temporaryFolder('ground'), 'ground.geojson');
    writeFileSync(path, text);
    return path;
  };
  it.each<readonly [string, string, RegExp]>([
    ['a file of tags', '<gpx/>', /cannot be read as JSON.*Write it as GeoJSON/],
    [
      'TopoJSON',
      '{"type":"Topology"}',
      /is not GeoJSON: .*found type "Topology".*Export it as GeoJSON/,
    ],
    ['a list', '[]', /is not GeoJSON: .*found no type/],
    [
      'metres',
      JSON.stringify(feature('LineString', [[500_000, 4_649_776]])),
      /has the position \[500000,4649776\], which is no longitude and latitude\. Convert it to WGS 84/,
    ],
    ['points alone', JSON.stringify(feature('Point', [44, 40])), /has no line and no area/],
    [
      'a feature of null',
      JSON.stringify(collection(null)),
      /has null in the place of a feature or geometry\. Leave/,
    ],
    ['null', 'null', /has null in the place of a feature or geometry\. Leave it out\.$/],
    [
      'a geometry of null',
      JSON.stringify({
        type: 'FeatureCollection',
        features: [ROAD, { type: 'GeometryCollection', geometries: [null] }],
      }),
      /has null in the place/,
    ],
    [
      'no features',
      '{"type":"FeatureCollection","features":null}',
      /has a FeatureCollection without features: expected a list, found null\. Leave/,
    ],
    ...['LineString', 'MultiPolygon'].map(
      (type) =>
        [
          `coordinates of null in a ${type}`,
          JSON.stringify({ type: 'FeatureCollection', features: [ROAD, feature(type, null)] }),
          new RegExp(
            `has a ${type} without coordinates: expected a list, found null\\. Leave it out`,
          ),
        ] as const,
    ),
    [
      'a ring of null',
      JSON.stringify(feature('Polygon', [null])),
      /has a Polygon without coordinates/,
    ],
    [
      'a latitude of null',
      JSON.stringify(
        feature('LineString', [
          [44, 40],
          [44, null],
        ]),
      ),
      /has the position \[44,null\], which is no/,
    ],
    ['too much', ' '.repeat(300_001), /has 301 KB, at most 300 are taken\. Leave out/],
  ])('a ground with %s is refused with the remedy', (_, text, expected) => {
    const path = file(text);
    expect(() => readGround(path)).toThrow(expected);
    expect(() => readGround(path)).toThrow(`MAP_GROUND=${path}: `);
  });

  it('a ground that does not exist, or is a folder, is refused with the remedy', () => {
    expect(() => readGround('/nowhere/x.geojson')).toThrow(
      /^MAP_GROUND=\/nowhere\/x.geojson: there is no such file\. Name a GeoJSON file, or unset/,
    );
    expect(() => readGround(temporaryFolder('ground'))).toThrow(
      /ground-?\S*: is a folder\. Name a GeoJSON file, or unset MAP_GROUND\.$/,
    );
  });
});
