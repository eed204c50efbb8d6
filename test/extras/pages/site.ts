/**
 * The service with its pages over a test database: stations of every category, in a city that is
 * shown and one that is hidden.
 */
import { makeLog } from '../../../src/base/log.ts';
import { readConfig } from '../../../src/config.ts';
import { start } from '../../../src/service.ts';
import { NOW } from '../../support/clock.ts';
import { engines } from '../../support/database.ts';
import { freePort } from '../../support/freePort.ts';
import { httpGet } from '../../support/http.ts';
import { install, reading, type Values } from '../../support/installation.ts';
import { address } from '../../support/launch.ts';

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
  ...{ good: 1, moderate: 2, sensitive: 3, unhealthy: 4, 'very-unhealthy': 5, hazardous: 6 },
  unknown: 7,
  offline: 8,
  markup: 9,
  hidden: 10,
  elsewhere: 11,
  waiting: 12,
};

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

export async function openSite(environment: Record<string, string> = {}) {
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
    { ...config, databaseUrl: address(here.database.target) },
    { clock: () => now, log: makeLog('silent'), pollMs: 100 },
  );
  await service.ready;
  const get = (path: string, headers: Record<string, string> = {}) => httpGet(port, path, headers);
  return {
    here,
    origin: `http://localhost:${port}`,
    get,
    /** The document of the API. */
    json: async (path: string): Promise<Record<string, string | number | null>> =>
      JSON.parse((await get(path)).body),
    /** Sets the clock of the service. */
    async setNow(at: Date) {
      now = at;
      await here.refresh(now);
    },
    /** A reading of a station now, computed and in the digest. */
    async read(id: number, values: Values, at = now) {
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

export type Site = Awaited<ReturnType<typeof openSite>>;
