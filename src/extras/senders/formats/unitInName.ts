/**
 * Finds the unit that the name of a column says, wherever people write it: in brackets, behind a
 * comma, a hyphen, an underscore or a blank, run together with the name, or as the whole name (S9).
 * A text is a unit as a whole or not at all, so `hundredths of inch` is not one.
 */
import type { ParameterName } from '../../../contract/parameters.ts';
import { conversionFrom, isSameUnit } from '../units.ts';

/** A text in a name that may be a unit, and the name without it. */
type Place = {
  base: string;
  text: string;
  /** It stands in a place that is a unit's, so a message quotes it where the unit is unknown. */
  isUnits: boolean;
};

/** A longer name says a unit in brackets only. */
const LONGEST_NAME = 60;

/** Texts in brackets that are looked at. */
const MOST_TEXTS = 5;

const IN_BRACKETS = /[([]([^()[\]]{0,60})[)\]]/g;

const ASCII = /^[\0-\x7f]*$/;

/** `（℃）` and `(°C)` are one. */
export const unified = (name: string): string => (ASCII.test(name) ? name : name.normalize('NFKC'));

/** The places of a name in lower case, the surest first. */
export function unitPlaces(given: string): Place[] {
  const name = unified(given);
  const bare = name.replaceAll(IN_BRACKETS, ' ').replaceAll(/ +/g, ' ').trim();
  // the unit may have brackets of its own: `NO2 (µg/m³ (25 °C))`
  const whole = name.slice(
    name.search(/[([]/) + 1,
    Math.max(name.lastIndexOf(')'), name.lastIndexOf(']'), 0),
  );
  const texts = [...name.matchAll(IN_BRACKETS)].flatMap(([, text = '']) => text.split(/[,;]/));
  const inBrackets = [whole, ...texts].slice(0, MOST_TEXTS).map((text) => ({
    base: bare,
    text: text.trim(),
    isUnits: true,
  }));
  if (bare.length > LONGEST_NAME) return inBrackets;
  const behind = name.length > LONGEST_NAME ? [] : behindBlanks(name);
  return [
    ...behindSigns(name),
    ...inBrackets,
    ...behind,
    ...behindBlanks(bare),
    ...runTogether(bare),
  ];
}

/** `temp, °f`, `rain - in`; brackets behind may belong to the unit or not: the longest first. */
const behindSigns = (name: string): Place[] =>
  [...name.matchAll(/, ?| [-–] /g)].flatMap(({ 0: sign, index }) => {
    const rest = name.slice(index + sign.length);
    const ends = [...rest.matchAll(/[([]/g)].map((bracket) => bracket.index).toReversed();
    return [rest.length, ...ends].map((end) => ({
      base: name.slice(0, index).trim(),
      text: rest.slice(0, end).trim(),
      isUnits: true,
    }));
  });

/** `no2_ug_m3`, `wind mph`; a single letter may be the name of a place: `node_f`. */
const behindBlanks = (name: string): Place[] =>
  [...name.matchAll(/[_ ]/g)].flatMap(({ index }) => {
    const [base, text] = [name.slice(0, index), name.slice(index + 1)];
    return base === '' || (text.length === 1 && !TEMPERATURE.test(base) && text !== '%')
      ? []
      : [{ base, text, isUnits: false }];
  });

const TEMPERATURE = /temp(?:eratur|eratura|erature)?\d?$/;

/** Units that people write at the end of a word, and words that a short one is not a part of. */
const ENDINGS: readonly (readonly [base: RegExp, units: RegExp])[] = [
  [/./, /(?:[um]gm3|ppb|ppm|hpa|kpa|mbar|inhg|mmhg|mph|kmh|kph|pct|%|° ?[cfk])$/],
  [TEMPERATURE, /[cfk]$/],
  [/(?:wind|speed|gust)$/, /(?:ms|kts|kn)$/],
  [/(?:rain|precip|rainfall)$/, /(?:in|mm)$/],
];

/** `tempf`, `windspeedmph`, `dailyrainin`. */
const runTogether = (name: string): Place[] =>
  ENDINGS.flatMap(([word, units]) => {
    const [text] = units.exec(name) ?? [];
    const base = name.slice(0, -(text?.length ?? 0));
    return text === undefined || !word.test(base) ? [] : [{ base, text, isUnits: false }];
  });

/** Loggers append these to a name, or the length of an interval, and they are not units. */
const BEHIND_UNITS = /[_ ](?:avg|mean|min|max|tot|total|smp|std|\d{1,4} ?(?:min|h|hr))$/;

/** At most two of them stand behind a unit: `wind_mph_10min_avg`. */
const withoutEnds = (name: string): string =>
  name.replace(BEHIND_UNITS, '').replace(BEHIND_UNITS, '');

/** A multiple of a unit: `x10`, `1/100`, `0.1`, `10⁻³`. */
const MULTIPLE = /(?:[^\p{L}][x×]|[*·/]) ?10|10(?:\^|[-\u2212]\d)|(?:^|\D)0[.,]0{0,9}1(?:\D|$)/u;

/** A multiple in words, without the marks of letters. */
const FRACTIONS: readonly string[] = [
  ...['tenth', 'hundredth', 'thousandth', 'zehntel', 'hundertstel', 'tausendstel'],
  ...['dixiem', 'centiem', 'milliem', 'decim', 'centesim', 'milesim', 'millesim'],
  ...['десят', 'сотых', 'сотые', 'тысячн', 'տասնորդ', 'հարյուրերորդ', 'հազարերորդ'],
];

const isMultiple = (name: string): boolean => {
  const plain = name.normalize('NFD').replace(/\p{M}/gu, '');
  return MULTIPLE.test(name) || FRACTIONS.some((word) => plain.includes(word));
};

/** A number before a unit is a multiple of it, but for the size of particles. */
const isNumbered = (base: string, parameter: ParameterName): boolean =>
  /(?:^|[_ ])[\d.,]{1,9}$/.test(base) && !parameter.startsWith('pm');

/** These are words, too, so they say a unit only behind a name. */
const WORDS = ['in', 'c', 'f', 'k'];

/** `unit`: one of the parameter. `unknown`: what stands in the place of a unit instead. */
type Said = { unit?: string | undefined; unknown?: string | undefined };

/**
 * The unit that someone else's name for a parameter says: `Stickstoffdioxid (µg/m³)`. A name that
 * says two, or a multiple of one, says none that is known.
 */
export function unitInName(given: string, parameter: ParameterName): Said {
  const name = unified(given);
  // `PrecipDailyIn`, but neither `hPa` nor `daPa`
  const spaced = name.replaceAll(/(\p{Ll}{3})(\p{Lu})/gu, '$1_$2');
  const names = [...new Set([name, spaced].map((one) => withoutEnds(one.toLowerCase())))];
  const places = names.flatMap(unitPlaces);
  const [whole = ''] = names;
  if (!WORDS.includes(whole)) places.push({ base: '', text: whole, isUnits: false });
  const known = places.filter(
    ({ base, text, isUnits }) =>
      conversionFrom(text, parameter) !== undefined && (isUnits || !isNumbered(base, parameter)),
  );
  const [first] = known;
  const unknown = places.find(({ text, isUnits }) => isUnits && text !== '')?.text;
  if (first === undefined || isMultiple(whole)) return { unknown };
  const isOne = known.every(
    ({ text }) => first.text.includes(bared(text)) || isSameUnit(text, first.text, parameter),
  );
  return isOne ? { unit: first.text } : { unknown: first.text };
}

/** A text without the brackets around it. */
const bared = (text: string): string => text.replaceAll(/[()[\]]/g, '').trim();
