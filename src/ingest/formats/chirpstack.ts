/** ChirpStack 4: events of its HTTP integration, by the names that the codec gives the values. */
import { has, rowWithin } from '../rows/row.ts';
import { type Format, ownValues, refused, text } from './format.ts';

export const chirpstack: Format = {
  name: 'chirpstack',
  source: 'https://www.chirpstack.io/docs/chirpstack/integrations/events.html',
  recognizes: (row) => has(row, 'deviceInfo.devEui'),
  read(row) {
    // it sends joins and states of batteries to the same address, and they cannot be turned off
    if (!has(row, 'fPort') && !has(row, 'object')) return undefined;
    const object = rowWithin(row, 'object');
    if (object === undefined)
      return refused(
        'no codec is set, so it has no object: set one in ChirpStack, in the device profile under Codec',
      );
    if ('unreadable' in object) return refused(object.why);
    return {
      device: text(row, 'deviceInfo.devEui'),
      time: text(row, 'time'),
      values: ownValues(object),
      payload: object,
    };
  },
  columns: {
    owner: 'deviceInfo.devEui',
    time: 'for the time',
    needed: 'Events of chirpstack are JSON, with deviceInfo, time and object.',
  },
};
