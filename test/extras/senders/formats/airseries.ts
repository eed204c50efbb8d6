import { AN_HOUR_LATER, ARRIVAL, type FormatTable, T } from './table.ts';

export const airseries: FormatTable = {
  format: 'airseries',
  samples: [
    {
      what: 'the names and texts of ESPHome, of which nan is no value',
      json: { device: 'roof', pm_1_0: 4, pm_2_5: '5.5', pm_10_0: 6, temperature: 'nan' },
      stored: [{ device: 'roof', time: ARRIVAL, pm1: 4, pm25: 5.5, pm10: 6, temperature: null }],
    },
    {
      what: 'several names of one parameter: the first in our list counts',
      json: { sensor_id: 7, time: T, P2: 3, 'pm2.5': 1, pm2_5: 2 },
      stored: [{ sensor: 7, time: T, pm25: 1 }],
      ignored: ['pm2_5', 'P2'],
    },
    {
      what: 'a column that is declared to be the time, by its other name',
      declared: { column: ['measured_at=when'] },
      lines: ['when,sensor_id,pm25', `${T},7,5`],
      stored: [{ sensor: 7, time: T, pm25: 5 }],
    },

    {
      what: 'the file of a city, with units in its header, its own names and local time',
      declared: {
        column: ['sensor_id=station', 'time=Zeit', 'pm25_ugm3=pm2_5_mean'],
        zone: '+01:00',
      },
      lines: [
        'station;Zeit;NO2 (µg/m³);o3_ppb;pressure [hPa];temp;pm2_5_mean',
        '7;2026-11-20 09:00;19,125;10;1013,2;-1,5;8',
      ],
      stored: [
        { sensor: 7, time: T, no2: 10, o3: 19.957, pressure: 101_320, temperature: -1.5, pm25: 8 },
      ],
    },

    {
      what: 'stamps that name the end of the hour in winter time, and a verdict (S3, S7)',
      declared: { zone: '+01:00', shift: '-1h', only: ['valid=1'] },
      json: [
        { sensor_id: 7, time: '2026-11-20 10:00', pm25: 5, valid: 1 },
        { sensor_id: 7, time: '2026-11-20 10:00', pm25: 6, valid: 0 },
      ],
      stored: [{ sensor: 7, time: T, pm25: 5 }],
      excluded: 1,
    },
    {
      what: 'a message of Tasmota, by the paths to its values, with their units beside (S9)',
      declared: {
        device: 'roof',
        zone: '+01:00',
        column: [
          'temperature=BME280.Temperature',
          'humidity=BME280.Humidity',
          'pressure=BME280.Pressure',
          'pm25=SDS0X1.PM2.5',
          'pm10=SDS0X1.PM10',
        ],
        unit: ['humidity=%', 'pm25=ug/m3', 'pm10=ug/m3'],
      },
      json: {
        Time: '2026-11-20T09:00:00',
        BME280: { Temperature: 50, Humidity: 40.2, Pressure: 1013.2 },
        SDS0X1: { 'PM2.5': 5.5, PM10: 7.7 },
        PressureUnit: 'hPa',
        TempUnit: 'F',
      },
      stored: [
        {
          device: 'roof',
          time: T,
          temperature: 10,
          humidity: 40.2,
          pressure: 101_320,
          pm25: 5.5,
          pm10: 7.7,
        },
      ],
    },

    {
      what: 'a device that is a number above 2^53, which JSON rounds (S7)',
      lines: [`{"device":9007199254740993,"time":"${T}","pm25":5}`],
      stored: [],
      refused: [{ why: 'its device is a number above 2^53' }],
    },
    {
      what: 'a title, a row of units, decimal commas, an empty value and the hour 24 (S7)',
      lines: [
        '# a title',
        'sensor_id;time;pm25;temperature',
        ';;ug/m3;c',
        `1;${T};3,5;-1,5`,
        `2;${T};4;−2`,
        `1;${AN_HOUR_LATER};5;NA`,
        '2;2026-11-19T24:00:00Z;6;7',
      ],
      stored: [
        { sensor: 1, time: T, pm25: 3.5, temperature: -1.5 },
        { sensor: 2, time: T, pm25: 4, temperature: -2 },
        { sensor: 1, time: AN_HOUR_LATER, pm25: 5, temperature: null },
        { sensor: 2, time: '2026-11-20T00:00:00Z', pm25: 6, temperature: 7 },
      ],
      isMutated: true,
    },
  ],
};
