/** The configuration of the pages, by its effects on a service. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { toPng } from '../../../src/extras/pages/png.ts';
import { JSON_TYPE } from '../../../src/http/send.ts';
import { commandsOn } from '../../support/command.ts';
import { engines } from '../../support/database.ts';
import { httpGet } from '../../support/http.ts';
import { citiesOfOneStation, type Installation, install } from '../../support/installation.ts';
import { launch } from '../../support/launch.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { expectRefusedSettings, type Mistake } from '../../whole/mistakes/mistake.ts';

const BASE = '/en/air-quality-app/v1';

let here: Installation;
beforeAll(async () => {
  here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town']));
  return () => here.close();
});

it('PAGE=off turns off all pages and keeps the API', async () => {
  const { port } = await launch(here, { role: 'api' });
  expect(await httpGet(port.public, '/')).toMatchObject({
    status: 302,
    headers: { location: '/en/' },
  });
  expect(await httpGet(port.public, '/en/')).toMatchObject({ status: 200 });
  const without = (await launch(here, { role: 'api', page: 'off' })).port;
  expect(await httpGet(without.public, '/')).toMatchObject({
    status: 302,
    headers: { location: `${BASE}/stations.json` },
  });
  for (const path of ['/en/', '/docs', '/widget.js']) {
    expect(await httpGet(without.public, path), path).toMatchObject({
      status: 404,
      headers: { 'content-type': JSON_TYPE },
    });
  }
});

it('pages show the site of the settings: its titles, contact, licence, address, tiles and ground', async () => {
  const path = join(temporaryFolder('ground'), 'ground.geojson');
  const coordinates = [
    [44, 40],
    [45, 41],
  ];
  writeFileSync(path, JSON.stringify({ type: 'LineString', coordinates }));
  const settings = readConfig({
    MAP_TILES: 'https://tiles.example/{z}/{x}/{y}.png © Example https://tiles.example/terms',
    MAP_GROUND: path,
    PAGE_URL: 'https://air.example//',
    SITE_TITLE: 'Air & more',
    SITE_TITLE_RU: 'Воздух',
    SITE_CONTACT: 'https://air.example/ask',
    SITE_LICENSE: 'CC-BY-4.0',
  });
  expect(settings).toMatchObject({
    pageUrl: 'https://air.example', // a base of other addresses
    mapTiles: {
      url: 'https://tiles.example/{z}/{x}/{y}.png',
      attribution: '© Example',
      link: 'https://tiles.example/terms',
    },
  });
  const { databaseUrl: _, ...config } = settings;
  const { port } = await launch(here, { ...config, role: 'api' });
  const get = (path: string) => httpGet(port.public, path);
  const { body, headers } = await get('/en/region/town');
  expect(body).toContain('Air &amp; more</title>');
  expect(body).toContain('<a href="https://air.example/ask">https://air.example/ask</a>');
  expect(body).toContain('CC-BY-4.0');
  expect(body.includes('content="https://air.example/en/card/region/town.png"')).toBe(
    toPng !== undefined,
  );
  expect(headers['content-security-policy']).toContain('https://tiles.example');
  const [, ground = ''] = /data-ground="([^"]+)"/.exec(body) ?? [];
  const line = [
    [40, 44],
    [41, 45],
  ];
  expect(JSON.parse((await get(ground)).body)).toEqual([['road', 0, [line]]]);
  for (const [path, title] of [
    ['ru/', 'Воздух'],
    ['ru/embed/region/town', 'Воздух'],
    ['hy/', 'Air &amp; more'], // there is no SITE_TITLE_HY
  ])
    expect((await get(`/${path}`)).body).toMatch(
      new RegExp(`(<title>|– )${title}</title>[^]*>${title}</a>`),
    );
  expect(JSON.parse((await get('/openapi.json')).body)).toMatchObject({
    info: { contact: { url: 'https://air.example/ask' }, license: { name: 'CC-BY-4.0' } },
  });
});

it('the file of MAP_GROUND must exist', async () => {
  const missing = launch(here, { role: 'api', mapGround: '/nowhere' });
  await expect(missing).rejects.toThrow('MAP_GROUND=/nowhere: there is no such file');
});

it('MAP_TILES may have a port and a key', () => {
  const MAP_TILES = 'http://localhost:8090/{z}/{x}/{y}.png?key=a;b © Example';
  expect(readConfig({ MAP_TILES }).mapTiles).toMatchObject({
    url: 'http://localhost:8090/{z}/{x}/{y}.png?key=a;b',
  });
});

it('without PAGE_URL, status says that links in feeds are relative', async () => {
  const command = commandsOn(here.database);
  const { result, table } = await command('status');
  expect(result.remarks).toEqual([
    'PAGE_URL is not set: links in feeds are relative. Set it before you announce a feed',
  ]);
  expect(table?.(200)).toMatch(/^settings +PAGE_URL is not set: /m);
  for (const settings of [{ PAGE_URL: 'https://air.example' }, { PAGE: 'off' }])
    expect((await command('status', settings)).result.remarks).toEqual([]);
});

type Settings = Record<string, string>;
const IMPOSSIBLE = ['https://air.example:99999', 'https://a;b', 'https://a%3bb', "https://a'b"];
it.each<Mistake<Settings>>([
  ...['https://tiles.example/{z}/{x}/{y}.png', 'https://tiles.example/{z}/{x}.png © Example'].map(
    (wrong): Mistake<Settings> => [
      `${wrong} as MAP_TILES`,
      { MAP_TILES: wrong },
      /MAP_TILES.*must be an address with \{z\}, \{x\} and \{y\}/s,
    ],
  ),
  ...[
    `${IMPOSSIBLE[0]}/{z}/{x}/{y}.png © Example`,
    `https://tile.example/{z}/{x}/{y}.png © Example ${IMPOSSIBLE[1]}/terms`,
  ].map(
    (wrong): Mistake<Settings> => [
      `${wrong} as MAP_TILES`,
      { MAP_TILES: wrong },
      /MAP_TILES=.*: has an address with an impossible host or port/,
    ],
  ),
  ...[
    ...IMPOSSIBLE,
    'https://air.example?a=1',
    'https://air.example/#top',
    'air.example',
    'ftp://air.example',
  ].map(
    (wrong): Mistake<Settings> => [
      `${wrong} as PAGE_URL`,
      { PAGE_URL: wrong },
      `  PAGE_URL=${wrong}: must be `,
    ],
  ),
])('the pages say what is wrong with %s', async (_, settings, said) => {
  await expectRefusedSettings(settings, said);
});
