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

const PARTICLES = { device: SERIAL, time: ARRIVAL, pm1: 3, pm25_raw: 7, pm10: 8 };

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
      stored: [{ ...PARTICLES, temperature: 25.87, humidity: 43 }],
      ignored: ['wifi', 'rco2', 'pm003Count', 'boot', 'model'],
    },
    {
      what: 'measures that are compensated for their housing',
      json: [{ ...measures, atmpCompensated: 24.47, rhumCompensated: 49 }],
      stored: [{ ...PARTICLES, temperature: 24.47, humidity: 49 }],
      ignored: ['wifi', 'rco2', 'pm003Count', 'boot', 'model', 'atmp', 'rhum'],
    },

    {
      what: 'readings of the cloud, which have a time, one on each line',
      lines: [
        JSON.stringify({
          ...cloud('2026-11-20T08:00:00.000Z', 7),
          ...{ pm01: 3, pm10: 8, pm02_corrected: 5.5, firmwareVersion: null },
          ...{ atmp: 25, atmp_corrected: 22.1, rhum: 43, rhum_corrected: 49 },
        }),
        JSON.stringify({ ...cloud(AN_HOUR_LATER, 9), pm10: 10, rhum: 43 }),
      ],
      stored: [
        {
          ...{ device: SERIAL, time: T, pm1: 3, pm25_raw: 7, pm25: 5.5, pm10: 8 },
          ...{ temperature: 22.1, humidity: 49 },
        },
        { device: SERIAL, time: AN_HOUR_LATER, pm25_raw: 9, pm10: 10, humidity: 43 },
      ],
      ignored: ['locationId', 'locationName', 'firmwareVersion', 'atmp', 'rhum'],
      isMutated: true,
    },
  ],
};
