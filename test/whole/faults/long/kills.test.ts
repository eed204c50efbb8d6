/**
 * Four senders, which include the newest minute, and continuous refreshes, with and without
 * PostgreSQL being killed meanwhile: no acknowledged reading is lost, no batch is stored in part,
 * and every bucket is right.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { refresh } from '../../../../src/aggregate/refresh.ts';
import { onConnection } from '../../../../src/database/client.ts';
import { engines } from '../../../support/database.ts';
import { until } from '../../../support/patience.ts';
import { addressVariables, makeHome, runAirseries } from '../../../support/program.ts';
import { findLocalTimescale, localProgram } from '../../../support/run/localServer.ts';
import { type Program, packagedProgram, startPostgres } from '../../../support/run/postgres.ts';
import { compare, feed, minuteOf, prepare } from './feeding.ts';

const local = await findLocalTimescale();
const programs = { plain: packagedProgram(), timescale: local && localProgram(local) };
/** A server that stores everything it acknowledges, as servers of the service do. */
const durable = (program: Program): Program => ({
  ...program,
  settings: { ...program.settings, fsync: 'on', synchronous_commit: 'on' },
});

/** Starts the server again, as soon as the processes of the one that was killed are gone. */
async function startAgain(folder: string, program: Program) {
  for (;;) {
    const server = await startPostgres(folder, program).catch(() => undefined);
    if (server !== undefined) return server;
  }
}

it.for(
  engines.flatMap((engine) => [
    [engine, 6],
    [engine, 0],
  ]) as [(typeof engines)[number], number][],
)(
  'no acknowledged reading is lost and every bucket is right on %s, with %i kills of the server',
  async ([engine, kills], { annotate, skip }) => {
    const found = programs[engine];
    if (found === undefined) return skip('no PostgreSQL with TimescaleDB is installed');
    const program = durable(found);
    const home = makeHome();
    onTestFinished(() => home.remove());
    const folder = join(home.folder, 'data');
    let server = await startPostgres(folder, program);
    onTestFinished(() => server.close());
    const { target } = server;
    // a URL without a database: the driver takes its name from the variables
    const environment = {
      ...addressVariables(target),
      DATABASE_URL: 'postgres://',
      TIME_ZONE: 'Asia/Yerevan',
    };
    const token = await prepare(home, environment);
    const { service, push, batches } = await feed(environment, token);
    const find = (name: string) =>
      execFileSync('find', [home.folder, '-name', name], { encoding: 'utf8' }).trim();
    let over = false;
    const senders = Array.from({ length: 4 }, async (_, n) => {
      while (!over) {
        const { status } = await push(200 + n);
        if (status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
      }
    });
    const refreshing = (async () => {
      while (!over)
        await refresh(target, () => new Date()).catch(
          () => new Promise((resolve) => setTimeout(resolve, 100)),
        );
    })();
    const acknowledged = () => [...batches.values()].filter((batch) => batch.acknowledged).length;
    for (let n = 0; n < kills; n++) {
      const enough = acknowledged() + 25;
      await until(() => acknowledged() >= enough, 'readings are accepted');
      process.kill(Number.parseInt(readFileSync(find('postmaster.pid'), 'utf8'), 10), 'SIGKILL');
      server = await startAgain(folder, program);
    }
    const enough = acknowledged() + (kills === 0 ? 150 : 10);
    await until(() => acknowledged() >= enough, 'readings are accepted again');
    over = true;
    await Promise.all([...senders, refreshing]);

    await refresh(target, () => new Date());
    const stored = await onConnection(target, { role: 'airseries_owner' }, async (sql) => [
      ...(await sql<{ measured_at: string }[]>`select measured_at from raw.readings`),
    ]);
    const minutes = new Set(stored.map(({ measured_at }) => minuteOf(measured_at)));
    const { lost, half } = compare(batches, minutes);
    service.kill('SIGTERM');
    expect((await service.finished).code).toBe(0);
    const audited = await runAirseries(['audit', '--from', '2020-01-01'], environment).finished;
    const all = [...batches.values()];
    const refused = all.filter((batch) => !batch.acknowledged).length;
    await annotate(
      `kills, ${engine}: ${kills} kills of the server, ${stored.length} readings in ${all.length} batches, ${refused} not acknowledged; lost ${lost}, half ${half}`,
    );
    expect({ lost, half, audited: audited.stdout.trim() }).toEqual({
      lost: 0,
      half: 0,
      audited: '[]',
    });
  },
);
