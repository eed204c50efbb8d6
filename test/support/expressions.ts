/** Regular expressions as the checker of backtracking takes them. */

/** The same expression without names of groups, which the checker does not support. */
export function unnamed({ source, flags }: RegExp): RegExp {
  const groups = [...source.matchAll(/(?<!\\)\((?:\?<(\w+)>|(?!\?))/g)].map(([, name]) => name);
  const numbered = source.replaceAll(/\\k<(\w+)>/g, (_, name) => `\\${groups.indexOf(name) + 1}`);
  return new RegExp(numbered.replaceAll(/\?<\w+>/g, ''), flags);
}
