/**
 * The configuration of Alertmanager, by itself and as docker-compose.yml writes addresses into it; a
 * real Alertmanager runs it where one is installed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { freePort } from '../../support/freePort.ts';
import { until } from '../../support/patience.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';
import { ALERTMANAGER, needs } from '../../support/tools.ts';
import { compose, ROOT, textOf, unescaped } from './composeFile.ts';

type Addresses = Partial<Record<'ALERT_WEBHOOK_URL' | 'ALERT_HEARTBEAT_URL', string>>;

const { alertmanager } = compose.services;

const FILE = 'grafana/prometheus/alertmanager.yml';

/** What the container does before it starts Alertmanager, in this folder instead of its own. */
function entrypointIn(folder: string): string[] {
  const { entrypoint, command = [] } = alertmanager ?? {};
  return [...unescaped(entrypoint), ...command].map((word) =>
    word
      .replaceAll('/tmp/', `${folder}/`)
      .replace('=/alertmanager', `=${folder}/data`)
      .replace('/etc/alertmanager/alertmanager.yml', `${ROOT}${FILE}`),
  );
}

/** The file that the container writes. */
function configuration(addresses: Addresses): string {
  const folder = temporaryFolder('alerting');
  writeFileSync(join(folder, 'alertmanager'), '#!/bin/sh\n', { mode: 0o755 });
  const [shell = '', ...words] = entrypointIn(folder);
  const env = { ...addresses, PATH: `${folder}:${process.env.PATH}` };
  const { status, stderr } = spawnSync(shell, words, { env, encoding: 'utf8' });
  expect(status, stderr).toBe(0);
  return readFileSync(join(folder, 'alertmanager.yml'), 'utf8');
}

const ADDRESSES: Addresses[] = [
  {},
  { ALERT_WEBHOOK_URL: 'http://a.example/hook?a=1&b=2' },
  { ALERT_HEARTBEAT_URL: 'http://b.example/beat' },
  { ALERT_WEBHOOK_URL: 'http://a.example/hook', ALERT_HEARTBEAT_URL: 'http://b.example/beat' },
];

type Receiver = { name: string; webhook_configs: { url: string }[] | null };
const receiversOf = (text: string) => (parse(text) as { receivers: Receiver[] }).receivers;

it('the file sends nothing by itself, and has a line for each address of Compose', () => {
  const text = textOf(FILE);
  expect(receiversOf(text).map(({ webhook_configs: to }) => to)).toEqual([null, null]);
  const names = [...text.matchAll(/# - url: (\w+)$/gm)].map(([, name]) => name);
  expect(names).toEqual(Object.keys(alertmanager?.environment ?? {}));
});

describe('the container of Alertmanager', needs('awk'), () => {
  it.each(ADDRESSES)(
    'Alertmanager sends to the addresses that are set, and nowhere else (%o)',
    (addresses) => {
      const receivers = receiversOf(configuration(addresses));
      expect(
        receivers.map(({ name, webhook_configs: to }) => [name, to?.map(({ url }) => url)]),
      ).toEqual([
        ['webhook', addresses.ALERT_WEBHOOK_URL && [addresses.ALERT_WEBHOOK_URL]],
        ['heartbeat', addresses.ALERT_HEARTBEAT_URL && [addresses.ALERT_HEARTBEAT_URL]],
      ]);
    },
  );
});

describe('Alertmanager', needs('alertmanager', 'amtool', 'awk'), () => {
  it.each(ADDRESSES)('Alertmanager accepts the configuration (%o)', (addresses) => {
    const file = join(temporaryFolder('alerting'), 'check.yml');
    writeFileSync(file, configuration(addresses));
    const { status, stdout, stderr } = spawnSync('amtool', ['check-config', file], {
      encoding: 'utf8',
    });
    expect(status, stdout + stderr).toBe(0);
  });

  it.each(ADDRESSES.slice(-1))(
    'Alertmanager starts as in the container: the entrypoint writes the file that it reads (%o)',
    async (addresses) => {
      const folder = temporaryFolder('alerting');
      symlinkSync(ALERTMANAGER as string, join(folder, 'alertmanager'));
      const port = await freePort();
      const [shell = '', ...words] = [
        ...entrypointIn(folder),
        `--web.listen-address=127.0.0.1:${port}`,
      ];
      const env = { ...addresses, PATH: `${folder}:${process.env.PATH}` };
      const program = spawn(shell, words, { env, stdio: 'ignore' });
      try {
        const api = `http://127.0.0.1:${port}`;
        await until(
          async () => (await fetch(`${api}/-/ready`).catch(() => undefined))?.ok === true,
          'it is ready',
        );
        const { config } = (await (await fetch(`${api}/api/v2/status`)).json()) as {
          config: { original: string };
        };
        expect(config.original.match(/AirseriesWatchdog/g)).toHaveLength(1);
        expect(config.original.match(/ url: /g) ?? []).toHaveLength(Object.keys(addresses).length);
      } finally {
        const ended = once(program, 'exit');
        program.kill(); // the shell has become Alertmanager
        await ended;
      }
    },
  );

  it('Alertmanager reports an outage of a provider once, not per station, and sends a sign of life', async () => {
    const received: { path: string; alerts: string[] }[] = [];
    const hook = createServer(async (req, res) => {
      const { alerts } = (await json(req)) as { alerts: unknown };
      const labels = (alerts as { labels: Record<string, string> }[]).map((one) => one.labels);
      received.push({
        path: req.url ?? '',
        alerts: labels.map((one) => one.station ?? one.alertname ?? '').sort(),
      });
      res.end();
    });
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(hook.address() as AddressInfo).port}`;
    const folder = temporaryFolder('alerting');
    const file = join(folder, 'run.yml');
    const text = configuration({
      ALERT_WEBHOOK_URL: `${base}/hook`,
      ALERT_HEARTBEAT_URL: `${base}/beat`,
    });
    writeFileSync(file, text.replace('group_wait: 30s', 'group_wait: 0s'));
    const port = await freePort();
    const words = [
      `--config.file=${file}`,
      `--storage.path=${folder}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ];
    const program = spawn(ALERTMANAGER as string, [...words, '--cluster.listen-address='], {
      stdio: 'ignore',
    });
    try {
      const api = `http://127.0.0.1:${port}`;
      await until(
        async () => (await fetch(`${api}/-/ready`).catch(() => undefined))?.ok === true,
        'it is ready',
      );
      const send = (...labels: Record<string, string>[]) =>
        fetch(`${api}/api/v2/alerts`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(labels.map((one) => ({ labels: one }))),
        });
      await send({ alertname: 'AirseriesProviderOffline', provider: 'roofs' });
      await until(() => received.length === 1, 'the provider is told');
      const offline = (station: string, provider: string) => ({
        alertname: 'Station offline',
        station,
        provider,
      });
      await send(
        offline('1', 'roofs'),
        offline('2', 'roofs'),
        offline('3', 'city'),
        offline('4', 'city'),
      );
      await until(() => received.length === 2, 'the stations of the other provider are told');
      await send({ alertname: 'AirseriesWatchdog' });
      await until(() => received.length === 3, 'the sign of life arrives');
      expect(received).toEqual([
        { path: '/hook', alerts: ['AirseriesProviderOffline'] },
        { path: '/hook', alerts: ['3', '4'] },
        { path: '/beat', alerts: ['AirseriesWatchdog'] },
      ]);
    } finally {
      const ended = once(program, 'exit');
      program.kill();
      await ended;
      hook.close();
    }
  });
});
