/** Who measures: an element of `providers[]`. The key order is that of the specification. */
import { z } from 'zod';
import { field } from './fields.ts';

export const provider = z.strictObject({
  id: field(z.string(), 'slug of the provider; stations refer to it'),
  title: field(z.string(), 'human-readable name'),
  url: field(z.string(), "link to the provider's page, or an empty string"),
  image: field(z.string(), 'URL of the icon for light surfaces, or an empty string'),
  image_dark: field(z.string(), 'URL of the icon for dark surfaces, or an empty string'),
});

export type Provider = z.infer<typeof provider>;
