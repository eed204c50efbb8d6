import { AN_HOUR_LATER, type FormatTable, T } from './table.ts';

/** `field1`, `field2` and so on, as they stand in a channel and in its entries. */
const fields = (given: readonly (string | null)[]) =>
  Object.fromEntries(given.map((one, n) => [`field${n + 1}`, one]));

const channel = (...names: string[]) => ({
  id: 1_146_562,
  name: 'Roof',
  latitude: '0.0',
  longitude: '0.0',
  ...fields(names),
  created_at: '2020-09-15T16:03:29Z',
  updated_at: '2020-09-15T16:03:30Z',
  last_entry_id: 8_648,
});
const entry = (created_at: string, ...values: (string | null)[]) => ({
  ...{ created_at, entry_id: 1 },
  ...fields(values),
});
const device = '1146562';

export const thingspeak: FormatTable = {
  format: 'thingspeak',
  samples: [
    {
      what: 'a channel that says the units of its fields',
      json: {
        channel: channel('PM2.5 (mg/m3)', 'Temperature (°F)', 'Pressure (hPa)', 'RSSI'),
        feeds: [
          entry(T, '0.0123', '50', '1000.5', '-61'),
          entry('2026-11-20T10:00:00+01:00', null, '41', null, '-60'),
        ],
      },
      stored: [
        { device, time: T, pm25: 12.3, temperature: 10, pressure: 100_050 },
        { device, time: AN_HOUR_LATER, pm25: null, temperature: 5, pressure: null },
      ],
      ignored: ['RSSI'],
    },
    {
      what: 'a channel of PurpleAir: its particles are raw, its temperature is in °F',
      json: {
        channel: channel(
          ...['PM1.0 (ATM)', 'PM2.5 (ATM)', 'PM10.0 (ATM)', 'Uptime', 'RSSI'],
          ...['Temperature', 'Humidity', 'PM2.5 (CF=1)'],
        ),
        feeds: [entry(T, '0.19', '1.77', '1.84', '6696.00', '-42.00', '41.00', '30.00', '1.9')],
      },
      stored: [
        { device, time: T, pm1: 0.19, pm25_raw: 1.77, pm10: 1.84, temperature: 5, humidity: 30 },
      ],
      ignored: ['Uptime', 'RSSI', 'PM2.5 (CF=1)'],
    },
    {
      what: 'a channel whose fields have names of their own, or none, which are mapped',
      declared: { column: ['pm25_ugm3=Feinstaub', 'temperature_c=field2'] },
      json: {
        channel: channel('Feinstaub', ''),
        feeds: [entry(T, '12.3', '5')],
      },
      stored: [{ device, time: T, pm25: 12.3, temperature: 5 }],
    },
    {
      what: 'a channel with two fields of one name, or with the name of another field',
      declared: { column: ['pm25_ugm3=field2'] },
      json: {
        channel: channel('PM2.5', 'PM2.5', 'created_at', 'channel', 'Humidity'),
        feeds: [entry(T, '99', '12.3', AN_HOUR_LATER, '7', '40')],
      },
      stored: [{ device, time: T, pm25: 12.3, humidity: 40 }],
      ignored: ['field1', 'field3', 'field4'],
    },
    {
      what: 'a channel in our units',
      json: {
        channel: channel('PM2.5', 'Humidity'),
        feeds: [entry(T, '12.3', '40'), entry(AN_HOUR_LATER, '14.5', '41')],
      },
      stored: [
        { device, time: T, pm25: 12.3, humidity: 40 },
        { device, time: AN_HOUR_LATER, pm25: 14.5, humidity: 41 },
      ],
      isMutated: true,
    },
  ],
};
