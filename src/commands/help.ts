/** How help looks: as wide as the terminal, and elsewhere as wide as most are. */
import type { HelpConfiguration } from 'commander';
import { wrapped } from '../base/printable.ts';
import { facts } from './table.ts';

const USUAL_WIDTH = 80;

export const helpWidth = (): number => process.stdout.columns ?? USUAL_WIDTH;

/** Below a help, after an empty line. */
export const paragraph = (text: string): string => `\n${wrapped(text, helpWidth(), 0)}`;

/** Commander itself leaves descriptions unwrapped where there is little room beside the names. */
export const HELP: HelpConfiguration = {
  showGlobalOptions: true,
  formatItem: (term, width, description) =>
    facts([[`  ${term.padEnd(width)}`, description]], helpWidth()),
  boxWrap: (text) => wrapped(text, helpWidth(), 0),
  styleUsage: (usage) => wrapped(usage, helpWidth() - 'Usage: '.length, 2),
};
