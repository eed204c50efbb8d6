import { AN_HOUR_LATER, type FormatTable, T } from './table.ts';

const channel = (labels: object) => ({
  id: 1_146_562,
  name: 'Roof',
  latitude: '0.0',
  longitude: '0.0',
  ...labels,
  created_at: '2020-09-15T16:03:29Z',
  updated_at: '2020-09-15T16:03:30Z',
  last_entry_id: 8_648,
});
const device = '1146562';

export const thingspeak: FormatTable = {
  format: 'thingspeak',
  samples: [
    {
      what: 'a channel that says the units of its fields',
      json: {
        channel: channel({
          field1: 'PM2.5 (mg/m3)',
          field2: 'Temperature (°F)',
          field3: 'Pressure (hPa)',
          field4: 'RSSI',
        }),
        feeds: [
          {
            created_at: T,
            entry_id: 1,
            field1: '0.0123',
            field2: '50',
            field3: '1000.5',
            field4: '-61',
          },
          {
            created_at: '2026-11-20T10:00:00+01:00',
            entry_id: 2,
            field1: null,
            field2: '41',
            field3: null,
            field4: '-60',
          },
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
        channel: channel({
          field1: 'PM1.0 (ATM)',
          field2: 'PM2.5 (ATM)',
          field3: 'PM10.0 (ATM)',
          field4: 'Uptime',
          field5: 'RSSI',
          field6: 'Temperature',
          field7: 'Humidity',
          field8: 'PM2.5 (CF=1)',
        }),
        feeds: [
          {
            created_at: T,
            entry_id: 1,
            field1: '0.19',
            field2: '1.77',
            field3: '1.84',
            field4: '6696.00',
            field5: '-42.00',
            field6: '41.00',
            field7: '30.00',
            field8: '1.9',
          },
        ],
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
        channel: channel({ field1: 'Feinstaub', field2: '' }),
        feeds: [{ created_at: T, entry_id: 1, field1: '12.3', field2: '5' }],
      },
      stored: [{ device, time: T, pm25: 12.3, temperature: 5 }],
    },
    {
      what: 'a channel with two fields of one name, or with the name of another field',
      declared: { column: ['pm25_ugm3=field2'] },
      json: {
        channel: channel({
          field1: 'PM2.5',
          field2: 'PM2.5',
          field3: 'created_at',
          field4: 'channel',
          field5: 'Humidity',
        }),
        feeds: [
          {
            created_at: T,
            entry_id: 1,
            field1: '99',
            field2: '12.3',
            field3: AN_HOUR_LATER,
            field4: '7',
            field5: '40',
          },
        ],
      },
      stored: [{ device, time: T, pm25: 12.3, humidity: 40 }],
      ignored: ['field1', 'field3', 'field4'],
    },
    {
      what: 'a channel in our units',
      json: {
        channel: channel({ field1: 'PM2.5', field2: 'Humidity' }),
        feeds: [
          { created_at: T, entry_id: 1, field1: '12.3', field2: '40' },
          { created_at: AN_HOUR_LATER, entry_id: 2, field1: '14.5', field2: '41' },
        ],
      },
      stored: [
        { device, time: T, pm25: 12.3, humidity: 40 },
        { device, time: AN_HOUR_LATER, pm25: 14.5, humidity: 41 },
      ],
      isMutated: true,
    },
  ],
};
