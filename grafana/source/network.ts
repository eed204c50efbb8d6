/** The network at a glance: where the air is bad, and which stations need attention. */
import { buckets, linesOf, MOST_LINES } from './buckets.ts';
import { timeseries } from './charts.ts';
import { above, aqiSteps, limit, noneIsGood, someAreNeeded } from './colours.ts';
import { numbers, STATUS, stationsTable } from './current.ts';
import { dashboard } from './dashboard.ts';
import { toRegion, toStation } from './links.ts';
import { map } from './map.ts';
import {
  categorized,
  coloured,
  column,
  compared,
  FILTERED,
  hidden,
  linked,
  unit,
  width,
} from './overrides.ts';
import type { Panel } from './panel.ts';
import { cityStrip } from './strips.ts';
import { AT, cityColumns, LOCALE, shownCity } from './subject.ts';
import { table } from './tables.ts';
import { rows } from './targets.ts';
import { UNIT } from './units.ts';
import { datasource, locale, POSTGRES } from './variables.ts';

const glance: Panel[] = [
  ...numbers(`from api.station_current(${AT}) c where c.is_listed`, [
    {
      title: 'Online',
      description: 'Listed stations with a current reading.',
      column: "(count(*) filter (where c.status = 'online'))::int",
      unit: UNIT.none,
      w: 3,
      steps: someAreNeeded(),
    },
    {
      title: 'Offline',
      description: 'Listed stations without a current reading.',
      column: "(count(*) filter (where c.status = 'offline'))::int",
      unit: UNIT.none,
      w: 3,
      steps: noneIsGood,
    },
  ]),
  ...numbers('', [
    {
      title: 'Need attention',
      description: 'Stations that are offline or suspect; the table below lists them.',
      column: `(select count(*)::int from (select station_id from api.station_offline(${AT}) union select station_id from api.station_suspect(${AT})) s)`,
      unit: UNIT.none,
      w: 4,
      steps: noneIsGood,
    },
  ]),
  ...numbers(`from api.region_current(${AT}) c where c.kind = 'city' and not c.is_hidden`, [
    {
      title: 'Highest AQI of any city',
      description: 'US EPA index of PM2.5 and PM10 only, of the worst city; grey: no city has one.',
      column: 'max(c.aqi)',
      unit: UNIT.text,
      w: 6,
      index: true,
    },
    {
      title: 'Cities above WHO',
      description:
        'Cities whose mean PM2.5 of the last 24 hours is above 15 µg/m³; no data: no city has one.',
      column: `case when count(c."who_daily_pm2.5") > 0 then (count(*) filter (where c."who_daily_pm2.5" > 15))::int end`,
      unit: UNIT.none,
      w: 4,
      steps: limit(1),
    },
  ]),
  ...numbers('from api.freshness c', [
    {
      title: 'Aggregates behind by',
      description:
        'Time from the last refresh of the aggregates to the end of the time range; about a minute is normal.',
      column: `greatest(extract(epoch from ${AT} - c.refreshed_at), 0)::float8`,
      unit: UNIT.seconds,
      decimals: 0,
      w: 4,
      steps: limit(600),
    },
  ]),
];

const stationsMap = map({
  title: 'Stations by AQI',
  description:
    'Listed stations with their US EPA index of PM2.5 and PM10 only, in its colours; grey: offline, or no particles measured. Click a station to open it. The stations of the demo lie in open water, without a coast, so that nobody takes their numbers for the air of a real place.',
  w: 14,
  h: 12,
  unit: UNIT.none,
  by: 'index',
  label: 'label',
  steps: aqiSteps('color'),
  noValue: '–',
  targets:
    rows(`select c.latitude, c.longitude, c.title as "station", ${cityColumns('c.city').city}, api.aqi_text(c.aqi) as "AQI", c."pm2.5" as "PM2.5",
  c.temperature as "temperature", ${STATUS} as "status", c.measurement_time as "measured",
  c.aqi as "index", coalesce(c.aqi::text, '–') as "label", c.id::text as "id", ${cityColumns('c.city').slug}
from api.station_current(${AT}, locale => ${LOCALE}) c
${shownCity('c')}
where c.is_listed
order by c.aqi nulls first`), // the worst on top
  overrides: [
    linked('station', 'Open the station', toStation('city_slug', 'id')),
    unit('PM2.5', UNIT.concentration, { decimals: 1 }),
    unit('temperature', UNIT.celsius, { decimals: 1 }),
    unit('measured', UNIT.time),
    ...hidden('latitude', 'longitude', 'label', 'id', 'city_slug'),
    column('index', { 'custom.hideFrom': { viz: false, legend: false, tooltip: true } }),
  ],
});

