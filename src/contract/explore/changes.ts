/** The documents on published numbers that have changed: why, whose, and from which hour to which. */
import { z } from 'zod';
import { field, instant, slug } from '../fields.ts';

/** Why published numbers change (R1). */
export const REASONS = {
  late: 'readings that came two hours late or later',
  corrected: 'readings that replaced others',
  deleted: 'readings that were deleted',
  placement: 'a sensor that was moved, or that is left out at other times',
  formula: 'another correction of a sensor',
  membership: 'a station that belongs to the region at other times, or is hidden',
  flag: 'a flag of the operator, by which the numbers of regions changed and not its own',
  screening: 'the same of a flag that screening raised or lifted',
  zone: 'new rules of the time zone',
  version: 'a new version of the program',
  repair: 'aggregates that differed from the readings',
} as const;

export type Reason = keyof typeof REASONS;

const reason = z.enum(Object.keys(REASONS) as [Reason, ...Reason[]]).meta({
  id: 'ChangeReason',
  description: `why numbers changed: ${Object.entries(REASONS)
    .map(([name, meaning]) => `${name} (${meaning})`)
    .join('; ')}`,
});

const id = z.int().min(1);
const shownAt = field(instant, 'when it showed, the last time on that local day');
const why = field(reason, 'why the numbers changed');
const bounds = {
  first_hour: field(instant, 'start of the first hour concerned'),
  last_hour: field(instant, 'start of the last hour concerned'),
};
const hours = {
  hours: field(
    z
      .array(
        z
          .strictObject(bounds)
          .meta({ id: 'ChangedHours', description: 'hours in a row that changed' }),
      )
      .min(1)
      .max(20),
    'ranges of hours concerned, in the order of time; beyond 20 the nearest are one',
  ),
  ...bounds,
};
const since = field(instant, 'changes that showed from then on are listed');
const SMALL = 'a change may be too small to show in rounded numbers';
const NEWEST_FIRST = 'one for each local day and reason, newest first';

const count = z.int().min(0).nullable();

const change = z
  .strictObject({
    shown_at: shownAt,
    reason: why,
    stations: field(
      z.array(id).max(1_000).nullable(),
      'ids of listed stations whose numbers changed, or that were flagged, at most 1,000; null: everything changed',
      null,
    ),
    station_count: field(count, 'number of these stations; null: everything changed', 'stations'),
    regions: field(
      z.array(slug),
      'slugs of regions whose numbers changed beside the regions of these stations; because of a flag, all of them',
    ),
    ...hours,
  })
  .meta({ id: 'Change', description: 'what showed on a day for one reason (R1)' });

export const changes = z
  .strictObject({ since, changes: field(z.array(change), NEWEST_FIRST) })
  .meta({
    id: 'Changes',
    description: `closed hours that changed, as it showed on the last 35 local days; ${SMALL}`,
  });

const begun = field(instant.nullable(), 'its first hour with readings; null without');

const stationChange = z
  .strictObject({
    shown_at: shownAt,
    reason: why,
    sensors: field(z.array(id), 'ids of sensors that were moved or are corrected otherwise', null),
    ...hours,
  })
  .meta({ id: 'StationChange', description: 'what showed on a day for one reason (R1)' });

export const stationChanges = z
  .strictObject({
    since,
    first_hour: begun,
    changes: field(z.array(stationChange), NEWEST_FIRST),
  })
  .meta({
    id: 'StationChanges',
    description: `closed hours of a station that changed, as it showed in the last two years; ${SMALL}`,
  });

const regionChange = z
  .strictObject({
    shown_at: shownAt,
    reason: why,
    stations: field(
      z.array(id).max(100).nullable(),
      'ids of listed stations that were the cause, at most 100; null: everything changed',
      null,
    ),
    station_count: field(count, 'number of these stations; null: everything changed', 'stations'),
    ...hours,
  })
  .meta({ id: 'RegionChange', description: 'what showed on a day for one reason (R1)' });

export const regionChanges = z
  .strictObject({
    since,
    first_hour: begun,
    changes: field(z.array(regionChange), NEWEST_FIRST),
  })
  .meta({
    id: 'RegionChanges',
    description: `closed hours of a region that changed, as it showed in the last two years; ${SMALL}`,
  });
