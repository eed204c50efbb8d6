/** The database of a process: the one that its configuration names, or one that comes along. */
import type { Database } from './address.ts';

/** `bundled` opens the one that comes along, if there is one. Makes no connection to the other. */
export async function openDatabase(
  databaseUrl: string | undefined,
  bundled: (() => Promise<Database>) | undefined,
): Promise<Database> {
  if (databaseUrl !== undefined)
    return { target: databaseUrl, embedded: false, close: async () => undefined };
  if (bundled !== undefined) return await bundled();
  throw new Error(
    'DATABASE_URL is missing, and no database comes along. Set it to the address of a PostgreSQL database, such as postgres://user:password@host:5432/air.',
  );
}
