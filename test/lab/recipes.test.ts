/** The recipes of test/README.md are tests that run, so whoever pastes one begins with a green one. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

it.each(['recipeDatabase', 'recipeService'])('the README shows %s.test.ts as it is', (name) => {
  const recipe = readFileSync(`test/lab/${name}.test.ts`, 'utf8');
  expect(readFileSync('test/README.md', 'utf8')).toContain(`\`\`\`ts\n${recipe}\`\`\``);
});
