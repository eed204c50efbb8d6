/**
 * The invented country on maps, as GeoJSON: a lake, two rivers, three roads and a border, drawn
 * through the cities.
 */
import { CITIES } from './network.ts';

type Position = readonly [lng: number, lat: number];

/** The middle of a city, where its title is known. */
function at(title: string): Position {
  const { longitude, latitude } = CITIES.find((one) => one.title === title) ?? {};
  if (longitude === undefined || latitude === undefined) throw new Error(`no city ${title}`);
  return [longitude, latitude];
}

/** A river passes beside the middle of a city. */
const beside = (title: string): Position => {
  const [lng, lat] = at(title);
  return [lng - 0.015, lat + 0.008];
};

const LAKE: readonly Position[] = [
  [-39.79, 44.88],
  [-39.83, 44.95],
  [-39.95, 44.99],
  [-40.08, 44.96],
  [-40.14, 44.87],
  [-40.1, 44.77],
  [-40, 44.72],
  [-39.87, 44.74],
  [-39.8, 44.8],
];

const BORDER: readonly Position[] = [
  [-40.3, 44.55],
  [-40.35, 44.9],
  [-40.15, 45.25],
  [-40, 45.6],
  [-39.7, 45.9],
  [-39.2, 46],
  [-38.6, 45.98],
  [-38.2, 45.75],
  [-38.25, 45.3],
  [-38.35, 44.9],
  [-38.6, 44.6],
  [-39, 44.38],
  [-39.6, 44.42],
];

const ROADS: readonly (readonly Position[])[] = [
  [at('Okravel'), at('Velmora'), at('Tarnesh'), at('Ustrelia')],
  [at('Pelvareth'), at('Lisandor'), at('Velmora'), at('Ishkaren')],
  [at('Velmora'), at('Nalgoret')],
];

const RIVERS: readonly (readonly Position[])[] = [
  [[-38.45, 45.88], beside('Tarnesh'), beside('Velmora'), [-39.55, 44.97], [-39.82, 44.9]],
  [[-39.3, 45.85], beside('Lisandor'), [-39.62, 45.1], [-39.55, 44.97]],
];

export function demoGround() {
  const line = (kind: string, points: readonly Position[], bend: number) =>
    feature(kind, { type: 'LineString', coordinates: winding(points, bend) });
  const ring = (kind: string, points: readonly Position[], bend: number) =>
    feature(kind, { type: 'Polygon', coordinates: [winding(closed(points), bend)] });
  return {
    type: 'FeatureCollection',
    features: [
      ring('border', BORDER, 0.02),
      ring('water', LAKE, 0.008),
      ...RIVERS.map((points) => line('river', points, 0.012)),
      ...ROADS.map((points) => line('road', points, 0.004)),
    ],
  };
}

const feature = (kind: string, geometry: object) => ({
  type: 'Feature',
  properties: { kind },
  geometry,
});

const closed = (points: readonly Position[]) => [...points, points[0] as Position];

/** Degrees between the points of a line, and of its bends. */
const STEP = 0.02;
const WAVE = 0.25;

/** The line through all points, which bends to both sides between them by `bend` degrees. */
function winding(points: readonly Position[], bend: number): Position[] {
  const line = points.slice(1).flatMap(([lng, lat], n) => {
    const [fromLng, fromLat] = points[n] as Position;
    const length = Math.hypot(lng - fromLng, lat - fromLat);
    const steps = Math.ceil(length / STEP);
    const turns = (2 * Math.PI * length) / WAVE;
    const across = [(fromLat - lat) / length, (lng - fromLng) / length] as const;
    return Array.from({ length: steps }, (_, step): Position => {
      const part = (step + 1) / steps;
      // no bend at the ends, where the next piece begins
      const waves = Math.sin(turns * part + n) + 0.6 * Math.sin(2.3 * turns * part + 2 * n);
      const aside = bend * Math.sin(Math.PI * part) * waves;
      return [
        fromLng + part * (lng - fromLng) + aside * across[0],
        fromLat + part * (lat - fromLat) + aside * across[1],
      ];
    });
  });
  return [points[0] as Position, ...line];
}
