import { AN_HOUR_LATER, type FormatTable, T } from './table.ts';

const EUI = '0101010101010101';

const uplink = {
  time: T,
  deviceInfo: { deviceName: 'roof', devEui: EUI, tags: {} },
  fCnt: 6,
  fPort: 1,
  data: 'AAE=',
  rxInfo: [],
  object: { pm25: 7.5, temp_f: 50 },
};
const join = { time: T, deviceInfo: { devEui: EUI }, devAddr: '1' };
const withoutCodec = { time: T, deviceInfo: { devEui: EUI }, fPort: 1, data: 'AAE=' };

export const chirpstack: FormatTable = {
  format: 'chirpstack',
  samples: [
    {
      what: 'an uplink and a join, which is no reading; a name that is mapped is one of the payload',
      declared: { column: ['pm10_ugm3=fPort'] },
      json: [join, { ...uplink, object: { ...uplink.object, fPort: 9 } }],
      stored: [{ device: EUI, time: T, pm25: 7.5, temperature: 10, pm10: 9 }],
    },
    {
      what: 'an uplink that no codec has decoded',
      json: withoutCodec,
      stored: [],
      refused: [{ why: 'no codec is set, so it has no object: set one in ChirpStack' }],
    },
    {
      what: 'an uplink on each line',
      lines: [
        JSON.stringify({ ...uplink, object: { pm25: 7.5, humidity: 80 } }),
        JSON.stringify({ ...uplink, time: AN_HOUR_LATER, object: { pm25: 8.5 } }),
      ],
      stored: [
        { device: EUI, time: T, pm25: 7.5, humidity: 80 },
        { device: EUI, time: AN_HOUR_LATER, pm25: 8.5 },
      ],
      isMutated: true,
    },
  ],
};
