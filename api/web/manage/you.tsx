import { useState } from 'preact/hooks';
import { session } from '../client/session.ts';
import { useLoaded } from '../message/use-loaded.ts';
import { Action } from '../parts/action.tsx';
import { Field } from '../parts/field.tsx';
import { Segments } from '../parts/segments.tsx';
import { chooseTheme, type Theme, theme } from '../parts/theme.ts';
import { readServer } from '../start/server.ts';
import { forgetDrafts } from './draft.ts';

/** Page of the signed-in user: name, theme, password and sign-out. */
export function You() {
  const read = useLoaded(readServer, []);
  // Sign-out and password mean nothing to the visitor of `sandpost dev`, who is always signed in.
  const isLocal = read !== null && 'value' in read && read.value.is_local;
  return (
    <>
      <h1>You</h1>
      <p>
        Signed in as <strong>{session.value?.email}</strong>
        {isLocal ? ', as everybody is who opens this page on this machine.' : '.'}
      </p>
      {!isLocal && <SignOut />}
      <Appearance />
      {!isLocal && <Password />}
    </>
  );
}

function SignOut() {
  return (
    <section class="panel" aria-label="Sign out">
      <Action
        call={{ method: 'POST', path: '/api/auth/logout' }}
        label="Sign out"
        look="beside"
        curl={false}
        // Loading the page again leaves nothing else of the user in this tab.
        done={() => {
          forgetDrafts();
          location.assign('/');
        }}
      />
    </section>
  );
}

const themes: [Theme, string][] = [
  ['auto', 'Automatic'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

function Appearance() {
  return (
    <section class="panel" aria-label="Appearance">
      <h2>Appearance</h2>
      <Segments label="Appearance" choices={themes} chosen={theme.value} choose={chooseTheme} />
    </section>
  );
}

function Password() {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [changed, setChanged] = useState(false);
  return (
    <section class="panel" aria-label="Change password">
      <h2>Password</h2>
      <Action
        call={{
          method: 'POST',
          path: '/api/auth/password',
          body: { current_password: current, new_password: next },
        }}
        label="Change password"
        done={() => {
          setCurrent('');
          setNext('');
          setChanged(true);
        }}
      >
        <Field
          name="current_password"
          label="Current password"
          type="password"
          autocomplete="current-password"
          value={current}
          set={setCurrent}
        />
        <Field
          name="new_password"
          label="New password"
          type="password"
          autocomplete="new-password"
          value={next}
          set={setNext}
          help="10 to 256 characters. Your other sessions end."
        />
        <p role="status">{changed && 'The password is changed; your other sessions have ended.'}</p>
      </Action>
    </section>
  );
}
