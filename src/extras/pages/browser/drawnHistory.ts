/**
 * All parts of a history that are drawn from its values. Loaded once it is wanted (`explore.ts`):
 * they are 7 KB of the 83 KB of a station with its map.
 */
import { makeCalendar } from './calendar.ts';
import { type History, makeHistory, type Part, todayOf } from './history.ts';
import type { Page } from './page.ts';
import { makeRecord } from './record.ts';

/** `card`: of the windows, into which `element` goes; `calendar`: null where no index is measured. */
export function drawHistory(
  page: Page,
  card: HTMLElement,
  calendar: HTMLElement | null,
  history: History,
): { element: HTMLElement; parts: readonly Part[] } {
  const windows = makeHistory(page, card, history);
  if (calendar === null) return { element: windows.element, parts: [windows] };
  const record = makeRecord(page, calendar, todayOf(history));
  return {
    element: windows.element,
    parts: [windows, record, makeCalendar(page, calendar, history)],
  };
}
