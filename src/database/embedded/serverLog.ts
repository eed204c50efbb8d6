/** The end of the server's own log, for the error messages of a start or stop that did not go well. */
import { readFileSync } from 'node:fs';
import type { Place } from './place.ts';

const LINES = 10;

export function lastLines(place: Place): string {
  try {
    const lines = readFileSync(place.log, 'utf8').trimEnd().split('\n').slice(-LINES);
    return `The last lines of ${place.log}:\n${lines.join('\n')}`;
  } catch {
    return `There is no log in ${place.log}.`;
  }
}
