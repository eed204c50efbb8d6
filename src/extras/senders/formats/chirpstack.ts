/** ChirpStack 4: events of its HTTP integration, by the names that the codec gives the values. */
import { isObject } from '../../../ingest/rows/json.ts';
import { cellOf, has } from '../rows/cells.ts';
import { type Format, ownValues, text } from './format.ts';

const NO_CODEC =
  'no codec is set, so it has no object: set one in ChirpStack, in the device profile under Codec';

export const chirpstack: Format = {
  name: 'chirpstack',
  source: 'https://www.chirpstack.io/docs/chirpstack/integrations/events.html',
  recognizes: (row) => has(row, 'deviceInfo.devEui'),
  // it sends joins and states of batteries to the same address, and they cannot be turned off
  skips: (row) => !has(row, 'fPort') && !has(row, 'object'),
  refuses: (row) => (isObject(cellOf(row, 'object')) ? undefined : NO_CODEC),
  columns: (names) => ({
    device: text(names, 'deviceInfo.devEui'),
    time: text(names, 'time'),
    values: {},
  }),
  payload: () => ({ path: 'object', values: ownValues }),
  needs: {
    owner: 'deviceInfo.devEui',
    time: 'for the time',
    all: () => 'Events of chirpstack are JSON, with deviceInfo, time and object.',
  },
};
