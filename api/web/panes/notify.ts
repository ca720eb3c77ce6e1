import { effect, signal } from '@preact/signals';
import { unread } from '../client/directory.ts';
import { hasLeft } from '../client/session.ts';
import type { MailEvent } from '../client/shapes.ts';
import { sharedTeam } from '../client/teams.ts';
import { goMail } from '../place.ts';
import { noFilter } from '../place-url.ts';

const key = 'sandpost-notify';
const can = () => 'Notification' in window && window.isSecureContext;

/** Tells whether the system notifies of new mail while the page is hidden. Browsers offer this in secure contexts only. */
export const notifying = signal(
  can() && localStorage.getItem(key) === 'yes' && Notification.permission === 'granted',
);
export const canNotify = can();

export async function chooseNotifying(wanted: boolean): Promise<void> {
  const granted = wanted && (await Notification.requestPermission()) === 'granted';
  localStorage.setItem(key, granted ? 'yes' : 'no');
  notifying.value = granted;
}

export function notifyOf(event: MailEvent): void {
  if (event.type !== 'message.received' || !notifying.value || !document.hidden) return;
  // A common tag makes the notifications of several tabs one.
  const shown = new Notification(event.subject || 'No subject', {
    body: 'New mail in Sandpost',
    tag: `sandpost-${event.id}`,
  });
  shown.onclick = () => {
    window.focus();
    goMail({ account: null, mailbox: null, ...noFilter, message: event.id, tab: null });
    shown.close();
  };
}

/** Title of a page other than mail. */
export const pageTitle = signal('');

/** Names the page and the team in the tab's title, or the number of unread messages: `(3) Checkout · Sandpost`. */
effect(() => {
  const count = hasLeft.value ? 0 : unread.value;
  const unreadOf = pageTitle.value === '' && count > 0 ? `(${count}) ` : '';
  const team = hasLeft.value ? '' : sharedTeam.value?.name;
  document.title = unreadOf + [pageTitle.value, team, 'Sandpost'].filter(Boolean).join(' · ');
});
