/** Panels that several dashboards share: current values as a row of numbers, and the table of stations. */
import { aqiTexts, BAND_TEXTS, NOTHING, pm10Steps, pm25Steps, type Step } from './colours.ts';
import { toStation } from './links.ts';
import { categorized, FILTERED, hidden, linked, notable, STRUCK, styleColumn, unit, width } from './overrides.ts';
import type { Panel } from './panel.ts';
import { AT, cityColumns, LOCALE, shownCity } from './subject.ts';
import { stat, table } from './tables.ts';
import { rows } from './targets.ts';
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
  /** The column is an index: a number, which is shown with its category, or a European band; in the colour of either. */
  index?: 'number' | 'band';
};

const MAPPINGS = { number: aqiTexts('ink'), band: BAND_TEXTS };

/** One panel for each entry of `shown`; `from` is the query after its select list. */
export function numbers(from: string, shown: readonly Shown[]): Panel[] {
  return shown.map(({ title, description, column, w = 3, index, text = index !== undefined, steps, ...rest }) =>
    stat({
      ...rest,
      title,
      description,
      w,
      h: 4,
      targets: rows(`select ${index === 'number' ? `api.aqi_text(${column})` : column} as value\n${from}`),
      ...(steps === undefined ? {} : { steps }),
      ...(index === undefined ? {} : { steps: [{ color: NOTHING, value: null }], mappings: MAPPINGS[index] }),
      ...(text ? { text: 'value' } : {}),
    }),
  );
}

/** Current values that stations and regions both have. */
export const CURRENT: readonly Shown[] = [
  {
    title: 'AQI',
    description:
      'US EPA air quality index of PM2.5 and PM10 only, with its category: it says nothing about gases. Grey: no index.',
    column: 'c.aqi',
    unit: UNIT.text,
    index: 'number',
    w: 5,
  },
  {
    title: 'PM2.5',
    description: 'Current PM2.5, in the colours of the US EPA index.',
    column: 'c."pm2.5"',
    unit: UNIT.concentration,
    decimals: 1,
    steps: pm25Steps('ink'),
  },
  {
    title: 'PM10',
    description: 'Current PM10, in the colours of the US EPA index.',
    column: 'c.pm10',
    unit: UNIT.concentration,
    decimals: 1,
    steps: pm10Steps('ink'),
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
    w: 2,
  },
  {
    title: 'Pressure',
    description: 'Current air pressure as measured, not reduced to sea level (the API gives Pa).',
    column: 'c.pressure / 100.0::float8',
    unit: UNIT.hectopascal,
    decimals: 0,
  },
];

/** Indices that stations and regions have beside the AQI, from api.station_now() or api.region_now(). */
export const INDICES: readonly Shown[] = [
  {
    title: 'NowCast AQI',
    description:
      'US EPA index of the NowCast of PM2.5 and PM10 only, with its category: it says nothing about gases. NowCast is a mean of the last 12 closed hours, of which recent ones weigh more, the more the air changes.',
    column: 'n.nowcast_aqi',
    unit: UNIT.text,
    index: 'number',
    w: 5,
  },
  {
    title: 'PM2.5, NowCast',
    description: 'NowCast of PM2.5, in the colours of the US EPA index; empty without two of the newest three hours.',
    column: 'n."nowcast_pm2.5"',
    unit: UNIT.concentration,
    decimals: 1,
    steps: pm25Steps('ink'),
  },
  {
    title: 'PM10, NowCast',
    description: 'NowCast of PM10, in the colours of the US EPA index; empty without two of the newest three hours.',
    column: 'n.nowcast_pm10',
    unit: UNIT.concentration,
    decimals: 0,
    steps: pm10Steps('ink'),
  },
  {
    title: 'European index',
    description:
      'European air quality index of the last closed hour: the worst of the bands of particles, ozone, NO₂ and SO₂, as far as they are measured.',
    column: 'n.european_index',
    unit: UNIT.text,
    index: 'band',
    w: 4,
  },
  ...(['PM2.5', 'O₃', 'NO₂'] as const).map(
    (name): Shown => ({
      title: `${name}, European`,
      description: `Band of ${name} in the European index of the last closed hour.`,
      column: `n."european_${{ 'PM2.5': 'pm2.5', 'O₃': 'o3', 'NO₂': 'no2' }[name]}"`,
      unit: UNIT.text,
      index: 'band',
    }),
  ),
];

/** Whether a station is online, whether its temperature, humidity and pressure are flagged, and whether its particles are suspect. */
export const STATUS =
  "c.status || case when c.is_bad_thp then ', flagged' else '' end || case when c.is_bad_pm then ', PM suspect' else '' end";

/** Table of the listed stations that match `where`, with their values at the end of the time range. */
export function stationsTable(title: string, description: string, where: string, h: number): Panel {
  return table({
    title,
    description: `${description} Values are those at the end of the time range; an offline station has none. Struck out: temperature, humidity and pressure of a flagged station. AQI: US EPA index of PM2.5 and PM10 only.`,
    w: 24,
    h,
    unit: UNIT.none,
    targets: rows(`select c.title as "station", ${cityColumns('c.city').city}, c.district as "district",
  ${STATUS} as "status", api.aqi_text(c.aqi) as "AQI", c."pm2.5" as "PM2.5", c.pm10 as "PM10", c.temperature as "temperature",
  c.humidity as "humidity", c.pressure / 100.0::float8 as "pressure", ${styleColumn('c.is_bad_thp')}, c.wind_speed as "wind", c.wind_direction as "from",
  c.measurement_time as "measured", c.id::text as "id", ${cityColumns('c.city').slug}
from api.station_current(${AT}, locale => ${LOCALE}) c
${shownCity('c')}
where c.is_listed${where}
order by c.aqi desc nulls last, c.id`),
    overrides: [
      linked('station', 'Open the station', toStation('city_slug', 'id'), { 'custom.minWidth': 165, ...FILTERED }),
      width('city', 85, FILTERED),
      width('district', 87, FILTERED),
      notable('status', '/flagged/', { 'custom.width': 115, ...FILTERED }),
      categorized('AQI'),
      unit('PM2.5', UNIT.concentration, { decimals: 1, 'custom.width': 92 }),
      unit('PM10', UNIT.concentration, { decimals: 1, 'custom.width': 92 }),
      unit('temperature', UNIT.celsius, { decimals: 1, 'custom.width': 97, ...STRUCK }),
      unit('humidity', UNIT.percent, { decimals: 0, 'custom.width': 72, ...STRUCK }),
      unit('pressure', UNIT.hectopascal, { decimals: 0, 'custom.width': 74, ...STRUCK }),
      unit('wind', UNIT.speed, { decimals: 1, 'custom.width': 66 }),
      width('from', 52),
      unit('measured', UNIT.time, { 'custom.width': 131 }),
      ...hidden('style', 'id', 'city_slug'),
    ],
  });
}
