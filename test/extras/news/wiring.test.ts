/** Feeds of a service: their titles. */
import { expect, it, onTestFinished } from 'vitest';
import { engines } from '../../support/database.ts';
import { httpGet } from '../../support/http.ts';
import { citiesOfOneStation, install } from '../../support/installation.ts';
import { launch } from '../../support/launch.ts';

it('feeds have the title of SITE_TITLE_RU in Russian, SITE_TITLE_HY in Armenian, else SITE_TITLE', async () => {
  const here = await install(engines[0] ?? 'plain', citiesOfOneStation(['town']));
  onTestFinished(() => here.close());
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
