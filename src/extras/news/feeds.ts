/** Renders the feeds of the contract. */
import type { FeedName } from '../../contract/explore.ts';
import type { Documents } from '../../serve/documents.ts';
import { makeChangeFeeds } from './changes.ts';
import { type FeedSources, makePublish } from './publish.ts';
import { makeWarningFeeds } from './warnings.ts';

export function makeFeeds(sources: FeedSources): Documents<FeedName> {
  const publish = makePublish(sources);
  return { ...makeChangeFeeds(sources, publish), ...makeWarningFeeds(sources, publish) };
}
