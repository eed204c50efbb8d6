/**
 * Stations of a city side by side by one parameter: a ranking, the highest of them over time, and
 * the AQI of each hour.
 */
import { buckets, IN_DAYS, linesOf } from './buckets.ts';
import { changesOfStations } from './changes.ts';
import { timeseries } from './charts.ts';
import { LINE, LINES, NOTHING } from './colours.ts';
import { dashboard } from './dashboard.ts';
import { toStation } from './links.ts';
import {
  column,
  compared,
  EDGE,
  fixed,
  hidden,
  linked,
  STRUCK,
  styleColumn,
  unit,
  width,
} from './overrides.ts';
import type { Panel } from './panel.ts';
import { aqiStrip, within } from './strips.ts';
import { AT, cityColumns, LOCALE, quoted, shownCity } from './subject.ts';
import { table } from './tables.ts';
import { rows } from './targets.ts';
import { UNIT } from './units.ts';
import {
  choice,
  cityOfStations,
  datasource,
  locale,
  POSTGRES,
  STATIONS_OF_CITY,
  severalChosen,
} from './variables.ts';

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

const chosenOf = (column: (name: string) => string) =>
  `case ${quoted('parameter')} ${PARAMETERS.map(([, name]) => `when '${name}' then ${column(name)}`).join(' ')} end`;
const VALUE = chosenOf((name) => `b.${name}`);
const HOURS = chosenOf((name) => `f.${name.replace('avg_', '')}_hours`);
const CHOSEN = `array[${quoted('station')}]::int[]`;
/** Whether the station has a flag of the kind that is about the chosen parameter. */
const FLAGGED = `coalesce(case when ${quoted('parameter')} in ('avg_temperature', 'avg_humidity') then 'thp' when ${quoted('parameter')} like 'avg_pm%' then 'pm' end = any(f.kinds), false)`;
const MEAN = `round(avg(${VALUE})::numeric, 1)::float8`;

const OF_CHOSEN = `b.station_id = any(${CHOSEN})`;

const ranking: Panel = table({
  title: `Ranking by $\{parameter:text}`,
  description:
    'Mean, lowest and highest of the daily means that the time range touches, highest mean first; its last day counts up to its end; the bars share one scale, from 0 to the highest mean. Complete: hours with a value in % of the hours of those days, from the first hour of the station on and up to the end of the time range. Struck out: temperature, humidity or PM of a station that was flagged for it in the time range. Click a station to open it.',
  w: 12,
  h: 16,
  unit: UNIT.none,
  decimals: 1,
  cells: { wrapHeaderText: true },
  targets:
    rows(`select rank() over (order by d.mean desc nulls last)::int as "rank", s.title || case when ${FLAGGED} then ' (flagged)' else '' end as "station",
  d.mean as "mean", (d.mean - least(0, min(d.mean) over ())) / nullif(max(d.mean) over () - least(0, min(d.mean) over ()), 0) as "bar",
  d.lowest as "lowest day", d.highest as "highest day", c.complete as "complete", ${styleColumn(FLAGGED)},
  s.id::text as "id", ${cityColumns('s.city').slug}
from api.station_current(${AT}, locale => ${LOCALE}) s
${shownCity('s')}
left join (
  select b.station_id, ${MEAN} as mean, min(${VALUE}) as lowest, max(${VALUE}) as highest
  from api.station_daily b
  where ${OF_CHOSEN} and ${IN_DAYS}
  group by 1
) d on d.station_id = s.id
left join (
  select f.station_id, (100.0 * sum(${HOURS}) / sum(f.expected_hours))::float8 as complete
  from api.station_completeness(${AT}, 'day', $__timeFrom()::timestamptz, $__timeTo()::timestamptz, ${CHOSEN}) f
  group by 1
) c on c.station_id = s.id
left join (
  select f.station_id, array_agg(f.kind) as kinds from api.station_flag f
  where coalesce(f.since <= $__timeTo()::timestamptz, true) and coalesce(f.until > $__timeFrom()::timestamptz, true)
  group by 1
) f on f.station_id = s.id
where s.id = any(${CHOSEN})
order by 1, s.id`),
  overrides: [
    width('rank', 55, { decimals: 0 }),
    linked('station', 'Open the station', toStation('city_slug', 'id'), {
      'custom.minWidth': 230,
      'custom.wrapText': true,
    }),
    width('mean', 65, STRUCK),
    // a scale of its own, and room beside the longest bar: Grafana squeezes what does not fit into
    // the cell, so that bars would be as long as others
    column('bar', {
      color: { mode: 'fixed', fixedColor: LINE },
      min: 0,
      max: 1.25,
      'custom.width': 90,
      'custom.cellOptions': { type: 'gauge', mode: 'basic', valueDisplayMode: 'hidden' },
    }),
    width('lowest day', 75, STRUCK),
    width('highest day', 80, STRUCK),
    unit('complete', UNIT.percent, { decimals: 0, 'custom.width': 90 }),
    ...hidden('style', 'id', 'city_slug'),
  ],
});

const ALL = { view: 'station', isChosen: `${OF_CHOSEN} and ${VALUE} is not null` } as const;

const overTime: Panel = timeseries({
  title: `$\{parameter:text} of the highest ${LINES.length}`,
  description: `Lines: of the chosen stations, the ${LINES.length} with the highest mean over the days of the time range; the colours only tell them apart. Grey band: from the lowest to the highest of all chosen. A click on a name in the legend shows it alone. Hourly up to a range of 15 days, daily up to 400, monthly beyond.`,
  w: 12,
  h: 16,
  unit: UNIT.none,
  decimals: 1,
  overrides: [
    ...compared('lines', LINES.length),
    // of another query: Grafana may add its name
    fixed('lowest', NOTHING, { ...EDGE, displayName: 'lowest' }),
    fixed('highest', NOTHING, {
      ...EDGE,
      'custom.fillBelowTo': 'lowest',
      'custom.fillOpacity': 25,
    }),
  ],
  targets: [
    ...buckets(ALL, { lowest: `min(${VALUE})`, highest: `max(${VALUE})` }, { together: true }),
    ...buckets(ALL, { value: VALUE }, { lines: linesOf(ALL, MEAN, LINES.length) }),
  ].map((target, n) => ({ ...target, refId: 'AB'[n] ?? '' })),
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

export const compare = dashboard({
  uid: 'airseries-compare',
  title: 'Compare',
  description: 'The stations of a city side by side, by one parameter.',
  from: 'now-7d',
  annotations: [changesOfStations(CHOSEN)],
  variables: [
    datasource(POSTGRES),
    locale,
    choice('parameter', 'Parameter', PARAMETERS),
    cityOfStations,
    severalChosen('station', 'Stations', STATIONS_OF_CITY),
  ],
  sections: [{ panels: [ranking, overTime] }, { panels: [strip] }],
});
