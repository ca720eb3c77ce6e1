import { signal } from '@preact/signals';
import type { Client } from '../client/client.ts';

export const emptyDraft = { from: '', to: '', cc: '', bcc: '', replyTo: '', subject: '', text: '', html: '' };

export type Draft = typeof emptyDraft;

const userKey = 'sandpost-draft-user';

/**
 * Mail that is being written in this team. The tab stores it, because a sign-in at an identity provider and the way to another team
 * load the page again.
 */
export function createDraft({ session, teamId }: Client) {
  const key = `sandpost-draft-${teamId ?? 'personal'}`;
  const draft = signal<Draft>({ ...emptyDraft, ...JSON.parse(sessionStorage.getItem(key) ?? '{}') });

  /** Removes the drafts of all teams. */
  function forgetDrafts(): void {
    draft.value = emptyDraft;
    sessionStorage.clear();
  }

  draft.subscribe((mail) => {
    try {
      sessionStorage.setItem(key, JSON.stringify(mail));
    } catch {
      // A mail that exceeds the quota of the browser stays until the page is loaded again.
      sessionStorage.removeItem(key);
    }
  });
  // Another user of this tab never sees the drafts of the former one.
  session.subscribe((user) => {
    if (!user || sessionStorage.getItem(userKey) === `${user.id}`) return;
    forgetDrafts();
    sessionStorage.setItem(userKey, `${user.id}`);
  });
  return { draft, forgetDrafts };
}

/** Splits the text of a field into addresses, at commas, semicolons, spaces and line breaks. */
export const addressesOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== '');
