/**
 * Settings that are refused: variables of the environment, and what is said of them. Those of an
 * extra are in its own table, in test/extras/NAME/wiring.test.ts.
 */
import { it } from 'vitest';
import { expectRefusedSettings, type Mistake, SECRET } from './mistake.ts';

type Settings = Record<string, string>;

const ADDRESSES_OF_DATABASES = ['DATABASE_URL', 'READER_DATABASE_URL'];
const ADDRESSES_OF_PAGES = ['SITE_BASE_URL', 'SITE_CONTACT'];

const SETTINGS: Mistake<Settings>[] = [
  ['a port that is a word', { PORT: 'abc' }, /PORT=abc: must be a whole number from 0 to 65535$/],
  [
    'a port that has the default of another',
    { INGEST_PORT: '8080' },
    'PORT and INGEST_PORT are both 8080. Set one',
  ],
  ['two swapped letters', { PROT: '80' }, /\n {2}PROT=80: there is no such .*PORT is meant\?.*$/],
  ['a letter too few', { SITE_CONTAC: 'x' }, /\n {2}SITE_CONTAC=x: .* SITE_CONTACT is meant\?/],
  [
    'the name that other programs have',
    { HOST: '0.0.0.0' },
    /\n {2}HOST=0\.0\.0\.0: there is no such setting/,
  ],
  [
    'three names that are nearly a setting',
    { DATABASE_URI: `postgres://me:${SECRET}@here/air`, PROT: '80', HOST: '127.0.0.1' },
    /not usable:\n {2}DATABASE_URI: there is no such setting\. DATABASE_URL is meant\?.*\n {2}PROT=80: .*PORT is.*\n {2}HOST=127\.0\.0\.1: .*PORT listens on all addresses.*$/,
  ],
  [
    'a day without a date, told once',
    { EPOCH: 'soon' },
    /usable:\n {2}EPOCH=soon: must be the first of a month[^\n]*$/,
  ],
  [
    'a duration without a number, told once',
    { RAW_RETENTION: 'soon' },
    /usable:\n {2}RAW_RETENTION=soon: must be a duration such as [^\n]*$/,
  ],
  [
    'five settings at once',
    {
      PORT: 'http',
      FIXED_NOW: 'noon',
      DATABASE_URL: `mysql://${SECRET}`,
      RAW_RETENTION: '7 days',
      ROLE: 'boss',
    },
    [
      'PORT=http',
      'FIXED_NOW=noon',
      'DATABASE_URL: must look like',
      'at least 35 days',
      'ROLE=boss',
    ],
  ],
  ...['EAQI', 'us', 'european'].map(
    (wrong): Mistake<Settings> => [
      `INDEX=${wrong}`,
      { INDEX: wrong },
      `  INDEX=${wrong}: must be aqi, the index of the US EPA, or eaqi, the European index. Write one of them`,
    ],
  ),
  [
    'ROLE=api without the database of a worker',
    { ROLE: 'api' },
    /^ROLE=api only serves what a worker computes: set READER_DATABASE_URL or DATABASE_URL.* leave ROLE unset\.$/,
  ],

  // addresses of databases, whose passwords are never repeated
  ...ADDRESSES_OF_DATABASES.flatMap((name) => [
    ...['pa#', '12#', '12/', 'pa/'].map(
      (word): Mistake<Settings> => [
        `${word} in the password of ${name}`,
        { ROLE: 'api', [name]: `postgres://me:${word}${SECRET}@here:5432/air?sslmode=require` },
        `  ${name}: has # or / in the user or the password: write # as %23, and / as %2F`,
      ],
    ),
    ...['p%', '%ff', '%zz'].map(
      (word): Mistake<Settings> => [
        `${word} in the password of ${name}`,
        { ROLE: 'api', [name]: `postgres://me:${word}${SECRET}@here:5432/air` },
        `  ${name}: has % in the user or the password: write % as %25`,
      ],
    ),
  ]),
  [
    "a reader's database of another kind",
    { ROLE: 'api', READER_DATABASE_URL: `mysql://me:${SECRET}@one/air` },
    'READER_DATABASE_URL: must look like postgres://user:password@host:5432/',
  ],
  [
    'spaces in the address of a database',
    { DATABASE_URL: `postgres://me:${SECRET} x@he re/air` },
    'DATABASE_URL: must look like',
  ],
  [
    'a database at several hosts',
    { ROLE: 'api', READER_DATABASE_URL: `postgres://me:${SECRET}@one:5432,two/air` },
    'READER_DATABASE_URL: names several hosts: name one. To read from several,',
  ],
  [
    'a database behind a pooler',
    { DATABASE_URL: `postgres://me:${SECRET}@here/air?pooler=transaction` },
    'not to a pooler',
  ],
  [
    "a reader's database without one to write to",
    { READER_DATABASE_URL: `postgres://me:${SECRET}@here/air` },
    'enough for ROLE=api only',
  ],

  // addresses of pages
  ...ADDRESSES_OF_PAGES.flatMap((name) =>
    ['https://air.example:99999', 'https://a;b', 'air.example', 'https://me:password@here'].map(
      (wrong): Mistake<Settings> => [
        `${wrong} as ${name}`,
        { [name]: wrong },
        `\n  ${name}=${wrong}: must be `,
      ],
    ),
  ),
  ...['https://air.example?a=1', 'https://air.example/#top'].map(
    (wrong): Mistake<Settings> => [
      `${wrong} as the base of other addresses`,
      { SITE_BASE_URL: wrong },
      `SITE_BASE_URL=${wrong}: must be `,
    ],
  ),
  ...['mailto:air@town.example', 'air@', '+374 10 123456', 'air @town.example'].map(
    (wrong): Mistake<Settings> => [
      `${wrong} as a mail address`,
      { SITE_CONTACT: wrong },
      /SITE_CONTACT=.* or of mail, such as/,
    ],
  ),
];

it.each(SETTINGS)(
  'the configuration is refused, and the message says what is wrong with %s',
  async (_, settings, said) => {
    await expectRefusedSettings(settings, said);
  },
);
