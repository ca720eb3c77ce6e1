import { signal } from '@preact/signals';
import { withoutBase } from './base-path.ts';
import { allMail, hrefOf, isPlace, type MailPlace, type Place, placeOf, teamOf } from './place-url.ts';

/** Creates the place in one team that the document's URL names. It follows links and the browser's history. */
export function createRouter(teamId: number | null) {
  const place = signal<Place>(placeOf(location.pathname + location.search));

  /** Latest place in the mail. Kept while a manage page is shown. `goMail` changes parts of it. */
  const mailPlace = signal<MailPlace>(place.value.view === 'mail' ? place.value : allMail);

  /** Returns the URL of a place in the current team. */
  const linkTo = (to: Place): string => hrefOf(to, teamId);
  const linkToPage = (page: string): string => linkTo({ view: 'manage', page });

  /** Goes to a place. `replace` replaces the current history entry, and so does switching a message's tab. */
  function go(to: Place, { replace = isOpen(to) } = {}): void {
    const url = linkTo(to);
    if (url === linkTo(place.value)) return;
    if (replace) history.replaceState(null, '', url);
    else history.pushState(null, '', url);
    settle(to);
  }

  /** Checks whether a place shows the message that is already open, in the same tab or another. */
  const isOpen = (to: Place) =>
    place.value.view === 'mail' &&
    to.view === 'mail' &&
    to.message !== null &&
    to.message === place.value.message;

  /** Goes to another state of the mail: `goMail({ message: 7 })`. */
  function goMail(change: Partial<Omit<MailPlace, 'view'>>, options?: { replace?: boolean }): void {
    go({ ...mailPlace.value, ...change }, options);
  }

  function settle(to: Place): void {
    if (to.view === 'mail') mailPlace.value = to;
    // Refused mail is shown without an open message.
    if (to.view === 'refused') mailPlace.value = { ...mailPlace.value, message: null, tab: null };
    place.value = to;
  }

  addEventListener('popstate', () => settle(placeOf(location.pathname + location.search)));

  // Handles all links within the page. The browser follows a link to another team, so no data of one team remains in the other.
  addEventListener('click', (event) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.defaultPrevented)
      return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hasAttribute('download')) return;
    const { origin, pathname, search } = new URL(link.href, location.href);
    if (place.value.view === 'invitation' && withoutBase(pathname).startsWith('/api/auth/')) {
      // Keeps the invitation's token out of the history on the way to the identity provider.
      event.preventDefault();
      return location.replace(link.href);
    }
    if (origin !== location.origin || !isPlace(pathname) || teamOf(pathname) !== teamId) return;
    event.preventDefault();
    go(placeOf(pathname + search));
  });
  return { place, mailPlace, linkTo, linkToPage, go, goMail };
}

export type Router = ReturnType<typeof createRouter>;
