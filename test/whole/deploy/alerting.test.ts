/**
 * The configuration of Alertmanager in docker-compose.yml; a real Alertmanager runs it where one is
 * installed.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
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
import { compose, unescaped } from './composeFile.ts';

type Addresses = Partial<Record<'ALERT_WEBHOOK_URL' | 'ALERT_HEARTBEAT_URL', string>>;

const { alertmanager } = compose.services;

/** As Compose does: the text of `${NAME:+text}` where the variable is set, else nothing. */
function configuration(addresses: Addresses): string {
  const content = alertmanager?.environment?.ALERTMANAGER_CONFIG ?? '';
  return content.replace(
    /\$\{(\w+):\+(.*?)\$\{\1:-\}(.*?)\}/g,
    (_, name: keyof Addresses, before, after) =>
      addresses[name] === undefined ? '' : `${before}${addresses[name]}${after}`,
  );
}

const ADDRESSES: Addresses[] = [
  {},
  { ALERT_WEBHOOK_URL: 'http://a.example/hook' },
  { ALERT_HEARTBEAT_URL: 'http://b.example/beat' },
  { ALERT_WEBHOOK_URL: 'http://a.example/hook', ALERT_HEARTBEAT_URL: 'http://b.example/beat' },
];

it.each(ADDRESSES)(
  'Alertmanager sends to the addresses that are set, and nowhere else (%o)',
  (addresses) => {
    type Receiver = { name: string; webhook_configs: { url: string }[] | null };
    const { receivers }: { receivers: Receiver[] } = parse(configuration(addresses));
    expect(
      receivers.map(({ name, webhook_configs: to }) => [name, to?.map(({ url }) => url)]),
    ).toEqual([
      ['webhook', addresses.ALERT_WEBHOOK_URL && [addresses.ALERT_WEBHOOK_URL]],
      ['heartbeat', addresses.ALERT_HEARTBEAT_URL && [addresses.ALERT_HEARTBEAT_URL]],
    ]);
  },
);

describe('Alertmanager', needs('alertmanager', 'amtool'), () => {
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
      const { entrypoint, command = [] } = alertmanager ?? {};
      const [shell = '', ...words] = [
        ...unescaped(entrypoint),
        ...command,
        `--web.listen-address=127.0.0.1:${port}`,
      ].map((word) =>
        word.replaceAll('/tmp/', `${folder}/`).replace('=/alertmanager', `=${folder}/data`),
      );
      const env = {
        PATH: `${folder}:${process.env.PATH}`,
        ALERTMANAGER_CONFIG: configuration(addresses),
      };
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
