/**
 * Measurements over the time range: panels that the dashboards of a station and of a region share.
 */
import { buckets } from './buckets.ts';
import { barChart, timeseries } from './charts.ts';
import { CATEGORIES, LINE, LINES, SECOND } from './colours.ts';
import { band, fixed, unit } from './overrides.ts';
import type { Panel } from './panel.ts';
import type { Subject } from './subject.ts';
import { rows } from './targets.ts';
import { UNIT } from './units.ts';

const BUCKETS =
  'Hourly up to a range of 15 days, daily up to 400, monthly beyond; days and months are local, at their start. Bars are of completed ones; lines end with the one in which the time range ends.';
const EXTREMES =
  'The band of a day or month spans its lowest to its highest hourly mean; hours have none.';

/** A colour for each series, none of them that of a category. */
const told = (...names: readonly string[]) => names.map((name, n) => fixed(name, LINES[n] ?? LINE));

/** AQI, particles, gases and radiation. */
export function air(subject: Subject): Panel[] {
  const raw = subject.view === 'station' ? { 'PM2.5 uncorrected': 'b.avg_pm25_raw' } : {};
  return [
    timeseries({
      title: 'Air quality index',
      description: `US EPA index of PM2.5 and PM10 only, of the mean of each completed bucket, by category. ${BUCKETS}`,
      w: 12,
      h: 8,
      unit: UNIT.none,
      min: 0,
      draw: 'bars',
      // a column for each category: Grafana colours all bars of one series alike, by its last value
      targets: buckets(
        subject,
        Object.fromEntries(
          CATEGORIES.map(({ name }) => [
            name,
            `case when api.aqi_category(b.aqi) = '${name}' then b.aqi end`,
          ]),
        ),
        { completed: true },
      ),
      overrides: CATEGORIES.map(({ name, color }) => fixed(name, color)),
    }),
    timeseries({
      title: 'Particles',
      description: `Means of PM1, PM2.5 (corrected where a correction applies${subject.view === 'station' ? '; "uncorrected" is before that' : ''}), PM10 and dust. ${BUCKETS}`,
      w: 12,
      h: 8,
      unit: UNIT.concentration,
      decimals: 1,
      targets: buckets(subject, {
        PM1: 'b.avg_pm1',
        'PM2.5': 'b.avg_pm25',
        ...raw,
        PM10: 'b.avg_pm10',
        dust: 'b.avg_dust',
      }),
      overrides: told('PM2.5', 'PM1', 'PM10', ...Object.keys(raw), 'dust'),
    }),
    timeseries({
      title: 'Gases',
      description: `Means of nitrogen dioxide (ppb, right), sulphur dioxide and ozone. ${BUCKETS}`,
      w: 12,
      h: 8,
      unit: UNIT.concentration,
      decimals: 1,
      targets: buckets(subject, { 'NO₂': 'b.avg_no2', 'SO₂': 'b.avg_so2', 'O₃': 'b.avg_o3' }),
      overrides: [
        ...told('SO₂', 'O₃', 'NO₂'),
        unit('NO₂', UNIT.ppb, { 'custom.axisPlacement': 'right' }),
      ],
    }),
    timeseries({
      title: 'Radiation and UV',
      description: `Dose rate, and the ultraviolet index (right). ${BUCKETS}`,
      w: 12,
      h: 8,
      unit: UNIT.dose,
      decimals: 2,
      min: 0,
      targets: buckets(subject, { 'dose rate': 'b.avg_usvh', 'UV index': 'b.avg_uv' }),
      overrides: [
        fixed('dose rate', LINE),
        fixed('UV index', SECOND, {
          unit: UNIT.none,
          decimals: 1,
          'custom.axisPlacement': 'right',
        }),
      ],
    }),
  ];
}

