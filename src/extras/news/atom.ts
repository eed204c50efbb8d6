/** Writes Atom 1.0 feeds (RFC 4287). */
import type { Locale } from '../../contract/endpoints.ts';

/** Texts are plain, but for `html`. */
export type Feed = {
  locale: Locale;
  id: string;
  title: string;
  description?: string | undefined;
  updated: Date;
  author: string;
  /** The licence; '' where it is not known. */
  rights: string;
  /** Addresses, without quotes: of the page that the feed is of, and of the feed. */
  link: string;
  self: string;
  entries: readonly { id: string; title: string; html: string; updated: Date }[];
};

export function writeAtom(feed: Feed): string {
  const { locale, id, title, description, updated, author, rights, link, self, entries } = feed;
  const parts = [
    `<id>${escaped(id)}</id>`,
    `<title>${escaped(title)}</title>`,
    `<updated>${updated.toISOString()}</updated>`,
    '<generator>airseries</generator>',
    `<author>\n        <name>${escaped(author)}</name>\n    </author>`,
    `<link rel="alternate" href="${escaped(link)}"/>`,
    `<link rel="self" href="${escaped(self)}"/>`,
    ...(description === undefined ? [] : [`<subtitle>${escaped(description)}</subtitle>`]),
    ...(rights === '' ? [] : [`<rights>${escaped(rights)}</rights>`]),
    ...entries.map(
      (entry) => `<entry>
        <title type="html"><![CDATA[${escaped(entry.title)}]]></title>
        <id>${escaped(entry.id)}</id>
        <link href="${escaped(link)}"/>
        <updated>${entry.updated.toISOString()}</updated>
        <content type="html"><![CDATA[${entry.html}]]></content>
    </entry>`,
    ),
  ];
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xml:lang="${locale}" xml:base="${escaped(self)}" xmlns="http://www.w3.org/2005/Atom">
    ${parts.join('\n    ')}
</feed>`;
}

/** Paragraphs of plain text, as HTML. */
export const paragraphs = (lines: readonly string[]): string =>
  lines.map((line) => `<p>${escaped(line)}</p>`).join('');

/** Plain text as HTML or XML, without the characters that XML 1.0 cannot hold. */
export const escaped = (text: string): string =>
  text
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
