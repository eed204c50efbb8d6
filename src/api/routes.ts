/** The five endpoints: each parses, asks and presents; what comes of it is sent to all who ask for the same at that moment. */
import type { IRouter, Request, RequestHandler } from 'express';
import type { Clock } from '../clock.ts';
import { ENDPOINTS, type EndpointName, pathPattern } from '../contract/endpoints.ts';
import type { ApiDb } from '../database/apiSchema.ts';
import { addPath } from '../http/methods.ts';
import { coalesce } from '../http/once.ts';
import { type Answer, answerOf, sendAnswer } from '../http/send.ts';
import { askRegionHistory, askStationHistory, presentRegionHistory, presentStationHistory } from './history.ts';
import { localeOf, noSuchRegion, noSuchStation, slugOf, stationIdOf } from './paths.ts';
import type { SiteUrls } from './present.ts';
import { askRegion, presentRegion } from './region.ts';
import { askStation, presentStation } from './station.ts';
import { askStations, presentStationsList } from './stations.ts';

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
