import { ARRIVAL, type FormatTable, SECONDS, T } from './table.ts';

const state = {
  entity_id: 'sensor.garden_pressure',
  state: '29.92',
  attributes: {
    unit_of_measurement: 'inHg',
    device_class: 'atmospheric_pressure',
    friendly_name: 'Garden',
  },
  last_changed: '2026-11-20T07:59:00+00:00',
  last_updated: T,
};

export const homeAssistant: FormatTable = {
  format: 'home-assistant',
  samples: [
    {
      what: 'two states of one time, which are one reading, by their classes and units',
      declared: { sensor: 11 },
      json: [
        state,
        {
          ...state,
          state: '5',
          attributes: { device_class: 'pm25', unit_of_measurement: 'µg/m³' },
        },
      ],
      rows: 2,
      stored: [{ sensor: 11, time: T, pressure: 101_320.758, pm25: 5 }],
    },
    {
      what: 'the total of a rain gauge (A6)',
      declared: { device: 'garden' },
      json: {
        ...state,
        state: '100',
        attributes: {
          device_class: 'precipitation',
          state_class: 'total_increasing',
          unit_of_measurement: 'in',
        },
      },
      stored: [{ device: 'garden', time: T, rain_total: 2_540 }],
    },
    {
      what: 'several values in our names',
      json: { device: 'garden', pm25: 7, temperature_f: 50 },
      stored: [{ device: 'garden', time: ARRIVAL, pm25: 7, temperature: 10 }],
      isNamed: true,
    },
    {
      what: 'history that does not name its sensor',
      lines: ['entity_id,state,last_changed', `sensor.garden_a,7,${T}`],
      stored: [],
      refused: [{ why: 'If all rows come from one sensor, say which' }],
    },
    {
      what: 'hourly statistics',
      declared: { sensor: 11, column: ['temperature=sensor.garden_t'] },
      lines: ['statistic_id,unit,start,min,max,mean', `sensor.garden_t,°F,${SECONDS},41,59,50`],
      stored: [{ sensor: 11, time: T, temperature: 10 }],
    },
    {
      what: 'history of entities that have our names',
      declared: { sensor: 11 },
      lines: [
        'entity_id,state,last_changed',
        `pm25,7,${T}`,
        `humidity,50,${T}`,
        'humidity,unavailable,2026-11-20T09:00:00Z',
      ],
      rows: 2,
      stored: [{ sensor: 11, time: T, pm25: 7, humidity: 50 }],
      refused: [
        { sensor: 11, why: 'the reading has no usable value' },
        { sensor: 11, why: 'humidity: the value is not a number' },
      ],
      isMutated: true,
    },
  ],
};
