/** Something that is needed to answer is missing now, and may be back soon. The message is for the log, never for a client. */
export class Unavailable extends Error {}
