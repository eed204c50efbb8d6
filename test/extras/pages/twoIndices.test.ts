/**
 * The setting INDEX: lists, maps, pages, frames and pictures of a place all say the same, by the
 * index that it names, or where that is not known, by the other one.
 */
import { inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adviceFor, INDEX_WORDS, type IndexName } from '../../../src/contract/words/indices.ts';
import { surfaceOf } from '../../../src/extras/pages/colours.ts';
import { toPng } from '../../../src/extras/pages/png.ts';
import { boxText, type Grade, type Look, lookOf, rankOf } from '../../../src/extras/pages/scale.ts';
import { NOW } from '../../support/clock.ts';
import { onEveryEngineInAll } from '../../support/database.ts';
import { httpGet } from '../../support/http.ts';
import {
  citiesOfOneStation,
  type Installation,
  install,
  reading,
  type Values,
} from '../../support/installation.ts';
import { type Launched, launchForSuite } from '../../support/launch.ts';

const HOUR_MS = 3_600_000;

/** What is measured in each city, in the last closed hour and now. */
const MEASURED: Readonly<Record<string, { hour?: Values; now?: Values; isSuspect?: true }>> = {
  particles: { hour: { pm25: 20, pm10: 20 }, now: { pm25: 20 } },
  gases: { hour: { o3: 110, no2: 20, so2: 1 }, now: { o3: 110 } }, // NO2 is in the same band
  both: { hour: { pm25: 8, pm10: 12, o3: 150 }, now: { pm25: 8, o3: 150 } },
  none: { hour: { temperature: 10 }, now: { temperature: 10 } },
  doubted: { hour: { pm25: 400, o3: 80 }, now: { pm25: 400, o3: 80 }, isSuspect: true },
  lying: { hour: { pm25: 400 }, now: { pm25: 400 }, isSuspect: true },
  fresh: { now: { pm25: 5 } },
  offline: { hour: { pm25: 20 } },
  waiting: {},
};
const CITIES = Object.keys(MEASURED);

type Said = [look: Look, box: string, text: string];
const SUSPECT: Said = ['unknown', '&gt;500', 'Suspect'];
const UNKNOWN: Said = ['unknown', '–', 'Unknown'];
const WAITING: Said = ['unknown', '–', 'Not yet measuring'];
const OFFLINE: Said = ['offline', '–', 'Offline'];
const WARM: Said = ['unknown', '–', 'Temperature 10.0 °C'];
type Table = Readonly<Record<string, { station: Said; region: Said }>>;
const same = (said: Said) => ({ station: said, region: said });

const EXPECTED: Readonly<Record<IndexName, Table>> = {
  aqi: {
    particles: same(['moderate', '71', 'Moderate']),
    gases: same(['band-moderate', '110', 'European index: moderate, O₃']),
    both: same(['good', '44', 'Good']),
    none: same(WARM),
    doubted: { station: SUSPECT, region: ['band-fair', '80', 'European index: fair, O₃'] },
    lying: { station: SUSPECT, region: UNKNOWN },
    fresh: same(['good', '28', 'Good']),
    offline: { station: OFFLINE, region: UNKNOWN },
    waiting: same(WAITING),
  },
  eaqi: {
    particles: same(['band-moderate', '20', 'Moderate, PM2.5']),
    gases: same(['band-moderate', '110', 'Moderate, O₃']),
    both: same(['band-poor', '150', 'Poor, O₃']),
    none: same(WARM),
    doubted: same(['band-fair', '80', 'Fair, O₃']),
    lying: { station: SUSPECT, region: UNKNOWN },
    fresh: same(['good', '28', 'US index: good']),
    offline: { station: OFFLINE, region: UNKNOWN },
    waiting: same(WAITING),
  },
};

const bare = (html = '') =>
  html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The line of a place in a list. */
function listed(page: string, path: string): Said {
  const line = new RegExp(
    `<span class="chip ([\\w-]+) box[^"]*">(.{1,20}?)</span>\\s*<a href="/en/${path}">.*?<span class="word">(.*?)</span> `,
    's',
  );
  const [, look = '', box = '', text = ''] = line.exec(page) ?? [];
  return [look as Look, bare(box), bare(text)];
}

