/** The public API as an Express app; the table "the public door" of the design is what it does. */
import type { Express, IRouter, Request, RequestHandler } from 'express';
import type { Clock } from '../clock.ts';
import { BASE_PATH, ENDPOINTS, type EndpointName, pathPattern } from '../contract/endpoints.ts';
import type { ApiDb } from '../database/pools.ts';
import { makeErrorHandlers, refuseMalformedPath } from '../http/errors.ts';
import { accessLog, addPath, allowAnyOrigin, bareApp } from '../http/middleware.ts';
import { type Answer, answerOf, coalesce, sendAnswer } from '../http/send.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/definitions.ts';
import { measure } from '../metrics/recorders.ts';
import {
  askRegion,
  askStation,
  askStations,
  makeSiteUrls,
  presentRegion,
  presentStation,
  presentStationsList,
  type SiteUrls,
} from './current.ts';
import { askRegionHistory, askStationHistory, presentRegionHistory, presentStationHistory } from './history.ts';
import { localeOf, noSuchRegion, noSuchStation, slugOf, stationIdOf, unknownPath } from './paths.ts';

export type AppOptions = {
  db: ApiDb;
  clock: Clock;
  /** Where the service's own pages are; empty for no links to them. */
  siteBaseUrl: string;
  log: Log;
  /** Absent: nothing is counted. */
  metrics?: Metrics;
};

const WORTH_LOOKING_AT = `${BASE_PATH.replace('{locale}', 'en')}/stations.json`;

export function makeApp({ db, clock, siteBaseUrl, log, metrics }: AppOptions): Express {
  const app = bareApp();
  const errors = makeErrorHandlers(log);
  if (metrics !== undefined) app.use(measure(metrics, 'public'));
  app.use(accessLog(log), errors.watch, allowAnyOrigin, refuseMalformedPath);
  addPath(app, /^\/$/, (_req, res) => {
    res.status(302).set('Location', WORTH_LOOKING_AT).end();
  });
  addRoutes(app, { db, clock, site: makeSiteUrls(siteBaseUrl) });
  app.use((req: Request) => {
    throw unknownPath(req.path);
  }, errors.handle);
  return app;
}

/** The five endpoints: each parses, asks and presents; what comes of it is sent to all who ask for the same at that moment. */

export function addRoutes(app: IRouter, { db, clock, site }: { db: ApiDb; clock: Clock; site: SiteUrls }): void {
  const answers: Record<EndpointName, (req: Request) => Promise<Answer>> = {
    async stations(req) {
      const locale = localeOf(req);
      const rows = await askStations(db, clock(), locale);
      return answerOf(locale, presentStationsList(rows, locale, site));
    },

    async station(req) {
      const [locale, id] = [localeOf(req), stationIdOf(req)];
      const row = await askStation(db, clock(), locale, id);
      if (row === undefined) throw noSuchStation(id);
      return answerOf(locale, presentStation(row, locale, site));
    },

    async stationHistory(req) {
      const [locale, id] = [localeOf(req), stationIdOf(req)];
      const buckets = await askStationHistory(db, clock(), id);
      if (buckets === undefined) throw noSuchStation(id);
      return answerOf(locale, presentStationHistory(buckets));
    },

    async region(req) {
      const [locale, slug] = [localeOf(req), slugOf(req)];
      const row = await askRegion(db, clock(), locale, slug);
      if (row === undefined) throw noSuchRegion(slug);
      return answerOf(locale, presentRegion(row, locale, site));
    },

    async regionHistory(req) {
      const [locale, slug] = [localeOf(req), slugOf(req)];
      const buckets = await askRegionHistory(db, clock(), slug);
      if (buckets === undefined) throw noSuchRegion(slug);
      return answerOf(locale, presentRegionHistory(buckets));
    },
  };
  // by path, which says all that an answer depends on but the time: so what is made of the rows is made once too, and `now`, another in
  // each millisecond, needs no rounding
  const once = coalesce<Answer>();
  // in the contract's order: `x-history.json` is tried before `x.json`
  for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
    const { path } = ENDPOINTS[name];
    const get: RequestHandler = async (req, res) => {
      sendAnswer(req, res, await once(req.path, () => answers[name](req)));
    };
    addPath(app, pathPattern(path), get, path);
  }
}
