/** What the page of a region that measures nothing shows: the stations within 25 km, and the map. */
import { beforeAll, expect, it } from 'vitest';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { openSite, type Site, STATIONS } from './site.ts';

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
