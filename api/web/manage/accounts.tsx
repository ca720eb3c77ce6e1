import './accounts.css';
import { useState } from 'preact/hooks';
import type { Account, Mailbox } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { nameOf } from '../panes/branches.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { DialogForm } from '../parts/dialog.tsx';
import { Form, numberOf } from '../parts/form.tsx';
import { count, number, size } from '../parts/size.ts';
import { ShareButton } from '../shares/share-button.tsx';
import { tagged } from './failure-text.ts';
import { Head, Listing, Removal } from './listing.tsx';
import { isManaged, ManagedCard } from './managed.tsx';
import type { Toggle } from './switch.tsx';

type Props = { account: Account };

const mebibyte = 2 ** 20;

/** Switch that makes an account its team's capture account. Under `sandpost dev`, one account captures all mail. */
export const capture: Toggle<Account> = {
  field: 'is_capture',
  label: 'Capture',
  help: 'Receives mail that signed-in applications send to addresses outside your team. A team can have only one capture account.',
  isOn: ({ is_capture }) => is_capture,
  on: 'capture',
  isShared: true,
};

const toggles: Toggle<Account>[] = [
  {
    field: 'is_active',
    label: 'Active',
    help: 'An inactive account refuses mail with 450, so senders retry later.',
    isOn: ({ is_active }) => is_active,
    off: ['inactive', 'warning'],
  },
  {
    field: 'is_catch_all',
    label: 'Catch-all',
    help: 'Receives mail for every address on its domain that has no account.',
    isOn: ({ is_catch_all }) => is_catch_all,
    on: 'catch-all',
  },
  capture,
  {
    field: 'simulates_failures',
    label: 'Simulates failures',
    help: 'Mail to an address such as name+fail-550@ fails as its tag specifies.',
    isOn: ({ simulates_failures }) => simulates_failures,
  },
];

/** Page of the team's accounts: fill levels, mailboxes and actions. */
export function Accounts() {
  const { directory, linkToPage, mayWrite, reloadDirectory } = usePage();
  const { accounts = [], domains = [] } = directory.value ?? {};
  const domain = domains[0]?.domain ?? 'app.test';
  const help = `Example: qa@${domain}, or *@${domain} for every address without an account`;
  return (
    <>
      <Head
        title="Accounts"
        creates="account"
        form={
          mayWrite.value && {
            fields: [{ name: 'address', label: 'Address', help }],
            call: (body) => ({ method: 'POST', path: '/api/accounts', body }),
            label: 'Create account',
            done: reloadDirectory,
          }
        }
      />
      {mayWrite.value && domains.length + accounts.length === 0 && (
        <p>
          You need a domain first: <a href={linkToPage('domains')}>create one</a>.
        </p>
      )}
      <Listing plural="accounts" items={accounts} nameOf={({ address }) => address}>
        {(account) => (
          <ManagedCard
            key={account.id}
            name={account.address}
            item={account}
            kind="spacc"
            path={pathOf(account)}
            toggles={toggles}
            last={<QuotaBar account={account} />}
            loss="This also deletes its mailboxes and messages."
            acts={
              <ShareButton
                target={{ account_id: account.id }}
                name={account.address}
                shows="its messages as they arrive"
              />
            }
            forms={!isManaged(account) && <LimitAndPassword account={account} />}
          >
            <Mailboxes account={account} />
            {account.simulates_failures && <FailingAddresses account={account} />}
          </ManagedCard>
        )}
      </Listing>
    </>
  );
}

export const pathOf = ({ id }: Account) => `/api/accounts/${id}`;

/** Mailboxes of an account. The five system mailboxes are fixed. */
function Mailboxes({ account }: Props) {
  const { mayWrite, reloadDirectory } = usePage();
  const base = `${pathOf(account)}/mailboxes`;
  return (
    <section aria-label={`Mailboxes of ${account.address}`}>
      <ul class="rows">
        {account.mailboxes.map((mailbox) => (
          <MailboxRow key={mailbox.id} mailbox={mailbox} path={`${base}/${mailbox.id}`} />
        ))}
      </ul>
      {mayWrite.value && (
        <Form
          fields={[{ name: 'path', label: 'New mailbox' }]}
          call={(body) => ({ method: 'POST', path: base, body })}
          label="Add mailbox"
          look="beside"
          done={reloadDirectory}
        />
      )}
    </section>
  );
}

