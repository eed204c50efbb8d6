/** Providers as the composition knows them: with the keys and the facts of the extras. */
import { EXTRAS } from '../../src/extras.ts';
import type { ProviderKeys } from '../../src/network/schema.ts';

export const PROVIDER_KEYS: ProviderKeys = Object.assign(
  {},
  ...EXTRAS.map(({ providerKeys }) => providerKeys),
);

export const PROVIDER_FACTS = EXTRAS.flatMap(({ providerFacts }) => providerFacts ?? []);
