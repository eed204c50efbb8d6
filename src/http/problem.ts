/** An answer that is not the one that was asked for: a status, and what to do about it in words for the client. */
export class Problem extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, detail: string, headers: Readonly<Record<string, string>> = {}) {
    super(detail);
    this.status = status;
    this.headers = headers;
  }
}

export const notFound = (detail: string): Problem => new Problem(404, detail);

/** What a client sent, fit to be repeated to it: quoted, and not longer than a line. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 79)}…` : text);
}
