import { AN_HOUR_LATER, ARRIVAL, type FormatTable, T } from './table.ts';

const SERIAL = 'ecda3b1eaaaf';

/** As the firmware sends it, and the local server gives it. */
const measures = {
  wifi: -46,
  serialno: SERIAL,
  rco2: 447,
  pm01: 3,
  pm02: 7,
  pm10: 8,
  pm003Count: 442,
  atmp: 25.87,
  rhum: 43,
  boot: 6,
  model: 'I-9PSL',
};

/** As its cloud gives it. */
const cloud = (timestamp: string, pm02: number) => ({
  locationId: 10_001,
  locationName: 'Roof',
  serialno: SERIAL,
  timestamp,
  pm02,
});

export const airgradient: FormatTable = {
  format: 'airgradient',
  samples: [
    {
      what: 'measures without a time, which get the time of their arrival',
      json: measures,
      stored: [
        {
          device: SERIAL,
          time: ARRIVAL,
          pm1: 3,
          pm25_raw: 7,
          pm10: 8,
          temperature: 25.87,
          humidity: 43,
        },
      ],
      ignored: ['wifi', 'rco2', 'pm003Count', 'boot', 'model'],
    },
    {
      what: 'measures that are compensated for their housing',
      json: [{ ...measures, atmpCompensated: 24.47, rhumCompensated: 49 }],
      stored: [
        {
          device: SERIAL,
          time: ARRIVAL,
          pm1: 3,
          pm25_raw: 7,
          pm10: 8,
          temperature: 24.47,
          humidity: 49,
        },
      ],
      ignored: ['wifi', 'rco2', 'pm003Count', 'boot', 'model', 'atmp', 'rhum'],
    },

    {
      what: 'a document of the cloud, whose readings have a time',
      json: [
        {
          ...cloud('2026-11-20T08:00:00.000Z', 7),
          pm01: 3,
          pm10: 8,
          pm02_corrected: 5.5,
          atmp: 25,
          atmp_corrected: 22.1,
          rhum: 43,
          rhum_corrected: 49,
          firmwareVersion: null,
        },
      ],
      stored: [
        {
          device: SERIAL,
          time: T,
          pm1: 3,
          pm25_raw: 7,
          pm25: 5.5,
          pm10: 8,
          temperature: 22.1,
          humidity: 49,
        },
      ],
      ignored: ['locationId', 'locationName', 'firmwareVersion', 'atmp', 'rhum'],
    },
    {
      what: 'a reading of the cloud on each line',
      lines: [
        JSON.stringify({ ...cloud(T, 7), pm10: 8, rhum: 43 }),
        JSON.stringify({ ...cloud(AN_HOUR_LATER, 9), pm10: 10 }),
      ],
      stored: [
        { device: SERIAL, time: T, pm25_raw: 7, pm10: 8, humidity: 43 },
        { device: SERIAL, time: AN_HOUR_LATER, pm25_raw: 9, pm10: 10 },
      ],
      ignored: ['locationId', 'locationName'],
      isMutated: true,
    },
  ],
};
