/** Panels that several dashboards share: current values as a row of numbers, and the table of stations. */
import { AQI_STEPS, PM10_STEPS, PM25_STEPS, type Step } from './colours.ts';
import { toStation } from './links.ts';
import { coloured, linked, unit } from './overrides.ts';
import { type Panel, stat, table } from './panel.ts';
import { LOCALE } from './subject.ts';
import { AT, rows } from './targets.ts';
import { UNIT, type Unit } from './units.ts';

export type Shown = {
  title: string;
  description: string;
  column: string;
  unit: Unit;
  decimals?: number;
  steps?: readonly Step[];
  w?: number;
  text?: boolean;
};

/** One panel for each entry of `shown`; `from` is the query after its select list. */
export function numbers(from: string, shown: readonly Shown[]): Panel[] {
  return shown.map(({ title, description, column, w = 3, text = false, steps, ...rest }) =>
    stat({
      ...rest,
      title,
      description,
      w,
      h: 4,
      targets: rows(`select ${column} as value\n${from}`),
      show: steps === undefined ? 'value' : 'background',
      ...(steps === undefined ? {} : { steps }),
      ...(text ? { text: 'value' } : {}),
    }),
  );
}

/** Current values that stations and regions both have. */
export const CURRENT: readonly Shown[] = [
  {
    title: 'AQI',
    description: 'US EPA air quality index, in its colours; grey: no index.',
    column: 'c.aqi',
    unit: UNIT.none,
    steps: AQI_STEPS,
  },
  {
    title: 'PM2.5',
    description: 'Current PM2.5, in the colours of the US EPA index.',
    column: 'c."pm2.5"',
    unit: UNIT.concentration,
    decimals: 1,
    steps: PM25_STEPS,
  },
  {
    title: 'PM10',
    description: 'Current PM10, in the colours of the US EPA index.',
    column: 'c.pm10',
    unit: UNIT.concentration,
    decimals: 1,
    steps: PM10_STEPS,
  },
  { title: 'NO₂', description: 'Current nitrogen dioxide.', column: 'c.no2', unit: UNIT.ppb, decimals: 1 },
  {
    title: 'Temperature',
    description: 'Current air temperature.',
    column: 'c.temperature',
    unit: UNIT.celsius,
    decimals: 1,
  },
  {
    title: 'Humidity',
    description: 'Current relative humidity.',
    column: 'c.humidity',
    unit: UNIT.percent,
    decimals: 0,
  },
  {
    title: 'Pressure',
    description: 'Current air pressure as measured, not reduced to sea level (the API gives Pa).',
    column: 'c.pressure / 100.0::float8',
    unit: UNIT.hectopascal,
    decimals: 0,
  },
];

/** Table of the listed stations that match `where`, with their values at the end of the time range. */
export function stationsTable(title: string, description: string, where: string, h: number): Panel {
  return table({
    title,
    description: `${description} Values are those at the end of the time range; an offline station has none.`,
    w: 24,
    h,
    unit: UNIT.none,
    targets: rows(`select c.title as "station", c.city as "city", c.district as "district",
  c.status as "status", c.aqi as "AQI", c."pm2.5" as "PM2.5", c.pm10 as "PM10", c.temperature as "temperature",
  c.humidity as "humidity", c.pressure / 100.0::float8 as "pressure", c.wind_speed as "wind", c.wind_direction as "from",
  c.measurement_time as "measured", c.provider as "provider", c.id::text as "id", coalesce(c.city_slug, '-') as "city_slug"
from api.station_current(${AT}, locale => ${LOCALE}) c
where c.is_listed${where}
order by c.aqi desc nulls last, c.id`),
    overrides: [
      linked('station', 'Open the station', toStation('city_slug', 'id'), { 'custom.minWidth': 180 }),
      coloured('AQI', UNIT.none, AQI_STEPS),
      unit('PM2.5', UNIT.concentration, { decimals: 1 }),
      unit('PM10', UNIT.concentration, { decimals: 1 }),
      unit('temperature', UNIT.celsius, { decimals: 1 }),
      unit('humidity', UNIT.percent, { decimals: 0 }),
      unit('pressure', UNIT.hectopascal, { decimals: 0 }),
      unit('wind', UNIT.speed, { decimals: 1 }),
      unit('measured', UNIT.time),
    ],
  });
}
