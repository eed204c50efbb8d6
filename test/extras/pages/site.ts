/**
 * The service with its pages over a test database: stations of every category, in a city that is
 * shown and one that is hidden.
 */
import { makeLog } from '../../../src/base/log.ts';
import { readConfig } from '../../../src/config.ts';
import type { DatabaseAddress } from '../../../src/database/address.ts';
import { start } from '../../../src/service.ts';
import { NOW } from '../../support/clock.ts';
import { engines } from '../../support/database.ts';
import { freePort } from '../../support/freePort.ts';
import { type Answer, httpGet } from '../../support/http.ts';
import { type Installation, install, reading, type Values } from '../../support/installation.ts';

/** Text that must not be taken for HTML, the end of a script, or a template. */
export const MARKUP = `<img src=x onerror="document.title='hacked'"> </script>{{'"&amp;`;

/** PM2.5 of stations 1 to 6, one of each category. */
const CATEGORIES = {
  good: 5,
  moderate: 20,
  sensitive: 45,
  unhealthy: 100,
  'very-unhealthy': 180,
  hazardous: 400,
};

/**
 * The stations by their category; `unknown` has a temperature only, `hidden` is in no list, and
 * `waiting` has never measured anything.
 */
export const STATIONS = {
  ...idsOf(Object.keys(CATEGORIES)),
  unknown: 7,
  offline: 8,
  markup: 9,
  hidden: 10,
  elsewhere: 11,
  waiting: 12,
};

function idsOf(names: readonly string[]): Record<keyof typeof CATEGORIES, number> {
  return Object.fromEntries(names.map((name, n) => [name, n + 1])) as Record<
    keyof typeof CATEGORIES,
    number
  >;
}

const title = (name: string) => ({ en: `At ${name}`, ru: `Станция ${name}`, hy: `Կայան ${name}` });

const REGIONS: Readonly<Record<string, string>> = {
  elsewhere: 'secret-park',
  waiting: 'young-town',
};

const NETWORK = {
  time_zone: 'Asia/Yerevan',
  providers: [{ id: 'us', title: MARKUP, url: 'https://us.example/?a=1&b="2"' }],
  regions: [
    { slug: 'town', kind: 'city', title: { en: 'Town', ru: 'Город', hy: 'Քաղաք' } },
    { slug: 'old-town', kind: 'district', city: 'town', title: { en: MARKUP } },
    { slug: 'young-town', kind: 'city', title: { en: 'Young town' } },
    { slug: 'secret', kind: 'city', title: { en: 'Secret city' }, is_hidden: true },
    { slug: 'secret-park', kind: 'district', city: 'secret', title: { en: 'Secret park' } },
  ],
  stations: Object.entries(STATIONS).map(([name, id]) => ({
    id,
    provider: 'us',
    title: name === 'markup' ? { en: MARKUP } : title(name),
    latitude: 40 + id / 100,
    longitude: 44.5,
    screening: false,
    hidden: name === 'hidden',
    regions: [REGIONS[name] ?? 'old-town'],
    sensors: [{ id }],
  })),
};

export type Site = {
  here: Installation;
  origin: string;
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** The document of the API. */
  json(path: string): Promise<Record<string, string | number | null>>;
  /** Sets the clock of the service. */
  setNow(at: Date): Promise<void>;
  /** A reading of a station now, computed and in the digest. */
  read(id: number, values: Values, at?: Date): Promise<void>;
  close(): Promise<void>;
};

export async function openSite(environment: Record<string, string> = {}): Promise<Site> {
  const here = await install(engines[0] ?? 'plain', NETWORK);
  const offline = new Date(NOW.getTime() - 86_400_000);
  await here.accept([
    ...Object.values(CATEGORIES).map((pm25, n) =>
      reading(n + 1, NOW, { pm25, pm10: pm25, temperature: -0.5, humidity: 50 }),
    ),
    reading(STATIONS.unknown, NOW, { temperature: 10 }),
    reading(STATIONS.offline, offline, { pm25: 10 }),
    reading(STATIONS.markup, NOW, { pm25: 20 }),
    reading(STATIONS.hidden, NOW, { pm25: 20 }),
    reading(STATIONS.elsewhere, NOW, { pm25: 30 }),
  ]);
  await here.refresh(NOW);
  await here.digest(NOW);
  let now = NOW;
  const [port, adminPort] = [Number(await freePort()), Number(await freePort())];
  const config = {
    ...readConfig({ SITE_TITLE: MARKUP, ...environment }),
    role: 'api' as const,
    port,
    adminPort,
  };
  const service = start(
    { ...config, databaseUrl: addressOf(here.database.target) },
    { clock: () => now, log: makeLog('silent'), pollMs: 100 },
  );
  await service.ready;
  const get = (path: string, headers: Record<string, string> = {}) => httpGet(port, path, headers);
  return {
    here,
    origin: `http://localhost:${port}`,
    get,
    json: async (path) => JSON.parse((await get(path)).body),
    async setNow(at) {
      now = at;
      await here.refresh(now);
    },
    async read(id, values, at = now) {
      await here.accept([reading(id, at, values)]);
      await here.refresh(now);
      await here.digest(now);
    },
    async close() {
      await service.stop(0);
      await here.close();
    },
  };
}

/** The driver takes either; tests have a socket. */
const addressOf = (target: DatabaseAddress) => target as string;
