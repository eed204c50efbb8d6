/**
 * The paths and schemas of the documents that the front page uses beyond the five endpoints, and
 * that any client may use: indices of now, days of a year, all months, hours as CSV, and the
 * readings or stations that an hour was made of.
 */
import { z } from 'zod';
import { ENDPOINTS, type Endpoint } from './endpoints.ts';
import { aqi, field, instant, measured, parameter } from './fields.ts';
import { regionDay, regionHour, stationDay, stationHour } from './history.ts';
import { keyOf, PARAMETERS, type ParameterName } from './parameters.ts';

const BASE_PATH = '/{locale}/explore/v1';

/** The most days of hours in one CSV file. */
export const MAX_CSV_DAYS = 400;

const BANDS = ['good', 'fair', 'moderate', 'poor', 'very poor', 'extremely poor'] as const;
const band = z.enum(BANDS).nullable();

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

const europeanIndex = z
  .strictObject({
    index: field(
      band,
      'European air quality index of the last closed hour: the worst of its pollutants',
    ),
    timestamp: field(instant.nullable(), 'start of that hour; null without an index'),
    pollutants: field(pollutants, 'the band of each pollutant'),
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
const trend = field(
  z.enum(TRENDS).nullable(),
  'trend of PM2.5: rising or falling if the mean of the last closed hour differs from the mean of the three hours before it by at least 3 µg/m³ and at least 10 %, else steady; null without the last hour, or with fewer than two of the three',
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
const regionNow = z
  .strictObject({
    ...indices,
    particles: field(particles, 'the stations behind PM2.5 and PM10 of now'),
  })
  .meta({
    id: 'RegionNow',
    description:
      'indices of a region besides the AQI, and the number of stations behind its PM values',
  });
const stationNow = z
  .strictObject({ ...indices, completeness: field(completeness, 'hours measured and expected') })
  .meta({
    id: 'StationNow',
    description: 'indices of a station besides the AQI, and the completeness of its data',
  });

/** The parameters that a condition selects, each under its key in documents. */
function values(how: string, isWanted: (kind: string) => boolean = () => true) {
  const wanted = PARAMETERS.filter(({ kind }) => isWanted(kind));
  return Object.fromEntries(
    wanted.map(({ name }: { name: ParameterName }) => [keyOf(name), measured(name, how)]),
  );
}

const component = z.number().nullable();

const exact = z
  .strictObject({
    timestamp: field(instant, 'start of the hour'),
    ...values('mean of the hour, not rounded', (kind) => kind === 'mean'),
    wind_sin: field(component, 'mean of the sines of the wind directions', null),
    wind_cos: field(component, 'mean of the cosines of the wind directions', null),
    rain: measured('rain', 'sum of the hour, not rounded'),
  })
  .meta({ id: 'ExactBucket', description: 'an hour as stored, before rounding' });

const year = field(z.int(), 'the year in the path', null);

const ofHours = z.int().min(0);
const counts = z
  .strictObject(
    Object.fromEntries(
      Object.keys(exact.shape)
        .filter((key) => key !== 'timestamp' && key !== 'rain')
        .map((key) => [key, field(ofHours, 'number of hours in this mean', 'hours')]),
    ),
  )
  .meta({
    id: 'HourCounts',
    description: 'hours behind each daily mean; monthly means weight days by them',
  });

/**
 * A day of a history with its completeness (A11): a parameter has `hours` of `expected_hours`, and
 * the day is marked below 75 %.
 */
export const withHours = <Day extends z.ZodRawShape>(day: z.ZodObject<Day>) =>
  day.extend({
    hours: field(counts, 'the numbers of its hours'),
    expected_hours: field(
      ofHours,
      'hours of the day, of the first one from the first hour with readings on',
      'hours',
    ),
  });

const days = (subject: 'Station' | 'Region', day: z.ZodObject) => {
  const description = 'a completed day, and the number of hours behind each of its means';
  const one = withHours(day).meta({ id: `${subject}DayWithHours`, description });
  return z
    .strictObject({
      year,
      days: field(z.array(one).max(366), 'completed days with readings, in the order of time'),
    })
    .meta({ id: `${subject}Days`, description: 'the completed days of a local year' });
};

const measuredHours = z
  .strictObject({
    timestamp: field(instant, 'start of the bucket'),
    hours: field(counts, 'the numbers of its hours'),
    expected_hours: field(
      ofHours,
      'hours in the bucket; for the first and the current one, hours possible so far',
      'hours',
    ),
  })
  .meta({
    id: 'MeasuredHours',
    description: 'how many hours of a day or month have a value of each parameter',
  });
const months = (subject: 'Station' | 'Region') => {
  const month = z
    .strictObject({
      timestamp: field(instant, 'start of the month'),
      avg_pm25: measured('pm25', 'mean of the hours in the month'),
      aqi,
      measured_hours: field(
        ofHours,
        'closed hours with the pollutant behind the index: PM2.5, or PM10 where its index is the higher',
        'hours',
      ),
      expected_hours: field(
        ofHours,
        'hours in the month; for the first and the current one, closed hours possible so far (0 until one has closed)',
        'hours',
      ),
    })
    .meta({ id: `${subject}MonthOfRecord`, description: 'a month, its index and completeness' });
  return z
    .strictObject({
      months: field(z.array(month), 'months with readings, in the order of time'),
    })
    .meta({
      id: `${subject}Months`,
      description: 'all months since the first, the current one included',
    });
};
const completenessOf = (subject: 'Station' | 'Region') =>
  z
    .strictObject({
      days: field(z.array(measuredHours).max(30), 'the last 30 completed days, as in the history'),
      months: field(z.array(measuredHours).max(24), 'the last 24 months, as in the history'),
    })
    .meta({
      id: `${subject}Completeness`,
      description: 'how complete the days and months of the history are',
    });

/**
 * The limits of the EU from 2030, for a year and a day [µg/m³]: Directive (EU) 2024/2881, Annex I.
 */
export const EU_LIMITS = {
  'pm2.5': { year: 10, day: 25 },
  pm10: { year: 20, day: 45 },
  no2: { year: 20, day: 50 },
} as const;

const againstLimit = (name: keyof typeof EU_LIMITS) =>
  z
    .strictObject({
      mean: field(
        z.number().nullable(),
        `mean of the days; the limit of a year is ${EU_LIMITS[name].year} µg/m³`,
        'µg/m³',
      ),
      days: field(
        z.int().min(0).max(365),
        'days with a value among the last 365 completed',
        'days',
      ),
      days_above: field(
        z.int().min(0).max(365),
        `days above the limit of a day, ${EU_LIMITS[name].day} µg/m³`,
        'days',
      ),
    })
    .meta({
      id: `EuLimit_${name.replace('.', '')}`,
      description: 'a pollutant against the limits of the EU from 2030',
    });
const regionLimits = z
  .strictObject({
    'pm2.5': field(againstLimit('pm2.5'), 'PM2.5'),
    pm10: field(againstLimit('pm10'), 'PM10'),
    no2: field(againstLimit('no2'), 'nitrogen dioxide, converted to µg/m³'),
  })
  .meta({
    id: 'RegionLimits',
    description: 'the last 365 completed days against the limits of the EU from 2030',
  });

const reading = z
  .strictObject({
    time: field(instant, 'time of measurement; for a mean, the start of its interval'),
    ...values('as stored, in single precision'),
  })
  .meta({
    id: 'Reading',
    description: 'what a sensor measured; before computing, round to single precision',
  });

const sensorReadings = z
  .strictObject({
    id: field(z.int().min(1), 'sensor id', null),
    formula: field(
      z.string().nullable(),
      'formula that corrects its PM2.5 in the mean of the station',
    ),
    mean: field(
      exact.nullable(),
      'hour of the sensor, from which the hour of the station is computed',
    ),
    readings: field(z.array(reading), 'its readings in the order of time'),
  })
  .meta({
    id: 'SensorReadings',
    description: 'a sensor that stood at the station for the whole hour',
  });

const readings = z
  .strictObject({
    timestamp: field(instant, 'start of the hour'),
    hour: field(stationHour.nullable(), 'the hour; null until it has closed, or without readings'),
    sensors: field(
      z.array(sensorReadings),
      'the sensors that it was made of; none until it has closed',
    ),
    station: field(exact.nullable(), 'the hour before rounding'),
    kept: field(z.boolean(), 'whether readings of that hour are still kept'),
    complete: field(z.boolean(), 'whether these are all readings: at most 5,000 are shown'),
  })
  .meta({
    id: 'StationReadings',
    description: 'an hour of a station, and the readings that it was made of',
  });

const stationOfRegion = z
  .strictObject({
    id: field(z.int().min(1), 'station id', null),
    is_bad_thp: field(z.boolean(), 'whether its temperature, humidity and pressure are left out'),
    is_bad_pm: field(z.boolean(), 'whether its PM1, PM2.5 and PM10 are left out'),
    mean: field(exact, 'hour of the station'),
  })
  .meta({
    id: 'StationOfRegion',
    description: 'a station that belonged to the region in the hour, and measured',
  });

const stationsOfHour = z
  .strictObject({
    timestamp: field(instant, 'start of the hour'),
    hour: field(regionHour.nullable(), 'the hour; null until it has closed, or without readings'),
    stations: field(
      z.array(stationOfRegion),
      'the stations that it was made of; none until it has closed',
    ),
    region: field(exact.nullable(), 'the hour before rounding'),
    complete: field(z.boolean(), 'whether these are all stations: at most 1,000 are shown'),
  })
  .meta({
    id: 'RegionStations',
    description: 'an hour of a region, and the hours of stations that it was made of',
  });

const id = z.int().min(1);
const pm25 = parameter('pm25').unit;
const flag = z
  .strictObject({
    kind: field(
      z.enum(['thp', 'pm']),
      'what regions leave out: temperature, humidity and pressure, or particles',
    ),
    test: field(z.string(), 'what it failed, or operator'),
    sensor_id: field(
      id.nullable(),
      'the sensor that failed it; null for particles and of the operator',
      null,
    ),
    since: field(instant.nullable(), 'start; null: always'),
    until: field(instant.nullable(), 'end, exclusive; null: it goes on'),
    'pm2.5': field(
      z.number().nullable(),
      'PM2.5 of its first suspect hour; null for other kinds and of the operator',
      pm25,
    ),
    median: field(z.number().nullable(), 'median of the neighbours in that hour', pm25),
    compared_with: field(
      z.array(
        z.strictObject({
          id: field(id, 'sensor id, or station id of a neighbour', null),
          'pm2.5': measured('pm25', 'mean of the hour'),
        }),
      ),
      'for test sensors the sensors of each kind that differs in itself (their means of 24 hours where only these differ), for test outlier the neighbours within 10 km',
    ),
  })
  .meta({ id: 'Flag', description: 'a period in which a station was flagged (C5, C9)' });

const sensorAt = z
  .strictObject({
    sensor_id: field(id, 'sensor id', null),
    station_id: field(id, 'station id', null),
  })
  .meta({ id: 'SensorAtStation', description: 'a sensor and where it stands' });
const pair = z
  .strictObject({
    x: field(sensorAt, 'the sensor at a trusted station, else the one with the lower id'),
    y: field(sensorAt, 'the other one'),
    days: field(
      z.int().min(1).max(30),
      'of the last 30 completed days, those with 18 hours of both',
      'days',
    ),
    slope: field(
      z.number().nullable(),
      'slope of the regression of y on x; null without two different days',
      null,
    ),
    intercept: field(z.number().nullable(), 'its intercept', pm25),
    r2: field(z.number().nullable(), 'its coefficient of determination', null),
    rmse: field(z.number(), 'root mean square of the differences', pm25),
    meets_targets: field(
      z.boolean().nullable(),
      "whether all four meet the US EPA's targets for PM2.5 sensors",
    ),
  })
  .meta({
    id: 'SensorPair',
    description: 'how two PM2.5 sensors at one station, or within 150 m, agree in day means',
  });

const flags = z
  .strictObject({
    flags: field(z.array(flag), 'newest first'),
    pairs: field(z.array(pair), 'its sensors beside others'),
  })
  .meta({ id: 'StationFlags', description: 'how far the numbers of a station can be trusted' });

const neighbours = z
  .strictObject({
    neighbours: field(
      z
        .array(
          z
            .strictObject({
              id: field(id, 'station id', null),
              distance_km: field(z.number().min(0), 'distance on the globe', 'km'),
            })
            .meta({ id: 'Neighbour', description: 'a station near another one' }),
        )
        .max(5),
      'the nearest listed stations, the nearest first',
    ),
  })
  .meta({ id: 'StationNeighbours', description: 'the listed stations nearest to a station' });

const CSV = { answer: z.string(), media: 'text/csv' } as const;
const CSV_SUMMARY = `as CSV, from one local date to another, both included, at most ${MAX_CSV_DAYS} days`;

export const EXPLORE = {
  stationNow: {
    path: `${BASE_PATH}/station/{id}/now.json`,
    summary: 'trend, NowCast and the European index of one station',
    answer: stationNow,
  },
  stationFlags: {
    path: `${BASE_PATH}/station/{id}/flags.json`,
    summary: 'flags of one station, and how its sensors agree',
    answer: flags,
  },
  stationNeighbours: {
    path: `${BASE_PATH}/station/{id}/neighbours.json`,
    summary: 'the stations nearest to one station',
    answer: neighbours,
  },
  regionNow: {
    path: `${BASE_PATH}/region/{slug}/now.json`,
    summary: 'trend, NowCast and the European index of one region',
    answer: regionNow,
  },
  stationDays: {
    path: `${BASE_PATH}/station/{id}/days/{year}.json`,
    summary: 'days of one station in a year',
    answer: days('Station', stationDay),
  },
  regionDays: {
    path: `${BASE_PATH}/region/{slug}/days/{year}.json`,
    summary: 'days of one region in a year',
    answer: days('Region', regionDay),
  },
  stationMonths: {
    path: `${BASE_PATH}/station/{id}/months.json`,
    summary: 'all months of one station',
    answer: months('Station'),
  },
  regionMonths: {
    path: `${BASE_PATH}/region/{slug}/months.json`,
    summary: 'all months of one region',
    answer: months('Region'),
  },
  stationCompleteness: {
    path: `${BASE_PATH}/station/{id}/completeness.json`,
    summary: 'how many hours of its days and months one station has measured',
    answer: completenessOf('Station'),
  },
  regionCompleteness: {
    path: `${BASE_PATH}/region/{slug}/completeness.json`,
    summary: 'how many hours of its days and months one region has measured',
    answer: completenessOf('Region'),
  },
  regionLimits: {
    path: `${BASE_PATH}/region/{slug}/limits.json`,
    summary: 'one region against the limits of the EU from 2030',
    answer: regionLimits,
  },
  stationReadings: {
    path: `${BASE_PATH}/station/{id}/readings/{hour}.json`,
    summary: 'readings of one station in an hour',
    answer: readings,
  },
  regionStations: {
    path: `${BASE_PATH}/region/{slug}/stations/{hour}.json`,
    summary: 'hours of the stations of one region',
    answer: stationsOfHour,
  },
  stationCsv: {
    path: `${BASE_PATH}/station/{id}/hours/{from}/{to}.csv`,
    summary: `hours of one station ${CSV_SUMMARY}`,
    ...CSV,
  },
  regionCsv: {
    path: `${BASE_PATH}/region/{slug}/hours/{from}/{to}.csv`,
    summary: `hours of one region ${CSV_SUMMARY}`,
    ...CSV,
  },
} as const satisfies Record<string, Endpoint>;

export type ExploreName = keyof typeof EXPLORE;
export type ExploreAnswer<Name extends ExploreName> = z.infer<(typeof EXPLORE)[Name]['answer']>;

/** In the order in which they are matched. */
export const ALL_ENDPOINTS: Readonly<Record<string, Endpoint>> = { ...ENDPOINTS, ...EXPLORE };

/** The header of hours as CSV: the names of the current values. The lines are written in SQL. */
export const CSV_HEADERS = {
  station: csvHeader('station_id', stationHour),
  region: csvHeader('city_slug', regionHour),
};

function csvHeader(id: string, { shape }: z.ZodObject): string {
  return [id, ...Object.keys(shape).map((key) => keyOf(key.replace(/^(avg|total)_/, '')))].join();
}
