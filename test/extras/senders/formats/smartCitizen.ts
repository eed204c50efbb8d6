import { AN_HOUR_LATER, type FormatTable, T } from './table.ts';

const device = '1616';

type Sensor = { name: string; unit: string; value: number | null; last_reading_at?: string };

/** As the API gives it, shortened: a sensor has an id and a name of its own, too. */
const ofDevice = (...sensors: readonly Sensor[]) => ({
  id: 1_616,
  uuid: '85543ca2-e543-4351-9122-98756d50e6b1',
  name: 'Roof',
  description: 'A kit on the roof',
  state: 'has_published',
  system_tags: ['online', 'outdoor'],
  last_reading_at: T,
  created_at: '2020-02-02T15:59:51Z',
  location: { exposure: 'outdoor', latitude: 40.2, longitude: 44.5 },
  hardware: { name: 'SCK 2.1', slug: 'sck:2,1' },
  owner: { id: 2_247, username: 'somebody' },
  data: {
    sensors: sensors.map((sensor, n) => ({
      id: 50 + n,
      ancestry: '86',
      description: sensor.name,
      created_at: '2018-05-22T13:20:34Z',
      updated_at: '2023-05-23T11:13:07Z',
      uuid: `9ee89ac2-0482-46dd-905f-0b7a1bb12c5${n}`,
      default_key: `key_${n}`,
      measurement: { id: n, name: sensor.name, description: 'A quantity', unit: null },
      prev_value: 0,
      tags: [],
      last_reading_at: T,
      ...sensor,
    })),
  },
});

export const smartCitizen: FormatTable = {
  format: 'smart-citizen',
  samples: [
    {
      what: 'a kit of today: the temperature is that of its board, the pressure in kPa',
      json: ofDevice(
        { name: 'Sensirion SCD30 - Temperature', unit: 'ºC', value: 9.9 },
        { name: 'Sensirion SHT31 - Temperature', unit: 'ºC', value: 4.44 },
        { name: 'Sensirion SHT31 - Humidity', unit: '%', value: 67.99 },
        { name: 'NXP MPL3115A2 - Barometric Pressure', unit: 'kPa', value: 101.66 },
        { name: 'Sensirion SEN5X - PM1.0', unit: 'ug/m3', value: 5 },
        { name: 'Sensirion SEN5X - PM2.5', unit: 'ug/m3', value: 16 },
        { name: 'Sensirion SEN5X - PM4.0', unit: 'ug/m3', value: 18 },
        { name: 'Sensirion SEN5X - PM10.0', unit: 'ug/m3', value: 19 },
        { name: 'ICS43432 - Noise', unit: 'dBA', value: 44.83 },
      ),
      rows: 6,
      stored: [
        {
          device,
          time: T,
          temperature: 4.44,
          humidity: 67.99,
          pressure: 101_660,
          pm1: 5,
          pm25_raw: 16,
          pm10: 19,
        },
      ],
      ignored: ['Sensirion SCD30 - Temperature', 'Sensirion SEN5X - PM4.0', 'ICS43432 - Noise'],
    },
    {
      what: 'an older kit, whose sensors have no time of their own',
      json: {
        ...ofDevice(),
        data: {
          recorded_at: AN_HOUR_LATER,
          sensors: [
            { id: 4, name: 'DHT22 - Temperature', unit: 'ºC', value: 29.8, raw_value: 298 },
            { id: 5, name: 'MPL3115A2 - Barometric Pressure', unit: 'K Pa', value: 100.54 },
            { id: 87, name: 'PMS5003_AVG-PM2.5', unit: 'ug/m3', value: 7, prev_raw_value: 9 },
            { id: 8, name: 'MICS-2710', unit: 'kOhm (ppm)', value: 197.574 },
          ],
        },
      },
      rows: 3,
      stored: [{ device, time: T, temperature: 29.8, pressure: 100_540, pm25_raw: 7 }],
      ignored: ['MICS-2710'],
    },

    {
      what: 'sensors that report at intervals of their own, and one that has no value',
      json: ofDevice(
        { name: 'SENSIRION SHT31 - HUMIDITY', unit: '%', value: 40 },
        { name: 'Sensirion SHT31 - Temperature', unit: 'ºC', value: null },
        {
          name: 'Plantower PMS5003 - PM2.5',
          unit: 'ug/m3',
          value: 16,
          last_reading_at: AN_HOUR_LATER,
        },
      ),
      rows: 3,
      stored: [
        { device, time: T, humidity: 40, temperature: null },
        { device, time: AN_HOUR_LATER, pm25_raw: 16 },
      ],
      isMutated: true,
    },
  ],
};
