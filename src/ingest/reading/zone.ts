/**
 * The rules of a zone as data: the server has them, and who reads stamps without an offset is given
 * them (Z5).
 */

/**
 * The offsets of a zone, in milliseconds east of UTC, in the order of the instants from which they
 * hold, in milliseconds since 1970. The first holds before, too. The list is empty for an
 * unknown zone.
 */
export type Transitions = readonly { since: number; offset: number }[];

const OFFSET = /^[+-](?:0\d|1[0-4]):[0-5]\d$/;

/** True for an offset that is declared in the place of a zone: `+01:00`. */
const isOffset = (zone: string): boolean => OFFSET.test(zone);

/** True for a zone that has the same offset at all times. */
export const isFixedZone = (zone: string): boolean => zone === 'UTC' || isOffset(zone);
