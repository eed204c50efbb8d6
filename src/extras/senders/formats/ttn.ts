/**
 * The Things Stack: uplink messages, by the names that the decoder gives the values, and normalized
 * ones.
 */
import type { Names, Row } from '../../../ingest/rows/row.ts';
import { cellOf, has } from '../rows/cells.ts';
import { type Format, ownValues, text, unit, type ValueColumns, value } from './format.ts';

const DECODED = 'uplink_message.decoded_payload';
const NORMALIZED = 'uplink_normalized.normalized_payload';

const isNormalized = (row: Row) => has(row, 'end_device_ids.device_id', 'uplink_normalized');

export const ttn: Format = {
  name: 'ttn',
  source:
    'https://www.thethingsindustries.com/docs/integrations/data-formats, https://github.com/TheThingsNetwork/lorawan-devices/tree/master/lib/payload.json',
  recognizes: (row) =>
    has(row, 'end_device_ids.device_id', 'uplink_normalized') ||
    has(row, 'end_device_ids.device_id', 'uplink_message'),
  refuses(row) {
    if (String(cellOf(row, 'simulated')) === 'true') return 'it is simulated: nothing was measured';
    if (isNormalized(row)) return undefined;
    if (!has(row, 'uplink_message'))
      return 'it is no uplink message: leave only those enabled in the webhook';
    return has(row, DECODED)
      ? undefined
      : 'no decoder is set, so it has no decoded_payload: set one in The Things Stack, under Payload formatters';
  },
  columns: (names) => ({
    device: text(names, 'end_device_ids.device_id'),
    time: text(
      names,
      ...[`${NORMALIZED}.time`, 'uplink_normalized.received_at'],
      ...['uplink_message.received_at', 'received_at'],
    ),
    values: {},
    others: text(names, 'simulated', 'uplink_message', 'uplink_normalized'),
  }),
  payload: (row) =>
    isNormalized(row)
      ? { path: NORMALIZED, values: normalizedValues }
      : { path: DECODED, values: ownValues },
  unused: ['air', 'wind', 'soil'],
  needs: {
    owner: 'end_device_ids.device_id',
    time: 'for the time',
    all: () => 'Messages of ttn are JSON, with end_device_ids and uplink_message.',
  },
};

const normalizedValues = (names: Names): ValueColumns => ({
  ...ownValues(names),
  temperature: value(names, 'air.temperature'),
  humidity: value(names, 'air.relativeHumidity'),
  pressure: unit('hpa', value(names, 'air.pressure')),
  wind_speed: value(names, 'wind.speed'),
  wind_direction: value(names, 'wind.direction'),
});
