/**
 * Dashboard of one station: current values, its sensors, the five windows, and all parameters over
 * the time range.
 */
import { changesOf } from './changes.ts';
import { NOTHING } from './colours.ts';
import { coverage } from './coverage.ts';
import { CURRENT, indices, NOW, tiles } from './current.ts';
import { dashboard } from './dashboard.ts';
import type { AnnotationQuery } from './grafanaTypes.ts';
import { air, weather } from './measured.ts';
import { column, notable, unit, width } from './overrides.ts';
import type { Panel } from './panel.ts';
import { patterns } from './patterns.ts';
import { stationStrip } from './strips.ts';
import { AT, cityColumns, LOCALE, quoted, STATION, shownCity } from './subject.ts';
import { table } from './tables.ts';
import { query, rows } from './targets.ts';
import { UNIT } from './units.ts';
import {
  CHOSEN_DATASOURCE,
  chosen,
  cityOfStations,
  datasource,
  locale,
  POSTGRES,
  STATIONS_OF_CITY,
} from './variables.ts';
import { windows } from './windows.ts';

const current = `from api.station_current(${AT}, ${quoted('station')}::int, ${LOCALE}) c`;

const withIndices = `${current} cross join api.station_now(${AT}, ${quoted('station')}::int) n`;

const now: Panel[] = [
  indices(withIndices),
  tiles({
    title: 'Current values',
    description: `${NOW} Wind: where it came from in the last hour, and its speed.`,
    from: withIndices,
    tiles: [
      ...CURRENT,
      {
        name: 'Wind',
        says: "'Wind' || coalesce(' from ' || c.wind_direction, '')",
        column: 'c.wind_speed',
        unit: UNIT.speed,
      },
    ],
  }),
];

/** The flags of one kind that a station has at the end of the time range, with their beginnings. */
const flagsOf = (kind: 'thp' | 'pm') => `case when c.is_bad_${kind} then 'flagged: ' || (
    select string_agg(replace(f.reason, '_', ' ') || case when f.is_left_out then '' else ' (still in the mean of its city)' end || coalesce(to_char(f.since at time zone i.time_zone, '" since "YYYY-MM-DD HH24:MI'), ''), ', ' order by f.since nulls first, f.reason)
    from api.station_flag f cross join api.installation i
    where f.station_id = c.id and f.kind = '${kind}' and coalesce(f.since <= ${AT}, true) and coalesce(f.until > ${AT}, true)
  ) else 'not flagged' end`;

const about: Panel[] = [
  table({
    title: 'Station',
    description:
      'Names; whether it is online (has a current reading) and listed; and whether temperature, humidity and pressure, or particles, are flagged, since when, and why.',
    w: 24,
    h: 4,
    unit: UNIT.none,
    targets:
      rows(`select c.title as "station", ${cityColumns('c.city').city}, c.district as "district", c.provider as "provider",
  c.status || case when c.is_listed then '' else ', not listed' end as "status", c.measurement_time as "measured",
  ${flagsOf('thp')} as "temperature, humidity and pressure", ${flagsOf('pm')} as "particles"
${current}
${shownCity('c')}`),
    overrides: [
      width('station', 225),
      width('city', 105),
      width('district', 110),
      width('provider', 190),
      width('status', 135),
      unit('measured', UNIT.time, { 'custom.width': 135 }),
      ...['temperature, humidity and pressure', 'particles'].map((name) =>
        notable(name, '/^flagged/', { 'custom.minWidth': 240, 'custom.wrapText': true }),
      ),
    ],
  }),
  table({
    title: 'Sensors',
    description:
      'Sensors placed there, or placed there last, with their first and newest reading. Suspicious sensors are excluded from all values.',
    w: 24,
    h: 6,
    unit: UNIT.none,
    targets:
      rows(`select s.id::text as "sensor", s.kind as "kind", s.device as "device", s.altitude as "altitude",
  s.first_measurement_time as "first reading", s.last_measurement_time as "newest reading", s.is_suspicious as "suspicious"
from api.sensor(${AT}) s
where s.station_id = ${quoted('station')}::int
order by s.id`),
    overrides: [
      width('sensor', 120),
      column('kind', { 'custom.minWidth': 200 }),
      width('device', 200),
      unit('altitude', UNIT.metre, { decimals: 0, 'custom.width': 120 }),
      unit('first reading', UNIT.time, { 'custom.width': 160 }),
      unit('newest reading', UNIT.time, { 'custom.width': 160 }),
      width('suspicious', 130),
    ],
  }),
];

const clock = table({
  title: 'Clock',
  description:
    'By how many hours, up to two, its hours of the last 30 days must be moved to fit best the median of the three nearest stations within 10 km. A shift that fits clearly better means stamps that name the end of the hour, or another zone.',
  w: 24,
  h: 4,
  unit: UNIT.none,
  targets:
    rows(`select replace(c.parameter, 'pm2.5', 'PM2.5') as "by", c.hours as "hours", c.r_unshifted as "r as it is", c.r as "best r",
  case when c.hours is null then 'not known: there are no two such neighbours, or fewer than 200 hours'
    when c.shift_hours = 0 then 'as it is'
    else abs(c.shift_hours) || ' h ' || case when c.shift_hours < 0 then 'earlier' else 'later' end
      || case when c.is_clear then ', clearly: stamps at the end, or the zone?' else '' end end as "fits best"
from (values (1)) one(row) left join api.station_shift(${AT}, ${quoted('station')}::int) c on true`),
  overrides: [
    width('by', 130),
    unit('hours', UNIT.none, { decimals: 0, 'custom.width': 90 }),
    ...['r as it is', 'best r'].map((name) =>
      unit(name, UNIT.none, { decimals: 3, 'custom.width': 110 }),
    ),
    notable('fits best', '/clearly/', { 'custom.minWidth': 300 }),
  ],
});

/**
 * Periods in which temperature, humidity and pressure, or particles, are flagged, as shaded regions
 * in every chart.
 */
const flags: AnnotationQuery = {
  name: 'Flags',
  iconColor: NOTHING,
  enable: true,
  hide: false,
  datasource: { type: POSTGRES, uid: CHOSEN_DATASOURCE },
  ...{
    target:
      query(`select coalesce(f.since, $__timeFrom()::timestamptz) as "time", coalesce(f.until, $__timeTo()::timestamptz) as "timeend",
  case f.kind when 'pm' then 'particles' else 'temperature, humidity and pressure' end || ' flagged: ' || replace(f.reason, '_', ' ')
    || case when f.is_left_out then '' else ' (still in the mean of its city)' end as "text", f.reason as "tags"
from api.station_flag f
where f.station_id = ${quoted('station')}::int
  and coalesce(f.since <= $__timeTo()::timestamptz, true) and coalesce(f.until > $__timeFrom()::timestamptz, true)
order by 1`),
  },
};

export const station = dashboard({
  uid: 'airseries-station',
  title: 'Station',
  description:
    'One station: its current values, the five windows of the API, and everything it measured.',
  from: 'now-30d',
  annotations: [flags, changesOf(STATION)],
  variables: [
    datasource(POSTGRES),
    locale,
    cityOfStations,
    chosen('station', 'Station', STATIONS_OF_CITY),
  ],
  sections: [
    { panels: [...now, ...about, clock, stationStrip] },
    { heading: 'PM2.5 in the five windows', panels: windows(STATION) },
    { heading: 'Air', panels: air(STATION) },
    { heading: 'PM2.5 by day, hour and wind', panels: patterns(STATION) },
    { heading: 'Weather', panels: weather(STATION) },
    { heading: 'Coverage', panels: coverage(STATION) },
  ],
});
