/** Senders: readings in the forms of others, with their units, columns, clocks and encodings. */
import { defineExtra } from '../extra.ts';
import { foreignFormats } from './foreignFormats.ts';

export const senders = defineExtra({
  name: 'senders',
  variables: {},
  formats: foreignFormats,
});
