import { AN_HOUR_LATER, type FormatTable, SECONDS, T } from './table.ts';

const MAC = '8:3a:8d:b:a4:fd';

/** As `/v1/sensors/53` gives it. */
const ofOne = (sensor: object) => ({
  api_version: 'V1.2.0-1.1.45',
  time_stamp: SECONDS + 7_260,
  data_time_stamp: SECONDS + 7_200,
  sensor: {
    sensor_index: 53,
    name: 'Roof',
    location_type: 0,
    humidity: 40,
    humidity_a: 41,
    temperature: 103,
    pressure: 1000.2,
    'pm1.0_atm': 6.1,
    'pm2.5': 9.5,
    'pm2.5_atm': 9.4,
    'pm2.5_cf_1': 9.6,
    'pm2.5_atm_a': 9.2,
    'pm10.0_atm': 9.9,
    stats: { 'pm2.5': 9.5, 'pm2.5_60minute': 6.6, time_stamp: SECONDS },
    ...sensor,
  },
});

const NO_TIME = 'it does not say when it was measured: add last_seen to the fields in its address';

/** As the device gives it at `/json`, shortened. */
const ofDevice = {
  SensorId: MAC,
  DateTime: '2026/11/20T08:00:00z',
  Geo: 'PurpleAir-9d3',
  Id: 57_139,
  place: 'outside',
  version: '7.02',
  uptime: 683_681,
  hardwarediscovered: '2.0+BME280+BME68X+PMSX003-B+PMSX003-A',
  current_temp_f: 50,
  current_humidity: 35,
  current_dewpoint_f: 40,
  pressure: 1022.92,
  current_temp_f_680: 49,
  'pm2.5_aqi_b': 21,
  pm1_0_atm_b: 3,
  pm2_5_cf_1_b: 7,
  pm2_5_atm_b: 5,
  pm10_0_atm_b: 6,
  'pm2.5_aqi': 21,
  pm1_0_atm: 2,
  pm2_5_cf_1: 7,
  pm2_5_atm: 4,
  pm10_0_atm: 5,
  response_date: SECONDS + 60,
};

export const purpleair: FormatTable = {
  format: 'purpleair',
  samples: [
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
      what: 'JSON of one sensor, at the time when it was last seen',
      json: ofOne({ last_seen: SECONDS }),
      stored: [
        {
          sensor: 53,
          time: T,
          humidity: 40,
          temperature: 39.444,
          pressure: 100_020,
          pm1: 6.1,
          pm25_raw: 9.4,
          pm10: 9.9,
        },
      ],
    },
    {
      what: 'JSON of one sensor without last_seen',
      json: ofOne({}),
      stored: [],
      refused: [{ why: NO_TIME }],
    },
    {
      what: 'JSON of several sensors, of which one was seen an hour later',
      json: {
        api_version: 'V1.2.0-1.1.45',
        time_stamp: SECONDS + 7_260,
        data_time_stamp: SECONDS + 7_200,
        location_type: 0,
        max_age: 604_800,
        firmware_default_version: '7.02',
        fields: ['sensor_index', 'last_seen', 'humidity', 'temperature', 'pm2.5_atm'],
        data: [
          [53, SECONDS, 40, 50, 2.5],
          [54, SECONDS + 3_600, null, 41, 3.5],
        ],
      },
      stored: [
        { sensor: 53, time: T, humidity: 40, temperature: 10, pm25_raw: 2.5 },
        { sensor: 54, time: AN_HOUR_LATER, humidity: null, temperature: 5, pm25_raw: 3.5 },
      ],
    },

    {
      what: 'what the device itself gives at /json: the mean of its two channels',
      json: ofDevice,
      stored: [
        {
          device: MAC,
          time: T,
          temperature: 10,
          humidity: 35,
          pressure: 102_292,
          pm1: 2.5,
          pm25_raw: 4.5,
          pm10: 5.5,
        },
      ],
      ignored: [
        ...['Geo', 'Id', 'place', 'version', 'uptime', 'hardwarediscovered'],
        ...['current_dewpoint_f', 'current_temp_f_680', 'pm2.5_aqi', 'pm2.5_aqi_b'],
        ...['pm2_5_cf_1', 'pm2_5_cf_1_b', 'response_date'],
      ],
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
      declared: {
        column: ['pm25_raw=pm2_5_cf_1', 'temperature=current_temp_f'],
        unit: ['pm25_raw=ug/m3'],
      },
      lines: [
        'UTCDateTime,mac_address,current_temp_f,pm2_5_atm,pm2_5_cf_1,pm2_5_atm_b,pm2_5_cf_1_b',
        `2026/11/20T08:00:00z,${MAC},50,1,8,1,9`,
        `2026/11/20T09:00:00z,${MAC},50,1,8,1,nan`,
      ],
      stored: [
        { device: MAC, time: T, temperature: 10, pm25_raw: 8.5 },
        { device: MAC, time: AN_HOUR_LATER, temperature: 10, pm25_raw: 8 },
      ],
      ignored: ['pm2_5_atm', 'pm2_5_atm_b'],
      isNamed: true,
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