/** Temperature, humidity, pressure, rain and wind. */
export function weather(subject: Subject): Panel[] {
  return [
    timeseries({
      title: 'Temperature and its range',
      description: `Mean air temperature. ${EXTREMES} ${BUCKETS}`,
      w: 8,
      h: 8,
      unit: UNIT.celsius,
      decimals: 1,
      targets: buckets(subject, {
        mean: 'b.avg_temperature',
        'lowest hour': 'b.min_temperature',
        'highest hour': 'b.max_temperature',
      }),
      overrides: band('mean', 'lowest hour', 'highest hour'),
    }),
    timeseries({
      title: 'Humidity and pressure',
      description: `Mean relative humidity, and air pressure as measured, not reduced to sea level (right; the API gives Pa). ${BUCKETS}`,
      w: 8,
      h: 8,
      unit: UNIT.percent,
      decimals: 0,
      targets: buckets(subject, { humidity: 'b.avg_humidity', pressure: 'b.avg_pressure / 100' }),
      overrides: [
        fixed('humidity', LINE),
        fixed('pressure', SECOND, {
          unit: UNIT.hectopascal,
          decimals: 0,
          'custom.axisPlacement': 'right',
        }),
      ],
    }),
    timeseries({
      title: 'Rain',
      description: `Precipitation in each completed bucket. ${BUCKETS}`,
      w: 8,
      h: 8,
      unit: UNIT.millimetre,
      decimals: 1,
      min: 0,
      draw: 'bars',
      legend: 'hidden',
      targets: buckets(subject, { rain: 'b.total_rain' }, { completed: true }),
      overrides: [fixed('rain', LINE)],
    }),
    timeseries({
      title: 'Wind speed and its range',
      description: `Mean wind speed. ${EXTREMES} ${BUCKETS}`,
      w: 8,
      h: 8,
      unit: UNIT.speed,
      decimals: 1,
      min: 0,
      targets: buckets(subject, {
        mean: 'b.avg_wind_speed',
        'lowest hour': 'b.min_wind_speed',
        'highest hour': 'b.max_wind_speed',
      }),
      overrides: band('mean', 'lowest hour', 'highest hour'),
    }),
    timeseries({
      title: 'Wind direction',
      description: `Direction the wind comes from, clockwise from north: that of the mean vector. ${BUCKETS}`,
      w: 8,
      h: 8,
      unit: UNIT.degree,
      decimals: 0,
      min: 0,
      max: 360,
      draw: 'points',
      legend: 'hidden',
      targets: buckets(subject, { direction: 'b.avg_wind_direction' }),
      overrides: [fixed('direction', LINE)],
    }),
    windRose(subject),
  ];
}

/** A wind rose as bars: hours of wind from each of the 16 compass points, by speed. */
function windRose({ view, isChosen }: Subject): Panel {
  const speed = 'b.avg_wind_speed';
  return barChart({
    title: 'Wind rose as bars',
    description:
      'Hours of wind from each of the 16 compass points, by mean speed of the hour. Hours below 0.5 m/s are left out: their direction means little.',
    w: 8,
    h: 8,
    unit: UNIT.hours,
    decimals: 0,
    over: 'from',
    targets: rows(`select api.compass(22.5 * point) as "from",
  (count(*) filter (where ${speed} < 2))::int as "0.5 to 2 m/s",
  (count(*) filter (where ${speed} >= 2 and ${speed} < 5))::int as "2 to 5 m/s",
  (count(*) filter (where ${speed} >= 5))::int as "5 m/s and more"
from generate_series(0, 15) point
left join api.${view}_hourly b
  on ${isChosen} and $__timeFilter(b.timestamp) and ${speed} >= 0.5
  and api.compass(b.avg_wind_direction) = api.compass(22.5 * point)
group by point
order by point`),
    overrides: [
      fixed('0.5 to 2 m/s', '#96c8f0'),
      fixed('2 to 5 m/s', LINE),
      fixed('5 m/s and more', SECOND),
    ],
  });
}
