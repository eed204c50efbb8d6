/** Which addresses may be asked at all: a network file comes from many hands, the list of hosts only from who runs the service. */

/** The port that goes without saying. */
const USUAL: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Whether the address is one of http(s) at a host on the list, which names it as `host` or `host:port`. */
export function isAllowed(address: string, hosts: readonly string[]): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, host, port } = new URL(address);
  const usual = USUAL[protocol];
  if (usual === undefined) return false; // file: and the like
  const names = [host, `${hostname}:${port || usual}`];
  return hosts.some((allowed) => names.includes(allowed.toLowerCase()));
}

/** An address as it may be shown: without a name, a password or a key that somebody wrote into it. */
export function shownAddress(address: string): string {
  if (!URL.canParse(address)) return address;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}
