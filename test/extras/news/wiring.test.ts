/** Feeds of a service: a late reading, from its refresh to the feeds that tell it, and the titles. */
import { beforeAll, expect, it } from 'vitest';
import { NOW } from '../../support/clock.ts';
import { engines } from '../../support/database.ts';
import { httpGet } from '../../support/http.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
} from '../../support/installation.ts';
import { launch } from '../../support/launch.ts';
import { until } from '../../support/patience.ts';
import { readAtom } from './atom.ts';

const HOUR_MS = 3_600_000;

let here: Installation;
beforeAll(async () => {
  here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town', 'port']));
  const hours = Array.from({ length: 40 * 24 }, (_, n) => NOW.getTime() - (n + 1) * HOUR_MS);
  await here.accept(hours.flatMap((at) => [1, 2].map((id) => reading(id, at, { pm25: 10 }))));
  await here.refresh(NOW);
  return () => here.close();
});

it('a late reading is told by the feeds of its station, its city and all, and by no other (R1)', async () => {
  const { port, runJob } = await launch(here);
  const feed = async (path: string) => {
    const { status, body } = await httpGet(port.public, `/en/explore/v1/${path}`);
    expect([path, status]).toEqual([path, 200]);
    return readAtom(body).entries;
  };
  for (const subject of ['', 'station/1/', 'region/town/'])
    expect([subject, await feed(`${subject}changes.atom`)]).toEqual([subject, []]);
  await here.accept([reading(1, '2026-10-20T09:10:00Z', { pm25: 50 })], NOW);
  await runJob('refresh');
  await until(async () => (await feed('changes.atom')).length > 0, 'the change is in the feed');
  const entry = {
    updated: NOW.toISOString(),
    content: expect.stringContaining('from 2026-10-20 13:00 to 2026-10-20 13:00'),
  };
  for (const [path, title] of [
    ['station/1/changes.atom', 'In town: late readings'],
    ['region/town/changes.atom', 'town: late readings (In town)'],
    ['changes.atom', 'late readings (In town)'],
  ] as const)
    expect((await feed(path))[0]).toMatchObject({ ...entry, title });
  expect(await feed('region/port/changes.atom')).toEqual([]);
});

it('feeds have the title of SITE_TITLE_RU in Russian, SITE_TITLE_HY in Armenian, else SITE_TITLE', async () => {
  const { port } = await launch(here, {
    role: 'api',
    siteTitle: 'Air & more',
    siteTitle_ru: 'Воздух',
    siteTitle_hy: 'Օդ',
  });
  for (const [locale, title] of [
    ['en', 'Air &amp; more'],
    ['ru', 'Воздух'],
    ['hy', 'Օդ'],
  ])
    expect((await httpGet(port.public, `/${locale}/explore/v1/changes.atom`)).body).toContain(
      ` – ${title}</title>`,
    );
});
