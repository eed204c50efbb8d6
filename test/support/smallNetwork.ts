/** A network of two stations in one city, and how it comes into a database. */
import type { Sql } from '../../src/database/client.ts';
import { importNetwork, type NetworkResult } from '../../src/network/importNetwork.ts';
import { keepingLog } from './keepingLog.ts';
import { PROVIDER_KEYS, SOURCE_FORMS } from './network.ts';

export type Json = Record<string, unknown>;

/**
 * Two stations in one city and its district; sensors 1 and 2 at station 1, sensor 3 at station 2.
 */
export function smallNetwork({
  timeZone = 'Asia/Yerevan',
  one = {},
  two = {},
  sensor = {},
}: {
  timeZone?: string;
  one?: Json;
  two?: Json;
  sensor?: Json;
} = {}) {
  return {
    time_zone: timeZone,
    providers: [{ id: 'us', title: 'Us' }],
    regions: [
      { slug: 'town', kind: 'city', title: { en: 'Town' } },
      { slug: 'quarter', kind: 'district', city: 'town', title: { en: 'Quarter' } },
    ],
    stations: [
      {
        id: 1,
        provider: 'us',
        title: { en: 'One' },
        latitude: 40,
        longitude: 44,
        regions: ['town', 'quarter'],
        sensors: [{ id: 1, ...sensor }, { id: 2 }],
        ...one,
      },
      {
        id: 2,
        provider: 'us',
        title: { en: 'Two' },
        latitude: 41,
        longitude: 45,
        regions: ['town'],
        sensors: [{ id: 3 }],
        ...two,
      },
    ],
  };
}

export function bringIn(sql: Sql, network: object): Promise<NetworkResult> {
  return importNetwork(sql, JSON.stringify(network), {
    log: keepingLog(),
    providerKeys: PROVIDER_KEYS,
    sources: SOURCE_FORMS,
  });
}
