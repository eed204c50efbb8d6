/**
 * How a message writes what a sender may declare of its readings: as an option of the command line,
 * a parameter of an address, or a key of the network file.
 */

/** A word by the name of its option. */
type Option =
  | 'column'
  | 'unit'
  | 'only'
  | 'zone'
  | 'shift'
  | 'round'
  | 'date-format'
  | 'sensor'
  | 'device';

export type Vocabulary = {
  /** `--zone +01:00`, `?zone=%2B01:00`, `"zone": "+01:00"`; without a value its name alone. */
  option(name: Option, value?: string): string;
};

/** A word of a shell. */
const quoted = (text: string) => (/^[\w.,:/+=*%@-]+$/.test(text) ? text : `'${text}'`);

export const COMMAND_LINE: Vocabulary = {
  option: (name, value) => (value === undefined ? `--${name}` : `--${name} ${quoted(value)}`),
};

/** Parameters whose option has another name. */
const PARAMETERS: { readonly [name in Option]?: string } = {
  sensor: 'sensor_id',
  'date-format': 'date_format',
};

export const ADDRESS: Vocabulary = {
  option(name, value) {
    const parameter = `?${PARAMETERS[name] ?? name}`;
    if (value === undefined) return parameter;
    const encoded = value.replaceAll(/[+&#% ]/g, (character) => encodeURIComponent(character));
    return `${parameter}=${encoded}`;
  },
};

/** Keys of a feed. */
export const NETWORK_FILE: Vocabulary = {
  option: (name, value) => (value === undefined ? `"${name}"` : `"${name}": "${value}"`),
};

const WORDS: { readonly [name in Option]?: string } = {
  column: 'columns',
  unit: 'units',
  'date-format': 'date_format',
};

/** Words of a source: `"units": {"no2": "ug/m3"}`. */
export const SOURCE: Vocabulary = {
  option(name, value) {
    const word = `"${WORDS[name] ?? name}"`;
    if (value === undefined) return word;
    const [, key, said = ''] = /^([^=]+)=(.*)$/.exec(value) ?? [];
    if (key === undefined) return `${word}: "${value}"`;
    return `${word}: ${JSON.stringify({ [key]: name === 'only' ? said.split(',') : said })}`;
  },
};
