/** Answers what is no HTTP request, or none that came in time, in the form of every other problem, and hangs up. */
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { JSON_TYPE, problemBody } from './send.ts';

const PROBLEMS: Readonly<Record<string, [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The headers of this request, its path included, are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not arrive in time.'],
};

export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] = PROBLEMS[error.code ?? ''] ?? [400, 'This is not a readable HTTP request.'];
  const body = problemBody(status, detail);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${body.length}`,
    'Access-Control-Allow-Origin: *',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
