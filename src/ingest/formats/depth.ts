/** How deep JSON that somebody sent may be nested. Looked at before it is parsed: parsing is what makes brackets in brackets expensive. */

/** A reading has no nested value at all, one of a feed has three levels. */
export const DEEPEST = 32;

/** Whether brackets are opened in brackets more than DEEPEST times. The text need not be JSON. */
export function isTooDeep(text: string): boolean {
  if (!text.includes('[') && !text.includes('{', 1)) return false; // most readings
  let [depth, inString] = [0, false];
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') {
      inString = true;
    } else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > DEEPEST) return true;
    } else if (character === ']' || character === '}') {
      depth -= 1;
    }
  }
  return false;
}
