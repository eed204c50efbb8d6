/** Where this process's database is: the operator's, or the embedded server of its data directory. */
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import type { Target } from './client.ts';
import { openEmbeddedServer } from './embedded/server.ts';

export type Database = {
  target: Target;
  /** True for the embedded server: nobody else's data can be in it unless somebody put it there. */
  embedded: boolean;
  close(): Promise<void>;
};

type Where = Pick<Config, 'databaseUrl' | 'dataDirectory' | 'embedded'>;

export async function openDatabase({ databaseUrl, dataDirectory, embedded }: Where, log: Log): Promise<Database> {
  if (databaseUrl !== undefined) return { target: databaseUrl, embedded: false, close: async () => undefined };
  const server = await openEmbeddedServer({
    dataDirectory: resolve(dataDirectory),
    log,
    ...(embedded === undefined ? {} : { kind: embedded }),
  });
  const { socketDirectory, port, user, database } = server;
  return { target: { host: socketDirectory, port, user, database }, embedded: true, close: () => server.release() };
}
