/** What a user of the dashboards chooses, and what the demo cannot show. */
import { demoNetwork, OFFLINE_STATION } from '../../src/extras/demo/network.ts';
import type { Values } from './dashboards.ts';

export const SQL_DASHBOARDS = ['network', 'station', 'region', 'compare'];
export const OFFLINE = OFFLINE_STATION;
export const FLAGGED = demoNetwork('UTC').stations.find((station) => station.is_bad_thp)?.id;

/**
 * Choices of a user; a variable left out takes the first of its options. Together these cover every
 * parameter.
 */
export const CHOICES: Readonly<Record<string, Values[]>> = {
  network: [{}, { locale: 'hy' }],
  station: [
    {},
    { city: 'velmora', station: '3' },
    { city: 'velmora', station: '5', locale: 'ru' },
    { city: 'tarnesh', station: '13' },
    { city: 'velmora', station: String(FLAGGED) },
  ],
  region: [
    {},
    { city: 'velmora', region: 'velmora' },
    { city: 'velmora', region: 'kestrava', locale: 'hy' },
    { city: 'tarnesh', region: 'tarnesh' },
  ],
  compare: [
    {},
    { city: 'velmora', parameter: 'avg_temperature' },
    { city: 'velmora', station: ['3', '5'], parameter: 'avg_no2', locale: 'ru' },
  ],
};

/** Most stations have none. */
export const ANNOTATIONS = ['station: Flags'];
/** Columns that the demo leaves empty: no device has a name, and its air is seldom that bad. */
export const EMPTY =
  /^station: Sensors: device$|: (Very unhealthy|Hazardous)$|^region: Completeness by day: incomplete$/;
