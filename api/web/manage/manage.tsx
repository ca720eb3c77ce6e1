import './manage.css';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { directory, reloadDirectory } from '../client/directory.ts';
import { useLoaded } from '../message/use-loaded.ts';
import { problemOf } from '../parts/call.ts';
import { Icon } from '../parts/icon.tsx';
import { hrefOf, mailPlace } from '../place.ts';
import { Accounts } from './accounts.tsx';
import { Compose } from './compose.tsx';
import { Connect } from './connect.tsx';
import { Domains } from './domains.tsx';
import { Keys } from './keys.tsx';
import { You } from './you.tsx';

const pages: Record<string, [string, ComponentType]> = {
  domains: ['Domains', Domains],
  accounts: ['Accounts', Accounts],
  keys: ['API keys', Keys],
  compose: ['Compose', Compose],
  connect: ['Connect', Connect],
  you: ['You', You],
};

/** View of the pages other than mail. `page` is a key of `pages`. An unknown one opens the first page. */
export function Manage({ page }: { page: string }) {
  const read = useLoaded(reloadDirectory, []);
  const known = page in pages ? page : 'domains';
  const [title, Page] = pages[known] ?? ['Domains', Domains];
  useEffect(() => {
    document.title = `${title} · Sandpost`;
  }, [title]);
  return (
    <div class="manage">
      <nav aria-label="Manage">
        <a class="back" href={hrefOf(mailPlace.value)}>
          <Icon name="back" /> Mail
        </a>
        {Object.entries(pages).map(([name, [label]]) => (
          <a key={name} href={`/manage/${name}`} aria-current={name === known ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <main tabIndex={-1}>
        {read && 'error' in read ? (
          <p class="error" role="alert">
            {problemOf(read.error).detail}
          </p>
        ) : (
          directory.value && <Page key={known} />
        )}
      </main>
    </div>
  );
}
