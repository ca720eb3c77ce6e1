import './manage.css';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { messageOf } from '../client/client.ts';
import { usePage, useTitle } from '../page.ts';
import { Refusal } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { useLoaded } from '../parts/loaded.tsx';
import { Shares } from '../shares/shares.tsx';
import { Switcher } from '../teams/switcher.tsx';
import { Accounts } from './accounts.tsx';
import { AuditLog } from './audit-log.tsx';
import { Compose } from './compose.tsx';
import { Connect } from './connect.tsx';
import { Domains } from './domains.tsx';
import { Failures } from './failures.tsx';
import { Keys } from './keys.tsx';
import { Rules } from './rules.tsx';
import { TeamPage } from './team.tsx';
import { You } from './you.tsx';

const pages: Record<string, [string, ComponentType]> = {
  domains: ['Domains', Domains],
  accounts: ['Accounts', Accounts],
  rules: ['Rules', Rules],
  failures: ['Failures', Failures],
  keys: ['API keys', Keys],
  shares: ['Share links', Shares],
  compose: ['Compose', Compose],
  connect: ['Connect', Connect],
  team: ['Team', TeamPage],
  audit: ['Audit log', AuditLog],
  you: ['You', You],
};

/** View of the pages other than mail. `page` begins with a key of `pages`, but the page may be unknown or not offered to the role. */
export function Manage({ page: path }: { page: string }) {
  const { directory, linkTo, linkToPage, mailPlace, mayManage, mayWrite } = usePage();
  const { readServer, reloadDirectory, server, teams } = usePage();
  const { takeKey } = usePage().mail;
  const { error, again } = useLoaded(() => Promise.all([readServer(), reloadDirectory()]), []);
  // The visitor of `sandpost dev` acts in only one team.
  const isLocal = server.value?.is_local ?? false;
  const left = new Set([
    ...(mayWrite.value ? [] : ['compose']),
    ...(mayManage.value ? [] : ['audit']),
    ...(isLocal ? ['team'] : []),
  ]);
  const offered = Object.entries(pages).filter(([name]) => !left.has(name));
  const [page = ''] = path.split('/');
  const [title, Page] = (left.has(page) ? undefined : pages[page]) ?? ['Nothing here', Unknown];
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a narrow screen the page names form one scrolling line.
    nav.current
      ?.querySelector(':scope > [aria-current]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [title, offered.length]);
  useTitle(title);
  useEffect(() => {
    addEventListener('keydown', takeKey);
    return () => removeEventListener('keydown', takeKey);
  }, []);
  return (
    <div class="manage">
      <nav ref={nav} class="column scrolls" aria-label="Manage">
        <Switcher />
        <a class="way back" href={linkTo(mailPlace.value)}>
          <Icon name="back" /> Mail
        </a>
        {offered.map(([name, [label]]) => (
          <a key={name} class="way" href={linkToPage(name)} aria-current={name === page ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <main class="scrolls" tabIndex={-1}>
        {error ? (
          <Refusal text={messageOf(error)} again={again} />
        ) : (
          directory.value && teams.value && <Page key={page} />
        )}
      </main>
    </div>
  );
}

/** Page shown instead of a page that does not exist or is not for the user's role. */
function Unknown() {
  const { linkToPage } = usePage();
  return (
    <>
      <h1>Nothing here</h1>
      <p>
        No page at <code class="breaks">{location.pathname}</code>.{' '}
        <a href={linkToPage('domains')}>Go to Domains</a>
      </p>
    </>
  );
}