function MailboxRow({ mailbox, path }: { mailbox: Mailbox; path: string }) {
  const { mayWrite, reloadDirectory } = usePage();
  const { path: name, totalMessages, totalUnreadMessages, isSystem } = mailbox;
  return (
    <li>
      <span class="breaks row-name">{nameOf(mailbox)}</span>
      <span class="muted">
        {count(totalMessages, 'message')}
        {totalUnreadMessages > 0 && `, ${number(totalUnreadMessages)} unread`}
      </span>
      {isSystem && <span class="muted">system</span>}
      {!isSystem && mayWrite.value && (
        <>
          <DialogForm
            text="Rename…"
            label={`Rename ${name}`}
            title={`Rename ${name}`}
            form={{
              fields: [{ name: 'path', label: 'New name', start: name }],
              call: (body) => ({ method: 'PATCH', path, body }),
              label: 'Rename',
              done: reloadDirectory,
            }}
          />
          <Removal
            typed
            name={name}
            path={path}
            loss="This also deletes its messages."
            done={reloadDirectory}
          />
        </>
      )}
    </li>
  );
}

/** Bar that shows used bytes against an account's quota. */
function QuotaBar({ account: { address, used_bytes: used, storage_limit: limit } }: Props) {
  const share = limit === 0 ? 1 : Math.min(1, used / limit);
  return (
    <span class="line quota">
      <meter
        aria-label={`Storage of ${address}`}
        min={0}
        max={1}
        low={0.8}
        high={0.95}
        optimum={0}
        value={share}
      />
      <span class="small numbers">
        {size(used)} of {size(limit)}
      </span>
    </span>
  );
}

/** Forms that set an account's quota, in MiB, and its password, which is never shown again. */
function LimitAndPassword({ account }: Props) {
  const { reloadDirectory } = usePage();
  const [isSet, setIsSet] = useState(false);
  const call = (body: object) => ({ method: 'PATCH', path: pathOf(account), body }) as const;
  const start = `${account.storage_limit / mebibyte}`;
  return (
    <>
      <Form
        fields={[
          {
            name: 'storage_limit',
            label: 'Storage limit, MiB',
            start,
            sent: (text) => numberOf(text, mebibyte) ?? text,
          },
        ]}
        call={call}
        label="Set storage limit"
        look="beside"
        done={reloadDirectory}
      />
      <Form
        fields={[
          {
            name: 'password',
            label: 'New account password',
            type: 'password',
            autocomplete: 'new-password',
            help: '8 to 256 characters',
          },
        ]}
        call={call}
        label="Set password"
        look="beside"
        done={() => setIsSet(true)}
      >
        {isSet && <p role="status">Password set.</p>}
      </Form>
    </>
  );
}

const examples: [tag: string, says: string][] = [
  ['fail-550', 'Refuses RCPT with this code. Any code from 400 to 599 works.'],
  ['fail-452-4.2.2', 'Refuses RCPT with an enhanced status code.'],
  ['fail-451x2', 'Refuses each sender twice, then accepts. Tests whether your application retries.'],
  ['fail-data-554', 'Refuses the message after receiving its content.'],
  ['fail-slow5', 'Replies to RCPT after 5 seconds. Any delay up to 60 s works.'],
  ['fail-drop', 'Closes the connection at RCPT.'],
  ['fail-dsn-5.1.1', 'Accepts, then sends a bounce if the sender is an address in your team.'],
  ['fail-delay-dsn', 'Accepts, then reports a delay.'],
];

/** Addresses of an account that simulate failures, each with its effect. */
function FailingAddresses({ account: { address } }: { account: Account }) {
  const at = (tag: string) => tagged(address, tag);
  return (
    <details class="further" aria-label={`Failing addresses for ${address}`}>
      <summary>Failing addresses</summary>
      <ul class="rows">
        {examples.map(([tag, says]) => (
          <li key={tag}>
            <code class="breaks row-name">{at(tag)}</code>
            <span class="small">{says}</span>
            <CopyButton text={at(tag)} label={`Copy ${at(tag)}`} />
          </li>
        ))}
      </ul>
      <p class="small">
        To keep tests apart, add text after a dot: <code>{at('fail-451x2.run7')}</code>
      </p>
    </details>
  );
}
