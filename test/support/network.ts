/** The additions of extras to the network file and to the facts of providers, as in the composition. */
import { additionsOf } from '../../src/extras/extra.ts';
import { EXTRAS } from '../../src/extras.ts';

export const {
  providerKeys: PROVIDER_KEYS,
  providerFacts: PROVIDER_FACTS,
  sources: SOURCE_FORMS,
} = additionsOf(EXTRAS, () => ({}));
