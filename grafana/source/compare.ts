/** Stations of a city side by side by one parameter: a ranking, the highest of them over time, and the AQI of each hour. */
import { buckets } from './buckets.ts';
import { timeseries } from './charts.ts';
import { LINE } from './colours.ts';
import { dashboard } from './dashboard.ts';
import { toStation } from './links.ts';
import { column, hidden, linked, unit, width } from './overrides.ts';
import type { Panel } from './panel.ts';
import { aqiStrip, within } from './strips.ts';
import { LOCALE, quoted } from './subject.ts';
import { table } from './tables.ts';
import { rows } from './targets.ts';
import { UNIT } from './units.ts';
import { choice, chosen, datasource, locale, POSTGRES, severalChosen } from './variables.ts';

/** Parameters by the column of the views that holds their mean. */
const PARAMETERS = [
  ['PM2.5 (µg/m³)', 'avg_pm25'],
  ['PM10 (µg/m³)', 'avg_pm10'],
  ['PM1 (µg/m³)', 'avg_pm1'],
  ['NO₂ (ppb)', 'avg_no2'],
  ['SO₂ (µg/m³)', 'avg_so2'],
  ['O₃ (µg/m³)', 'avg_o3'],
  ['Temperature (°C)', 'avg_temperature'],
  ['Humidity (%)', 'avg_humidity'],
  ['Wind speed (m/s)', 'avg_wind_speed'],
] as const;

const VALUE = `case ${quoted('parameter')} ${PARAMETERS.map(([, name]) => `when '${name}' then b.${name}`).join(' ')} end`;
const CHOSEN = `array[${quoted('station')}]::int[]`;
const MEAN = `round(avg(${VALUE})::numeric, 1)::float8`;

/** Selects the days of the chosen stations that the time range touches. */
const IN_DAYS = `b.station_id = any(${CHOSEN}) and b.timestamp > $__timeFrom()::timestamptz - interval '1 day' and b.timestamp <= $__timeTo()::timestamptz`;

const SHOWN = 12;

const ranking: Panel = table({
  title: `Ranking by $\{parameter:text}`,
  description:
    'Mean, lowest and highest of the daily means that the time range touches, highest mean first; complete: hours with readings in % of those expected. Click a station to open it.',
  w: 10,
  h: 16,
  unit: UNIT.none,
  decimals: 1,
  targets: rows(`select rank() over (order by d.mean desc nulls last)::int as "rank", t.title as "station",
  d.mean as "mean", d.lowest as "lowest day", d.highest as "highest day", c.complete as "complete",
  s.id::text as "id", coalesce(s.city_slug, '-') as "city_slug"
from api.station s
join api.station_title t on t.station_id = s.id and t.locale = ${LOCALE}
left join (
  select b.station_id, ${MEAN} as mean, min(${VALUE}) as lowest, max(${VALUE}) as highest
  from api.station_daily b
  where ${IN_DAYS}
  group by 1
) d on d.station_id = s.id
left join (
  select f.station_id, (100.0 * sum(f.measured_hours) / sum(f.expected_hours))::float8 as complete
  from api.station_completeness($__timeFrom()::timestamptz, $__timeTo()::timestamptz, ${CHOSEN}) f
  group by 1
) c on c.station_id = s.id
where s.id = any(${CHOSEN})
order by 1, 2`),
  overrides: [
    width('rank', 50, { decimals: 0 }),
    linked('station', 'Open the station', toStation('city_slug', 'id'), { 'custom.minWidth': 150 }),
    column('mean', {
      color: { mode: 'fixed', fixedColor: LINE },
      min: 0,
      fieldMinMax: true, // or the percentages of the last column would set its scale
      'custom.width': 110,
      'custom.cellOptions': { type: 'gauge', mode: 'basic', valueDisplayMode: 'text' },
    }),
    width('lowest day', 85),
    width('highest day', 95),
    unit('complete', UNIT.percent, { decimals: 0, 'custom.width': 85 }),
    ...hidden('id', 'city_slug'),
  ],
});

const overTime: Panel = timeseries({
  title: `$\{parameter:text} of the highest ${SHOWN}`,
  description: `Of the chosen stations, the ${SHOWN} with the highest mean over the days of the time range. Hourly up to a range of 15 days, daily up to 400, monthly beyond.`,
  w: 14,
  h: 16,
  unit: UNIT.none,
  decimals: 1,
  legend: 'right',
  targets: buckets(
    {
      view: 'station',
      isChosen: `b.station_id = any(array(select b.station_id from api.station_daily b where ${IN_DAYS} group by 1 having ${MEAN} is not null order by ${MEAN} desc limit ${SHOWN}))`,
    },
    { value: VALUE },
    `(select t.title from api.station_title t where t.station_id = b.station_id and t.locale = ${LOCALE}) as "metric"`,
  ),
});

const strip: Panel = aqiStrip({
  title: 'AQI of the stations, hour by hour',
  of: 'of the chosen stations',
  h: 14,
  span: '48h',
  from: `from api.station_hourly h
join api.station_title t on t.station_id = h.station_id and t.locale = ${LOCALE}
where h.station_id = any(${CHOSEN}) and ${within('48h')}`,
});

/** Stations with their titles. */
const named = `from api.station s join api.station_title t on t.station_id = s.id and t.locale = ${LOCALE}`;

export const compare = dashboard({
  uid: 'airseries-compare',
  title: 'Compare',
  description: 'The stations of a city side by side, by one parameter.',
  from: 'now-7d',
  variables: [
    datasource(POSTGRES),
    locale,
    choice('parameter', 'Parameter', PARAMETERS),
    chosen(
      'city',
      'City',
      `select distinct coalesce(s.city_slug, '-') as __value, coalesce(t.city, '-') as __text ${named} order by 2`,
    ),
    severalChosen(
      'station',
      'Stations',
      `select s.id::text as __value, t.title as __text ${named} where coalesce(s.city_slug, '-') = ${quoted('city')} order by 2`,
    ),
  ],
  sections: [{ panels: [ranking, overTime] }, { panels: [strip] }],
});
