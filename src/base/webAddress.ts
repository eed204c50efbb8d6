/** Addresses of the web in the configuration. */
import { z } from 'zod';

/**
 * A host as URL has it, in lower case and ASCII; URL itself takes `a;b` for one, which would end a
 * directive of the CSP.
 */
const WEB_HOST = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$|^\[[0-9a-f:.]+\]$/;

/**
 * The text as an http(s) address. Undefined: it is another text, or has a password, or an impossible
 * host or port.
 */
export function webUrl(text: string): URL | undefined {
  if (!/^https?:\/\/[^\s\\]+$/.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  const hasLogin = url.username !== '' || url.password !== '';
  return WEB_HOST.test(url.hostname) && !hasLogin ? url : undefined;
}

/** The base of further addresses, without the slashes at its end; empty if unset. */
export const webAddress = () =>
  z
    .string()
    .refine(
      (text) => webUrl(text) !== undefined && !/[?#]/.test(text),
      'must be an http(s) address such as https://air.example, with a possible host and port, and without ? or #',
    )
    .transform((url) => url.replace(/\/+$/, ''))
    .default('');
