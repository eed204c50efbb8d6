/** Describes the archive in the OpenAPI document: where it begins, and the index of its files. */
import { z } from 'zod';
import { type DescribedPaths, PROBLEM_RESPONSES } from '../../contract/openapi.ts';
import { ARCHIVE } from './catalogue.ts';
import { INDEX } from './descriptor.ts';

const TAG = 'archive';

const index = z
  .looseObject({
    up_to: z.string().nullable().describe('last hour that the files have, in UTC; null without'),
    missing: z
      .array(z.string())
      .describe('paths of files that are not made yet, or lack something that came later'),
    changes_since: z
      .string()
      .nullable()
      .describe('changes that showed before this time are in the files, in UTC; null without'),
    documents: z.array(z.string()).describe('paths of texts and descriptions beside the data'),
    resources: z
      .array(
        z.looseObject({
          path: z.string().describe(`path of the file below ${ARCHIVE}`),
          bytes: z.int().describe('size of the file'),
          hash: z.string().describe('`sha256:` and the digest; it changes when the content does'),
          modified: z.string().describe('when the content last changed'),
        }),
      )
      .describe('files in their order'),
  })
  .meta({ id: 'ArchiveIndex', description: 'a Data Package (Frictionless 1.0) of all files' });

const { 404: absent, 503: unavailable } = PROBLEM_RESPONSES;
const problems = { ...(absent && { 404: absent }), ...(unavailable && { 503: unavailable }) };

export const DESCRIBED: DescribedPaths = {
  tag: { name: TAG, description: 'the whole history in files' },
  paths: {
    [ARCHIVE]: {
      get: {
        operationId: 'archive',
        tags: [TAG],
        summary: 'where the archive begins',
        responses: {
          302: { description: 'Leads to the page of the archive or, without pages, to its index.' },
          ...problems,
        },
      },
    },
    [`${ARCHIVE}${INDEX}`]: {
      get: {
        operationId: 'archiveIndex',
        tags: [TAG],
        summary: 'index of the archive',
        description:
          'All files of the archive with their checksums. A file is served at its path, whole or in ranges.',
        responses: {
          200: { description: 'the index', content: { 'application/json': { schema: index } } },
          304: { description: 'The client has this index already.' },
          ...problems,
        },
      },
    },
  },
};
