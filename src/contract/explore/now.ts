/** The documents on now: trend, NowCast, the European index, and what is behind the values. */
import { z } from 'zod';
import { aqi, field, instant, measured } from '../fields.ts';

/** The bands of the European index, worst last (X1). */
export const BANDS = ['good', 'fair', 'moderate', 'poor', 'very poor', 'extremely poor'] as const;
export type Band = (typeof BANDS)[number];
export const band = z.enum(BANDS).nullable();

const nowcast = z
  .strictObject({
    'pm2.5': measured('pm25', 'NowCast of the last 12 closed hours'),
    pm10: measured('pm10', 'NowCast of the last 12 closed hours, a whole number'),
    aqi,
    hours: field(
      z.int().min(0).max(12),
      'how many of the last 12 closed hours have PM2.5 or PM10',
      'hours',
    ),
  })
  .meta({
    id: 'NowCast',
    description: 'recent hours weigh more, the more the air changes; null without enough of them',
  });

/** The pollutants of the European index, by their keys. */
export type Pollutant = keyof (typeof pollutants)['shape'];
const pollutants = z
  .strictObject({
    'pm2.5': field(band, 'band of PM2.5'),
    pm10: field(band, 'band of PM10'),
    o3: field(band, 'band of ozone'),
    no2: field(band, 'band of nitrogen dioxide'),
    so2: field(band, 'band of sulphur dioxide'),
  })
  .meta({
    id: 'EuropeanBands',
    description: 'bands of the European index, null where there is no value',
  });
export const pollutant = pollutants.keyof();

const values = z
  .strictObject({
    'pm2.5': measured('pm25', 'mean of that hour'),
    pm10: measured('pm10', 'mean of that hour'),
    o3: measured('o3', 'mean of that hour'),
    no2: measured('no2', 'mean of that hour'),
    so2: measured('so2', 'mean of that hour'),
  })
  .meta({ id: 'EuropeanValues', description: 'means behind the European index, as published' });

/** As the index rounds a mean before it looks for the band. */
export const concentration = (how: string) =>
  field(
    z.int().min(0).nullable(),
    `${how}, rounded to whole µg/m³ as the European index does`,
    'µg/m³',
  );
const concentrations = z
  .strictObject({
    'pm2.5': concentration('PM2.5'),
    pm10: concentration('PM10'),
    o3: concentration('ozone'),
    no2: concentration('nitrogen dioxide, converted from ppb'),
    so2: concentration('sulphur dioxide'),
  })
  .meta({
    id: 'EuropeanConcentrations',
    description: 'means behind the European index, as it rounds them',
  });

const europeanHour = z
  .strictObject({
    timestamp: field(instant, 'start of the hour'),
    pollutants: field(pollutants, 'the band of each pollutant'),
  })
  .meta({ id: 'EuropeanHour', description: 'the bands of an hour' });

const europeanIndex = z
  .strictObject({
    index: field(
      band,
      'European air quality index of the last closed hour: the worst of its pollutants',
    ),
    timestamp: field(instant.nullable(), 'start of that hour; null without an index'),
    pollutants: field(pollutants, 'the band of each pollutant'),
    values: field(values, 'the mean of each pollutant in that hour'),
    concentrations: field(concentrations, 'the same in whole µg/m³'),
    hours: field(
      z.array(europeanHour).max(24),
      'those of the last 24 closed hours that have an index, in the order of time',
    ),
  })
  .meta({ id: 'EuropeanIndex', description: 'the European air quality index and its pollutants' });

const completeness = z
  .strictObject({
    measured_hours: field(z.int().min(0).max(24), 'hours with PM2.5', 'hours'),
    expected_hours: field(
      z.int().min(0).max(24),
      'hours from the first with readings on: 24 after a day',
      'hours',
    ),
  })
  .meta({ id: 'Completeness', description: 'how complete the last 24 closed hours are' });

const TRENDS = ['rising', 'falling', 'steady'] as const;
export const trend = field(
  z.enum(TRENDS).nullable(),
  'trend of PM2.5: rising or falling if the mean of the last closed hour differs from the mean of the three hours before it by at least 3 µg/m³ and at least 10 %, or if each of the last six differs from the hour before it in one direction, by at least 1 µg/m³ and 10 % in all; else steady; null without the last hour, or with fewer than two of the three',
);

const indices = {
  trend,
  nowcast: field(nowcast, 'NowCast of PM2.5 and PM10'),
  european_index: field(europeanIndex, 'the European index, which counts gases'),
};
const particles = z
  .strictObject({
    stations: field(z.int().min(0).nullable(), 'number of stations in the mean', 'stations'),
    left_out: field(
      z.int().min(0).nullable(),
      'number of stations left out because their particles are suspect',
      'stations',
    ),
    expected: field(
      z.int().min(0).nullable(),
      'number of stations that measured particles in the last 30 days, offline ones too',
      'stations',
    ),
  })
  .meta({
    id: 'RegionParticles',
    description: 'the stations behind PM2.5 and PM10 of now; null without current values',
  });
export const regionNow = z
  .strictObject({
    ...indices,
    particles: field(particles, 'the stations behind PM2.5 and PM10 of now'),
  })
  .meta({
    id: 'RegionNow',
    description:
      'indices of a region besides the AQI, and the number of stations behind its PM values',
  });
export const stationNow = z
  .strictObject({ ...indices, completeness: field(completeness, 'hours measured and expected') })
  .meta({
    id: 'StationNow',
    description: 'indices of a station besides the AQI, and the completeness of its data',
  });
