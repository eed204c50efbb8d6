/** Dashboard of one station: current values, its sensors, the five windows, and all parameters over the time range. */
import { annotation } from './annotations.ts';
import { NOTHING } from './colours.ts';
import { coverage } from './coverage.ts';
import { CURRENT, INDICES, numbers } from './current.ts';
import { dashboard } from './dashboard.ts';
import { air, weather } from './measured.ts';
import { column, unit, width } from './overrides.ts';
import type { Panel } from './panel.ts';
import { patterns } from './patterns.ts';
import { stationStrip } from './strips.ts';
import { LOCALE, quoted, STATION } from './subject.ts';
import { table } from './tables.ts';
import { AT, rows } from './targets.ts';
import { UNIT } from './units.ts';
import { chosen, datasource, locale, POSTGRES } from './variables.ts';
import { windows } from './windows.ts';

const current = `from api.station_current(${AT}, ${quoted('station')}::int, ${LOCALE}) c`;

const indices = `from api.station_now(${AT}, ${quoted('station')}::int) n`;

/** Stations with their titles. */
const named = `from api.station s join api.station_title t on t.station_id = s.id and t.locale = ${LOCALE}`;

const now: Panel[] = numbers(current, [
  ...CURRENT,
  {
    title: 'Wind',
    description: 'Compass point the wind came from in the last hour.',
    column: "coalesce(c.wind_direction, '–')",
    unit: UNIT.text,
    text: true,
    w: 2,
  },
]);

const about: Panel[] = [
  table({
    title: 'Station',
    description:
      'Names; whether it is online (has a current reading), is listed, and has temperature, humidity and pressure flagged.',
    w: 13,
    h: 6,
    unit: UNIT.none,
    targets: rows(`select c.title as "station", c.city as "city", c.district as "district", c.provider as "provider",
  c.status || case when c.is_listed then '' else ', not listed' end as "status", c.is_bad_thp as "flagged", c.measurement_time as "measured"
${current}`),
    overrides: [
      column('station', { 'custom.minWidth': 180 }),
      width('city', 80),
      width('district', 85),
      width('provider', 145),
      width('status', 70),
      width('flagged', 65),
      unit('measured', UNIT.time, { 'custom.width': 128 }),
    ],
  }),
  table({
    title: 'Sensors',
    description:
      'Sensors placed there, or placed there last, with their first and newest reading. Suspicious sensors are excluded from all values.',
    w: 11,
    h: 6,
    unit: UNIT.none,
    targets: rows(`select s.id::text as "sensor", s.kind as "kind", s.device as "device", s.altitude as "altitude",
  s.first_measurement_time as "first reading", s.last_measurement_time as "newest reading", s.is_suspicious as "suspicious"
from api.sensor(${AT}) s
where s.station_id = ${quoted('station')}::int
order by s.id`),
    overrides: [
      width('sensor', 55),
      column('kind', { 'custom.minWidth': 120 }),
      width('device', 70),
      unit('altitude', UNIT.metre, { decimals: 0, 'custom.width': 65 }),
      unit('first reading', UNIT.time, { 'custom.width': 122 }),
      unit('newest reading', UNIT.time, { 'custom.width': 122 }),
      width('suspicious', 84),
    ],
  }),
];

/** Periods in which temperature, humidity and pressure are flagged, as shaded regions in every chart. */
const flags = annotation(
  'Flags',
  NOTHING,
  `select coalesce(f.since, $__timeFrom()::timestamptz) as "time", coalesce(f.until, $__timeTo()::timestamptz) as "timeend",
  'temperature, humidity and pressure flagged: ' || replace(f.reason, '_', ' ') as "text", f.reason as "tags"
from api.station_flag f
where f.station_id = ${quoted('station')}::int
  and coalesce(f.since <= $__timeTo()::timestamptz, true) and coalesce(f.until > $__timeFrom()::timestamptz, true)
order by 1`,
);

export const station = dashboard({
  uid: 'airseries-station',
  title: 'Station',
  description: 'One station: its current values, the five windows of the API, and everything it measured.',
  from: 'now-30d',
  annotations: [flags],
  variables: [
    datasource(POSTGRES),
    locale,
    chosen(
      'city',
      'City',
      `select distinct coalesce(s.city_slug, '-') as __value, coalesce(t.city, '-') as __text ${named} order by 2`,
    ),
    chosen(
      'station',
      'Station',
      `select s.id::text as __value, t.title as __text ${named} where coalesce(s.city_slug, '-') = ${quoted('city')} order by 2`,
    ),
  ],
  sections: [
    { panels: [...now, ...numbers(indices, INDICES)] },
    { panels: [...about, stationStrip] },
    { heading: 'PM2.5 in the five windows', panels: windows(STATION) },
    { heading: 'Air', panels: air(STATION) },
    { heading: 'PM2.5 by day, hour and wind', panels: patterns(STATION) },
    { heading: 'Weather', panels: weather(STATION) },
    { heading: 'Coverage', panels: coverage(STATION) },
  ],
});
