/**
 * ThingSpeak: the feeds of a channel as JSON. The channel says what its fields are called. PurpleAir
 * kept its readings in such channels.
 */
import type { Names } from '../../../ingest/rows/row.ts';
import { has, positionOf } from '../rows/cells.ts';
import { type Format, ownValues, text, unit, type ValueColumns } from './format.ts';
import { OTHER_NAMES } from './ownNames.ts';

/** Only channels of PurpleAir have it, and their temperature is in °F. */
const OF_PURPLEAIR = 'PM2.5 (ATM)';

const NAMES = {
  'pm1.0 (atm)': 'pm1',
  'pm2.5 (atm)': 'pm25_raw',
  'pm10.0 (atm)': 'pm10',
  ...OTHER_NAMES,
};

export const thingspeak: Format = {
  name: 'thingspeak',
  source:
    'https://www.mathworks.com/help/thingspeak/readdata.html, of PurpleAir https://docs.google.com/document/d/15ijz94dXJ-YAZLi9iZ_RaBwrZ4KtYeCy08goGBwnbCU',
  recognizes: (row) => has(row, 'channel.id', 'feeds'),
  document: { rows: 'feeds', labels: { key: 'channel', fields: /^field[1-8]$/ } },
  columns: (names) => ({
    device: text(names, 'channel.id'),
    time: text(names, 'created_at'),
    values: valuesIn(names),
  }),
  unused: ['entry_id', 'latitude', 'longitude', 'elevation', 'status'],
  needs: {
    owner: 'channel.id',
    time: 'for the time',
    all: () =>
      'Documents of thingspeak come from /channels/ID/feeds.json, with channel and feeds; the channel names its fields.',
  },
};

function valuesIn(names: Names): ValueColumns {
  const values = ownValues(names, NAMES);
  const { temperature = [] } = values;
  return positionOf(names, OF_PURPLEAIR) === undefined
    ? values
    : { ...values, temperature: unit('f', temperature) };
}
