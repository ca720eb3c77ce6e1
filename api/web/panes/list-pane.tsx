import { directory } from '../client/directory.ts';
import { mayWrite } from '../client/teams.ts';
import { Icon } from '../parts/icon.tsx';
import { goMail, linkToPage, mailPlace } from '../place.ts';
import { isFiltered, noFilter } from '../place-url.ts';
import { Filters } from './filters.tsx';
import { shownTotal } from './hidden.ts';
import { listError, loaded, refreshList } from './list.ts';
import { MessageList } from './message-list.tsx';
import { SearchBox } from './search-box.tsx';
import { chosen, selectEverything, selectedCount } from './selection.ts';
import { focusOn, letGo, markAllRead, removeAll, removeChosen } from './shortcuts.ts';
import { Toolbar } from './toolbar.tsx';
import { treeOut } from './tree-out.ts';

/** Middle pane: search, heading or actions, and the list. */
export function ListPane() {
  const count = selectedCount.value;
  return (
    <section class="pane pane-list" aria-label="Message list">
      <div class="bar">
        <button
          type="button"
          class="quiet icon tree-button"
          aria-label="Mailboxes"
          onClick={() => {
            treeOut.value = true;
          }}
        >
          <Icon name="menu" />
        </button>
        <SearchBox />
      </div>
      <div class="list-head">
        {count === 0 ? (
          <Heading />
        ) : (
          <>
            <span>{count.toLocaleString('en')} selected</span>
            {count < shownTotal.value && (
              <button type="button" class="quiet" onClick={selectEverything}>
                All {shownTotal.value.toLocaleString('en')}
              </button>
            )}
            <Toolbar
              ids={chosen}
              onDelete={() => {
                focusOn('.list');
                void removeChosen();
              }}
            />
            <button type="button" class="quiet icon" aria-label="Let go of the selection" onClick={letGo}>
              <Icon name="close" />
            </button>
          </>
        )}
      </div>
      {listError.value !== null && (
        <p class="list-error error" role="alert">
          {listError.value instanceof Error ? listError.value.message : String(listError.value)}{' '}
          <button type="button" onClick={refreshList}>
            Try again
          </button>
        </p>
      )}
      <MessageList />
      {loaded.value && shownTotal.value === 0 && listError.value === null && (
        <p class="list-nothing muted">
          {isFiltered(mailPlace.value) ? (
            <>
              Nothing matches.{' '}
              <button type="button" class="link" onClick={() => goMail({ ...noFilter })}>
                Show all
              </button>
            </>
          ) : (
            <>
              No mail here yet. <a href={linkToPage('connect')}>How to send some</a>
            </>
          )}
        </p>
      )}
    </section>
  );
}

function Heading() {
  const { account, mailbox, q } = mailPlace.value;
  const owner = directory.value?.accounts.find(({ id }) => id === account);
  const path = owner?.mailboxes.find(({ id }) => id === mailbox)?.path;
  const total = shownTotal.value.toLocaleString('en');
  return (
    <>
      <h1>{q !== '' ? 'Found' : path === 'INBOX' ? 'Inbox' : (path ?? 'All mail')}</h1>
      <span class="muted list-where">{owner?.address}</span>
      <span class="muted list-total">{loaded.value ? total : ''}</span>
      <Filters />
      {mayWrite.value && shownTotal.value > 0 && <ForAll />}
    </>
  );
}

/** Buttons that act on the whole list. A narrow list shows their icons alone. */
function ForAll() {
  return (
    <div class="for-all" role="toolbar" aria-label="The whole list">
      <button type="button" class="quiet" title="Mark all as read" onClick={() => void markAllRead()}>
        <Icon name="mailOpen" /> <span>Mark all read</span>
      </button>
      <button type="button" class="quiet" title="Delete all (Ctrl+a, e)" onClick={() => void removeAll()}>
        <Icon name="trash" /> <span>Delete all</span>
      </button>
    </div>
  );
}
