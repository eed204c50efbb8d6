/**
 * The bundled database in surroundings that do not fit it: a folder of somebody else, data that are
 * deleted while the service runs.
 */
import { chmodSync, chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeLog } from '../../../src/base/log.ts';
import { openEmbeddedServer } from '../../../src/extras/embedded/server.ts';
import { DOCUMENTS } from '../../serve/network.ts';
import { freePort } from '../../support/freePort.ts';
import { citiesOfOneStation } from '../../support/installation.ts';
import { until } from '../../support/patience.ts';
import { makeHome, ready, runAirseries } from '../../support/program.ts';
import { needs } from '../../support/tools.ts';
import { isRoot, unprivilegedUser } from '../../support/users.ts';
import { errorOf, expectSaid, type Mistake, type } from '../../whole/mistakes/mistake.ts';

const log = makeLog('silent');

describe.concurrent('as an ordinary user', needs('otherUser'), () => {
  const { folder, remove } = makeHome();
  beforeAll(() => {
    writeFileSync(join(folder, 'file'), '');
    mkdirSync(join(folder, 'private'), { mode: 0o000 });
    mkdirSync(join(folder, 'readOnly'));
    if (isRoot()) {
      const { uid, gid } = unprivilegedUser();
      chownSync(join(folder, 'readOnly'), uid, gid);
      chmodSync(folder, 0o777);
    }
    chmodSync(join(folder, 'readOnly'), 0o555);
    return () => {
      for (const name of ['private', 'readOnly']) chmodSync(join(folder, name), 0o700);
      remove();
    };
  });

  it.each<Mistake<string>>([
    [
      "a DATA_DIR below another user's, beside an unknown setting",
      'AIRSERIES_FORMAT=text DATA_DIR=readOnly/new airseries start',
      [/unknown settings: AIRSERIES_FORMAT;/, /DATA_DIR \(.*new\) is not open to this user/],
    ],
    [
      "another user's DATA_DIR",
      'DATA_DIR=private airseries migrate',
      /There may be a database in .*private.*it belongs to user \w+, and this is user \w+.*Run the command as the user who.*, or choose another DATA_DIR/,
    ],
    [
      'readings where no database is, as in another folder',
      'airseries import readings file',
      [
        /There is no database in .*airseries \(DATA_DIR\), and this command makes none/,
        'run the command in the same folder, or with the same DATA_DIR or DATABASE_URL',
      ],
    ],
  ])('the program says what is wrong with %s', async (_, line, said, code = 1) => {
    const found = await type(line, folder);
    expectSaid(found.stderr, said);
    expect(found).toMatchObject({ code, stdout: '' });
    for (const made of ['.airseries', 'readOnly/new'])
      expect(existsSync(join(folder, made))).toBe(false);
  });
});

it(
  'the error of DATA_DIR says what is wrong with /proc, where making folders never ends',
  needs('linux'),
  async () => {
    const { message } = await errorOf(() =>
      openEmbeddedServer({ dataDirectory: '/proc/new', log }),
    );
    expect(message).toMatch(/DATA_DIR \(\/proc\/new\) cannot be created.*Choose a folder/);
  },
);

// in npm test: database/errors.test.ts, serve/away.test.ts: what is answered without a database
describe.concurrent('a folder of data that is deleted while it is in use', needs('all'), () => {
  let home: ReturnType<typeof makeHome>;
  beforeAll(() => {
    home = makeHome();
    return () => home.remove();
  });

  it('a service whose data are deleted says so, and answers 503 on every path', async () => {
    const [PORT, ADMIN_PORT, INGEST_PORT] = [await freePort(), await freePort(), await freePort()];
    const ports = { PORT, ADMIN_PORT, INGEST_PORT };
    const service = runAirseries(['start'], { ...home.environment, ...ports, DEMO: 'off' });
    await ready(ADMIN_PORT, service);
    const network = JSON.stringify(citiesOfOneStation(['town']));
    const words = ['import', 'network', '-'];
    const imported = await runAirseries(words, home.environment, network).finished;
    expect([imported.code, JSON.parse(imported.stdout)]).toMatchObject([
      0,
      { stations: { added: 1 } },
    ]);
    expect(imported.stderr).not.toContain('embedded PostgreSQL'); // the service's own runs already

    // the service has nothing kept to answer with
    rmSync(join(home.folder, 'data'), { recursive: true });
    const statuses = () =>
      Promise.all(
        DOCUMENTS.map(async (path) => {
          const url = `http://localhost:${PORT}/en/air-quality-app/v1/${path}`;
          return (await fetch(url)).status;
        }),
      );
    expect(await statuses()).toEqual(DOCUMENTS.map(() => 503));
    const isTold = () => /is gone: it was deleted while the server ran/.test(service.log());
    await until(isTold, 'the log says that the folder was deleted');
    expect(await statuses()).toEqual(DOCUMENTS.map(() => 503));
    service.kill('SIGTERM');
    expect((await service.finished).code).toBe(0);
  });
});
