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

/** Makes no connection to the operator's database. Starts or joins the embedded server; with `mustExist`, only where its database exists. */
export async function openDatabase(
  { databaseUrl, dataDirectory, embedded: kind }: Pick<Config, 'databaseUrl' | 'dataDirectory' | 'embedded'>,
  log: Log,
  { mustExist = false } = {},
): Promise<Database> {
  if (databaseUrl !== undefined) return { target: databaseUrl, embedded: undefined, close: async () => undefined };
  return openEmbeddedServer({ dataDirectory: resolve(dataDirectory), kind, log, mustExist });
}
