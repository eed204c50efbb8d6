/**
 * Something needed for the answer is missing, and may be back soon. The message is for the log,
 * never for a client.
 */
export class Unavailable extends Error {}
