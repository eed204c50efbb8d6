/**
 * The Things Stack: uplink messages, by the names that the decoder gives the values, and normalized
 * ones.
 */
import { cellOf, has, type Row, rowWithin } from '../rows/row.ts';
import {
  type Format,
  type Found,
  ownValues,
  type Refused,
  refused,
  text,
  unit,
  type Values,
  value,
} from './format.ts';

const NORMALIZED = 'uplink_normalized.normalized_payload';

export const ttn: Format = {
  name: 'ttn',
  source:
    'https://www.thethingsindustries.com/docs/integrations/data-formats, https://github.com/TheThingsNetwork/lorawan-devices/tree/master/lib/payload.json',
  recognizes: (row) =>
    has(row, 'end_device_ids.device_id', 'uplink_normalized') ||
    has(row, 'end_device_ids.device_id', 'uplink_message'),
  read(row) {
    if (String(cellOf(row, 'simulated')) === 'true')
      return refused('it is simulated: nothing was measured');
    return has(row, 'end_device_ids.device_id', 'uplink_normalized')
      ? normalized(row)
      : decoded(row);
  },
  unused: ['air', 'wind', 'soil'],
  columns: {
    owner: 'end_device_ids.device_id',
    time: 'for the time',
    needed: 'Messages of ttn are JSON, with end_device_ids and uplink_message.',
  },
};

function decoded(row: Row): Found | Refused {
  if (!has(row, 'uplink_message'))
    return refused('it is no uplink message: leave only those enabled in the webhook');
  if (!has(row, 'uplink_message.decoded_payload'))
    return refused(
      'no decoder is set, so it has no decoded_payload: set one in The Things Stack, under Payload formatters',
    );
  const payload = rowWithin(row, 'uplink_message.decoded_payload');
  if (payload !== undefined && 'unreadable' in payload) return refused(payload.why);
  return {
    device: text(row, 'end_device_ids.device_id'),
    time: text(row, 'uplink_message.received_at', 'received_at'),
    values: payload === undefined ? {} : ownValues(payload),
    payload,
  };
}

function normalized(row: Row): Found | Refused {
  const payload = rowWithin(row, NORMALIZED);
  if (payload !== undefined && 'unreadable' in payload) return refused(payload.why);
  return {
    device: text(row, 'end_device_ids.device_id'),
    time: text(row, `${NORMALIZED}.time`, 'uplink_normalized.received_at', 'received_at'),
    values: payload === undefined ? {} : { ...ownValues(payload), ...airAndWind(payload) },
    payload,
  };
}

const airAndWind = (payload: Row): Values => ({
  temperature: value(payload, 'air.temperature'),
  humidity: value(payload, 'air.relativeHumidity'),
  pressure: unit('hpa', value(payload, 'air.pressure')),
  wind_speed: value(payload, 'wind.speed'),
  wind_direction: value(payload, 'wind.direction'),
});
