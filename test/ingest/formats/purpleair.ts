import { AN_HOUR_LATER, type FormatTable, SECONDS, T } from './table.ts';

const MAC = '8:3a:8d:b:a4:fd';

export const purpleair: FormatTable = {
  format: 'purpleair',
  samples: [
    {
      what: 'CSV of the history API',
      lines: [
        'time_stamp,sensor_index,humidity,temperature,pressure,pm1.0_atm,pm2.5_atm,pm10.0_atm',
        `${SECONDS},53,40,103,1013.25,1,2.5,3`,
      ],
      stored: [
        {
          sensor: 53,
          time: T,
          humidity: 40,
          temperature: 39.444,
          pressure: 101_325,
          pm1: 1,
          pm25_raw: 2.5,
          pm10: 3,
        },
      ],
    },
    {
      what: 'JSON of the history API, with a value that is null',
      json: {
        api_version: 'V1.0.14-0.0.58',
        time_stamp: 1_795_170_000,
        sensor_index: 53,
        average: 60,
        fields: ['time_stamp', 'temperature', 'pm2.5_atm', 'pm2.5_cf_1'],
        data: [
          [SECONDS, 41, 2.5, 2.6],
          [SECONDS + 3_600, null, 3.5, 3.6],
        ],
      },
      stored: [
        { sensor: 53, time: T, temperature: 5, pm25_raw: 2.5 },
        { sensor: 53, time: AN_HOUR_LATER, temperature: null, pm25_raw: 3.5 },
      ],
      ignored: ['pm2.5_cf_1'],
    },
    {
      what: 'a file of the SD card',
      lines: [
        'UTCDateTime,mac_address,current_temp_f,current_humidity,pressure,pm2_5_cf_1,pm2_5_atm',
        `2026/11/20T08:00:00z,${MAC},50,40,1000,9,8`,
      ],
      stored: [
        { device: MAC, time: T, temperature: 10, humidity: 40, pressure: 100_000, pm25_raw: 8 },
      ],
      ignored: ['pm2_5_cf_1'],
    },
    {
      what: 'a file of the SD card with two channels: their mean, or the channel that has a number',
      lines: [
        'UTCDateTime,mac_address,current_temp_f,pm1_0_atm,pm2_5_atm,pm10_0_atm,pm1_0_atm_b,pm2_5_atm_b,pm10_0_atm_b',
        `2026/11/20T08:00:00z,${MAC},50,1,8,10,2,9,13`,
        `2026/11/20T09:00:00z,${MAC},50,,8,nan,2,,13`,
      ],
      stored: [
        { device: MAC, time: T, temperature: 10, pm1: 1.5, pm25_raw: 8.5, pm10: 11.5 },
        { device: MAC, time: AN_HOUR_LATER, temperature: 10, pm1: 2, pm25_raw: 8, pm10: 13 },
      ],
    },
    {
      what: 'a file of the SD card whose CF=1 is mapped: the mean of both channels counts, too',
      declared: { column: ['pm25_raw=pm2_5_cf_1'] },
      lines: [
        'UTCDateTime,mac_address,pm2_5_atm,pm2_5_cf_1,pm2_5_atm_b,pm2_5_cf_1_b',
        `2026/11/20T08:00:00z,${MAC},1,8,1,9`,
        `2026/11/20T09:00:00z,${MAC},1,8,1,nan`,
      ],
      stored: [
        { device: MAC, time: T, pm25_raw: 8.5 },
        { device: MAC, time: AN_HOUR_LATER, pm25_raw: 8 },
      ],
      ignored: ['pm2_5_atm', 'pm2_5_atm_b'],
      isNamed: true,
    },
    {
      what: 'JSON with the names of the SD card',
      json: { sensor_index: 53, time_stamp: SECONDS, pm2_5_atm: 8, pm2_5_atm_b: 9 },
      stored: [{ sensor: 53, time: T, pm25_raw: 8.5 }],
    },
    {
      what: 'JSON with the names of the SD card whose CF=1 is mapped',
      declared: { column: ['pm25_raw=pm2_5_cf_1'] },
      json: {
        sensor_index: 53,
        time_stamp: SECONDS,
        pm2_5_cf_1: 8,
        pm2_5_cf_1_b: 9,
        pm2_5_atm: 1,
      },
      stored: [{ sensor: 53, time: T, pm25_raw: 8.5 }],
      ignored: ['pm2_5_atm'],
    },
    {
      what: 'a download of the earlier map',
      declared: { sensor: 53 },
      lines: [
        'created_at,PM1.0_CF1_ug/m3,PM2.5_CF1_ug/m3,Temperature_F,Humidity_%,PM2.5_ATM_ug/m3',
        '2026-11-20 08:00:00 UTC,1,9,50,40,8',
      ],
      stored: [{ sensor: 53, time: T, temperature: 10, humidity: 40, pm25_raw: 8 }],
      ignored: ['PM1.0_CF1_ug/m3', 'PM2.5_CF1_ug/m3'],
    },
    {
      what: 'CSV that does not name its device',
      declared: { device: MAC },
      lines: ['time_stamp,temperature,pm2.5_atm', `${SECONDS},50,7`],
      stored: [{ device: MAC, time: T, temperature: 10, pm25_raw: 7 }],
      isNamed: true,
    },
    {
      what: 'a column of the format that is mapped, and keeps the unit of the format',
      declared: { column: ['temperature=Temperature'] },
      lines: ['time_stamp,sensor_index,temperature', `${SECONDS},53,50`],
      stored: [{ sensor: 53, time: T, temperature: 10 }],
    },
    {
      what: 'CSV of two sensors in our units',
      lines: [
        'time_stamp,sensor_index,humidity,pm1.0_atm,pm2.5_atm',
        `${SECONDS},53,40,1,2.5`,
        `${SECONDS + 3_600},54,41,2,3.5`,
      ],
      stored: [
        { sensor: 53, time: T, humidity: 40, pm1: 1, pm25_raw: 2.5 },
        { sensor: 54, time: AN_HOUR_LATER, humidity: 41, pm1: 2, pm25_raw: 3.5 },
      ],
      isMutated: true,
    },
  ],
};
