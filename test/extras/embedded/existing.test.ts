/** A data directory that holds data keeps its kind of server, whatever is installed since; moving the data to the other kind. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeLog } from '../../../src/base/log.ts';
import { type EmbeddedKind, makeHome } from '../../../src/extras/embedded/home.ts';
import { openEmbeddedServer } from '../../../src/extras/embedded/server.ts';
import { citiesOfOneStation } from '../../support/installation.ts';
import { freePort, launch, ready } from '../../support/program.ts';
import { skipUnless } from '../../support/tools.ts';
import { local, NO_LOCAL, open, PROJECT, TIMEOUT_MS, temporaryDirectory } from './support.ts';

const log = makeLog('silent');
const newest = Number.parseInt(local?.version ?? '17', 10);

/** A data directory with what is left of servers: what their clusters contain isn't looked at before they are started. */
function holding(...names: string[]): string {
  const dataDirectory = temporaryDirectory();
  for (const name of names) {
    const [kind, major] = name.split('-');
    mkdirSync(makeHome(dataDirectory, kind as EmbeddedKind, Number(major)).data);
  }
  return dataDirectory;
}

describe(
  'where PostgreSQL with TimescaleDB was installed since',
  skipUnless(local !== undefined, NO_LOCAL),
  () => {
    test('the bundled server goes on with its data', { timeout: TIMEOUT_MS }, async () => {
      const dataDirectory = temporaryDirectory();
      await (await open(dataDirectory, 'bundled')).close();
      const server = await openEmbeddedServer({ dataDirectory, log });
      onTestFinished(() => server.close());
      expect(server.embedded).toBe('bundled');
      expect(readdirSync(dataDirectory)).toEqual(['bundled-18']);
    });

    test.each([
      ['bundled', 'local'],
      ['local', 'bundled'],
    ] as const)(
      'the commands that refuse %s data for %s move them',
      { timeout: 4 * TIMEOUT_MS },
      async (from, to) => {
        const folder = temporaryDirectory();
        symlinkSync(join(PROJECT, 'src'), join(folder, 'src'));
        const [PORT, ADMIN_PORT, INGEST_PORT] = [
          await freePort(),
          await freePort(),
          await freePort(),
        ];
        const DATA_DIR = join(folder, "people's data");
        const environment = { PORT, ADMIN_PORT, INGEST_PORT, TIME_ZONE: 'Asia/Yerevan' };
        // without DATA_DIR, as in another terminal than the one it was given in
        const shell = (command: string, more = {}) => {
          const running = launch(['/bin/sh', '-ec', command], {
            environment: { ...environment, ...more },
            folder,
          });
          onTestFinished(() => running.kill('SIGKILL'));
          return running;
        };
        const airseries = (words: string, EMBEDDED_PG: string) =>
          shell(`exec node src/airseries.js ${words}`, { EMBEDDED_PG, DATA_DIR }).finished;
        writeFileSync(join(folder, 'their.json'), JSON.stringify(citiesOfOneStation(['town'])));
        const readings = ['2026-11-19T08:00:00Z,12.5', '2026-11-19T09:00:00Z,20'].map(
          (line) => `1,${line}\n`,
        );
        writeFileSync(join(folder, 'their.csv'), `sensor_id,time,pm25\n${readings.join('')}`);
        expect(await airseries('import network their.json', from)).toMatchObject({ code: 0 });
        expect(await airseries('import readings their.csv', from)).toMatchObject({ code: 0 });

        const { code, stderr } = await airseries('start', to);
        expect([code, readdirSync(DATA_DIR)]).toEqual([1, [expect.stringContaining(from)]]); // no other cluster, and no demo in it
        const { msg }: { msg: string } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
        const [serve = '', network = '', copy = '', ...moving] = [
          ...msg.matchAll(/^ {2}(.*)$/gm),
        ].map(([, line = '']) => line);
        const during = async (command: string, work: () => Promise<void>) => {
          const service = shell(command.replace('node', 'exec node'));
          await ready(ADMIN_PORT, service);
          await work();
          service.kill('SIGTERM');
          expect(await service.finished).toMatchObject({ code: 0 });
        };
        await during(serve, async () => {
          for (const command of [network, copy])
            expect(await shell(command).finished).toMatchObject({ code: 0 });
        });
        for (const command of moving.slice(0, -1))
          expect(await shell(command).finished).toMatchObject({ code: 0 });
        await during(moving.at(-1) ?? '', async () => {
          const answer = await fetch(
            `http://localhost:${PORT}/en/air-quality-app/v1/station/1-history.json`,
          );
          expect((await answer.json())['1y']).toMatchObject([{ avg_pm25: 16.3 }]);
        });
        const left = execFileSync('/bin/sh', ['-c', 'ls "$1" "$1"-*', 'sh', DATA_DIR], {
          encoding: 'utf8',
        });
        expect(left).toMatch(new RegExp(`data:\n${from}-\\d+\n\n.*data-${to}:\n${to}-\\d+\n$`));
      },
    );
  },
);

describe('a database whose server is no longer there is not left for an empty one', () => {
  test.each([
    [
      `local-${newest - 1}`,
      `needs PostgreSQL ${newest - 1}`,
      'Install it again; the data are unchanged',
    ],
    ['bundled-17', 'needs PostgreSQL 17', 'Start the version of airseries that made the database'],
  ])('%s', async (name, what, remedy) => {
    const dataDirectory = holding(name);
    await expect(openEmbeddedServer({ dataDirectory, log })).rejects.toThrow(
      new RegExp(`${name}.*${what}.*${remedy}`),
    );
    expect(readdirSync(dataDirectory)).toEqual([name]);
  });
});

test('of several databases none is chosen silently', async () => {
  const dataDirectory = holding('bundled-18', 'local-15', 'local-17');
  await expect(openEmbeddedServer({ dataDirectory, log })).rejects.toThrow(
    /3 databases .*bundled-18 and .*local-15 and .*local-17.*Set EMBEDDED_PG to bundled or local, or move the other folder away/,
  );
  await expect(openEmbeddedServer({ dataDirectory, kind: 'local', log })).rejects.toThrow(
    /2 databases .*local-15 and .*local-17\. .*Move the other folder away/,
  );
});
