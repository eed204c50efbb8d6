/**
 * The token in an Authorization header. Feeds send it as Bearer; devices can as a rule do no more than Basic, where it is the password
 * of any user, or the user if there is no password.
 */
export function presentedToken(authorization: string | undefined): string | undefined {
  const [, scheme = '', credentials = ''] = /^(\w+) +([^\s,]+) *$/.exec(authorization ?? '') ?? [];
  if (/^bearer$/i.test(scheme)) return credentials;
  if (!/^basic$/i.test(scheme)) return undefined;
  const pair = Buffer.from(credentials, 'base64').toString();
  const colon = pair.indexOf(':');
  const [user, password] = colon === -1 ? [pair, ''] : [pair.slice(0, colon), pair.slice(colon + 1)];
  return password || user || undefined;
}
