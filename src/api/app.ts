/** The public API as an Express app; the table "the public door" of the design is what it does. */
import type { Express, Request } from 'express';
import type { Clock } from '../clock.ts';
import { BASE_PATH } from '../contract/endpoints.ts';
import type { ApiDb } from '../database/apiSchema.ts';
import { makeErrorHandlers, refuseMalformedPath } from '../http/errors.ts';
import { addPath, allowAnyOrigin, bareApp } from '../http/methods.ts';
import { accessLog } from '../http/requestLog.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics/definitions.ts';
import { measure } from '../metrics/http.ts';
import { unknownPath } from './paths.ts';
import { makeSiteUrls } from './present.ts';
import { addRoutes } from './routes.ts';

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
