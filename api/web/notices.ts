import { effect, signal } from '@preact/signals';
import type { Client } from './client/client.ts';
import type { Directory } from './client/directory.ts';
import type { MailEvent } from './client/shapes.ts';
import type { Teams } from './client/teams.ts';
import type { Toasts } from './parts/toasts.ts';
import type { Router } from './place.ts';
import { allMail } from './place-url.ts';

const key = 'sandpost-notify';

/** Creates the indicators of new mail outside the document: the tab's title and icon, and system notifications. */
export function createNotices(
  { hasLeft }: Client,
  { sharedTeam }: Teams,
  { unread }: Directory,
  { go }: Router,
  { tell }: Toasts,
) {
  /** Browsers offer notifications only in secure contexts. */
  const canNotify = 'Notification' in window && window.isSecureContext;

  /** True if the system shows notifications of new mail while the page is hidden. */
  const notifying = signal(
    canNotify && localStorage.getItem(key) === 'yes' && Notification.permission === 'granted',
  );

  /** Turns notifications on or off. The browser asks the user first. */
  async function chooseNotifying(wanted: boolean): Promise<void> {
    const granted = wanted && (await Notification.requestPermission()) === 'granted';
    localStorage.setItem(key, granted ? 'yes' : 'no');
    notifying.value = granted;
    if (wanted && !granted) tell('Your browser blocks notifications. Allow them in the site settings.');
  }

  function notifyOf(event: MailEvent): void {
    if (event.type !== 'message.received' || !notifying.value || !document.hidden) return;
    // A shared tag merges the notifications of several tabs into one.
    const shown = new Notification(event.subject || 'No subject', {
      body: 'New mail in Sandpost',
      tag: `sandpost-${event.id}`,
    });
    shown.onclick = () => {
      window.focus();
      go({ ...allMail, message: event.id });
      shown.close();
    };
  }

  /** Title of a page other than a message list, or the open message's subject. */
  const pageTitle = signal('');

  const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
  const plain = icon?.getAttribute('href') ?? '';
  const dotted = new URL('./icon-unread.svg', import.meta.url).pathname;
  effect(() => {
    const href = !hasLeft.value && unread.value > 0 ? dotted : plain;
    if (icon?.getAttribute('href') !== href) icon?.setAttribute('href', href);
  });

  // Sets the tab's title to the page or the message, and the team: `Reset your password · Sandpost`. A message list shows the number of
  // unread messages: `(3) Checkout · Sandpost`.
  effect(() => {
    const count = hasLeft.value ? 0 : unread.value;
    const unreadOf = pageTitle.value === '' && count > 0 ? `(${count}) ` : '';
    const team = hasLeft.value ? '' : sharedTeam.value?.name;
    document.title = unreadOf + [pageTitle.value, team, 'Sandpost'].filter(Boolean).join(' · ');
  });
  return { canNotify, notifying, chooseNotifying, notifyOf, pageTitle };
}

export type Notices = ReturnType<typeof createNotices>;
