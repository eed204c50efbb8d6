/** The ground of the demo, as maps draw it. */
import { expect, it } from 'vitest';
import { demoGround } from '../../../src/extras/demo/ground.ts';
import { makeGround } from '../../../src/extras/pages/ground.ts';

it('the ground of the demo has a border, a lake, rivers and roads, in 12 KB', () => {
  const { shapes, content } = makeGround(demoGround());
  expect(shapes.map(([kind]) => kind)).toEqual([
    'border',
    'water',
    'river',
    'river',
    ...Array(3).fill('road'),
  ]);
  expect(String(content.text).length).toBeLessThan(12_000);
});
