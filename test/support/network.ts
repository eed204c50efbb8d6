/** Providers as the composition knows them: with the keys and the facts of the extras. */
import { additionsOf } from '../../src/extras/extra.ts';
import { EXTRAS } from '../../src/extras.ts';

export const { providerKeys: PROVIDER_KEYS, providerFacts: PROVIDER_FACTS } = additionsOf(
  EXTRAS,
  () => ({}),
);
