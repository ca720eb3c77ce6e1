import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, sessionPath } from './client/client.ts';
import type { Session } from './client/shapes.ts';
import { type Page, usePage } from './page.ts';
import { Mail } from './panes/mail.tsx';
import { LostBar } from './panes/status.tsx';
import { Boundary } from './parts/boundary.tsx';
import { FullBar } from './parts/full-bar.tsx';
import { lazy } from './parts/lazy.tsx';
import { Toasts } from './parts/toast.tsx';
import { Gone, Nowhere } from './start/nowhere.tsx';
import { SignIn } from './start/sign-in.tsx';

const InvitationPage = lazy((all) => all.InvitationPage);
const Manage = lazy((all) => all.Manage);

/**
 * Page: the view that the URL names, or the sign-in over it. While the session and the role are unknown, the view loads its data but
 * stays hidden, so a stranger sees only the sign-in. A browser in which nobody was signed in requests only the session, because every
 * other request would be refused.
 */
export function App() {
  const page = usePage();
  const { directory, isGone, place, session, wasSignedIn } = page;
  const [asked, setAsked] = useState(false);
  useEffect(() => void readBeginning(page).then(() => setAsked(true)), []);
  const at = place.value;
  useFocusOf(session.value === null ? 'sign-in' : directory.value?.accounts.length === 0 ? 'empty' : at.view);
  if (at.view === 'invitation') return <InvitationPage token={at.token} />;
  if (at.view === 'nowhere') return <Nowhere />;
  if (session.value === null) return <SignIn />;
  if (isGone.value) return <Gone />;
  return (
    <div class={asked ? 'page' : 'page unasked'}>
      <div>
        <LostBar />
        <FullBar />
      </div>
      {(asked || wasSignedIn || session.value) && (
        <Boundary part="The page" key={at.view === 'manage' ? 'manage' : 'mail'}>
          {at.view === 'manage' ? <Manage page={at.page} /> : <Mail />}
        </Boundary>
      )}
      <Toasts />
    </div>
  );
}

/**
 * Reads the session and the teams. Shows a failure, except to strangers and former members, who see other pages, and to keys limited to
 * accounts, which may not read teams.
 */
async function readBeginning({ reloadTeams, request, session, tell, wasSignedIn }: Page): Promise<void> {
  const read = async (what: () => Promise<void>) => {
    try {
      await what();
    } catch (error) {
      if (error instanceof ApiError && ![401, 403, 404].includes(error.status)) tell(error.message);
    }
  };
  const asking = read(async () => {
    session.value = await request<Session>('GET', sessionPath);
  });
  if (!wasSignedIn) await asking;
  await Promise.all([asking, session.peek() !== null && read(reloadTeams)]);
}

/** Interval in ms between checks for a view's heading, while the view's code or data may still be loading. */
const lookMs = 100;
const mostLooks = 100;

/** Moves the focus to the next view's heading if the focused element disappeared with the previous view. */
function useFocusOf(view: string): void {
  const before = useRef(view);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let looks = 0;
    const look = () => {
      if (document.activeElement !== document.body) return;
      const headings = document.querySelectorAll<HTMLElement>(
        'main h1:not(.brand), .brand + h2, main .invitation h2',
      );
      const heading = [...headings].find((one) => one.checkVisibility());
      heading?.setAttribute('tabindex', '-1');
      heading?.focus();
      if (++looks < mostLooks) timer = setTimeout(look, lookMs);
    };
    if (before.current !== view) look();
    before.current = view;
    return () => clearTimeout(timer);
  }, [view]);
}