/** The row of a place for the map, as the browser reads it. */
function pinned(page: string, level: 'region' | 'station', key: string | number) {
  type Row = [number, string | number, number, number, number, Grade];
  const [, json = '[]'] = /id="places">(.*?)<\/script>/s.exec(page) ?? [];
  const row = (JSON.parse(json) as Row[]).find(
    ([at, name]) => name === key && at >= 2 === (level === 'station'),
  );
  const [at = -1, , , , , grade = null] = row ?? [];
  if (grade === -1) return ['offline', '–'];
  return [lookOf(at === 3 ? null : grade), boxText(grade).replace('>', '&gt;')];
}

/** The headline of a page or frame, and the names of indices in it. */
function headline(page: string) {
  const [, look = '', content = ''] =
    /<p\s+class="index ([\w-]+)">(.*?)<\/p>/s.exec(page) ??
    /<p><span class="(chip [\w-]+)">(.*?)<\/span>/s.exec(page) ??
    [];
  const [, box = '', name = '', of = ''] =
    /<[bs]>(.*?)<\/[bs]>\s*<span>(.*?)<small>(.*?)<\/small>/s.exec(content) ?? [];
  return {
    look: look.replace('chip ', ''),
    box,
    name: bare(name || content),
    of: bare(of),
  };
}

/** The ground of a PNG: its first pixel, before which no other is. */
function groundOf(png: Buffer): string {
  const parts: Buffer[] = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  return `#${inflateSync(Buffer.concat(parts)).subarray(1, 4).toString('hex')}`;
}

