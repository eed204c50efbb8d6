/** Where a station is and what is around it; and places where nothing was measured yet. */
import { beforeAll, describe, expect, it } from 'vitest';
import { LOCALES } from '../../../src/contract/endpoints.ts';
import { WORDS } from '../../../src/extras/pages/words.ts';
import { openSite, type Site, STATIONS } from './site.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite({ SITE_TITLE: 'Air' });
  return () => site.close();
});
const bodyOf = async (path: string) => (await site.get(path)).body;

describe('where nothing was measured yet', () => {
  it.each(LOCALES)('pages, frames and lists say so, and nobody is offline: %s', async (locale) => {
    const { waiting, offline, unknown } = WORDS[locale];
    const own = [`station/${STATIONS.waiting}`, `embed/station/${STATIONS.waiting}`];
    for (const path of [...own, 'region/new-town']) {
      const [body = ''] = (await bodyOf(`/${locale}/${path}`)).split('id="map"');
      expect(body, path).toContain(`<span class="chip unknown">${waiting}</span>`);
      expect(body, path).not.toContain(`>${offline}<`);
      expect(body, path).not.toContain(`>${unknown}<`);
    }
    const [list = ''] = (await bodyOf(`/${locale}/`)).split('id="map"');
    // the city and its station
    expect(list.split(`<span class="word">${waiting}</span>`)).toHaveLength(3);
    expect(list.split(`<span class="word">${offline}</span>`)).toHaveLength(2);
  });

  it('a station that has measured is offline', async () => {
    const body = await bodyOf(`/en/station/${STATIONS.offline}`);
    expect(body).toContain(`<span class="chip offline">${WORDS.en.offline}</span>`);
    expect(body).not.toContain(`>${WORDS.en.waiting}<`);
  });
});
