/**
 * What can be used of an element that is invalid in parts, so that the rest of it is checked all the same and every problem of a file is
 * found at once. It is never stored.
 */
import type { z } from 'zod';
import { Provider, Region, Sensor, Station } from './schema.ts';

/** Stand-ins for names and positions that are invalid: nothing can have these, and checks pass over them. */
export const PLACEHOLDER_NAME = '';
export const PLACEHOLDER_ID = 0;

type Schema<T> = z.ZodObject & z.ZodType<T>;

const STAND_INS: readonly [z.ZodObject, object][] = [
  [Provider, { id: PLACEHOLDER_NAME, title: '' }],
  [Region, { slug: PLACEHOLDER_NAME, title: {}, map: { latitude: 0, longitude: 0, delta: 1 } }],
  [
    Station,
    {
      id: PLACEHOLDER_ID,
      provider: PLACEHOLDER_NAME,
      title: {},
      latitude: Number.NaN,
      longitude: Number.NaN,
      regions: [],
      sensors: [],
    },
  ],
  [Sensor, { id: PLACEHOLDER_ID }],
];

/** The valid keys of an element, and stand-ins for the others. Undefined: not an object. */
export function usableParts<T>(schema: Schema<T>, element: unknown): T | undefined {
  if (typeof element !== 'object' || element === null) return undefined;
  const given = element as Record<string, unknown>;
  const standIn: Record<string, unknown> = { ...STAND_INS.find(([of]) => of === schema)?.[1] };
  if ('slug' in standIn) standIn.kind = 'city' in given ? 'district' : 'city';
  for (const [key, ofKey] of Object.entries(schema.shape)) {
    const result = (ofKey as z.ZodType).safeParse(given[key]);
    if (result.success) standIn[key] = result.data;
    else if (key === 'sensors' && Array.isArray(given[key])) {
      standIn[key] = given[key].map(
        (sensor) => usableParts(Sensor, sensor) ?? { id: PLACEHOLDER_ID, suspicious: false },
      );
    } else if (key === 'regions' && Array.isArray(given[key])) {
      standIn[key] = given[key].map(
        (region) => Station.shape.regions.element.safeParse(region).data ?? PLACEHOLDER_NAME,
      );
    } else if (!(key in standIn)) standIn[key] = (ofKey as z.ZodType).safeParse(undefined).data;
  }
  return standIn as T;
}
