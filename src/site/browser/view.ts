/** What is looked at, which the page's address says: so every view can be shared, and the browser's back button works. */

const PATTERNS = {
  window: /^\w+$/,
  parameter: /^[\w.]+$/,
  year: /^20\d\d$/,
  month: /^20\d\d-\d\d$/,
  day: /^20\d\d-\d\d-\d\d$/,
  hour: /^20\d\d-\d\d-\d\dT\d\d(:\d\d)?Z$/,
};

/** Only what differs from what the page shows by itself. */
export type View = { readonly [Name in keyof typeof PATTERNS]?: string | undefined };

const NAMES = Object.keys(PATTERNS) as (keyof View)[];

/** What makes no sense is left out. */
export function parseView(query: string): View {
  const given = new URLSearchParams(query);
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = given.get(name) ?? '';
      return PATTERNS[name].test(value) ? [[name, value]] : [];
    }),
  );
}

export function formatView(view: View): string {
  const entries = NAMES.flatMap((name) => (view[name] === undefined ? [] : [`${name}=${view[name]}`]));
  return entries.length === 0 ? '' : `?${entries.join('&')}`;
}
