/**
 * Pushes to the name of a source of the network file: /v1/push/NAME. Sources change while the
 * service runs, so their names are looked up, for all requests of a minute together.
 */
import type { RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import type { QueryPool } from '../../database/queryPool.ts';
import { readSources } from '../store/sources.ts';

/** The declaration that the path of a request names; undefined: it names none. */
export function sourceOf(res: Response): object | undefined {
  return res.locals.source as object | undefined;
}

/**
 * Hands a request whose path names a source to its handler, and passes others on. `path`: a pattern
 * whose first group is the name. Rejects with Unavailable where `writes` does.
 */
export function makeSourceRoute(
  writes: QueryPool,
  path: RegExp,
  handlerOf: (source: object) => RequestHandler,
): RequestHandler {
  const cache = new LRUCache<'all', { sources: ReadonlyMap<string, object> }>({
    max: 1,
    ttl: 60_000,
    fetchMethod: async () => ({ sources: await readSources(writes) }),
  });
  return async (req, res, next) => {
    const name = path.exec(req.path)?.[1];
    const known = name === undefined ? undefined : await cache.fetch('all');
    const source = known?.sources.get(name ?? '');
    if (source === undefined) return next();
    res.locals.source = source;
    return handlerOf(source)(req, res, next);
  };
}
