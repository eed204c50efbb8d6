/** Parameters for whole columns, and what a socket is called. */
import { describe, expect, it } from 'vitest';
import { arrayLiteral, openSocket } from '../../src/database/client.ts';

describe('arrayLiteral', () => {
  it('joins numbers, words and nulls', () => {
    expect(arrayLiteral([1, -0.5, 'NULL', 'out_of_range:pm25', '2026-11-20T13:00:00+04:00'])).toBe(
      '{1,-0.5,NULL,out_of_range:pm25,2026-11-20T13:00:00+04:00}',
    );
    expect(arrayLiteral([])).toBe('{}');
  });

  it.each(['a,b', '', 'a b', '{', '}', '"a"', 'a\\b', 'a\n'])(
    'throws on an item that it would have to quote: %j',
    (item) => {
      expect(() => arrayLiteral(['fine', item])).toThrow(`cannot contain ${JSON.stringify(item)}`);
    },
  );
});

it('a socket has the host and the port that errors name', () => {
  const socket = openSocket({ host: ['127.0.0.1'], port: [5439] });
  expect(socket.once('error', () => undefined).destroy()).toMatchObject({
    host: '127.0.0.1',
    port: 5439,
  });
});
