import './list-pane.css';
import { ApiError, messageOf } from '../client/client.ts';
import { useMail, usePage } from '../page.ts';
import { Refusal } from '../parts/field.tsx';
import { IconButton, type IconName } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import { count, number } from '../parts/size.ts';
import { type FlagName, isFiltered, noFilter } from '../place-url.ts';
import { SearchBox } from '../search/search-box.tsx';
import { SearchRow } from '../search/search-row.tsx';
import { filterKeys, focusOn } from './keys.ts';
import { MessageList } from './message-list.tsx';
import { Toolbar, wordOf } from './toolbar.tsx';
import { TreeButton } from './tree.tsx';

const FirstMail = lazy((all) => all.FirstMail);

/** Middle pane: search, heading or actions, and the list. */
export function ListPane() {
  const { goMail, mail, mailPlace } = usePage();
  const { chosen, letGo, list, removeChosen, selectedCount, selectEverything, shownTotal } = mail;
  const { error, loaded } = list.value;
  const chosenCount = selectedCount.value;
  return (
    <section class="column pane pane-list" aria-label="Message list">
      <div class="line keep bar">
        <TreeButton />
        <SearchBox />
      </div>
      <SearchRow />
      <div class="line keep list-head">
        {chosenCount === 0 ? (
          <Heading />
        ) : (
          <>
            <span class="list-selected">
              {number(chosenCount)} <span>selected</span>
            </span>
            {chosenCount < shownTotal.value && (
              <button type="button" class="quiet ellipsis" onClick={selectEverything}>
                All {number(shownTotal.value)}
              </button>
            )}
            <Toolbar
              ids={chosen}
              onDelete={() => {
                focusOn('.list');
                void removeChosen();
              }}
            />
            <IconButton icon="close" label="Clear the selection" run={letGo} />
          </>
        )}
      </div>
      {error.value !== null && <ListError error={error.value} />}
      <div class="column grow list-room">
        <MessageList />
        {loaded.value && shownTotal.value === 0 && error.value === null && (
          <div class="stack scrolls list-nothing">
            {isFiltered(mailPlace.value) ? (
              <p>
                Nothing matches.{' '}
                <button type="button" class="link" onClick={() => goMail({ ...noFilter })}>
                  Show all
                </button>
              </p>
            ) : mailPlace.value.mailbox === null ? (
              <FirstMail />
            ) : (
              <p>No mail here yet.</p>
            )}
          </div>
        )}
      </div>
    </section>
  );
}

/** Reason why the list could not be read, which may be that the API refuses the search itself. */
function ListError({ error }: { error: unknown }) {
  const { mail, reloadDirectory } = usePage();
  const violations = (error instanceof ApiError && error.problem.violations) || [];
  const wrong = violations.find(({ field }) => field === 'q');
  const again = () => {
    mail.list.value.refresh();
    reloadDirectory().catch(() => {});
  };
  return (
    <Refusal
      text={wrong ? `The search ${wrong.message}.` : messageOf(error)}
      look="list-error tone danger"
      again={wrong ? undefined : again}
    />
  );
}

function Heading() {
  const { conversations, directory, mail, mailPlace, mayWrite } = usePage();
  const { list, shownTotal } = mail;
  const { account, mailbox, q } = mailPlace.value;
  const owner = directory.value?.accounts.find(({ id }) => id === account);
  const path = owner?.mailboxes.find(({ id }) => id === mailbox)?.path;
  // The rows are conversations, but the number is of messages, because those that are not loaded are in no conversation yet.
  const total = conversations.value === 'yes' ? count(shownTotal.value, 'message') : number(shownTotal.value);
  const isEmpty = list.value.loaded.value && shownTotal.value === 0 && !isFiltered(list.value.scope);
  return (
    <>
      <h1 class="ellipsis">{q !== '' ? 'Found' : path === 'INBOX' ? 'Inbox' : (path ?? 'All mail')}</h1>
      <span class="muted keep numbers">{list.value.loaded.value ? total : ''}</span>
      <span class="ellipsis muted grow">{owner?.address}</span>
      {!isEmpty && <Filters />}
      {mayWrite.value && shownTotal.value > 0 && <ForAll />}
    </>
  );
}

/** Buttons that act on the whole list. A narrow list shows only their icons. */
function ForAll() {
  const { markAllRead, removeAll } = useMail();
  const acts = [
    ['mailOpen', 'Mark all read', 'Mark all as read', markAllRead],
    ['trash', 'Delete all', 'Delete all (Ctrl+a, e)', removeAll],
  ] as const;
  return (
    <div class="line keep for-all" role="toolbar" aria-label="The whole list">
      {acts.map(([icon, label, title, run]) => (
        <IconButton key={label} {...{ icon, label, title, run }} word={label} />
      ))}
    </div>
  );
}

const flagIcons: Record<FlagName, IconName> = { unread: 'dot', is_flagged: 'flag', has_attachments: 'clip' };

/** Buttons for the filter's flags. */
function Filters() {
  const { conversations, mail, mailPlace } = usePage();
  return (
    <div class="line keep filters" role="toolbar" aria-label="Filters">
      <IconButton
        icon="conversation"
        label="Conversations"
        word="Conversations"
        title="Conversations: one row each (v c)"
        pressed={conversations.value === 'yes'}
        run={mail.toggleConversations}
      />
      {filterKeys.map(({ flag, key, says }) => (
        <IconButton
          key={flag}
          icon={flagIcons[flag]}
          label={says}
          word={wordOf(says)}
          title={`${says} (${key})`}
          pressed={mailPlace.value[flag]}
          run={() => mail.toggleFilter(flag)}
        />
      ))}
    </div>
  );
}
