/** What the page of a region that measures nothing shows: the stations within 25 km, and the map. */
import { beforeAll, expect, it } from 'vitest';
import { openReaderPool } from '../../../src/database/pools.ts';
import { queryNear } from '../../../src/extras/pages/nearStations.ts';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { NOW } from '../../support/clock.ts';
import { onOneEngine } from '../../support/database.ts';
import { citiesOfOneStation, install } from '../../support/installation.ts';
import { openSite, type Site, STATIONS } from './site.ts';

onOneEngine('the stations near a region', (engine) => {
  it('stations within 25 km of a region are found, the nearest first, as many as wanted', async () => {
    const here = await install(engine, citiesOfOneStation(['a', 'b', 'c', 'd'])); // 11 km apart
    const db = openReaderPool(here.database.target, { timeZone: 'UTC', max: 1 });
    const at = { map_latitude: 40, map_longitude: 44 } as Parameters<typeof queryNear>[2];
    const idsOf = async (most: number) =>
      (await queryNear(db, NOW, at, most)).neighbours.map(({ id }) => id);
    expect(await idsOf(9)).toEqual([1, 2, 3]);
    expect(await idsOf(2)).toEqual([1, 2]);
    const { neighbours, rows } = await queryNear(db, NOW, at, 9);
    expect(neighbours[1]?.distance_km).toBeCloseTo(11.1, 1);
    expect(rows).toMatchObject([{ data_version: expect.any(Number) }]);
    await db.destroy();
    await here.close();
  });
});

let site: Site;
beforeAll(async () => {
  site = await openSite();
  return () => site.close();
});

it('the page of a town that measures nothing has its nearest stations, and a map with both', async () => {
  const { body } = await site.get('/en/region/young-town');
  const [, nearest = ''] = body.split(`<h3>${WORDS.en.neighbours}</h3>`);
  const ids = [...nearest.matchAll(/href="\/en\/station\/(\d+)"/g)].map(([, id]) => Number(id));
  expect(ids).toEqual([
    STATIONS.elsewhere, // 1 km, while the hidden one is not shown
    STATIONS.markup,
    STATIONS.offline,
    STATIONS.unknown,
    STATIONS.hazardous,
  ]);
  expect(nearest).toContain('1.1 km · ');
  const [, json = '[]'] = /id="places">(.*?)<\/script>/.exec(body) ?? [];
  const placed = (JSON.parse(json) as unknown[][]).map(([, key]) => key);
  expect(placed.toSorted()).toEqual([...ids, STATIONS.waiting].toSorted());
});

it('the page of a town that measures has no list of nearest stations', async () => {
  const heading = `<h3>${WORDS.en.neighbours}</h3>`;
  expect((await site.get('/en/region/town')).body).not.toContain(heading);
  expect((await site.get('/en/region/young-town')).body).toContain(heading);
});
