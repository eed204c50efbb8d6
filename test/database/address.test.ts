/** The address of a socket, as errors name it. */
import { expect, it } from 'vitest';
import { openSocket } from '../../src/database/address.ts';

it('a socket has the host and the port that errors name', () => {
  const socket = openSocket({ host: ['127.0.0.1'], port: [5439] });
  expect(socket.once('error', () => undefined).destroy()).toMatchObject({
    host: '127.0.0.1',
    port: 5439,
  });
});
