/** What a station or a region measured over the chosen time range: panels that both dashboards show. */
import { buckets } from './buckets.ts';
import { AQI_STEPS, EPA, LINE, SECOND } from './colours.ts';
import { band, fixed, unit } from './overrides.ts';
import { barChart, type Panel, timeseries } from './panel.ts';
import type { Place } from './place.ts';
import { rows } from './targets.ts';
import { UNIT } from './units.ts';

const BUCKETS =
  'Hours up to 15 days of time range, days up to 400, months beyond; local days and months, named by their start.';
const EXTREMES = 'Days and months have a band from the lowest to the highest hourly mean in them.';

export function air(place: Place): Panel[] {
  const raw = place.view === 'station' ? { 'PM2.5 as given': 'b.avg_pm25_raw' } : {};
  return [
    timeseries({
      title: 'Air quality index',
      description: `US EPA index of the means of each bucket, in its colours. ${BUCKETS}`,
      w: 12,
      h: 8,
      unit: UNIT.none,
      min: 0,
      draw: 'bars',
      bands: 'value',
      legend: 'hidden',
      steps: AQI_STEPS,
      targets: buckets(place, { AQI: 'b.aqi' }),
    }),
    timeseries({
      title: 'Particles',
      description: `Means of PM1, PM2.5 (corrected where a correction applies${place.view === 'station' ? '; "as given" is before it' : ''}), PM10 and dust. ${BUCKETS}`,
      w: 12,
      h: 8,
      unit: UNIT.concentration,
      decimals: 1,
      legend: 'table',
      targets: buckets(place, {
        PM1: 'b.avg_pm1',
        'PM2.5': 'b.avg_pm25',
        ...raw,
        PM10: 'b.avg_pm10',
        dust: 'b.avg_dust',
      }),
    }),
    timeseries({
      title: 'Gases',
      description: `Means of nitrogen dioxide (ppb, right), sulphur dioxide and ozone. ${BUCKETS}`,
      w: 12,
      h: 8,
      unit: UNIT.concentration,
      decimals: 1,
      targets: buckets(place, { 'NO₂': 'b.avg_no2', 'SO₂': 'b.avg_so2', 'O₃': 'b.avg_o3' }),
      overrides: [unit('NO₂', UNIT.ppb, { 'custom.axisPlacement': 'right' })],
    }),
    timeseries({
      title: 'Radiation and UV',
      description: `Dose rate, and the ultraviolet index (right). ${BUCKETS}`,
      w: 12,
      h: 8,
      unit: UNIT.dose,
      decimals: 2,
      min: 0,
      targets: buckets(place, { 'dose rate': 'b.avg_usvh', 'UV index': 'b.avg_uv' }),
      overrides: [
        fixed('dose rate', LINE),
        fixed('UV index', SECOND, { unit: UNIT.none, decimals: 1, 'custom.axisPlacement': 'right' }),
      ],
    }),
  ];
}

export function weather(place: Place): Panel[] {
  return [
    timeseries({
      title: 'Temperature and its range',
      description: `Mean air temperature. ${EXTREMES} ${BUCKETS}`,
      w: 8,
      h: 8,
      unit: UNIT.celsius,
      decimals: 1,
      targets: buckets(place, {
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
      targets: buckets(place, { humidity: 'b.avg_humidity', pressure: 'b.avg_pressure / 100' }),
      overrides: [
        fixed('humidity', LINE),
        fixed('pressure', SECOND, { unit: UNIT.hectopascal, decimals: 0, 'custom.axisPlacement': 'right' }),
      ],
    }),
    timeseries({
      title: 'Rain',
      description: `Precipitation in each bucket. ${BUCKETS}`,
      w: 8,
      h: 8,
      unit: UNIT.millimetre,
      decimals: 1,
      min: 0,
      draw: 'bars',
      legend: 'hidden',
      targets: buckets(place, { rain: 'b.total_rain' }),
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
      targets: buckets(place, {
        mean: 'b.avg_wind_speed',
        'lowest hour': 'b.min_wind_speed',
        'highest hour': 'b.max_wind_speed',
      }),
      overrides: band('mean', 'lowest hour', 'highest hour'),
    }),
    timeseries({
      title: 'Wind direction',
      description: `Where the wind comes from, clockwise from north: direction of the mean vector. ${BUCKETS}`,
      w: 8,
      h: 8,
      unit: UNIT.degree,
      decimals: 0,
      min: 0,
      max: 360,
      draw: 'points',
      legend: 'hidden',
      targets: buckets(place, { direction: 'b.avg_wind_direction' }),
      overrides: [fixed('direction', LINE)],
    }),
    windRose(place),
  ];
}

/** A rose laid flat: how many hours the wind came from each of the 16 points, by its strength. */
function windRose({ view, isChosen }: Place): Panel {
  const speed = 'b.avg_wind_speed';
  return barChart({
    title: 'Wind rose, laid flat',
    description:
      'Hours of the time range in which the wind came from each of the 16 points of the compass, by mean speed of the hour; calm hours have no direction to speak of and are left out.',
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
    overrides: [fixed('0.5 to 2 m/s', '#96c8f0'), fixed('2 to 5 m/s', LINE), fixed('5 m/s and more', SECOND)],
  });
}

/** Of how many each bucket is the mean. */
export function coverage(
  place: Place,
  { title, what, column }: { title: string; what: string; column: Record<string, string> },
): Panel {
  return timeseries({
    title,
    description: `${what} Hours up to 15 days of time range, days up to 400, months beyond.`,
    w: 24,
    h: 6,
    unit: UNIT.none,
    min: 0,
    draw: 'bars',
    legend: 'hidden',
    steps: [{ color: EPA.good, value: null }],
    targets: buckets(place, column),
  });
}
