/**
 * The schema of the network file, as far as each element can be checked by itself; rows.ts checks
 * what elements say about each other. The JSON schema beside this file is generated from here.
 */
import { z } from 'zod';
import { FORMULAS } from '../contract/parameters.ts';

const periodEnds = {
  since: z
    .string()
    .nullish()
    .describe(
      'inclusive; ISO 8601, in the time zone of the network if it has no offset; absent: without a beginning',
    ),
  until: z.string().nullish().describe('exclusive; absent: without an end'),
};
const flag = z
  .union([z.boolean(), z.array(z.strictObject(periodEnds))])
  .describe('true: always; or the periods in which it applies');
const title = z
  .record(
    z.string().regex(/^[a-z]{2,3}$/, 'expected a locale such as en, ru or hy'),
    z.string().regex(/\S/, 'expected a title that is not empty'),
  )
  .refine(
    (titles) => Object.keys(titles).length > 0,
    'expected a title, as in {"en": "Main Street"}',
  )
  .meta({ description: 'by locale; falls back to en, then to any', minProperties: 1 });
/** The title of an organization is mostly a name, the same in every locale. */
const providerTitle = z
  .union([z.string().min(1), title])
  .describe('the same in every locale, or by locale as for stations');
const id = z.int().min(1).max(2_147_483_647);
const slug = z
  .string()
  .regex(/^[a-z-]+$/, 'expected a slug of lowercase letters a to z and hyphens')
  .regex(
    /^(?!.*-history$)/,
    'expected a slug that does not end in -history, because paths of the API do',
  );
const providerSlug = z
  .string()
  .regex(
    /^[a-z0-9_-]+$/,
    'expected a slug of lowercase letters a to z, digits, hyphens and underscores',
  );
const latitude = z.number().min(-90).max(90);
const longitude = z.number().min(-180).max(180);

/** The unambiguous part of what PostgreSQL accepts as an interval. */
const STALE_AFTER =
  /^(?:P(?!$)(?:\d{1,9}D)?(?:T(?!$)(?:\d{1,9}H)?(?:\d{1,9}M)?(?:\d{1,9}S)?)?|\d{1,9} (?:second|minute|hour|day)s?(?: \d{1,9} (?:second|minute|hour|day)s?)*)$/;

/** A duration, as PostgreSQL takes it. */
export const duration = z
  .string()
  .regex(STALE_AFTER, 'expected a duration such as "3 hours", "90 minutes" or "PT3H"')
  .regex(/[1-9]/, 'expected a duration longer than zero');

const SECONDS: Readonly<Record<string, number>> = { S: 1, M: 60, H: 3_600, D: 86_400 };

/** The seconds of a duration such as `90 minutes` or `PT3H`. */
export const secondsOf = (text: string): number =>
  [...text.matchAll(/(\d{1,9}) ?([a-z])/gi)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (SECONDS[unit.toUpperCase()] ?? 0),
    0,
  );

/** Other pages make links and images of these, so no other protocol may be there. */
const webAddress = z
  .string()
  .regex(/^(https?:\/\/\S+)?$/i, 'expected an http(s) address, or nothing')
  .default('');

export const Provider = z.strictObject({
  id: providerSlug,
  title: providerTitle,
  url: webAddress,
  image: webAddress,
  image_dark: webAddress,
  stale_after: duration
    .default('3 hours')
    .describe('how old a reading may be and still count as current'),
  pull: z
    .unknown()
    .optional()
    .describe('where its readings are fetched from; read by src/extras/feeds'),
});

export const Region = z.strictObject({
  slug,
  kind: z.enum(['city', 'district']),
  city: slug.optional().describe('the city of a district'),
  title,
  map: z
    .strictObject({ latitude, longitude, delta: z.number().gt(0).lt(360).default(0.2) })
    .optional()
    .describe('what a map of the region shows; absent: the centre of its listed stations'),
  is_hidden: z.boolean().default(false),
});

const formula = z.enum(['none', ...FORMULAS]);
const correction = z
  .union([formula, z.array(z.strictObject({ formula, ...periodEnds })).min(1)])
  .describe(
    'the formula that corrects PM2.5, for all time or by periods; formulas change on full hours',
  );

export const Sensor = z.strictObject({
  id,
  kind: z.string().min(1).nullish(),
  correction: correction
    .optional()
    .describe(
      'the formula that corrects PM2.5, for all time or by periods; absent: as corrections says for its kind, else none',
    ),
  device: z
    .string()
    .min(1)
    .nullish()
    .describe('the name that its device sends when it pushes readings, such as esp8266-1234567'),
  rain: z
    .literal('total')
    .nullish()
    .describe(
      'total: its rain counts up, so the amount of a reading is derived from the total before it',
    ),
  stations: z
    .array(z.strictObject({ id, ...periodEnds }))
    .min(1)
    .optional()
    .describe('where it was and when; absent: always at the station it is listed under'),
  suspicious: flag
    .default(false)
    .describe('all of its readings are unreliable; true, or the periods'),
});

