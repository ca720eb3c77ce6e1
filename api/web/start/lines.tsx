import './lines.css';
import { useSignal } from '@preact/signals';
import { ownAddress } from '../base-path.ts';
import type { Account } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { type Fact, Facts } from '../parts/facts.tsx';
import { Segments } from '../parts/field.tsx';
import { providerSnippets } from './provider-snippets.ts';
import { type Snippet, snippets } from './snippets.ts';
import { languageNames, testSnippets } from './test-snippets.ts';

type Way = 'none' | 'any' | 'account' | 'key' | 'provider';

const ways = [
  ['none', 'No sign-in'],
  ['account', 'Account'],
  ['key', 'API key'],
  ['provider', 'Provider API'],
] as const;

/** Options under `sandpost dev`, which accepts any mail from everybody. */
const localWays = [
  ['none', 'No sign-in'],
  ['any', 'With sign-in'],
  ['provider', 'Provider API'],
] as const;

/** Returns an address for which an account receives mail. */
export const anyOf = ({ address }: Account) => address.replace(/^\*/, 'anything');

/** Recipient for lines that work with any address. */
const anybody = 'alice@gmail.com';

/**
 * Lines to copy into a terminal or an application's settings, so the application's mail arrives at `address`. With a sign-in, or under
 * `sandpost dev`, mail to any address arrives.
 */
export function Lines({ address }: { address: string }) {
  const { server } = usePage();
  const tool = useSignal('curl');
  const provider = useSignal('SendGrid');
  const chosenWay = useSignal<Way>('none');
  if (server.value === null) return null;
  const { smtp, is_local: isLocal } = server.value;
  const { host, port } = smtp;
  const way = chosenWay.value;
  const signIn = signIns(address)[way];
  const [all, chosen] =
    way === 'provider'
      ? [providerSnippets(ownAddress()), provider]
      : [snippets({ host, port, address: signIn || isLocal ? anybody : address, signIn }), tool];
  const shown = all.find(({ name }) => name === chosen.value);
  const facts =
    way === 'provider'
      ? [toCopy('Base URL', `${ownAddress()}/providers/${shown?.name.toLowerCase()}`)]
      : [
          toCopy('SMTP host', host),
          toCopy('SMTP port', `${port}`),
          isLocal ? toCopy('Any address, such as', anybody) : toCopy('Address', address),
        ];
  return (
    <>
      <Facts look="facts" facts={facts} />
      <Segments label="Sign-in" choices={isLocal ? localWays : ways} chosen={chosenWay} />
      <p class="muted">{isLocal ? (localNotes[way] ?? notes[way]) : notes[way]}</p>
      <Segments label="Lines for" choices={all.map(({ name }) => [name, name] as const)} chosen={chosen} />
      {shown && <SnippetBox snippet={shown} />}
    </>
  );
}

function signIns(address: string): Record<Way, { user: string; password: string } | null> {
  return {
    none: null,
    any: { user: 'anybody', password: 'anything' },
    account: { user: address, password: 'PASSWORD' },
    key: { user: 'apikey', password: 'API_KEY' },
    provider: null,
  };
}

const notes: Record<Way, string> = {
  none: 'For applications that send to your own addresses. They need no user name or password.',
  any: 'For applications that require a user name and password. Any will do.',
  account:
    "For applications that send to any address. Mail to addresses outside your team arrives in this account. Replace PASSWORD with the account's password.",
  key: 'For applications that send to any address. Mail to addresses outside your team arrives in your capture account. Replace API_KEY with one of your API keys. Any user name works.',
  provider:
    'For applications that send through a provider. The same requests work here, and nothing is forwarded. Replace API_KEY with one of your API keys.',
};

const localNotes: Partial<Record<Way, string>> = {
  none: 'For applications that send without signing in.',
  provider:
    'For applications that send through a provider. The same requests work here, and nothing is forwarded. Any text works as API_KEY.',
};

/** Returns a fact with a button that copies it. */
const toCopy = (name: string, value: string): Fact => [
  name,
  <div class="line apart breaks">
    <code>{value}</code>
    <CopyButton text={value} label={`Copy the ${name}`} />
  </div>,
];

/** Lines for a file or a terminal, with a copy button. */
function SnippetBox({ snippet: { name, file, text } }: { snippet: Snippet }) {
  return (
    <figure class="snippet">
      <figcaption class="line apart">
        {file}
        <CopyButton text={text} label={`Copy the lines for ${name}`} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling box must be reachable by keys */}
      <pre tabIndex={0}>{text}</pre>
    </figure>
  );
}

/** Test to copy that creates an address, waits for an email and reads its code. */
export function TestLines({ account }: { account: Account }) {
  const { language, server } = usePage();
  const isLocal = server.value?.is_local ?? false;
  const [, host = ''] = account.address.split('@');
  // The clients find a capture account by themselves.
  const domain = account.is_catch_all ? host : null;
  const all = testSnippets({ origin: ownAddress(), domain, needsKey: !isLocal });
  const shown = all.find(({ name }) => name === language.value);
  return (
    <section class="stack test-lines" aria-labelledby="test-lines-title">
      <h2 id="test-lines-title">In a test</h2>
      <p class="muted">{noteOf(account, isLocal)}</p>
      <Segments label="Test with" choices={languageNames()} chosen={language} />
      {shown && (
        <>
          <SnippetBox snippet={shown.install} />
          <SnippetBox snippet={shown.test} />
        </>
      )}
    </section>
  );
}

function noteOf({ is_catch_all, is_capture }: Account, isLocal: boolean): string {
  const own = 'Each test has its own address, so any number of tests can run in parallel.';
  if (isLocal) return own;
  if (is_catch_all) return `${own} Replace API_KEY with one of your API keys.`;
  if (is_capture)
    return `${own} Your application must sign in, as shown above. Replace API_KEY with one of your API keys.`;
  return `${own} This needs an account that receives mail for any address: a catch-all or a capture account.`;
}
