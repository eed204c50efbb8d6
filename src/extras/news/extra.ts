/** News: Atom feeds of warnings and of changed numbers, in sentences for people. */
import { defineExtra } from '../extra.ts';

export const news = defineExtra({
  name: 'news',
  variables: {},
  async open() {
    const { makeFeeds } = await import('./feeds.ts');
    return { offers: () => ({ feeds: makeFeeds }) };
  },
});
