/** Dashboard of one station: current values, its sensors, the five windows, and all parameters over the time range. */
import { CURRENT, numbers } from './current.ts';
import { dashboard } from './dashboard.ts';
import { air, coverage, weather } from './measured.ts';
import { unit } from './overrides.ts';
import { type Panel, table } from './panel.ts';
import { LOCALE, quoted, STATION } from './subject.ts';
import { AT, rows } from './targets.ts';
import { UNIT } from './units.ts';
import { chosen, datasource, locale, POSTGRES } from './variables.ts';
import { windows } from './windows.ts';

const current = `from api.station_current(${AT}, ${quoted('station')}::int, ${LOCALE}) c`;

/** Stations with their titles. */
const named = `from api.station s join api.station_title t on t.station_id = s.id and t.locale = ${LOCALE}`;

const now: Panel[] = numbers(current, [
  ...CURRENT,
  {
    title: 'Wind from',
    description: 'Compass point the wind came from in the last hour.',
    column: "coalesce(c.wind_direction, '–')",
    unit: UNIT.text,
    text: true,
  },
]);

const about: Panel[] = [
  table({
    title: 'Station',
    description:
      'Names; whether it is online (has a current reading), is listed, and has temperature, humidity and pressure flagged.',
    w: 12,
    h: 6,
    unit: UNIT.none,
    targets: rows(`select c.title as "station", c.city as "city", c.district as "district", c.provider as "provider",
  c.status as "status", c.is_listed as "listed", c.is_bad_thp as "flagged", c.measurement_time as "measured"
${current}`),
    overrides: [unit('measured', UNIT.time)],
  }),
  table({
    title: 'Sensors',
    description:
      'Sensors placed there, or placed there last, with their first and newest reading. Suspicious sensors are excluded from all values.',
    w: 12,
    h: 6,
    unit: UNIT.none,
    targets: rows(`select s.id::text as "sensor", s.kind as "kind", s.device as "device", s.altitude as "altitude",
  s.first_measurement_time as "first reading", s.last_measurement_time as "newest reading", s.is_suspicious as "suspicious"
from api.sensor(${AT}) s
where s.station_id = ${quoted('station')}::int
order by s.id`),
    overrides: [unit('altitude', UNIT.metre), unit('first reading', UNIT.time), unit('newest reading', UNIT.time)],
  }),
];

const sensors = coverage(STATION, {
  title: 'Sensors in the mean',
  what: 'How many sensors each bucket was computed from.',
  column: { sensors: 'b.sensor_count' },
});

export const station = dashboard({
  uid: 'airseries-station',
  title: 'Station',
  description: 'One station: its current values, the five windows of the API, and everything it measured.',
  from: 'now-7d',
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
    { panels: now },
    { panels: about },
    { heading: 'PM2.5 in the five windows', panels: windows(STATION) },
    { heading: 'Air', panels: air(STATION) },
    { heading: 'Weather', panels: weather(STATION) },
    { heading: 'Coverage', panels: [sensors] },
  ],
});
