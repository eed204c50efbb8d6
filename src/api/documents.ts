/** The five documents of the API: what a path names, and how it is rendered from one query (three for the list of stations). */
import type { Request } from 'express';
import type { Clock } from '../clock.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import type { Locale } from '../contract/locales.ts';
import type { ApiDb } from '../database/pools.ts';
import { answerOf } from '../http/answers.ts';
import type { Rendering } from '../http/responseCache.ts';
import {
  presentRegion,
  presentStation,
  presentStationsList,
  queryRegion,
  queryStation,
  queryStations,
  type SiteUrls,
} from './current.ts';
import { presentRegionHistory, presentStationHistory, queryRegionHistory, queryStationHistory } from './history.ts';
import { localeOf, noSuchRegion, noSuchStation, slugOf, stationIdOf } from './paths.ts';

/** Renders a document as of the moment of the call. Rejects with Problem 404 where there is no such station or region. */
export type RenderDocument = () => Promise<Omit<Rendering, 'route'>>;

/** Each throws Problem 404 for a path that can't name anything. */
export type Documents = Record<EndpointName, (req: Request) => RenderDocument>;

export function makeDocuments({ db, clock, site }: { db: ApiDb; clock: Clock; site: SiteUrls }): Documents {
  return {
    stations(req) {
      const locale = localeOf(req);
      return async () => {
        const rows = await queryStations(db, clock(), locale);
        return rendering(locale, presentStationsList(rows, locale, site), [...rows.stations, ...rows.regions]);
      };
    },

    station(req) {
      const [locale, id] = [localeOf(req), stationIdOf(req)];
      return async () => {
        const row = await queryStation(db, clock(), locale, id);
        if (row === undefined) throw noSuchStation(id);
        return rendering(locale, presentStation(row, locale, site), [row]);
      };
    },

    stationHistory(req) {
      const [locale, id] = [localeOf(req), stationIdOf(req)];
      return async () => {
        const history = await queryStationHistory(db, clock(), id);
        if (history === undefined) throw noSuchStation(id);
        return rendering(locale, presentStationHistory(history.buckets), [history]);
      };
    },

    region(req) {
      const [locale, slug] = [localeOf(req), slugOf(req)];
      return async () => {
        const row = await queryRegion(db, clock(), locale, slug);
        if (row === undefined) throw noSuchRegion(slug);
        return rendering(locale, presentRegion(row, locale, site), [row]);
      };
    },

    regionHistory(req) {
      const [locale, slug] = [localeOf(req), slugOf(req)];
      return async () => {
        const history = await queryRegionHistory(db, clock(), slug);
        if (history === undefined) throw noSuchRegion(slug);
        return rendering(locale, presentRegionHistory(history.buckets), [history]);
      };
    },
  };
}

/** Columns of every row that a document is made of: the first instant at which it changes without new data, and the data version. */
type Validity = { valid_until: string | null; data_version: number | null };

/** The last instant that a Date can hold. */
const NEVER = 8.64e15;

function rendering(locale: Locale, content: object, rows: readonly Validity[]): Omit<Rendering, 'route'> {
  return {
    answer: answerOf(locale, content),
    validUntil: new Date(
      Math.min(NEVER, ...rows.map(({ valid_until: until }) => (until === null ? NEVER : Date.parse(until)))),
    ),
    version: rows.length === 0 ? 0 : Math.min(...rows.map((row) => row.data_version ?? 0)), // 0: an empty network isn't worth keeping,
  };
}
