/** The keys and facts that extras add to providers, as in the composition. */
import { additionsOf } from '../../src/extras/extra.ts';
import { EXTRAS } from '../../src/extras.ts';

export const { providerKeys: PROVIDER_KEYS, providerFacts: PROVIDER_FACTS } = additionsOf(
  EXTRAS,
  () => ({}),
);
