/** HTTP as raw bytes, for requests that no client library would send. */
import { connect, type Socket } from 'node:net';

export type RawAnswer = { status: number; headers: Record<string, string>; body: string };

/** Sends bytes; resolves to everything received until the connection closes. */
export function exchange(port: number, bytes: string | Buffer): Promise<string> {
  return closed(send(port, bytes));
}

/** Opens a connection and sends bytes, without reading the answer. */
export function send(port: number, bytes: string | Buffer): Socket {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
  return socket.on('error', () => undefined);
}

/** Reads until the connection closes. */
export function closed(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
  });
}

/**
 * Parses a sequence of answers, skipping `100 Continue`. Throws if the text is malformed or
 * incomplete.
 */
export function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest: Buffer = Buffer.from(text);
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    const [first = '', ...lines] = rest.subarray(0, end).toString().split('\r\n');
    const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(first) ?? [];
    if (end === -1 || status === undefined) throw new Error(`not an HTTP answer: ${rest}`);
    const headers = Object.fromEntries(
      lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]),
    );
    const length = Number(headers['content-length'] ?? 0);
    const body = rest.subarray(end + 4, end + 4 + length);
    if (body.length < length) throw new Error(`incomplete answer: ${rest}`);
    rest = rest.subarray(end + 4 + length);
    if (status !== '100') answers.push({ status: Number(status), headers, body: body.toString() });
  }
  return answers;
}
