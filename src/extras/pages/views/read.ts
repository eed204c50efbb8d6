/** The material of views: documents of the API, and how long these are valid together. */
import type { Region, Station } from '../../../contract/current.ts';
import type { Locale } from '../../../contract/endpoints.ts';
import type { PageParts } from '../../../serve/app.ts';
import { type Document, encode } from '../../../serve/document.ts';
import { earlier, type Validity, validityOf } from '../../../serve/entry.ts';
import type { European } from '../../../serve/european.ts';
import type { Limits } from '../health.ts';
import { type LastDay, queryLastDays } from '../lastDays.ts';
import type { Page, Site } from '../layout.ts';
import { type Indices, isWaiting, type Unjudged } from '../now.ts';
import type { ListedStation } from '../parts.ts';
import type { Windows } from '../series.ts';
import { topOf } from '../trend.ts';
import { type Trust, whySuspect } from '../trust.ts';
import { type EuropeanGrade, verdictOf } from '../verdict.ts';

/** The values in the address of a page; those that it lacks must not be read. */
export type Values = { locale: Locale; id: number; slug: string };

export type Context = PageParts & { site: Site };

/** Renders what is at an address. Rejects with Problem 404 where there is no such place. */
export type View = (
  context: Context,
  values: Values,
) => Promise<Validity & ({ page: Page } | { picture: Buffer })>;

/** The documents that frames and pages have in common. */
export const OF_STATION = {
  values: 'station',
  indices: 'stationNow',
  trust: 'stationFlags',
} as const;
export const OF_REGION = { values: 'region', indices: 'regionNow' } as const;

/** The listed places of the network. */
export async function readNetwork(
  { reader, present: presentAs, site: { index } }: Context,
  locale: Locale,
) {
  const [network, { titles, ...ofTitles }, providers, european] = await Promise.all([
    reader.network(),
    reader.titles(),
    reader.providers(locale),
    reader.european(),
  ]);
  const present = presentAs(titles[locale], locale);
  const stations = network.stations
    .filter((row) => row.is_listed)
    .map((row) => {
      const is_bad_pm = row.is_bad_pm ?? false;
      const station = { ...present.station(row), is_bad_pm };
      const judged = { ...station, has_measured: row.has_measured ?? false };
      return { ...station, verdict: verdictOf(index, judged, european.stations[row.id]) };
    });
  const regions = network.regions.map((row) => {
    const region = present.region(row);
    const judged = { ...region, has_measured: row.has_measured ?? false };
    return { ...region, verdict: verdictOf(index, judged, european.regions[region.slug]) };
  });
  return {
    list: { providers, stations, regions },
    validity: earlier(earlier(earlier(network, ofTitles), validityOf(providers)), european),
  };
}

/** Places of one list with their last 24 hours, and how long these are valid. */
export async function withDays<Place extends Region, Post extends ListedStation>(
  { wholeNetwork, clock }: Context,
  regions: readonly Place[],
  stations: readonly Post[],
) {
  const { rows, ...days } = await queryLastDays(wholeNetwork, clock(), {
    regions: regions.map(({ slug }) => slug),
    stations: stations.map(({ id }) => id),
  });
  const top = topOf([
    ...Object.values(days.regions),
    ...stations.map(({ id, is_bad_pm }) => (is_bad_pm ? undefined : days.stations[id])),
  ]);
  const listed = (day: LastDay | undefined) => day && { ...day, top };
  return {
    regions: regions.map((one) => ({ ...one, day: listed(days.regions[one.slug]) })),
    stations: stations.map((one) => ({ ...one, day: listed(days.stations[one.id]) })),
    validity: validityOf(rows),
  };
}

type Names = keyof PageParts['documents'];

/** The contents of documents about the same thing, and for how long they are valid together. */
export async function readAll<Contents extends object>(
  { documents }: Context,
  values: Values,
  names: { [Key in keyof Contents]: Names },
): Promise<Validity & { contents: Contents }> {
  const asked = { ...values, parameter: '', year: 0, from: '', to: '', hour: '' };
  const entries = await Promise.all(
    Object.entries<Names>(names).map(async ([key, name]) => {
      const { document, ...validity } = await documents[name](asked);
      return { validity, entry: [key, await contentOf(document)] as const };
    }),
  );
  const contents = Object.fromEntries(entries.map(({ entry }) => entry)) as Contents;
  return { ...entries.map(({ validity }) => validity).reduce(earlier), contents };
}

async function contentOf<T>(document: Document): Promise<T> {
  return JSON.parse(String(await encode(document, 'identity')));
}

/** A subject with what is said of its air, and how long both are valid. */
export async function withVerdict<One extends Unjudged>(
  { reader, site: { index } }: Context,
  { subject, validity }: { subject: One; validity: Validity },
  gradeOf: (european: European) => EuropeanGrade | undefined,
) {
  const european = await reader.european();
  const judged = {
    ...subject.values,
    is_bad_pm: subject.suspect !== undefined,
    has_measured: !isWaiting(subject),
  };
  const verdict = verdictOf(index, judged, gradeOf(european));
  return {
    subject: { ...subject, verdict, index, hour: european.hour },
    validity: earlier(validity, european),
  };
}

/** The facts on the page and the picture of a station. */
export async function readStation(context: Context, values: Values) {
  type Contents = { values: Station; history: Windows; indices: Indices; trust: Trust };
  const { contents, ...validity } = await readAll<Contents>(context, values, {
    ...OF_STATION,
    history: 'stationHistory',
  });
  const at = context.clock();
  const { flags } = contents.trust;
  const suspect = whySuspect(values.locale, flags, at);
  const subject = { ...contents, at, suspect, flags };
  return await withVerdict(context, { subject, validity }, ({ stations }) => stations[values.id]);
}

/** The same of a region. */
export async function readRegion(context: Context, values: Values) {
  type Contents = { values: Region; history: Windows; indices: Indices; limits: Limits };
  const { contents, ...validity } = await readAll<Contents>(context, values, {
    ...OF_REGION,
    history: 'regionHistory',
    limits: 'regionLimits',
  });
  const subject = { ...contents, at: context.clock() };
  return await withVerdict(context, { subject, validity }, ({ regions }) => regions[values.slug]);
}
