/** The five endpoints: each handler parses, asks, presents and sends. */
import type { IRouter, RequestHandler } from 'express';
import type { Clock } from '../clock.ts';
import { ENDPOINTS, type EndpointName } from '../contract/endpoints.ts';
import { presentRegionHistory, presentStationHistory } from '../present/history.ts';
import { presentRegion } from '../present/region.ts';
import type { SiteUrls } from '../present/siteUrls.ts';
import { presentStation } from '../present/station.ts';
import { presentStationsList } from '../present/stationsList.ts';
import type { ApiDb } from '../queries/api.ts';
import { askRegionHistory, askStationHistory } from '../queries/history.ts';
import { askRegion } from '../queries/region.ts';
import { askStation } from '../queries/station.ts';
import { askStations } from '../queries/stations.ts';
import { addPath } from './methods.ts';
import { localeOf, noSuchRegion, noSuchStation, slugOf, stationIdOf } from './parameters.ts';
import { pathPattern } from './paths.ts';
import { sendAnswer } from './send.ts';

export function addRoutes(app: IRouter, { db, clock, site }: { db: ApiDb; clock: Clock; site: SiteUrls }): void {
  const handlers: Record<EndpointName, RequestHandler> = {
    async stations(req, res) {
      const locale = localeOf(req);
      const rows = await askStations(db, clock());
      sendAnswer(req, res, locale, presentStationsList(rows, locale, site));
    },

    async station(req, res) {
      const [locale, id] = [localeOf(req), stationIdOf(req)];
      const row = await askStation(db, clock(), id);
      if (row === undefined) throw noSuchStation(id);
      sendAnswer(req, res, locale, presentStation(row, locale, site));
    },

    async stationHistory(req, res) {
      const [locale, id] = [localeOf(req), stationIdOf(req)];
      const buckets = await askStationHistory(db, clock(), id);
      if (buckets === undefined) throw noSuchStation(id);
      sendAnswer(req, res, locale, presentStationHistory(buckets));
    },

    async region(req, res) {
      const [locale, slug] = [localeOf(req), slugOf(req)];
      const row = await askRegion(db, clock(), slug);
      if (row === undefined) throw noSuchRegion(slug);
      sendAnswer(req, res, locale, presentRegion(row, locale, site));
    },

    async regionHistory(req, res) {
      const [locale, slug] = [localeOf(req), slugOf(req)];
      const buckets = await askRegionHistory(db, clock(), slug);
      if (buckets === undefined) throw noSuchRegion(slug);
      sendAnswer(req, res, locale, presentRegionHistory(buckets));
    },
  };
  // in the contract's order: `x-history.json` is tried before `x.json`
  for (const name of Object.keys(ENDPOINTS) as EndpointName[]) {
    const { path } = ENDPOINTS[name];
    addPath(app, pathPattern(path), handlers[name], path);
  }
}
