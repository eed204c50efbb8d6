/** Shared with the browser, so it imports nothing. */

/** A text with its `{name}`s filled in. */
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replace(/\{(\w{1,40})\}/g, (_, name) => String(values[name]));
