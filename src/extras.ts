/** The one list of extras. To do without one, delete its line here and its folders. */
import { archive } from './extras/archive/extra.ts';
import { demo } from './extras/demo/extra.ts';
import { embedded } from './extras/embedded/extra.ts';
import type { Extra } from './extras/extra.ts';
import { feeds } from './extras/feeds/extra.ts';
import { news } from './extras/news/extra.ts';
import { pages } from './extras/pages/extra.ts';
import { senders } from './extras/senders/extra.ts';

export const EXTRAS: readonly Extra[] = [
  embedded, // the bundled PostgreSQL, where no database is named
  senders, // reads what others write: their formats, units and clocks
  feeds, // polls providers for readings
  archive, // the whole history in files
  news, // Atom feeds of warnings and changes, in sentences
  pages, // for people, and the widget; after the paths of others, which its page of problems ends
  demo, // an invented country to begin with
];
