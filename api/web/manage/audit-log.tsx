import './audit-log.css';
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { AuditEntry, List } from '../client/shapes.ts';
import { Reading, useRead } from '../parts/loaded.tsx';
import { When } from '../parts/when.tsx';

const pageSize = 50;

/** Audit log of the team, for its owners. */
export function AuditLog() {
  const [page, setPage] = useState(1);
  const read = useRead<List<AuditEntry>>(`/api/audit-log?limit=${pageSize}&page=${page}`);
  return (
    <>
      <h1>Audit log</h1>
      <p class="muted">Who signed in, and who changed members, keys, domains and accounts, for 90 days.</p>
      <Reading of={read}>
        {({ items, pagination }) => (
          <>
            <Entries entries={items} />
            <Paging page={page} total={pagination.total} go={setPage} />
          </>
        )}
      </Reading>
    </>
  );
}

function Entries({ entries }: { entries: AuditEntry[] }) {
  if (entries.length === 0) return <p class="muted">Nothing yet.</p>;
  return (
    <table class="audit">
      <thead>
        <tr>
          <th>When</th>
          <th>Who</th>
          <th>What</th>
          <th>Address</th>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <td>
              <When at={entry.at} />
            </td>
            <td>{breakable(entry.actor)}</td>
            <td>{breakable(wordsOf(entry))}</td>
            <td class="mono">{breakable(entry.remote_address)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Text that wraps after the parts of email addresses, domains and IP addresses. */
function breakable(text: string | null) {
  return text?.split(/(?<=[@.:])/).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}

/** Actions that are not named by their noun and verb. */
const words: Partial<Record<AuditEntry['action'], string>> = {
  'session.created': 'signed in',
  'user.taken_over': 'took over the user',
  'account.password_removed': "removed an account's password",
  'share.opened': 'opened a share link for the first time',
  'shares.forbidden': 'forbade share links in the team',
};

const nouns: Record<string, string> = {
  api_key: 'an API key',
  account: 'an account',
  failure: 'a failure rule',
  invitation: 'an invitation',
  search: 'a saved search',
  share: 'a share link',
  shares: 'share links in the team',
  team: 'the team',
  user: 'the user',
  password: 'the password',
};

/** Describes an action in words: `changed a failure rule: Mailbox full`. */
function wordsOf({ actor, action, target }: AuditEntry): string {
  const [noun = '', verb] = action.split('.');
  if (/^(member|invitation)/.test(noun)) {
    const [, who, role] = /^(.+): (\w+)$/.exec(target) ?? [];
    if (role && verb === 'changed') return `changed ${who}'s role to ${role}`;
    if (role)
      return `${noun !== 'member' ? `invited ${who}` : who === actor ? verb : `added ${who}`} as ${role}`;
  }
  const what = words[action] ?? `${verb} ${nouns[noun] ?? `a ${noun}`}`;
  if (target === actor) return what;
  return what + (/^and \d+ more$/.test(target) ? ' ' : ': ') + target;
}

type PagingProps = { page: number; total: number; go(page: number): void };

function Paging({ page, total, go }: PagingProps) {
  const last = Math.max(1, Math.ceil(total / pageSize));
  if (last === 1) return null;
  return (
    <nav class="line" aria-label="Pages of the audit log">
      <button type="button" disabled={page === 1} onClick={() => go(page - 1)}>
        Newer
      </button>
      <span class="muted">
        Page {page} of {last}
      </span>
      <button type="button" disabled={page === last} onClick={() => go(page + 1)}>
        Older
      </button>
    </nav>
  );
}
