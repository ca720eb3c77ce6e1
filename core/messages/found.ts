import type { MessageContent } from './content.ts';

/** First code of a mail, and the link that the mail is about, as rows of lists show them. Null where there is none. */
export type Found = { code: string | null; mainLink: string | null };

/** Chooses from the codes and links of a mail. A link to unsubscribe, or of no known purpose, is not what a mail is about. */
export function foundIn({ codes, links }: Pick<MessageContent, 'codes' | 'links'>): Found {
  const link = links.find(({ url, kind }) => kind !== 'other' && kind !== 'unsubscribe' && isWebLink(url));
  return { code: codes[0]?.value || null, mainLink: link?.url ?? null };
}

/** Tells whether a page may show a URL as a link: a mail can name any scheme. */
const isWebLink = (url: string) => /^https?:\/\/[^/]/i.test(url) && URL.canParse(url);
