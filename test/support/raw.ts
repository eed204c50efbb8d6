/** HTTP as bytes, for what no client library would send. */
import { connect, type Socket } from 'node:net';

export type RawAnswer = { status: number; headers: Record<string, string>; body: string };

/** Sends bytes, and resolves to what came back by the time the connection is closed. */
export function exchange(port: number, bytes: string | Buffer): Promise<string> {
  return closed(send(port, bytes));
}

/** A connection that has sent these bytes; nothing is read from it yet. */
export function send(port: number, bytes: string | Buffer): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  return socket.on('error', () => undefined);
}

/** Reads all that comes. */
export function closed(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}

/** The answers one after the other; `100 Continue` is left out. Throws if something is there that is no answer, or half of one. */
export function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest: Buffer = Buffer.from(text);
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest.subarray(0, end).toString().split('\r\n');
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(first) ?? [];
    if (end === -1 || status === undefined) throw new Error(`no answer: ${rest}`);
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length);
    if (body.length < length) throw new Error(`half an answer: ${rest}`);
    rest = rest.subarray(end + 4 + length);
    if (status !== '100') answers.push({ status: Number(status), headers, body: body.toString() });
  }
  return answers;
}