/**
 * The tests of screening: of a sensor's temperature, humidity and pressure, and of a station's
 * particles.
 */
const SENSOR_TESTS = [
  'zero_values',
  'pressure_off_altitude',
  'humidity_saturated',
  'constant_temperature',
  'constant_humidity',
  'constant_pressure',
] as const;
const PARTICLE_TESTS = ['sensors', 'flat', 'outlier'] as const;
const isParticleTest = (test: string) => (PARTICLE_TESTS as readonly string[]).includes(test);

export const Screened = z
  .strictObject({
    test: z.enum([...SENSOR_TESTS, ...PARTICLE_TESTS]),
    sensor: id.optional().describe('the sensor that failed it; absent where it is the station'),
    ...periodEnds,
    since: z.string().describe('as found'),
    evidence: z
      .strictObject({
        'pm2.5': z.number(),
        pm10: z.number().optional(),
        median: z.number().optional(),
        compared_with: z.array(z.strictObject({ id, 'pm2.5': z.number() })).optional(),
      })
      .optional()
      .describe('the values of its first hour, and those they were compared with'),
    hours: z
      .array(z.iso.datetime({ offset: true }))
      .max(23)
      .optional()
      .describe(
        'for test outlier: its suspect hours while they are fewer than 24; without them regions leave the station out',
      ),
  })
  .refine(({ test, sensor }) => isParticleTest(test) === (sensor === undefined), {
    error: `expected a sensor, except for ${PARTICLE_TESTS.join(', ')}`,
  });

export const Station = z.strictObject({
  id,
  provider: providerSlug,
  title,
  latitude,
  longitude,
  altitude: z.number().nullish(),
  hidden: flag
    .default(false)
    .describe(
      'in no region and no list; true, or the periods. To retire a station, hide it from a day on: its history stays',
    ),
  is_bad_thp: flag
    .default(false)
    .describe('temperature, humidity and pressure are unreliable; true, or the periods'),
  is_bad_pm: flag
    .default(false)
    .describe(
      'PM1, PM2.5 and PM10 are suspect, so their region leaves them out; true, or the periods',
    ),
  trusted: z
    .boolean()
    .default(false)
    .describe(
      'true: a reference instrument, or a station beside a chimney: its PM is not screened, and only is_bad_pm flags it',
    ),
  screening: z
    .boolean()
    .default(true)
    .describe(
      'false: the operator vouches for temperature, humidity and pressure, and only is_bad_thp says otherwise',
    ),
  regions: z
    .array(z.union([slug, z.strictObject({ slug, ...periodEnds })]))
    .describe(
      'the regions it is in; with a district it is in its city too, for the same periods, which are rounded up to full hours',
    ),
  sensors: z.array(Sensor),
  screened: z
    .array(Screened)
    .default([])
    .describe(
      'periods that screening found, as network export writes them; added to the periods in the database, where none of the same test overlaps them',
    ),
});

/** The path that a push names takes it, beside the names of formats. */
export const SOURCE_NAME = /^[a-z0-9-]{1,40}$/;

export const Network = z.strictObject({
  $schema: z.string().optional(),
  time_zone: z.string().min(1).describe('IANA name, the one the database was made for'),
  providers: z.array(Provider),
  regions: z.array(Region),
  stations: z.array(Station),
  corrections: z
    .record(z.string().min(1), correction)
    .default({})
    .describe('how PM2.5 of sensors of a kind is corrected, such as {"PMS5003": "epa-2021"}'),
  sources: z
    .record(z.string(), z.unknown())
    .optional()
    .describe(
      'by name, how to read what somebody sends; replaces all sources of the database, absent: they stay',
    ),
});

export type Provider = z.output<typeof Provider>;
export type Region = z.output<typeof Region>;
export type Station = z.output<typeof Station>;
export type Sensor = z.output<typeof Sensor>;
export type Network = z.output<typeof Network>;
export type Flag = z.output<typeof flag>;
export type Correction = z.output<typeof correction>;

/** Keys of a provider that other rooms read, with their schemas. */
export type ProviderKeys = Readonly<Record<string, z.ZodType>>;

/** The schema of a declaration in `sources`, and the names that no source may have. */
export type SourceForms = { schema: z.ZodType; reserved: readonly string[] };

/** The JSON schema of the file as an operator writes it: keys with a default may be left out. */
export const networkJsonSchema = (keys: ProviderKeys, sources?: SourceForms): object =>
  z.toJSONSchema(
    Network.extend({
      providers: z.array(Provider.extend(keys)),
      sources: z
        .record(z.string().regex(SOURCE_NAME), sources?.schema ?? z.never())
        .optional()
        .describe(Network.shape.sources.description ?? ''),
    }),
    { io: 'input', target: 'draft-2020-12' },
  ) as object;
