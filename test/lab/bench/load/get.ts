/** A GET over a kept connection, the same for everybody who answers. */
import { Agent, type IncomingMessage, request } from 'node:http';

export type Response = { status: number; headers: string[]; body: Buffer };

/** Each request has its own; Node adds them. */
const OWN = new Set(['date', 'connection', 'keep-alive']);
const agent = new Agent({ keepAlive: true });

/** Headers are name and value in turn, as they are sent. */
export async function get(
  port: number,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const message = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ port, path, headers, host: '127.0.0.1', agent }, resolve).once('error', reject).end();
  });
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const raw = message.rawHeaders;
  const kept = raw.flatMap((name, index) =>
    index % 2 === 1 || OWN.has(name.toLowerCase()) ? [] : [name, raw[index + 1] as string],
  );
  return { status: message.statusCode ?? 0, headers: kept, body: Buffer.concat(chunks) };
}

/** The body as text. Rejects unless it is answered with 200. */
export async function getText(port: number, path: string): Promise<string> {
  const { status, body } = await get(port, path);
  if (status !== 200) throw new Error(`${path}: ${status} ${String(body).slice(0, 500)}`);
  return String(body);
}
