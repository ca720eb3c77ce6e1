import './sign-in.css';
import { useSignal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import { basePath } from '../base-path.ts';
import type { Session, SignInMethods } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Segments } from '../parts/field.tsx';
import { Form, type FormField } from '../parts/form.tsx';
import { Brand } from './nowhere.tsx';

const ways = [
  ['password', 'Sign in'],
  ['register', 'Register'],
  ['key', 'API key'],
] as const;

type Way = (typeof ways)[number][0];

/**
 * Sign-in page, shown while nobody is signed in. The page that it covers reappears after the sign-in. A user invited by `email` is
 * probably new, and therefore sees the registration first.
 */
export function SignIn({ email = null }: { email?: string | null }) {
  const { lastUser, readMethods, refusal } = usePage();
  const [methods, setMethods] = useState<SignInMethods | null>(null);
  useEffect(() => void readMethods().then(setMethods), []);
  useEffect(() => {
    const fields = [...document.querySelectorAll<HTMLInputElement>('.sign-in form input')];
    fields.find(({ value }) => !value)?.focus();
  }, [methods]);
  return (
    <main class="middle sign-in">
      <Brand />
      <p class="muted">An email sandbox for your team. Mail sent here never leaves.</p>
      {lastUser.value && (
        <p role="status">
          {refusal.value ?? 'Your session has ended. Sign in again to continue where you left off.'}
        </p>
      )}
      {methods?.oidc && <ByProvider name={methods.oidc.name} />}
      {methods && <ByForm methods={methods} invited={email} />}
      <p class="muted">
        For test jobs: <a href={`${basePath}/api/docs`}>the REST API</a>.
      </p>
    </main>
  );
}

/** Link to the identity provider, which returns the browser to the place that the sign-in covers. */
function ByProvider({ name }: { name: string }) {
  const place = location.pathname + location.search + location.hash;
  return (
    <a class="button main" href={`${basePath}/api/auth/oidc?return_to=${encodeURIComponent(place)}`}>
      Sign in with {name}
    </a>
  );
}

/** Form for the enabled sign-in methods. */
function ByForm({ methods, invited }: { methods: SignInMethods; invited: string | null }) {
  const { lastUser } = usePage();
  const { password, registration } = methods;
  const open = { password, register: registration, key: true };
  const choices = ways.filter(([way]) => open[way]);
  const chosen = useSignal<Way>(
    registration && invited !== null ? 'register' : password ? 'password' : 'key',
  );
  return (
    <>
      {choices.length > 1 && <Segments label="Account" choices={choices} chosen={chosen} />}
      <Credentials key={chosen.value} way={chosen.value} invited={invited} />
      {chosen.value === 'password' && (
        <details class="muted">
          <summary>Forgot your password?</summary>
          <p>
            Ask your Sandpost administrator to set a new one:{' '}
            <code class="breaks">sandpost users password {lastUser.value?.email ?? 'EMAIL'}</code>
          </p>
        </details>
      )}
    </>
  );
}

function Credentials({ way, invited }: { way: Way; invited: string | null }) {
  const { lastUser, session } = usePage();
  const isNew = way === 'register';
  const path = isNew ? '/api/auth/register' : '/api/auth/login';
  /** Continues at the same place. For a different user, reloads the page first, so no data of the previous user remains. */
  const enter = (user: Session) => {
    const before = lastUser.value;
    if (before && before.id !== user.id) location.assign(`${basePath}/`);
    else session.value = user;
  };
  const fields: FormField<string>[] =
    way === 'key'
      ? [
          {
            name: 'api_key',
            label: 'API key',
            type: 'password',
            help: 'Starts with sp_',
            sent: (text) => text.trim(),
          },
        ]
      : [
          {
            name: 'email',
            label: 'Email',
            type: 'email',
            autocomplete: 'username',
            start: invited ?? lastUser.value?.email ?? '',
          },
          {
            name: 'password',
            label: 'Password',
            type: 'password',
            autocomplete: isNew ? 'new-password' : 'current-password',
            help: isNew && '10 to 256 characters',
          },
        ];
  return (
    <Form
      fields={fields}
      call={(body) => ({ method: 'POST', path, body })}
      label={isNew ? 'Register' : 'Sign in'}
      curl={false}
      done={enter}
    />
  );
}
