/** Suggests what to write instead of a time that cannot be read, or what to declare. */
import { readInstant } from '../../../ingest/reading/instants.ts';
import type { Vocabulary } from '../../../ingest/reading/vocabulary.ts';
import { DATE_FORMATS, slashedDate } from './times.ts';

/** Begins with `; `; '': not known. `networkZone` is offered for times without an offset. */
export function timeHint(text: string, say: Vocabulary, networkZone: string | undefined): string {
  const date = slashedDate(text);
  if (date !== undefined && Math.max(date.first, date.second) > 12) {
    const [first, order] = date.first > 12 ? ['day', 'dd/mm/yyyy'] : ['month', 'mm/dd/yyyy'];
    return `; ${text} begins with the ${first}: ${say.option('date-format', order)} if all of its source do, else write them alike`;
  }
  if (date !== undefined)
    return `; ${text} may begin with the day or the month: ${say.option('date-format')} says which, as ${DATE_FORMATS.join(' or ')}`;
  if (/^\d\d?([./-])\d\d?\1\d\d(?!\d)/.test(text))
    return `; ${text} has a year of two digits: write all four`;
  if (/^\d{4}-?W\d\d/.test(text)) return `; ${text} is a week date: write the date of the day`;
  if (/^\d{4}-\d{3}$/.test(text))
    return `; ${text} is a day of the year: write the date of the day`;
  if (/^\d{5}(?:[.,]\d+)?$/.test(text))
    return `; ${text} looks like a day of Excel's calendar: format its cells as yyyy-mm-dd hh:mm, and save again`;
  if (/^\d{1,4} \d{1,4} \d{1,4}(?: |$)/.test(text))
    return `; ${text} is joined of columns in another order than ${say.option('column', 'time=Year+Month+Day+Hour+Minute')}`;
  if (/[T ]24:/.test(text))
    return `; of the times from 24:00 on there is only 24:00, the next midnight`;
  if (!readInstant(text)?.local) return '';
  const zones = [...new Set([networkZone ?? 'UTC', 'UTC'])].map((zone) => say.option('zone', zone));
  const offered = networkZone === undefined ? '' : `: ${zones.join(' as in this network, or ')}`;
  return `; ${text} has no offset, or is in an hour that the clocks skipped or went through twice; ${say.option('zone')} says which zone's clock it is${offered}`;
}
