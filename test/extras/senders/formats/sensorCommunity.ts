import { AN_HOUR_LATER, type FormatTable, T } from './table.ts';

/** An element of the feed, with more fields than we use. */
const element = (
  sensor: number,
  timestamp: string,
  values: Record<string, string>,
  indoor = 0,
) => ({
  id: 9_000_000_101,
  sampling_rate: null,
  timestamp,
  location: { id: 501, latitude: '40.000', longitude: '44.000', country: 'AM', indoor },
  sensor: { id: sensor, pin: '1', sensor_type: { id: 14, name: 'SDS011' } },
  sensordatavalues: Object.entries(values).map(([value_type, value]) => ({ value_type, value })),
});

export const sensorCommunity: FormatTable = {
  format: 'sensor-community',
  samples: [
    {
      what: 'CSV of the archive, in UTC, without sensors from indoors',
      lines: [
        'sensor_id;sensor_type;location;lat;lon;timestamp;P1;durP1;ratioP1;P2;durP2;ratioP2;location.indoor',
        '36;SDS011;500;40;44;2026-11-20T08:00:00;17.3;;;4.6;;;0',
        '37;SDS011;501;40;44;2026-11-20T08:00:00;17.3;;;4.6;;;1',
      ],
      stored: [{ sensor: 36, time: T, pm10: 17.3, pm25: 4.6 }],
    },
    {
      what: 'a value that is missing, which leaves its parameter empty (S3)',
      json: [
        {
          ...element(36, '2026-11-20 08:00:00', {}),
          sensordatavalues: [{ value_type: 'P1', value: '21.90' }, { value_type: 'P2' }],
        },
      ],
      stored: [{ sensor: 36, time: T, pm10: 21.9, pm25: null }],
    },
    {
      what: 'the feed, without sensors from indoors',
      json: [
        element(36, '2026-11-20 08:00:00', { P1: '21.90', P2: '14.20', P0: '8.1' }),
        element(37, '2026-11-20 08:00:00', {
          temperature: '7.35',
          pressure: '90312.47',
          humidity: 'unknown',
          pressure_at_sealevel: '101510.20',
        }),
        element(38, '2026-11-20 08:00:00', { P1: '300.00' }, 1),
      ],
      stored: [
        { sensor: 36, time: T, pm10: 21.9, pm25: 14.2, pm1: 8.1 },
        { sensor: 37, time: T, temperature: 7.35, pressure: 90_312.469 },
      ],
      refused: [{ sensor: 37, why: 'humidity: the value is not a number' }],
    },
    {
      what: 'an element for each way to write a time, two of them unreadable',
      json: [
        element(36, '2026-11-20T08:00:00', { P1: '17.3' }),
        element(36, '2026-11-20T10:00:00+01:00', { P1: '17.4' }),
        element(36, 'yesterday', { P1: '17.5' }),
        { ...element(36, '', { P1: '17.6' }), timestamp: 5 },
      ],
      stored: [
        { sensor: 36, time: T, pm10: 17.3 },
        { sensor: 36, time: AN_HOUR_LATER, pm10: 17.4 },
      ],
      refused: [1, 2].map(() => ({ sensor: 36, why: 'the time is not ISO 8601' })),
    },
    {
      what: 'elements of the feed whose values are malformed',
      json: [
        { ...element(36, '2026-11-20 08:00:00', {}), sensordatavalues: undefined },
        { ...element(36, '2026-11-20 08:00:00', {}), sensordatavalues: { P1: 1 } },
        { ...element(36, '2026-11-20 08:00:00', {}), sensordatavalues: [null] },
        { ...element(36, '2026-11-20 08:00:00', {}), sensordatavalues: [{ value: '1' }] },
        element(36, '2026-11-20 09:00:00', { P1: '17.3' }),
      ],
      stored: [{ sensor: 36, time: AN_HOUR_LATER, pm10: 17.3 }],
      refused: [1, 2, 3, 4].map(() => ({ sensor: 36, why: 'the line cannot be parsed' })),
    },
    {
      what: 'an element of the feed on each line',
      lines: [
        JSON.stringify(element(36, '2026-11-20 08:00:00', { P1: '17.3' })),
        JSON.stringify(element(37, '2026-11-20 09:00:00', { P2: '4.6' })),
      ],
      stored: [
        { sensor: 36, time: T, pm10: 17.3 },
        { sensor: 37, time: AN_HOUR_LATER, pm25: 4.6 },
      ],
      isMutated: true,
    },
  ],
};
