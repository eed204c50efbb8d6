import { AN_HOUR_LATER, type FormatTable, SECONDS, T } from './table.ts';

/** The end of the five minutes that begin at T. */
const END = SECONDS + 300;
const HEADER =
  'dateTime,usUnits,interval,pressure,outTemp,outHumidity,windSpeed,windDir,rain,pm2_5';
const AT_T = { device: 'wx', time: T };
const SAME = { ...AT_T, temperature: 5, humidity: 84, wind_direction: 270, pm25: 12 };

/** A packet of the station, as extensions post it. */
const packet = {
  dateTime: SECONDS,
  usUnits: 1,
  outTemp: 41,
  inTemp: 71.6,
  barometer: 30.1,
  pressure: 29.53,
  windSpeed: 10,
  windDir: null,
  UV: 2.5,
  pm1_0: 4,
  pm2_5: 5,
  pm10_0: 6,
};

export const weewx: FormatTable = {
  format: 'weewx',
  samples: [
    {
      what: 'rows of the archive, each in the units that it names, at the start of its interval (S3, S9)',
      declared: { device: 'wx' },
      lines: [
        HEADER,
        `${END},1,5,29.53,41,84,10,270,0.01,12`,
        `${END + 3_600},16,5,1000.0,5,84,18,270,0.0254,12`,
        `${END + 7_800},17,15,1000.0,5,84,4.5,270,0.3,12`,
      ],
      stored: [
        { ...SAME, pressure: 100_000.07, wind_speed: 4.47, rain: 0.254 },
        { ...SAME, time: AN_HOUR_LATER, pressure: 100_000, wind_speed: 5, rain: 0.254 },
        { ...SAME, time: '2026-11-20T10:00:00Z', pressure: 100_000, wind_speed: 4.5, rain: 0.3 },
      ],
    },
    {
      what: 'a packet, which is of an instant; its inside and its pressure at sea level are not used',
      declared: { device: 'wx' },
      json: packet,
      stored: [
        {
          ...AT_T,
          temperature: 5,
          pressure: 100_000.07,
          wind_speed: 4.47,
          wind_direction: null,
          uv: 2.5,
          pm1: 4,
          pm25: 5,
          pm10: 6,
        },
      ],
      ignored: ['inTemp', 'barometer'],
    },
    {
      what: 'a record of the archive as JSON, with its device and numbers in texts',
      json: { device: 'wx', dateTime: `${END}.0`, usUnits: '17.0', interval: '5', outTemp: '4.5' },
      stored: [{ ...AT_T, temperature: 4.5 }],
    },
    {
      what: 'columns that are mapped, in the units of the row (S9)',
      declared: { device: 'wx', column: ['temperature=extraTemp1', 'wind_speed=windGust'] },
      lines: [
        'dateTime,usUnits,interval,outTemp,extraTemp1,windSpeed,windGust',
        `${END},16,5,1,5,1,18`,
      ],
      stored: [{ ...AT_T, temperature: 5, wind_speed: 5 }],
      ignored: ['outTemp', 'windSpeed'],
    },
    {
      what: 'a declared unit, which counts in each row; the number that says another is not used (S9)',
      declared: { device: 'wx', unit: ['temperature=c'] },
      lines: ['dateTime,usUnits,interval,outTemp,pm2_5', `${END},1,5,5,12`],
      stored: [{ ...AT_T, temperature: 5, pm25: 12 }],
      ignored: ['usUnits'],
    },
    {
      what: 'units that no number says, which are never taken for ours (S9)',
      declared: { device: 'wx' },
      lines: [
        'dateTime,usUnits,interval,outTemp,outHumidity',
        `${END},2,5,5,84`,
        `${END + 3_600},,5,5,84`,
      ],
      stored: [],
      refused: [{ why: '"usUnits 2" stands where outTemp says its unit' }],
    },
    {
      what: 'an interval that is no number of minutes',
      declared: { sensor: 52 },
      lines: [
        'dateTime,usUnits,interval,pm2_5',
        `${END},17,5,12`,
        `${END + 300},17,,12`,
        `${END + 600},17,0,12`,
        `${END + 900},17,2881,12`,
      ],
      stored: [{ sensor: 52, time: T, pm25: 12 }],
      refused: [1, 2, 3].map(() => ({ sensor: 52, why: 'whose minutes are not a number' })),
    },
    {
      // a changed number of usUnits would change the units of others
      what: 'CSV of two sensors, whose values have the same units in all systems',
      lines: [
        'sensor_id,dateTime,usUnits,interval,outHumidity,pm2_5',
        `52,${END},17,5,45,12.5`,
        `53,${END + 3_600},17,5,55,-1.5`,
      ],
      stored: [
        { sensor: 52, time: T, humidity: 45, pm25: 12.5 },
        { sensor: 53, time: AN_HOUR_LATER, humidity: 55, pm25: -1.5 },
      ],
      isMutated: true,
    },
  ],
};
