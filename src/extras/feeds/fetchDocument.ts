/**
 * Fetches one document over HTTP, from allowed hosts only: a network file comes from many hands,
 * the list of hosts only from the operator of the service. Limits bound the time that the whole
 * document may take and its size after decompression.
 */
import { InputError } from '../../base/inputError.ts';

/** `bytes` is counted after decompression. */
export type FetchLimits = { timeMs: number; bytes: number };

type Options = { provider: string; hosts: readonly string[]; limits?: FetchLimits | undefined };

const LIMITS: FetchLimits = { timeMs: 30_000, bytes: 64 * 1_048_576 };
const MOST_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const HEADERS = {
  accept: 'application/json, text/csv;q=0.9, */*;q=0.1',
  'user-agent': 'airseries',
};

const ASK_PROVIDER = 'Open the address yourself, and ask the provider.';
const CORRECT = 'Correct the address (pull.url) in the network file.';
const ADD_KEY =
  'If it wants a key, write it into the address (pull.url) as the provider documents, such as "?api_key=KEY": no header is sent with one.';
/** Answers to a request without a key, or with a wrong one. */
const KEY_WANTED: ReadonlySet<number> = new Set([401, 403]);

/** A status that is neither success nor a redirect. */
export class FailedResponse extends InputError {
  /** The header Retry-After, as it came. */
  readonly retryAfter: string | null;

  constructor(input: string, { status, headers }: Response) {
    super(input, `it answered ${status}`, KEY_WANTED.has(status) ? ADD_KEY : ASK_PROVIDER);
    this.retryAfter = headers.get('retry-after');
  }
}

/** The error of a document that cannot be used: what is wrong with it, and what to do. */
export type Refuse = (what: string, remedy: string) => InputError;

/**
 * Resolves to what `read` makes of the document, which it gets as it arrives; the limits apply to
 * `read` too. Rejects with InputError for everything that goes wrong, an error of `read` included.
 */
export async function fetchDocument<T>(
  address: string,
  { provider, hosts, limits = LIMITS }: Options,
  read: (chunks: AsyncIterable<Uint8Array>, refuse: Refuse) => Promise<T>,
): Promise<T> {
  const input = feedName(provider, address);
  const refuse: Refuse = (what, remedy) => new InputError(input, what, remedy);
  if (!isAllowed(address, hosts)) {
    throw refuse('its host is not among PULL_HOSTS', 'Add it there to pull readings from it.');
  }
  let url = new URL(address);
  if (url.username !== '' || url.password !== '')
    throw refuse('it contains a user name or a password', CORRECT);
  const late = AbortSignal.timeout(limits.timeMs);
  const over = new AbortController();
  const signal = AbortSignal.any([late, over.signal]);
  try {
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const response = await fetch(url, { redirect: 'manual', signal, headers: HEADERS });
      if (response.ok) return await read(bounded(response, limits.bytes, refuse), refuse);
      await response.body?.cancel();
      const location = response.headers.get('location');
      if (!REDIRECTS.has(response.status) || location === null)
        throw new FailedResponse(input, response);
      const next = followed(location, url);
      if (next === undefined)
        throw refuse('it redirects to another host, which is not followed', CORRECT);
      url = next;
    }
    throw refuse(`it redirects more than ${MOST_REDIRECTS} times`, ASK_PROVIDER);
  } catch (error) {
    if (error instanceof InputError) throw error;
    if (late.aborted)
      throw refuse(`it did not arrive within ${limits.timeMs / 1_000} s`, ASK_PROVIDER);
    throw refuse(`it could not be fetched (${causeOf(error)})`, ASK_PROVIDER);
  } finally {
    over.abort(); // ends the transfer of a document that was refused before its end
  }
}

async function* bounded(
  response: Response,
  mostBytes: number,
  refuse: Refuse,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > mostBytes) throw refuse(`it is larger than ${mostBytes} bytes`, ASK_PROVIDER);
    yield chunk;
  }
}

/**
 * The target of a redirect, if that is the same host and no less encrypted; undefined otherwise.
 */
function followed(location: string, from: URL): URL | undefined {
  if (!URL.canParse(location, from)) return undefined;
  const to = new URL(location, from);
  const encrypted =
    to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:');
  return to.host === from.host && to.username === '' && to.password === '' && encrypted
    ? to
    : undefined;
}

/** The message of `fetch` says nothing; its cause does. */
function causeOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown };
  const { code, message } = Object(cause) as { code?: unknown; message?: unknown };
  return String(code ?? message ?? cause);
}

/** True if the address is http(s) and its host is on the list, as `host` or `host:port`. */
export function isAllowed(address: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, host, port } = new URL(address);
  if (protocol !== 'http:' && protocol !== 'https:') return false; // file: and the like
  const names = [host, `${hostname}:${port || (protocol === 'http:' ? '80' : '443')}`];
  return hosts.some((allowed) => names.includes(allowed.toLowerCase()));
}

/** A feed in messages. */
export const feedName = (provider: string, address: string): string =>
  `provider ${provider}, ${shownAddress(address)}`;

/**
 * An address for messages and logs: without user name, password and query, which may contain
 * secrets.
 */
export function shownAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}
