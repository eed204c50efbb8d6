/** The instant of most tests, and of the services that they start. */
export const NOW = new Date('2026-11-20T12:00:00Z');
