/** Names of time zones that a network should not have. */

/**
 * True for `CET` or `EST5EDT`, which do not say whose clocks they mean, or whether those change in
 * summer. UTC says both.
 */
export const isAbbreviation = (zone: string): boolean =>
  /^(?!UTC$)[A-Z]{3,4}(?:\d[A-Z]{3})?$/.test(zone);

export const NOT_ABBREVIATED =
  'it is an abbreviation, which does not say whose clocks it means. Give an IANA name such as Europe/Berlin';
