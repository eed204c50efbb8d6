/**
 * Panels that several dashboards share: current values as a row of numbers, and the table of
 * stations.
 */
import {
  aqiTexts,
  BAND_TEXTS,
  NOTHING,
  PLAIN,
  pm10Steps,
  pm25Steps,
  type Step,
} from './colours.ts';
import type { Mapping } from './grafanaTypes.ts';
import { toStation } from './links.ts';
import {
  categorized,
  FILTERED,
  hidden,
  linked,
  notable,
  STRUCK,
  styleColumn,
  unit,
  width,
} from './overrides.ts';
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
  w: number;
  /** The column is an index of the US EPA: it is shown with its category, in the colour of that. */
  index?: true;
};

const UNKNOWN: readonly Step[] = [{ color: NOTHING, value: null }];

/** One panel for each entry of `shown`; `from` is the query after its select list. */
export function numbers(from: string, shown: readonly Shown[]): Panel[] {
  return shown.map(({ column, index, ...rest }) =>
    stat({
      ...rest,
      h: 4,
      targets: rows(`select ${index ? `api.aqi_text(${column})` : column} as value\n${from}`),
      ...(index ? { text: 'value', steps: UNKNOWN, mappings: aqiTexts('ink') } : {}),
    }),
  );
}

export type Tile = {
  name: string;
  /** SQL of a name that the values are part of; it begins with `name`. */
  says?: string;
  column: string;
  unit?: Unit;
  decimals?: number;
  steps?: readonly Step[];
};

type Tiles = {
  title: string;
  description: string;
  from: string;
  tiles: readonly Tile[];
  mappings?: readonly Mapping[];
};

/**
 * A tile for each value that there is, in one panel: a place without particles has none about them,
 * and one without any value has a single tile that says so. They are numbers, each with its unit,
 * or with `mappings` texts in the colours of these.
 */
export function tiles({ title, description, from, tiles: list, mappings }: Tiles): Panel {
  return stat({
    title,
    description: `${description} What is not measured has no tile.`,
    w: 24,
    h: mappings === undefined ? 4 : 5,
    unit: mappings === undefined ? UNIT.none : UNIT.text,
    ...(mappings === undefined ? {} : { mappings, text: '(?!of).*' }),
    steps: UNKNOWN,
    named: true,
    targets: rows(`select '' as "of", v.name as "name", v.value as "value"
${from}
cross join lateral (values
${list.map(({ name, says = `'${name}'`, column }, n) => `  (${n}, ${says}, ${column})`).join(',\n')}
) v(n, name, value)
where v.value is not null
order by v.n`),
    transformations: [
      {
        id: 'groupingToMatrix',
        options: { columnField: 'name', rowField: 'of', valueField: 'value' },
      },
    ],
    overrides: list.flatMap(({ name, says, unit: id, decimals = 1, steps = PLAIN }) => {
      if (id === undefined) return [];
      const override = unit(name, id, { decimals, thresholds: { mode: 'absolute', steps } });
      return says === undefined
        ? override
        : { ...override, matcher: { id: 'byRegexp', options: `/^${name}/` } };
    }),
  });
}

/**
 * The indices of `c`, from api.station_current() or api.region_current(), and of `n`, from
 * api.station_now() or api.region_now().
 */
export const indices = (from: string): Panel =>
  tiles({
    title: 'Indices',
    description:
      'AQI: US EPA index of PM2.5 and PM10 only, with its category; it says nothing about gases. NowCast: the same of a mean of the last 12 closed hours, of which recent ones weigh more, the more the air changes. European: the worst of the bands of particles, ozone, NO₂ and SO₂ in the last closed hour, as far as they are measured, and the bands of single ones.',
    from,
    mappings: [...aqiTexts('ink'), ...BAND_TEXTS],
    tiles: [
      { name: 'AQI', column: 'api.aqi_text(c.aqi)' },
      { name: 'NowCast AQI', column: 'api.aqi_text(n.nowcast_aqi)' },
      { name: 'European index', column: 'n.european_index' },
      { name: 'PM2.5, European', column: "n.european_pollutants::json ->> 'pm2.5'" },
      { name: 'O₃, European', column: "n.european_pollutants::json ->> 'o3'" },
      { name: 'NO₂, European', column: "n.european_pollutants::json ->> 'no2'" },
    ],
  });

/** The description of panels with current values. */
export const NOW =
  'At the end of the time range; particles in the colours of the US EPA index. Pressure as measured, not reduced to sea level (the API gives Pa). NowCast needs two of the newest three hours.';

/** Current values that stations and regions both have, and NowCast. */
export const CURRENT: readonly Tile[] = [
  { name: 'PM2.5', column: 'c."pm2.5"', unit: UNIT.concentration, steps: pm25Steps('ink') },
  { name: 'PM10', column: 'c.pm10', unit: UNIT.concentration, steps: pm10Steps('ink') },
  {
    name: 'PM2.5, NowCast',
    column: 'n."nowcast_pm2.5"',
    unit: UNIT.concentration,
    steps: pm25Steps('ink'),
  },
  {
    name: 'PM10, NowCast',
    column: 'n.nowcast_pm10',
    unit: UNIT.concentration,
    decimals: 0,
    steps: pm10Steps('ink'),
  },
  { name: 'NO₂', column: 'c.no2', unit: UNIT.ppb },
  { name: 'Temperature', column: 'c.temperature', unit: UNIT.celsius },
  { name: 'Humidity', column: 'c.humidity', unit: UNIT.percent, decimals: 0 },
  { name: 'Pressure', column: 'c.pressure / 100.0::float8', unit: UNIT.hectopascal, decimals: 0 },
];

/**
 * Whether a station is online, whether its temperature, humidity and pressure are flagged, and
 * whether its particles are suspect.
 */
export const STATUS =
  "c.status || case when c.is_bad_thp then ', flagged' else '' end || case when c.is_bad_pm then ', PM suspect' else '' end";

/**
 * Table of the listed stations that match `where`, with their values at the end of the time range.
 */
export function stationsTable(title: string, description: string, where: string, h: number): Panel {
  return table({
    title,
    description: `${description} Values are those at the end of the time range; an offline station has none. Struck out: temperature, humidity and pressure of a flagged station. AQI: US EPA index of PM2.5 and PM10 only.`,
    w: 24,
    h,
    unit: UNIT.none,
    targets:
      rows(`select c.title as "station", ${cityColumns('c.city').city}, c.district as "district",
  ${STATUS} as "status", api.aqi_text(c.aqi) as "AQI", c."pm2.5" as "PM2.5", c.pm10 as "PM10", c.temperature as "temperature",
  c.humidity as "humidity", c.pressure / 100.0::float8 as "pressure", ${styleColumn('c.is_bad_thp')}, c.wind_speed as "wind", c.wind_direction as "from",
  c.measurement_time as "measured", c.id::text as "id", ${cityColumns('c.city').slug}
from api.station_current(${AT}, locale => ${LOCALE}) c
${shownCity('c')}
where c.is_listed${where}
order by c.aqi desc nulls last, c.id`),
    overrides: [
      linked('station', 'Open the station', toStation('city_slug', 'id'), {
        'custom.minWidth': 165,
        ...FILTERED,
      }),
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
