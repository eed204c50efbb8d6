/**
 * Finds the unit that the name of a column says, wherever people write it: in brackets, behind a
 * comma, a hyphen, an underscore or a blank, or run together with the name (S9).
 */
import type { ParameterName } from '../../contract/parameters.ts';
import { conversionFrom, isUnit } from '../units.ts';

/** A text in a name that may be a unit, and the name without it. */
type Place = {
  base: string;
  text: string;
  /** It stands in a place that is a unit's, so it is asked about where it is no known unit. */
  isUnits: boolean;
};

/** A longer name says a unit in brackets only. */
const LONGEST_NAME = 60;

/** Texts in brackets that are looked at. */
const MOST_TEXTS = 5;

const IN_BRACKETS = /[([]([^()[\]]{0,60})[)\]]/g;

/** The places of a name in lower case, the surest first. */
export function unitPlaces(name: string): Place[] {
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
  return [...behindSigns(name), ...inBrackets, ...behindBlanks(bare), ...runTogether(bare)];
}

/** `temp, °f`, `rain - in`; brackets behind may be of the unit, or none of it: the longest first. */
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

/** `no2_ug_m3`, `wind mph`; a single letter behind a blank may be the name of a place. */
const behindBlanks = (name: string): Place[] =>
  [...name.matchAll(/[_ ]/g)].flatMap(({ 0: sign, index }) => {
    const [base, text] = [name.slice(0, index), name.slice(index + 1)];
    const isLetter = sign === ' ' && text.length === 1;
    return base === '' || (isLetter && !TEMPERATURE.test(base))
      ? []
      : [{ base, text, isUnits: false }];
  });

const TEMPERATURE = /temp(?:eratur|eratura|erature)?\d?$/;

/** Units that people write at the end of a word, and the words where a short one is no part of it. */
const ENDINGS: readonly (readonly [base: RegExp, units: RegExp])[] = [
  [/./, /(?:[um]gm3|ppb|ppm|hpa|kpa|mbar|inhg|mmhg|mph|kmh|kph|pct)$/],
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

/** `unit`: one of the parameter. `unknown`: what stands in the place of a unit instead. */
type Said = { unit?: string | undefined; unknown?: string | undefined };

/** The unit that someone else's name for a parameter says: `Stickstoffdioxid (µg/m³)`. */
export function unitInName(name: string, parameter: ParameterName): Said {
  const spaced = name.replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2'); // `PrecipDailyIn`
  const places = [name, spaced].flatMap((one) => unitPlaces(one.toLowerCase()));
  const found = places.find(({ text }) => conversionFrom(text, parameter) !== undefined);
  if (found !== undefined) return { unit: found.text };
  return { unknown: places.find(({ text, isUnits }) => isUnits && looksLikeUnit(text))?.text };
}

/**
 * True for a unit of another parameter, for units that we do not convert, and for any text with a
 * sign of units. A word such as `roof` or `mean` is no unit, nor is a letter, or
 * a serial number, `LGR S/N: 2`.
 */
const looksLikeUnit = (text: string): boolean =>
  !text.includes(':') &&
  (/[/%°³²^µμ]/.test(text) || OTHERS.test(text) || (text.length > 1 && isUnit(text)));

const OTHERS =
  /^(?:r|ra|rankine|ré|réaumur|bft|beaufort|bar|atmospheres?|torr|psi|inh2o|du|dobson|ppt|ng|ug|mg|ft|feet|yd|pts|points?|volts?|mv|counts)$/;
