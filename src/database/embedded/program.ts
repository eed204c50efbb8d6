/** Which PostgreSQL serves: an installed one with TimescaleDB Community, or else the bundled one; `kind` forces either. */
import { findBundled, runnableBundled } from './bundledPostgres.ts';
import { findLocalTimescale, LOCAL_PLACES } from './localTimescale.ts';
import type { ServerUser } from './serverUser.ts';

export type EmbeddedKind = 'bundled' | 'local';

export type Program = {
  kind: EmbeddedKind;
  version: string;
  major: number;
  /** The directory of programs that this user can run; only a start needs it, and the first one may have to copy them. */
  bin(user: ServerUser): Promise<string>;
};

export async function chooseProgram(kind: EmbeddedKind | undefined): Promise<Program> {
  const local = kind === 'bundled' ? undefined : await findLocalTimescale();
  if (local) return { ...describe('local', local.version), bin: async () => local.bin };
  if (kind === 'local') {
    throw new Error(
      `No PostgreSQL with TimescaleDB Community was found: looked for pg_config in ${LOCAL_PLACES.join(', ')}, and ` +
        'beside each for timescaledb.control and the library timescaledb-tsl (some distributions leave it out: take the ' +
        "package of TimescaleDB's own repository). Install it, allow the bundled server, or set DATABASE_URL.",
    );
  }
  const bundled = findBundled();
  const version = bundled.version.split('.').slice(0, 2).join('.');
  return { ...describe('bundled', version), bin: (user) => runnableBundled(bundled, user) };
}

function describe(kind: EmbeddedKind, version: string) {
  return { kind, version, major: Number.parseInt(version, 10) };
}
