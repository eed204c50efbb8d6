/** Opening this process's database: the operator's, or the embedded server of its data directory. */
import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import type { DatabaseAddress } from '../database/client.ts';
import type { Log } from '../log.ts';
import type { EmbeddedKind } from './home.ts';
import { openEmbeddedServer } from './server.ts';

export type Database = {
  target: DatabaseAddress;
  /** The kind of embedded server, which is private to this data directory; undefined: it is the operator's. */
  embedded: EmbeddedKind | undefined;
  /** Where the data of an embedded server are, which is not below DATA_DIR if its user cannot enter that. */
  dataDirectory?: string;
  /** Stops using the embedded server; does nothing for the operator's database. */
  close(): Promise<void>;
};

type Options = Pick<Config, 'databaseUrl' | 'dataDirectory' | 'embedded'>;

/**
 * Makes no connection to the operator's database. Starts or joins the embedded server, and rejects with a remedy if that fails or, with
 * `mustExist`, if it would have to make its database.
 */
export async function openDatabase(
  { databaseUrl, dataDirectory, embedded }: Options,
  log: Log,
  { mustExist = false } = {},
): Promise<Database> {
  if (databaseUrl !== undefined) return { target: databaseUrl, embedded: undefined, close: async () => undefined };
  const directory = resolve(dataDirectory);
  const server = await openEmbeddedServer({ dataDirectory: directory, kind: embedded, log, mustExist });
  const { socketDirectory, port, user, database } = server;
  const target = { host: socketDirectory, port, user, database };
  return { target, embedded: server.kind, dataDirectory: server.dataDirectory, close: () => server.release() };
}