onEveryEngineInAll('INDEX', (engine) => {
  let here: Installation;
  const services: Partial<Record<IndexName, Launched>> = {};
  beforeAll(async () => {
    const network = citiesOfOneStation(CITIES);
    here = await install(engine, {
      ...network,
      stations: network.stations.map((station, n) => ({
        ...station,
        ...(MEASURED[CITIES[n] ?? '']?.isSuspect && { is_bad_pm: true }),
      })),
    });
    const readings = CITIES.flatMap((city, n) => {
      const { hour, now } = MEASURED[city] ?? {};
      const age = city === 'offline' ? 5 * HOUR_MS : HOUR_MS;
      return [
        ...(hour === undefined
          ? []
          : [1, 2].map((hours) =>
              reading(n + 1, NOW.getTime() - age - (hours - 1) * HOUR_MS, hour),
            )),
        ...(now === undefined ? [] : [reading(n + 1, NOW, now)]),
      ];
    });
    await here.accept(readings);
    await here.refresh(NOW);
    await here.digest(NOW);
    for (const index of ['aqi', 'eaqi'] as const)
      services[index] = await launchForSuite(here, { role: 'api', index });
  });
  afterAll(async () => {
    for (const service of Object.values(services)) await service.stop();
    await here.close();
  });
  const pageOf = async (index: IndexName, path: string) =>
    (await httpGet(services[index]?.port.public ?? 0, path)).body;

  describe.each(['aqi', 'eaqi'] as const)('INDEX=%s', (index) => {
    it.each(CITIES)('list, map, page and frame say the same of %s (X1, C9)', async (city) => {
      const overview = await pageOf(index, '/en/');
      const id = CITIES.indexOf(city) + 1;
      const subjects = [
        ['station', id, `station/${id}`],
        ['region', city, `region/${city}`],
      ] as const;
      for (const [kind, key, path] of subjects) {
        const expected = EXPECTED[index][city]?.[kind] ?? UNKNOWN;
        const [look, box, text] = expected;
        expect(listed(overview, path), `${path} in the list`).toEqual(expected);
        expect(pinned(overview, kind, key), `${path} on the map`).toEqual([look, box]);
        const isIndex = box !== '–';
        const [other = '', name = text] = /^(.+ index): (.+)$/.exec(text)?.slice(1) ?? [];
        for (const address of [path, `embed/${path}`]) {
          const page = await pageOf(index, `/en/${address}`);
          if (text === WARM[2]) {
            expect(page, address).toMatch(/<p\s+class="main">Temperature <b>10\.0 °C<\/b>/);
            continue;
          }
          const said = headline(page);
          expect([said.look, said.box, said.name.toLowerCase()], address).toEqual([
            look,
            isIndex ? box : '',
            name.toLowerCase(),
          ]);
          const isEuropean = look.startsWith('band-');
          if (isIndex)
            expect(said.of, address).toContain(isEuropean ? 'European index' : 'US EPA index');
          if (other !== '') expect(said.of, address).toContain(other.split(' ')[0]);
        }
      }
    });

    it.skipIf(toPng === undefined)('a shared picture has the colour of the category', async () => {
      for (const city of ['gases', 'both', 'lying']) {
        const [look] = EXPECTED[index][city]?.region ?? UNKNOWN;
        const answer = await fetch(
          `http://localhost:${services[index]?.port.public}/en/card/region/${city}.png`,
        );
        expect(groundOf(Buffer.from(await answer.arrayBuffer())), city).toBe(surfaceOf(look)[0]);
      }
    });

    it('lists have the worst category first, whichever index says it, and then the unknown ones', async () => {
      const overview = await pageOf(index, '/en/');
      const order = [...overview.matchAll(/<a href="\/en\/region\/(\w+)">[^<]+<\/a> <span/g)].map(
        ([, slug = '']) => slug,
      );
      const worst = { aqi: 'gases particles doubted both', eaqi: 'both gases particles doubted' };
      expect(order.join(' ')).toBe(`${worst[index]} fresh lying none offline waiting`);
    });

    it('a page has the legend of each scale that it uses, with its name', async () => {
      const names = (page: string) =>
        [...page.matchAll(/<p class="legend">\s*<small>(.*?)<\/small>/g)].map(([, name]) => name);
      const { aqi, eaqi } = INDEX_WORDS;
      const both = [aqi.name.en, `${eaqi.name.en}; numbers: µg/m³ of the pollutant that makes it`];
      expect(names(await pageOf(index, '/en/'))).toEqual(
        index === 'aqi' ? both : both.toReversed(),
      );
    });

    it('the foot says what the indices on the page cover', async () => {
      const footOf = async (path: string) =>
        /data-live="foot">(.*?)</.exec(await pageOf(index, path))?.[1] ?? '';
      const [us, european] = ['The US index covers PM2.5 and', 'The European index is of the last'];
      for (const text of [us, european]) expect(await footOf('/en/')).toContain(text);
      expect(await footOf('/en/region/gases')).not.toContain(us);
    });

    it('the advice is that of the index in the headline', async () => {
      const advised = async (city: string) => {
        const page = await pageOf(index, `/en/region/${city}`);
        return bare(/<ul class="advice">(.*?)<\/ul>/s.exec(page)?.[1]);
      };
      const text = (of: IndexName, category: string) =>
        adviceFor('en', of, category)
          .map(({ whom, advice }) => `${whom}: ${advice}`)
          .join(' ')
          .replaceAll("'", '&#39;');
      expect(await advised('gases')).toBe(text('eaqi', 'moderate'));
      expect(await advised('both')).toBe(
        index === 'aqi' ? text('aqi', 'good') : text('eaqi', 'poor'),
      );
      expect(await advised('fresh')).toBe(text('aqi', 'good'));
      expect(await advised('none')).toBe('');
      const lying = await pageOf(index, `/en/station/${CITIES.indexOf('lying') + 1}`);
      expect(lying).not.toContain('class="advice"');
    });

    it('bars, strip and calendar have the colours of the index that the headline is of', async () => {
      const figureOf = (page: string) => /<figure class="card">(.*?)<\/figure>/s.exec(page)?.[1];
      const page = await pageOf(index, '/en/region/particles');
      const [look, name] = {
        aqi: ['moderate', 'US index'],
        eaqi: ['band-moderate', 'European index'],
      }[index];
      expect(figureOf(page)).toContain(`<rect class="${look}"`);
      expect(figureOf(page)).toContain(`PM2.5, last 24 hours</h2> · colours: ${name}`);
      expect(page).toContain(`<small>${INDEX_WORDS[index].name.en}</small><br>`);
      expect(page).toContain(`data-index="${index}"`);
      const gases = await pageOf(index, '/en/region/gases');
      expect(figureOf(gases)).toContain('Ozone, last 24 hours</h2> · colours: European index');
      expect(figureOf(gases)).toContain('<rect class="band-moderate"');
      expect(gases).toContain('data-index="eaqi"');
    });

    it('the number beside a category is of the hour that this judges', async () => {
      const page = await pageOf(index, '/en/region/both');
      const main = bare(/<p class="main">(.*?)<\/p>/s.exec(page)?.[1]);
      expect(main).toBe(index === 'aqi' ? 'PM2.5 8.0 µg/m³' : 'O₃ 150.0 µg/m³');
      expect(page.includes('<dt>European index</dt>'), 'others only').toBe(index === 'aqi');
      expect(page.includes('<dt>PM2.5</dt>'), 'a tile').toBe(index === 'eaqi');
      if (index === 'eaqi') expect(page).not.toContain('class="trend"'); // it is of PM2.5
    });

    it('the lines of a list share a scale, on which suspect particles do not count (C9)', async () => {
      const page = await pageOf(index, '/en/');
      const [, line = ''] = page.split('<a href="/en/region/particles">');
      expect(/<path d="([^"]+)"/.exec(line)?.[1], '20 µg/m³ is the highest').toBe('M88 1h0l4 0');
    });
  });

  it('with INDEX=eaqi the US index stands beside the European one (Q2)', async () => {
    const beside = async (index: IndexName, city: string) =>
      bare(/<dt>US index<\/dt>(.*?)<\/dd>/s.exec(await pageOf(index, `/en/region/${city}`))?.[1]);
    expect(await beside('eaqi', 'both')).toBe('44, good Of PM2.5 and PM10 only.');
    expect(await beside('eaqi', 'gases'), 'there is none').toBe('');
    expect(await beside('eaqi', 'fresh'), 'it is the headline').toBe('');
    expect(await beside('aqi', 'both')).toBe('');
  });

  it('the European index holds until an hour closes or a flag begins or ends (C9)', async () => {
    const read = async () =>
      (await here.published`select places, valid_until from api.station_european_json(${NOW})`)[0];
    const until = async () => new Date((await read())?.valid_until).toISOString();
    const places = async () => JSON.parse((await read())?.places);
    expect(await until()).toBe('2026-11-20T13:00:00.000Z');
    const owner = here.database.as('airseries_owner', 'UTC');
    await owner`insert into raw.screened_period (station_id, sensor_id, reason, since, until, kind)
      values (1, null, 'flat', '2026-11-19T00:00Z', '2026-11-20T12:45Z', 'pm')`;
    expect(await until()).toBe('2026-11-20T12:45:00.000Z');
    expect((await places())[1]).toBeUndefined();
    // over by now, but not before the hour was
    await owner`update raw.screened_period set until = '2026-11-20T11:30Z' where station_id = 1`;
    expect((await places())[1]).toBeUndefined();
    await owner`delete from raw.screened_period where station_id = 1`;
  });
});

it('a category ranks with the one at its position in the other scale, and numbers tell within it', () => {
  const sorted: Grade[] = [
    320,
    [5, 40],
    180,
    120,
    [2, 40],
    [2, 17],
    60,
    [1, 40],
    12,
    [0, 40],
    null,
  ];
  expect(sorted.toReversed().sort((a, b) => rankOf(b) - rankOf(a))).toEqual(sorted);
  expect(rankOf(0)).toBeGreaterThan(rankOf(null));
  expect(rankOf(2_000)).toBeGreaterThan(rankOf(301));
});
