import { AN_HOUR_LATER, type FormatTable, T } from './table.ts';

const uplink = (decoded_payload: object, received_at = T) => ({
  end_device_ids: { device_id: 'roof', application_ids: { application_id: 'air' } },
  correlation_ids: ['as:up:01'],
  received_at: '2026-11-20T08:00:00.200Z',
  uplink_message: {
    f_port: 1,
    frm_payload: 'gkHe',
    decoded_payload,
    rx_metadata: [{ gateway_ids: { gateway_id: 'gtw1' }, rssi: -35 }],
    received_at,
  },
});

export const ttn: FormatTable = {
  format: 'ttn',
  samples: [
    {
      what: 'an uplink whose decoder gives objects, each with its unit',
      json: uplink({
        pm2_5: { displayName: 'PM2.5', value: 7.5, unit: 'µg/m³' },
        temperature: { value: 50, unit: '°F' },
        humidity: { value: 80 },
        pressure: { value: 1013.2, unit: 'hPa' },
        pm10: { value: null },
        no2: { value: 3, unit: 'stone' },
      }),
      stored: [
        {
          device: 'roof',
          time: T,
          pm25: 7.5,
          temperature: 10,
          humidity: 80,
          pressure: 101_320,
          pm10: null,
        },
      ],
      refused: [{ device: 'roof', why: 'no2: the value is not a number' }],
    },
    {
      what: 'an uplink whose values lie in an object, one of them mapped, with the time of its payload',
      declared: { column: ['pm25_ugm3=particles.fine', 'time=received_at'] },
      json: uplink({ particles: { fine: 7.5 }, pm10: 9, received_at: AN_HOUR_LATER }),
      stored: [{ device: 'roof', time: AN_HOUR_LATER, pm25: 7.5, pm10: 9 }],
    },
    {
      what: 'a normalized uplink',
      json: {
        end_device_ids: { device_id: 'roof' },
        received_at: '2026-11-20T08:00:00.200Z',
        uplink_normalized: {
          f_port: 1,
          normalized_payload: {
            air: { temperature: 3.5, relativeHumidity: 80, pressure: 1013.2, co2: 400 },
            wind: { speed: 2.5, direction: 90 },
          },
          received_at: T,
        },
      },
      stored: [
        {
          device: 'roof',
          time: T,
          temperature: 3.5,
          humidity: 80,
          pressure: 101_320,
          wind_speed: 2.5,
          wind_direction: 90,
        },
      ],
    },
    {
      what: 'a message of another kind',
      json: { end_device_ids: { device_id: 'roof' }, received_at: T, join_accept: {} },
      stored: [],
      refused: [{ why: 'it is no uplink message: leave only those enabled in the webhook' }],
      isNamed: true,
    },
    {
      what: 'an uplink among messages that measured nothing',
      json: [
        { ...uplink({ pm25: 99 }), simulated: true },
        { end_device_ids: { device_id: 'roof' }, uplink_message: { received_at: T } },
        uplink({ pm25: 5 }),
      ],
      stored: [{ device: 'roof', time: T, pm25: 5 }],
      refused: [
        { why: 'it is simulated: nothing was measured' },
        { why: 'no decoder is set, so it has no decoded_payload: set one in The Things Stack' },
      ],
    },
    {
      what: 'an uplink on each line',
      lines: [
        JSON.stringify(uplink({ pm25: 7.5, humidity: 80, battery: 3 })),
        JSON.stringify(uplink({ pm25: 8.5 }, AN_HOUR_LATER)),
      ],
      stored: [
        { device: 'roof', time: T, pm25: 7.5, humidity: 80 },
        { device: 'roof', time: AN_HOUR_LATER, pm25: 8.5 },
      ],
      ignored: ['battery'],
      isMutated: true,
    },
  ],
};
