/** A provider on this machine, for tests, with responses that a test sets. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Provider = {
  /** The host as PULL_HOSTS would name it. */
  host: string;
  url(path?: string): string;
  /** Paths of the requests received. */
  requests: string[];
  answer(listener: RequestListener): void;
  /** Answers 200 with a document. */
  serve(document: unknown): void;
  close(): Promise<void>;
};

export async function openProvider(): Promise<Provider> {
  let listener: RequestListener = (_request, response) => response.writeHead(404).end();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const answer = (next: RequestListener) => {
    listener = next;
  };
  return {
    host,
    requests,
    url: (path = '/data.json') => `http://${host}${path}`,
    answer,
    serve(document) {
      const text = typeof document === 'string' ? document : JSON.stringify(document);
      answer((_request, response) =>
        response.setHeader('content-type', 'application/json').end(text),
      );
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
