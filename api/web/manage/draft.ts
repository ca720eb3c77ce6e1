import { signal } from '@preact/signals';
import type { Client } from '../client/client.ts';

export const emptyDraft = { from: '', to: '', cc: '', bcc: '', replyTo: '', subject: '', text: '', html: '' };

export type Draft = typeof emptyDraft;

const userKey = 'sandpost-draft-user';

/**
 * Creates the draft email for this team. The tab stores the draft, because the page reloads for a sign-in at an identity provider and for
 * a switch to another team.
 */
export function createDraft({ session, teamId }: Client) {
  const key = `sandpost-draft-${teamId ?? 'personal'}`;
  const draft = signal<Draft>({ ...emptyDraft, ...JSON.parse(sessionStorage.getItem(key) ?? '{}') });

  /** Removes all teams' drafts. */
  function forgetDrafts(): void {
    draft.value = emptyDraft;
    sessionStorage.clear();
  }

  draft.subscribe((mail) => {
    try {
      sessionStorage.setItem(key, JSON.stringify(mail));
    } catch {
      // A draft that exceeds the browser's quota survives only until the page reloads.
      sessionStorage.removeItem(key);
    }
  });
  // Another user of this tab never sees the previous user's drafts.
  session.subscribe((user) => {
    if (!user || sessionStorage.getItem(userKey) === `${user.id}`) return;
    forgetDrafts();
    sessionStorage.setItem(userKey, `${user.id}`);
  });
  return { draft, forgetDrafts };
}

/** Splits a field's text into addresses, at commas, semicolons, spaces and line breaks. */
export const addressesOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== '');
