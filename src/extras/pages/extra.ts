/** Pages for people: the map, stations, regions, the reference of the API, and the widget. */
import { z } from 'zod';
import { VARIABLE } from '../../base/variable.ts';
import { webAddress, webUrl } from '../../base/webAddress.ts';
import { defineExtra } from '../extra.ts';

export const pages = defineExtra({
  name: 'pages',
  variables: {
    page: z.enum(['on', 'off']).default('on').register(VARIABLE, {
      name: 'PAGE',
      meaning: '`off`: no pages for people; `/` redirects to the list of stations in JSON',
    }),
    pageUrl: webAddress().register(VARIABLE, {
      name: 'PAGE_URL',
      meaning:
        'where readers reach the pages: `https://air.example`; unset: links in feeds are relative, and links that they share may have no picture',
    }),
    mapTiles: z
      .string()
      .regex(/^https?:\/\/[^\s{}]+\/(?=\S*\{z\})(?=\S*\{x\})(?=\S*\{y\})\S+\s+\S/, {
        error:
          'must be an address with {z}, {x} and {y}, then whom to credit, such as: https://tile.example/{z}/{x}/{y}.png © Example https://tile.example/copyright',
        abort: true,
      })
      .refine(
        (text) =>
          text
            .split(/\s+/)
            .filter((word) => /^https?:/.test(word))
            .every((word) => webUrl(word.replace(/[{}]/g, '')) !== undefined),
        'has an address with an impossible host or port',
      )
      .transform((text) => {
        const [url = '', ...words] = text.trim().split(/\s+/);
        const link =
          words.length > 1 && /^https?:/.test(words.at(-1) ?? '') ? (words.pop() as string) : '';
        return { url, attribution: words.join(' '), link };
      })
      .optional()
      .register(VARIABLE, {
        name: 'MAP_TILES',
        meaning:
          'tiles of maps: an address with `{z}`, `{x}` and `{y}`, whom to credit and a link to that; unset: pages load nothing from elsewhere',
      }),
    mapGround: z.string().optional().register(VARIABLE, {
      name: 'MAP_GROUND',
      meaning:
        'ground of maps where no tiles come: GeoJSON of up to 300 KB with water, rivers, main roads and borders, drawn in grey',
    }),
  },
  remark: ({ page, pageUrl }) =>
    page === 'on' && pageUrl === ''
      ? 'PAGE_URL is not set: links in feeds are relative. Set it before you announce a feed'
      : undefined,
  async open({ settings: { page, pageUrl, mapTiles, mapGround }, log }) {
    const { makeGround, readGround } = await import('./ground.ts');
    const ground = mapGround === undefined ? undefined : readGround(mapGround);
    if (ground !== undefined && ground.leftOut > 0)
      log.info(`MAP_GROUND: ${ground.leftOut} points are not drawn, only lines and areas`);
    if (page === 'off') return {};
    const { addPages } = await import('./pages.ts');
    const { makePageMaker } = await import('./maker.ts');
    return {
      offers: () => ({ pagesUrl: pageUrl, pages: makePageMaker(pageUrl) }),
      routes(app, parts) {
        const offered = ground === undefined ? parts.offers.ground : undefined;
        const site = {
          ...parts.site,
          url: pageUrl,
          links: parts.offers.links,
          hasFeeds: parts.offers.feeds !== undefined,
          tiles: mapTiles,
          ground: offered === undefined ? ground : makeGround(offered),
        };
        addPages(app, site, parts);
      },
    };
  },
});
