/**
 * Gives Node's HTTP parser what a client sends in small pieces, and only when it is time: the parser cannot be stopped within a piece, and
 * one of 64 KiB, which is how Node reads, holds two thousand requests. What is held back stays in the kernel, and in the end at the client.
 */
import type { Socket } from 'node:net';

/** Of the smallest requests, two dozen. */
const PIECE = 512;

/** `pass` the next piece on, `hold` it, or `drop` it since nobody will read it; the end of the stream is then still passed on. */
export type Gate = () => 'pass' | 'hold' | 'drop';

/** The function it returns is to be called when the gate may have opened. */
export function holdBack(socket: Socket, gate: Gate): () => void {
  const push = socket.push.bind(socket);
  const read = socket._read.bind(socket);
  const held: (Buffer | null)[] = [];

  function pump(): void {
    while (held.length > 0 && !socket.destroyed && socket.readableFlowing !== false) {
      const [next = null] = held;
      const state = gate();
      if (state === 'hold') return;
      if (next === null || next.length <= PIECE || state === 'drop') held.shift();
      else held[0] = next.subarray(PIECE);
      if (next === null) push(null);
      else if (state === 'pass') push(next.subarray(0, PIECE));
    }
    if (held.length === 0) read(0);
  }

  socket.push = (chunk: Buffer | null) => {
    held.push(chunk);
    pump();
    return held.length === 0; // false: the socket is not read on until it is asked for more
  };
  socket._read = (size) => {
    if (held.length === 0) read(size);
    else process.nextTick(pump); // what is pushed from within _read is buffered, and the gate could not tell what it was
  };
  socket.on('resume', pump); // a body is read on; a stream that was asked for more before asks nobody then
  // Node's parser would otherwise read from the operating system by itself, past all of this
  socket.on('data', () => undefined);
  return pump;
}
