/** The document on absent hours: which they are, and why. */
import { z } from 'zod';
import { field, instant } from '../fields.ts';

/**
 * At most one for each hour of a local year: 366 days, and one more where a zone crosses the date
 * line.
 */
const MAX_GAPS = 367 * 24;

const REASONS = {
  silent: 'no reading of it is stored or in quarantine',
  refused: 'its readings are in quarantine',
  moved: 'no sensor stood there for the whole hour',
  suspicious: 'the sensors that stood there were suspicious',
  retention: 'its hours were kept without readings, and removed with their sensor',
  unknown: 'older than 90 days, when refused readings leave the quarantine',
} as const;

const reasons = Object.entries(REASONS).map(([name, meaning]) => `${name}: ${meaning}`);

const gap = z
  .strictObject({
    since: field(instant, 'start of the first absent hour'),
    until: field(instant, 'end of the last one, exclusive'),
    hours: field(z.int().min(1), 'number of absent hours', 'hours'),
    reason: field(
      z.enum(Object.keys(REASONS) as (keyof typeof REASONS)[]),
      `why they are absent, by the sensors that count for the hour, or why none counts (${reasons.join('; ')})`,
    ),
    refused_readings: field(
      z.int().min(1).nullable(),
      'number of readings in quarantine; null for other reasons',
      'readings',
    ),
    refused_for: field(
      z.string().nullable(),
      'their most frequent reason, such as older_than_retention; null for other reasons',
    ),
  })
  .meta({ id: 'Gap', description: 'absent hours in a row, all for the same reason' });

export const gaps = z
  .strictObject({
    year: field(z.int(), 'the year in the path', null),
    gaps: field(
      z.array(gap).max(MAX_GAPS),
      'absent hours of the local year up to the running hour, in the order of time',
    ),
  })
  .meta({
    id: 'StationGaps',
    description: 'the absent hours of a station, and why they are absent',
  });
