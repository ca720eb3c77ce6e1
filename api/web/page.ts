import { signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import { createClient } from './client/client.ts';
import { createDirectory } from './client/directory.ts';
import { createEvents } from './client/events.ts';
import { createTeams } from './client/teams.ts';
import { createDraft } from './manage/draft.ts';
import { createNotices } from './notices.ts';
import { createActions } from './panes/actions.ts';
import { createTree } from './panes/branches.ts';
import { createBulk } from './panes/bulk.ts';
import { createKeys } from './panes/keys.ts';
import { createLive } from './panes/live.ts';
import { createMailList } from './panes/mail-list.ts';
import { createOverlays } from './panes/overlays.ts';
import { createRefused } from './panes/refused.ts';
import { createSelection } from './panes/selection.ts';
import { createAppearance } from './parts/appearance.ts';
import { createToasts } from './parts/toasts.ts';
import { createRouter } from './place.ts';
import { teamOf } from './place-url.ts';

/**
 * Creates the page's state, which `main.tsx` does once. No state is at module level: all state starts here, and components read it from
 * the context. Another team's page is another document.
 */
export function createPage() {
  const teamId = teamOf(location.pathname);
  const client = createClient(teamId);
  const toasts = createToasts();
  const router = createRouter(teamId);
  const teams = createTeams(client, toasts);
  const directory = createDirectory(client);
  const events = createEvents(client);
  const notices = createNotices(client, teams, directory, router, toasts);

  const appearance = createAppearance();
  const list = createMailList(client, appearance);
  const selection = createSelection(list, router);
  const bulk = createBulk(client, toasts);
  const actions = createActions(client, events, router, toasts, bulk, list, selection);
  const overlays = createOverlays(selection);
  const keys = createKeys(router, teams, directory, appearance, list, selection, actions, overlays);
  const live = createLive(directory, events, notices, router, list, actions);
  /** State of the mail view. */
  const refused = createRefused(client, router);
  const mail = {
    ...{ ...list, ...selection, ...actions, ...overlays, ...keys, ...live, ...refused },
    tree: createTree(),
  };

  /** Current time in ms, updated every half minute. Components that read it keep relative times up to date. */
  const now = signal(Date.now());
  setInterval(() => {
    now.value = Date.now();
  }, 30_000);
  addEventListener('pagehide', actions.deletePending);

  return {
    ...client,
    ...router,
    ...teams,
    ...directory,
    ...events,
    ...notices,
    ...toasts,
    ...createDraft(client),
    ...appearance,
    now,
    mail,
  };
}

export type Page = ReturnType<typeof createPage>;

/** Context of the page's state. */
export const PageState = createContext<Page | null>(null);

/** Returns the state of the component's page. */
export function usePage(): Page {
  const page = useContext(PageState);
  if (page === null) throw new Error('The component is outside the page');
  return page;
}

/** Returns the state of the mail view. */
export const useMail = (): Page['mail'] => usePage().mail;

/** Sets the tab's title while a component is drawn. */
export function useTitle(title: string): void {
  const { pageTitle } = usePage();
  useEffect(() => {
    pageTitle.value = title;
    return () => {
      pageTitle.value = '';
    };
  }, [title]);
}
