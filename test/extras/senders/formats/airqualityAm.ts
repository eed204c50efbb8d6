import type { FormatTable } from './table.ts';

/** Midnight, noon and the first minutes of a day in Yerevan. */
const MIDNIGHT = '2026-01-31T20:00:00Z';
const FIVE_PAST = '2026-01-31T20:05:00Z';
const NOON = '2026-02-01T08:00:00Z';

export const airqualityAm: FormatTable = {
  format: 'airquality-am',
  samples: [
    {
      what: 'a mean, by the start of its interval (S3)',
      json: {
        sensor_id: 2,
        timestamp: '2026-02-01 13:00:00',
        time_start: '2026-02-01 12:00:00',
        time_end: null,
        'pm2.5': 9,
        'pm2.5_corrected': 5,
        pm10: 10,
      },
      stored: [{ sensor: 2, time: NOON, pm25_raw: 9, pm25: 5, pm10: 10 }],
    },
    {
      what: 'daily means, with the corrected value as PM2.5',
      lines: ['sensor_id,timestamp,avg_pm2.5,avg_temperature', '2,2026-02-01,6.7,'],
      stored: [{ sensor: 2, time: MIDNIGHT, pm25: 6.7, temperature: null }],
    },

    {
      what: 'hourly means, with the corrected value of PM2.5 under its plain name',
      lines: ['sensor_id,timestamp,pm2.5,avg_pm10,total_rain', '2,2026-02-01 12:00:00,6.7,7.7,0.2'],
      stored: [{ sensor: 2, time: NOON, pm25: 6.7, pm10: 7.7, rain: 0.2 }],
    },
    {
      what: 'a list whose first reading has no corrected value',
      json: [
        { sensor_id: 2, timestamp: '2026-02-01 00:00:00', 'pm2.5': 14.3 },
        { sensor_id: 2, timestamp: '2026-02-01 00:05:00', 'pm2.5_corrected': 9.9, 'pm2.5': 14.3 },
      ],
      stored: [
        { sensor: 2, time: MIDNIGHT, pm25_raw: 14.3 },
        { sensor: 2, time: FIVE_PAST, pm25_raw: 14.3, pm25: 9.9 },
      ],
    },

    {
      what: 'measurements of two sensors, one without a corrected value',
      lines: [
        'SET',
        'sensor_id,timestamp,time_start,time_end,pm2.5,pm2.5_corrected,pm10,temperature,pressure,humidity',
        '1,2026-02-01 00:05:00,,,14.2,9.1,20,3.5,90000,40',
        '2,2026-02-01 00:05:00,,,15,,21,3.6,90010,41',
      ],
      stored: [
        {
          ...{ sensor: 1, time: FIVE_PAST, pm25_raw: 14.2, pm25: 9.1, pm10: 20 },
          ...{ temperature: 3.5, pressure: 90_000, humidity: 40 },
        },
        {
          ...{ sensor: 2, time: FIVE_PAST, pm25_raw: 15, pm25: null, pm10: 21 },
          ...{ temperature: 3.6, pressure: 90_010, humidity: 41 },
        },
      ],
      isMutated: true,
    },
  ],
};
