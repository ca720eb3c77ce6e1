import { useEffect, useState } from 'preact/hooks';
import { ApiError, request } from './client/request.ts';
import { session } from './client/session.ts';
import type { Session } from './client/shapes.ts';
import { Manage } from './manage/manage.tsx';
import { Mail } from './panes/mail.tsx';
import { Boundary } from './parts/boundary.tsx';
import { Toasts, tell } from './parts/toast.tsx';
import { place } from './place.ts';
import { SignIn } from './start/sign-in.tsx';

/**
 * Page: the view that the URL names, or the sign-in over it. While the session is unknown, the view loads its data
 * hidden, so that a stranger sees nothing but the sign-in.
 */
export function App() {
  const [asked, setAsked] = useState(false);
  useEffect(() => void readSession().finally(() => setAsked(true)), []);
  const at = place.value;
  if (session.value === null) return <SignIn />;
  return (
    <>
      <div class={asked || session.value ? 'page' : 'page unasked'}>
        <Boundary part="The page" key={at.view}>
          {at.view === 'manage' ? <Manage page={at.page} /> : <Mail />}
        </Boundary>
      </div>
      <Toasts />
    </>
  );
}

async function readSession(): Promise<void> {
  try {
    session.value = await request<Session>('GET', '/api/auth/session');
  } catch (error) {
    if (error instanceof ApiError && error.status !== 401) tell(error.message);
  }
}
