/** Dashboards and pages have one yellow, which can be seen on white. */
import { expect, it } from 'vitest';
import { EPA } from '../../../grafana/source/colours.ts';
import { surfaceOf } from '../../../src/extras/pages/colours.ts';

it('the yellow of the dashboards is the yellow of the pages', () => {
  const [red, green, blue] = [1, 3, 5].map((at) =>
    Number.parseInt(surfaceOf('moderate')[0].slice(at, at + 2), 16),
  );
  expect(EPA.moderate).toBe(`rgb(${red}, ${green}, ${blue})`);
});
