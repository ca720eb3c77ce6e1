import { signal } from '@preact/signals';
import { hrefOf, type MailPlace, noFilter, type Place, placeOf } from './place-url.ts';

export { hrefOf };

const allMail: MailPlace = {
  view: 'mail',
  account: null,
  mailbox: null,
  message: null,
  tab: null,
  ...noFilter,
};

export const place = signal<Place>(placeOf(location.pathname + location.search));

/** Latest place in the mail. Kept while a manage page is shown. `goMail` changes parts of it. */
export const mailPlace = signal<MailPlace>(place.value.view === 'mail' ? place.value : allMail);

/** Goes to a place. `replace` leaves no step to go back to. */
export function go(to: Place, { replace = false } = {}): void {
  const url = hrefOf(to);
  if (url === hrefOf(place.value)) return;
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  settle(to);
}

/** Goes to another state of the mail: `goMail({ message: 7 })`. */
export function goMail(change: Partial<Omit<MailPlace, 'view'>>, options?: { replace?: boolean }): void {
  go({ ...mailPlace.value, ...change }, options);
}

function settle(to: Place): void {
  if (to.view === 'mail') mailPlace.value = to;
  place.value = to;
}

addEventListener('popstate', () => settle(placeOf(location.pathname + location.search)));

// Links within the page need no handler of their own.
addEventListener('click', (event) => {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.defaultPrevented)
    return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link === null || link.target !== '' || link.hasAttribute('download')) return;
  const { origin, pathname, search } = new URL(link.href, location.href);
  if (origin !== location.origin || !/^\/((mail|manage)(\/|$))?$|^\/(mail|manage)\//.test(pathname)) return;
  event.preventDefault();
  go(placeOf(pathname + search));
});
