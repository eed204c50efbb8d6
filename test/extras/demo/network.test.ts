/** The invented country: complete in three languages, and with every case that endpoints show. */
import { expect, it } from 'vitest';
import { PARAMETER_NAMES } from '../../../src/contract/parameters.ts';
import { DEMO_PROVIDERS, demoNetwork, INSTRUMENTS } from '../../../src/extras/demo/network.ts';

const { regions, stations, providers } = demoNetwork('Asia/Yerevan');
const cities = regions.filter(({ kind }) => kind === 'city');

const SCRIPTS = { en: /^[A-Za-z0-9 ]+$/, ru: /^[А-Яа-яёЁ0-9 .,]+$/, hy: /^[Ա-Ֆա-և0-9 ]+$/ };

it('every title of the demo is in three scripts, all different', () => {
  for (const [locale, script] of Object.entries(SCRIPTS) as [keyof typeof SCRIPTS, RegExp][]) {
    const titles = [...regions, ...stations].map(({ title }) => title[locale]);
    expect(titles.filter((title) => !script.test(title))).toEqual([]);
    expect(new Set(titles).size).toBe(titles.length);
  }
});

it('the title of every demo provider says that its data are invented', () => {
  expect(providers.map(({ id }) => id)).toEqual(DEMO_PROVIDERS);
  expect(providers.filter(({ title }) => !title.en.includes('invented data'))).toEqual([]);
  expect(new Set(stations.map(({ provider }) => provider))).toEqual(new Set(DEMO_PROVIDERS));
});

it('the demo measures every parameter, and has a hidden, a flagged and a weather-only case', () => {
  const kinds = new Set(stations.flatMap(({ sensors }) => sensors.map(({ kind }) => kind)));
  const measured = new Set([...kinds].flatMap((kind) => INSTRUMENTS[kind]));
  expect(measured, 'by INSTRUMENTS of src/extras/demo/network.ts').toEqual(
    new Set(PARAMETER_NAMES),
  );
  expect([...kinds].sort()).toEqual(Object.keys(INSTRUMENTS).sort());
  expect(stations.filter(({ hidden }) => hidden)).toHaveLength(1);
  expect(stations.filter(({ is_bad_thp }) => is_bad_thp)).toHaveLength(1);
  expect(cities.filter(({ is_hidden }) => is_hidden)).toHaveLength(1);
  const weatherOnly = cities.filter(({ slug }) =>
    stations.every(
      ({ regions, sensors }) =>
        !regions.includes(slug) || sensors.every(({ kind }) => !measuresPm25(kind)),
    ),
  );
  expect(weatherOnly).toHaveLength(1);
});

const measuresPm25 = (kind: keyof typeof INSTRUMENTS) =>
  INSTRUMENTS[kind].some((name) => name === 'pm25');
