/**
 * A feed URL in a network file is fetched only if PULL_HOSTS allows its host, however the address
 * is written.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { fetchDocument } from '../../../src/extras/feeds/fetchDocument.ts';

const limits = { timeMs: 2_000, bytes: 1_000 };

/** URLs of this machine, its private network, or a cloud's metadata service. */
const ADDRESSES = (port: number) => [
  `http://127.0.0.1:${port}/`,
  `http://127.1:${port}/`,
  `http://127.0.0.2:${port}/`,
  `http://2130706433:${port}/`,
  `http://0x7f000001:${port}/`,
  `http://0x7f.0.0.1:${port}/`,
  `http://0177.0.0.1:${port}/`,
  `http://017700000001:${port}/`,
  `http://0.0.0.0:${port}/`,
  `http://0:${port}/`,
  `http://①②⑦.⓪.⓪.①:${port}/`,
  `http://[::1]:${port}/`,
  `http://[0:0:0:0:0:0:0:1]:${port}/`,
  `http://[::]:${port}/`,
  `http://[::ffff:127.0.0.1]:${port}/`,
  `http://[::ffff:7f00:1]:${port}/`,
  `http://localhost:${port}/`,
  `http://LOCALHOST.:${port}/`,
  `http://data.example@127.0.0.1:${port}/`,
  `http://127.0.0.1:${port}#data.example`,
  `http://127.0.0.1:${port}?@data.example/`,
  `http://127.0.0.1:${port}\\@data.example/`,
  'http://169.254.169.254/latest/meta-data/',
  'http://[fd00:ec2::254]/latest/meta-data/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://192.168.0.1/',
  'http://100.64.0.1/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'http://metadata.google.internal/',
  'http://127.0.0.1.nip.io/',
  'http://data.example.127.0.0.1.nip.io/',
];

it('private addresses in any notation are refused before any connection or DNS lookup', async ({
  annotate,
}) => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0);
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const addresses = ADDRESSES((server.address() as AddressInfo).port);
  const read = async () => expect.unreachable();
  for (const address of addresses) {
    const fetching = fetchDocument(
      address,
      { provider: 'them', hosts: ['data.example'], limits },
      read,
    );
    await expect(fetching, address).rejects.toThrow('not among PULL_HOSTS');
  }
  expect(connections).toBe(0);
  await annotate(
    `kept: ${addresses.length} addresses of this machine and its network, 0 of them contacted`,
  );
});
