import './sign-in.css';
import { useState } from 'preact/hooks';
import { refusal, session } from '../client/session.ts';
import type { Problem, Session } from '../client/shapes.ts';
import { Action } from '../parts/action.tsx';
import { Field } from '../parts/field.tsx';
import { Segments } from '../parts/segments.tsx';
import { Brand } from './brand.tsx';

const ways = [
  ['password', 'Sign in'],
  ['register', 'Register'],
  ['key', 'API key'],
] as const;

type Way = (typeof ways)[number][0];

/** User who was signed in before the session was lost. */
let before: Session | null = null;
session.subscribe((now) => {
  if (now) before = now;
});

/** Sign-in page, shown while nobody is signed in. The page that it covers is shown again afterwards. */
export function SignIn() {
  const [way, setWay] = useState<Way>('password');
  return (
    <main class="sign-in">
      <Brand />
      <p class="muted">An email sandbox for your team. Nothing that is sent here leaves.</p>
      {before && (
        <p role="status">{refusal.value ?? 'Your session has ended. Sign in to go on where you were.'}</p>
      )}
      <Segments label="How to come in" choices={ways} chosen={way} choose={(chosen) => setWay(chosen)} />
      <Form key={way} way={way} />
      <p class="muted">
        For test jobs: <a href="/api/docs">the REST API</a>.
      </p>
    </main>
  );
}

const calls: Record<Way, { path: string; label: string }> = {
  password: { path: '/api/auth/login', label: 'Sign in' },
  register: { path: '/api/auth/register', label: 'Register' },
  key: { path: '/api/auth/login', label: 'Sign in' },
};

function Form({ way }: { way: Way }) {
  const [email, setEmail] = useState(before?.email ?? '');
  const [password, setPassword] = useState('');
  const [key, setKey] = useState('');
  const body = way === 'key' ? { api_key: key.trim() } : { email: email.trim(), password };
  const { path, label } = calls[way];
  return (
    <Action call={{ method: 'POST', path, body }} label={label} curl={false} explain={explain} done={enter}>
      {way === 'key' ? (
        <Field
          name="api_key"
          label="API key"
          type="password"
          value={key}
          set={setKey}
          help="It begins with sp_"
        />
      ) : (
        <>
          <Field
            name="email"
            label="E-mail"
            type="email"
            autocomplete="username"
            value={email}
            set={setEmail}
          />
          <Field
            name="password"
            label="Password"
            type="password"
            autocomplete={way === 'register' ? 'new-password' : 'current-password'}
            value={password}
            set={setPassword}
            help={way === 'register' && '10 to 256 characters'}
          />
        </>
      )}
    </Action>
  );
}

function explain({ status }: Problem): string | undefined {
  if (status !== 404) return undefined;
  return 'Registration is closed here. Ask whoever runs this Sandpost for an account or an API key.';
}

/** Continues at the same place. A different user starts with a reloaded page, so that nothing of the former one is left. */
function enter(user: Session): void {
  if (before && before.id !== user.id) location.assign('/');
  else session.value = user;
}
