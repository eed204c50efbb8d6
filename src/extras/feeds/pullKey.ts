/** Key `pull` of a provider in the network file: where its readings are fetched from, and how. */
import { z } from 'zod';
import { InputError } from '../../base/inputError.ts';
import type { ReadingFormats } from '../../ingest/formats.ts';
import type { Declarations } from '../../ingest/reading/declarations.ts';
import { NETWORK_FILE } from '../../ingest/reading/vocabulary.ts';
import { duration, secondsOf } from '../../network/schema.ts';

const SHORTEST_EVERY_S = 60;

export type FeedDeclarations = {
  kind?: string | undefined;
  source?: string | undefined;
  zone?: string | undefined;
  shift?: string | undefined;
  round?: string | undefined;
  only?: string | string[] | undefined;
  column?: string | string[] | undefined;
  unit?: string | string[] | undefined;
};

/** The declarations of a feed in the network file. */
export const declaredOfFeed = ({
  kind,
  zone,
  shift,
  round,
  only = [],
  column = [],
  unit = [],
}: FeedDeclarations): Declarations => ({
  say: NETWORK_FILE,
  name: kind,
  zone,
  shift,
  round,
  only: [only].flat(),
  columns: [column].flat(),
  units: [unit].flat(),
});

/** One declaration or several. */
const declarations = (description: string) =>
  z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe(description);

/** Only where something can be declared. */
const SOURCE_KEY = {
  source: z
    .string()
    .optional()
    .describe('instead of kind, the source that says how to read what is fetched'),
};

/** The key, for the forms in which readings come. */
export const pullKey = ({ names, checkDeclarations, sources }: ReadingFormats) =>
  z
    .strictObject({
      kind: z.enum(names).optional().describe('the layout of what is fetched'),
      ...((sources === undefined ? {} : SOURCE_KEY) as typeof SOURCE_KEY),
      url: z
        .url({ protocol: /^https?$/, error: 'expected an http(s) address' })
        .refine(
          (url) => !/^https?:\/\/[^/]*@/.test(url),
          'expected an address without user and password, because it would be stored in plain text',
        ),
      every: duration
        .refine((text) => secondsOf(text) >= SHORTEST_EVERY_S, {
          error: ({ input }) =>
            `expected "1 minute" or longer, because feeds are polled once a minute, found "${input}"`,
        })
        .default('5 minutes'),
      sensor: z
        .int()
        .min(1)
        .max(2_147_483_647)
        .optional()
        .describe('the sensor of its readings, where they name none'),
      zone: z
        .string()
        .optional()
        .describe('the zone of times without an offset, as in Europe/Berlin or +01:00'),
      shift: z
        .string()
        .optional()
        .describe('is added to every time, as -1h where stamps name the end of an hour'),
      round: z
        .string()
        .optional()
        .describe('minute, where times are a second short of a full minute'),
      only: declarations('the rows that count, as in Validity=1,2,3'),
      column: declarations('our name for a field, as in pm25=PM2_5_mean'),
      unit: declarations('the unit of a parameter, as in no2=ug/m3'),
    })
    .refine((pull) => (pull.kind ?? pull.source) !== undefined, {
      path: ['kind'],
      error: `missing, expected one of ${names.map((name) => JSON.stringify(name)).join(', ')}`,
      when: ({ value }) => typeof value === 'object' && value !== null,
    })
    .refine((pull) => pull.kind === undefined || pull.source === undefined, {
      path: ['source'],
      error: 'expected either kind or source, found both: the source says its format',
    })
    .superRefine((pull, context) => {
      try {
        checkDeclarations(declaredOfFeed(pull));
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
      }
    })
    .nullish()
    .describe(
      'where its readings are fetched from, and how often; its host must be among PULL_HOSTS',
    );
