/** The 404 of the API names the places that may have been meant. */
import { distance } from 'fastest-levenshtein';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { ApiDb } from '../../src/database/apiDb.ts';
import { openReaderPool } from '../../src/database/pools.ts';
import { makeApp } from '../../src/serve/app.ts';
import type { RegionRow } from '../../src/serve/current.ts';
import { type ListRow, queryTitles } from '../../src/serve/localizedText.ts';
import { nearPlaces } from '../../src/serve/near.ts';
import { queryNetwork } from '../../src/serve/stationsList.ts';
import { NOW } from '../support/clock.ts';
import { onOneEngine } from '../support/database.ts';
import { type Installation, install } from '../support/installation.ts';
import { keepingLog } from '../support/keepingLog.ts';
import { until } from '../support/patience.ts';
import { request } from '../support/request.ts';
import { versionsOf } from './serve.ts';

vi.mock('fastest-levenshtein', { spy: true });

const NETWORK = {
  time_zone: 'Asia/Yerevan',
  providers: [{ id: 'us', title: 'Us', stale_after: '3 hours' }],
  regions: [
    { slug: 'velmora', kind: 'city', title: { en: 'Velmora', ru: 'Вельмора' } },
    { slug: 'lindau', kind: 'city', title: { en: 'Lindau' } },
    { slug: 'lindua', kind: 'city', title: { en: 'Old Lindau' }, is_hidden: true },
    { slug: 'lindaus', kind: 'district', city: 'lindua', title: { en: 'Quay' } },
    { slug: 'seldau', kind: 'city', title: { en: 'Seldau' } },
    { slug: 'seldan', kind: 'city', title: { en: 'Seldan' } },
    { slug: 'seblaw', kind: 'city', title: { en: 'Seblaw' } },
  ].map((region) => ({ ...region, map: { latitude: 40, longitude: 44, delta: 1 } })),
  stations: [
    { id: 1, title: { en: 'Mill Street', ru: 'Мельничная' } },
    { id: 2, title: { en: 'Mill Streets' }, hidden: [{ since: '2026-10-01T00:00:00+04:00' }] },
  ].map((station) => ({
    latitude: 40,
    longitude: 44,
    provider: 'us',
    regions: [],
    sensors: [{ id: station.id }],
    ...station,
  })),
};

onOneEngine('near names', (engine) => {
  let here: Installation;
  let db: ApiDb;
  let app: ReturnType<typeof makeApp>;
  beforeAll(async () => {
    here = await install(engine, NETWORK);
    await here.refresh(NOW);
    db = openReaderPool(here.database.target, { timeZone: 'Asia/Yerevan', max: 4 });
    const cache = { maxBytes: 1e6, versions: await versionsOf(db) };
    app = makeApp({ db, clock: () => NOW, siteBaseUrl: '', log: keepingLog(), cache });
    // a 404 waits half a second for the network, which may take longer the first time
    const isRead = async () => /Did you/.test(await detailOf(`${API}/region/Lindau.json`));
    await until(isRead, 'the network is read');
  });
  afterAll(async () => {
    await db.destroy();
    await here.close();
  });

  async function detailOf(path: string): Promise<string> {
    const { status, body } = await request(app).get(path);
    expect(status, path).toBe(404);
    return body.detail;
  }
  const API = '/en/air-quality-app/v1';

  it.each([
    ['a city in capitals', `${API}/region/Lindau.json`, 'lindau'],
    ['a letter too many', `${API}/region/lindauu-history.json`, 'lindau'],
    ['another letter, in explore', '/en/explore/v1/region/lindao/now.json', 'lindau'],
    ['capitals, in explore', '/en/explore/v1/region/LINDAU/warnings.atom', 'lindau'],
    ['a name in another language', `${API}/region/${encodeURI('Велмора')}.json`, 'velmora'],
    ['two that are as near', `${API}/region/seldaw.json`, 'seldan or seldau'],
    ['two that are as near, by other letters', `${API}/region/sedlau.json`, 'seblaw or seldau'],
    ['the name of a station', `${API}/station/Mil-Street.json`, 'station 1 (Mill Street)'],
    [
      'its title in the language of the address',
      '/ru/explore/v1/station/mill-street/now.json',
      'station 1 (Мельничная)',
    ],
  ])('%s is nearly a name', async (_, path, meant) => {
    expect(await detailOf(path)).toMatch(
      new RegExp(`\\. Did you mean ${meant.replace(/[()]/g, '\\$&')}\\?$`),
    );
  });

  it.each([
    ['a name like no other', `${API}/region/nowhere.json`],
    ['a number', `${API}/station/99.json`],
    ['an address that is none of a place', '/en/explore/v1/lindau'],
    ['a name that is too long to compare', `${API}/region/lindau${'-x'.repeat(40)}.json`],
  ])('%s has no near names', async (_, path) => {
    expect(await detailOf(path)).not.toContain('Did you mean');
  });

  it('what is hidden is not named (C6)', async () => {
    expect(await detailOf(`${API}/region/lindaas.json`)).toMatch(/mean lindau\?$/);
    expect(await detailOf(`${API}/station/Mill-Streets.json`)).toMatch(
      /mean station 1 \(Mill Street\)\?$/,
    );
  });

  it('of many places that are as near, five are named', async () => {
    const network = await queryNetwork(db, NOW);
    const region = network.regions[0] as RegionRow;
    const regions = [...'abcdefg'].map((letter) => ({ ...region, slug: `narva-${letter}` }));
    const { titles } = await queryTitles(db);
    const near = await nearPlaces({ ...network, regions }, titles, 'en', 'narva');
    expect(near.map(({ key }) => key)).toEqual([...'abcde'].map((letter) => `narva-${letter}`));
  });

  it('a wrong name is compared with at most a hundred names, those of nearly the same letters first', async () => {
    const network = await queryNetwork(db, NOW);
    const { titles } = await queryTitles(db);
    const ids = Array.from({ length: 3_000 }, (_, n) => 1_000 + n);
    const stations = ids.map((id) => ({ ...(network.stations[0] as ListRow), id }));
    const numbered = new Map(ids.map((id) => [String(id), `Автоматическая станция № ${id}`]));
    const ru = { ...titles.ru, stations: numbered };
    vi.mocked(distance).mockClear();
    const wrong = 'Автоматичская станция № 3987';
    const near = await nearPlaces({ ...network, stations }, { ...titles, ru }, 'ru', wrong);
    expect(near.map(({ key }) => key)).toEqual(['3987']);
    expect(distance).toHaveBeenCalledTimes(100);
  });
});
