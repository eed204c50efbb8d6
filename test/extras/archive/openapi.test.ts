/** The archive in the OpenAPI document: its paths come in, and the rest stays as it is without it. */
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { expect, it } from 'vitest';
import { makeOpenApi } from '../../../src/contract/openapi.ts';
import { DESCRIBED } from '../../../src/extras/archive/openapi.ts';
import { needs } from '../../support/tools.ts';

const PUBLISHER = { title: 'Air', contact: 'us@air.example', license: 'CC-BY-4.0' };
const document = makeOpenApi(PUBLISHER, [DESCRIBED]);

it('the archive adds its address, its index and its group to the OpenAPI document, and nothing else', () => {
  const without = makeOpenApi(PUBLISHER);
  const { '/archive/': start, '/archive/datapackage.json': index, ...paths } = document.paths ?? {};
  expect([start, index]).toMatchObject([
    { get: { tags: ['archive'] } },
    { get: { tags: ['archive'] } },
  ]);
  const { ArchiveIndex, ...schemas } = document.components?.schemas ?? {};
  expect(ArchiveIndex).toMatchObject({
    required: ['up_to', 'missing', 'changes_since', 'documents', 'resources'],
  });
  expect({
    ...document,
    paths,
    tags: document.tags?.slice(0, -1),
    components: { ...document.components, schemas },
  }).toEqual(without);
});

it(
  'the OpenAPI document with the archive is free of lint, but for the address of a folder that only leads elsewhere',
  needs('all'),
  async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, location }) => [ruleId, location[0]?.pointer])).toEqual([
      ['no-path-trailing-slash', '#/paths/~1archive~1'],
      ['operation-2xx-response', '#/paths/~1archive~1/get/responses'],
    ]);
  },
);
