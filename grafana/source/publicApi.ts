/**
 * A dashboard over the public API alone, for those who have no access to the database. It is not
 * provisioned: it needs the Infinity data source, which Grafana does not bring along.
 */
import { timeseries } from './charts.ts';
import { aqiSteps, LINE, NOTHING, pm10Steps, pm25Steps, SECOND } from './colours.ts';
import { dashboard, type Section } from './dashboard.ts';
import type { Properties } from './grafanaTypes.ts';
import {
  address,
  CURRENT,
  days,
  EXPLORE,
  hours,
  infinityDatasource,
  inOrder,
  listed,
  MERGED,
  rows,
  series,
} from './infinity.ts';
import { band, coloured, fixed, unit, width } from './overrides.ts';
import type { Panel } from './panel.ts';
import { table } from './tables.ts';
import { UNIT } from './units.ts';
import { locale } from './variables.ts';

const LIST = `${CURRENT}/stations.json`;
/** Only cities say whether they are hidden. */
const CITIES = 'regions.#(is_hidden==false)#';
const HOUR_MS = 3_600_000;
const MONTH_GAP_MS = 45 * 24 * HOUR_MS;
const YEAR = '365d';
const OWN_RANGE = 'They are shown for the last year, or for a fixed time range.';

const cities: Panel = table({
  title: 'Cities now',
  description:
    'Mean over the online stations of each city: US EPA index of PM2.5 and PM10 only, PM2.5 and PM10 by category, and the mean of PM2.5 of the last 365 completed days.',
  w: 12,
  h: 10,
  unit: UNIT.none,
  targets: rows(LIST, CITIES, {
    City: ['title', 'string'],
    AQI: 'aqi',
    'PM2.5': 'pm2.5',
    PM10: 'pm10',
    Year: 'who_year_pm2.5',
    Stations: 'station_count',
  }),
  transformations: inOrder('City', 'AQI', 'PM2.5', 'PM10', 'Year', 'Stations'),
  overrides: [...valuesBy(), unit('Year', UNIT.concentration, { decimals: 1 })],
});

const stations: Panel = table({
  title: 'Stations now',
  description:
    'Each listed station: whether it reports, US EPA index of PM2.5 and PM10 only, PM2.5 and PM10 by category, and temperature. An offline station has no values.',
  w: 12,
  h: 10,
  unit: UNIT.none,
  targets: rows(LIST, 'stations', {
    Station: ['title', 'string'],
    City: ['city', 'string'],
    Status: ['status', 'string'],
    AQI: 'aqi',
    'PM2.5': 'pm2.5',
    PM10: 'pm10',
    Temperature: 'temperature',
  }),
  transformations: inOrder('Station', 'City', 'Status', 'AQI', 'PM2.5', 'PM10', 'Temperature'),
  overrides: [
    ...valuesBy(),
    width('Status', 75),
    unit('Temperature', UNIT.celsius, { decimals: 1 }),
  ],
});

function valuesBy() {
  const narrow: Properties = { 'custom.width': 85 };
  return [
    coloured('AQI', UNIT.none, aqiSteps('cell'), { decimals: 0, 'custom.width': 60 }),
    coloured('PM2.5', UNIT.concentration, pm25Steps('cell'), { decimals: 1, ...narrow }),
    coloured('PM10', UNIT.concentration, pm10Steps('cell'), { decimals: 1, ...narrow }),
  ];
}

/** The same panels of a station and of a city; `variable` is the name of its variable. */
function sectionOf(variable: 'station' | 'region', kind: string): Section {
  const subject = `${variable}/$\{${variable}}`;
  const named = `$\{${variable}:text}`;
  const drawn = { w: 12, h: 9, unit: UNIT.concentration, decimals: 1 } as const;
  return {
    heading: `${kind}: ${named}`,
    panels: [
      timeseries({
        title: `${kind}: particles by hour`,
        description:
          'Means of PM2.5 (corrected where a correction applies) and PM10 in closed hours, each at its start. The time range may have up to 400 days; it is read in whole days of UTC.',
        ...drawn,
        gapMs: 1.5 * HOUR_MS,
        targets: hours(subject, {
          'PM2.5': ['pm2.5', 'avg_pm25'],
          PM10: ['pm10', 'avg_pm10'],
        }),
        transformations: MERGED,
        overrides: [fixed('PM2.5', LINE), fixed('PM10', SECOND)],
      }),
      timeseries({
        title: `${kind}: temperature and humidity`,
        description:
          'Means of closed hours, each at its start; humidity is on the right. The time range may have up to 400 days; it is read in whole days of UTC.',
        ...drawn,
        unit: UNIT.celsius,
        gapMs: 1.5 * HOUR_MS,
        targets: hours(subject, {
          temperature: ['temperature', 'avg_temperature'],
          humidity: ['humidity', 'avg_humidity'],
        }),
        transformations: MERGED,
        overrides: [
          fixed('temperature', LINE),
          fixed('humidity', SECOND, {
            unit: UNIT.percent,
            decimals: 0,
            'custom.axisPlacement': 'right',
          }),
        ],
      }),
      timeseries({
        title: `${kind}: PM2.5 by day`,
        description: `Mean of each completed local day, with its lowest and highest hourly mean as a band. ${OWN_RANGE}`,
        ...drawn,
        gapMs: 36 * HOUR_MS,
        span: YEAR,
        targets: days(subject, {
          mean: 'avg_pm25',
          'lowest hour': 'min_pm25',
          'highest hour': 'max_pm25',
        }),
        transformations: MERGED,
        overrides: band('mean', 'lowest hour', 'highest hour'),
      }),
      timeseries({
        title: `${kind}: all months`,
        description: `Mean PM2.5 of each local month since the first one, and its US EPA index (right). They are shown for the last ten years, or for a fixed time range.`,
        ...drawn,
        gapMs: MONTH_GAP_MS,
        span: '3650d',
        targets: series(`${EXPLORE}/${subject}/months.json`, 'months', {
          'PM2.5': 'avg_pm25',
          AQI: 'aqi',
        }),
        overrides: [
          fixed('PM2.5', LINE),
          fixed('AQI', NOTHING, {
            unit: UNIT.none,
            decimals: 0,
            'custom.axisPlacement': 'right',
          }),
        ],
      }),
    ],
  };
}

export const publicApi = dashboard({
  uid: 'airseries-api',
  title: 'Over the public API',
  description:
    'Cities and stations of an airseries service, read from its public API with the Infinity data source. Enter the address of the service.',
  from: 'now-7d',
  refresh: '5m',
  editable: true,
  variables: [
    address,
    infinityDatasource,
    locale,
    listed('station', 'Station', 'stations', 'id'),
    listed('region', 'City', CITIES, 'slug'),
  ],
  sections: [
    { panels: [cities, stations] },
    sectionOf('station', 'Station'),
    sectionOf('region', 'City'),
  ],
});