const cities = table({
  title: 'Cities by AQI',
  description:
    'AQI: US EPA index of PM2.5 and PM10 only. Values from the newest digest, up to half an hour before the end of the time range; 24 h: mean PM2.5 of the last 24 hours, red above the WHO guideline of 15 µg/m³. Click a city to open it.',
  w: 10,
  h: 12,
  unit: UNIT.none,
  targets:
    rows(`select c.title as "city", api.aqi_text(c.aqi) as "AQI", c."pm2.5" as "PM2.5", c."who_daily_pm2.5" as "24 h", c.slug as "slug"
from api.region_current(${AT}, locale => ${LOCALE}) c
where c.kind = 'city' and not c.is_hidden
order by c.aqi desc nulls last, c.slug`),
  overrides: [
    linked('city', 'Open the city', toRegion('slug', 'slug'), { 'custom.minWidth': 90 }),
    categorized('AQI'),
    unit('PM2.5', UNIT.concentration, { decimals: 1, 'custom.width': 90 }),
    coloured('24 h', UNIT.concentration, above(15.05), { decimals: 1, 'custom.width': 90 }),
    ...hidden('slug'),
  ],
});

const needAttention = table({
  title: 'Stations that need attention',
  description:
    'Offline: no current reading, though it measured before. Weather: temperature, humidity and pressure are flagged. Particles: PM is flagged. Regions leave out what is flagged, an outlier once 24 of its hours are suspect. Each raises an alert, unless the operator has set the flag.',
  w: 24,
  h: 7,
  unit: UNIT.none,
  targets:
    rows(`select w.what as "what", s.title as "station", ${cityColumns('s.city').city}, w.since as "since", w.detail as "detail",
  s.id::text as "id", ${cityColumns('s.city').slug}
from (
  select station_id, 'offline' as what, last_measurement_time as since, 'no current reading' as detail from api.station_offline(${AT})
  union all
  select station_id, case kind when 'pm' then 'particles' else 'weather' end, since,
    case when kind = 'thp' then 'temperature, humidity, pressure: ' when is_left_out then 'left out of the mean of its city: '
      else 'suspect, still in the mean of its city: ' end || detail from api.station_suspect(${AT})
) w
join api.station_current(${AT}, locale => ${LOCALE}) s on s.id = w.station_id
${shownCity('s')}
order by w.what, w.since`),
  overrides: [
    width('what', 100, FILTERED),
    linked('station', 'Open the station', toStation('city_slug', 'id'), {
      'custom.width': 230,
      ...FILTERED,
    }),
    width('city', 130, FILTERED),
    unit('since', UNIT.time, { 'custom.width': 150 }),
    column('detail', { 'custom.minWidth': 600, 'custom.wrapText': true }),
    ...hidden('id', 'city_slug'),
  ],
});

const CITIES = {
  view: 'region',
  isChosen: `b.region_slug in (select r.slug from api.region r where r.kind = 'city' and not r.is_hidden)`,
} as const;

/** Series of the cities over the time range. */
const ofCities = (columns: Readonly<Record<string, string>>) =>
  buckets(CITIES, columns, { lines: linesOf(CITIES, 'avg(b.avg_pm25)') });
const BUCKETS = 'Hourly up to a range of 15 days, daily up to 400, monthly beyond.';

const trends: Panel[] = [
  timeseries({
    title: 'PM2.5 of the cities',
    description: `Mean PM2.5 by city, of the ${MOST_LINES} with the most over the days of the time range; the colours only tell the cities apart. ${BUCKETS}`,
    w: 12,
    h: 9,
    unit: UNIT.concentration,
    decimals: 1,
    min: 0,
    legend: 'right',
    overrides: compared(),
    targets: ofCities({ 'PM2.5': 'b.avg_pm25' }),
  }),
  timeseries({
    title: 'Stations that measured',
    description: `Stations in each mean, of the same cities. A step down means that a station or a provider went offline. ${BUCKETS}`,
    w: 12,
    h: 9,
    unit: UNIT.none,
    min: 0,
    stacked: true,
    legend: 'right',
    overrides: compared('stacked'),
    targets: ofCities({ stations: 'b.station_count' }),
  }),
];

export const network = dashboard({
  uid: 'airseries-network',
  title: 'Network',
  description:
    'Air quality at all stations and in all cities, and the stations that are offline or suspect.',
  from: 'now-24h',
  variables: [datasource(POSTGRES), locale],
  sections: [
    { panels: glance },
    { panels: [stationsMap, cities, needAttention] },
    { heading: 'Over time', panels: [cityStrip, ...trends] },
    {
      heading: 'All stations',
      panels: [stationsTable('Stations', 'Every listed station.', '', 16)],
    },
  ],
});
