/** The public API as an Express app: its middleware and the five endpoints. */
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
  makeSiteUrls,
  presentRegion,
  presentStation,
  presentStationsList,
  queryRegion,
  queryStation,
  queryStations,
  type SiteUrls,
} from './current.ts';
import { presentRegionHistory, presentStationHistory, queryRegionHistory, queryStationHistory } from './history.ts';
import { localeOf, noSuchRegion, noSuchStation, slugOf, stationIdOf, unknownPath } from './paths.ts';

export type AppOptions = {
  db: ApiDb;
  clock: Clock;
  /** Base of the `url` fields; empty for none. */
  siteBaseUrl: string;
  log: Log;
  /** Left out, nothing is counted. */
  metrics?: Metrics;
};

/** Where `/` sends a person. */
const SHOWCASE = `${BASE_PATH.replace('{locale}', 'en')}/stations.json`;

/** Throws nothing: every failure of a request is an answer in JSON. */
export function makeApp({ db, clock, siteBaseUrl, log, metrics }: AppOptions): Express {
  const app = bareApp();
  const errors = makeErrorHandlers(log);
  if (metrics !== undefined) app.use(measure(metrics, 'public'));
  app.use(accessLog(log), errors.watch, allowAnyOrigin, refuseMalformedPath);
  addPath(app, /^\/$/, (_req, res) => {
    res.status(302).set('Location', SHOWCASE).end();
  });
  addRoutes(app, { db, clock, site: makeSiteUrls(siteBaseUrl) });
  app.use((req: Request) => {
    throw unknownPath(req.path);
  }, errors.handle);
  return app;
}

/** Each endpoint parses the path, queries, presents. Identical requests share one answer while it is being made. */
function addRoutes(app: IRouter, { db, clock, site }: { db: ApiDb; clock: Clock; site: SiteUrls }): void {
  const answers: Record<EndpointName, (req: Request) => Promise<Answer>> = {
    async stations(req) {
      const locale = localeOf(req);
      const rows = await queryStations(db, clock(), locale);
      return answerOf(locale, presentStationsList(rows, locale, site));
    },

    async station(req) {
      const [locale, id] = [localeOf(req), stationIdOf(req)];
      const row = await queryStation(db, clock(), locale, id);
      if (row === undefined) throw noSuchStation(id);
      return answerOf(locale, presentStation(row, locale, site));
    },

    async stationHistory(req) {
      const [locale, id] = [localeOf(req), stationIdOf(req)];
      const buckets = await queryStationHistory(db, clock(), id);
      if (buckets === undefined) throw noSuchStation(id);
      return answerOf(locale, presentStationHistory(buckets));
    },

    async region(req) {
      const [locale, slug] = [localeOf(req), slugOf(req)];
      const row = await queryRegion(db, clock(), locale, slug);
      if (row === undefined) throw noSuchRegion(slug);
      return answerOf(locale, presentRegion(row, locale, site));
    },

    async regionHistory(req) {
      const [locale, slug] = [localeOf(req), slugOf(req)];
      const buckets = await queryRegionHistory(db, clock(), slug);
      if (buckets === undefined) throw noSuchRegion(slug);
      return answerOf(locale, presentRegionHistory(buckets));
    },
  };
  // by path: an answer depends on nothing else but the time, which for shared ones is that of the first request
  const once = coalesce<Answer>();
  // in the order of the contract, which has `x-history.json` before `x.json`
  for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
    const { path } = ENDPOINTS[name];
    const get: RequestHandler = async (req, res) => {
      sendAnswer(req, res, await once(req.path, () => answers[name](req)));
    };
    addPath(app, pathPattern(path), get, path);
  }
}
