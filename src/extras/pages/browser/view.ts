/**
 * The chosen window, parameter and year, which the page's address says: so a view can be shared,
 * and the browser's back button works.
 */

const NAMES = ['window', 'parameter', 'year'] as const;

/** Only what differs from what the page shows by itself. */
export type View = { readonly [Name in (typeof NAMES)[number]]?: string | undefined };

/** Leaves out what makes no sense. */
export function parseView(query: string): View {
  const given = new URLSearchParams(query);
  return Object.fromEntries(
    NAMES.map((name) => [name, given.get(name) ?? '']).filter(([, value = '']) =>
      /^[\w.]+$/.test(value),
    ),
  );
}

export function formatView(view: View): string {
  const entries = NAMES.flatMap((name) =>
    view[name] === undefined ? [] : [`${name}=${view[name]}`],
  );
  return entries.length === 0 ? '' : `?${entries.join('&')}`;
}
