import './mail.css';
import { useEffect } from 'preact/hooks';
import { usePage } from '../page.ts';
import { Boundary } from '../parts/boundary.tsx';
import { Icon, IconLink } from '../parts/icon.tsx';
import { lazy } from '../parts/lazy.tsx';
import { queryOf } from '../place-url.ts';
import { Switcher } from '../teams/switcher.tsx';
import { Dialogs } from './dialogs.tsx';
import { keepKeysFromFrame } from './frame-focus.ts';
import { ListPane } from './list-pane.tsx';
import { MessagePane } from './message-pane.tsx';
import { RefusedPane } from './refused-pane.tsx';
import { Shelf } from './shelf.tsx';
import { Splitter } from './splitter.tsx';
import { Status } from './status.tsx';
import { Tree } from './tree.tsx';

const Empty = lazy((all) => all.Empty);

/** Mail view: three panes, or fewer at a time on narrow screens. */
export function Mail() {
  const { directory, linkToPage, listWidth, mail, mailPlace, mayWrite, reloadDirectory } = usePage();
  const { place, reloadSearches, treeWidth } = usePage();
  const { announcement, followRefused, goLive, letGoOfRows, list, showList, takeKey, treeOut } = mail;
  const { account, mailbox, message, q, unread, is_flagged, has_attachments } = mailPlace.value;

  const isRefused = place.value.view === 'refused';
  useEffect(() => {
    letGoOfRows();
    showList({ account, mailbox, q, unread, is_flagged, has_attachments });
  }, [account, mailbox, q, unread, is_flagged, has_attachments]);
  useEffect(() => {
    reloadDirectory().catch((error) => {
      list.value.error.value = error;
    });
    // Without them, the mail is as useful.
    reloadSearches().catch(() => {});
    const ends = [keepKeysFromFrame(), goLive()];
    addEventListener('keydown', takeKey);
    return () => {
      removeEventListener('keydown', takeKey);
      for (const end of ends) end();
    };
  }, []);

  // The pane of what was refused follows it itself, in shorter intervals.
  useEffect(() => (isRefused ? undefined : followRefused()), [isRefused]);

  if (directory.value?.accounts.length === 0 && !isRefused) return <Empty />;
  const widths = { '--tree': `${treeWidth.value}px`, '--list': `${listWidth.value}px` };
  return (
    <main
      class={`mail${message === null ? '' : ' reading'}${treeOut.value ? ' tree-out' : ''}`}
      style={widths}
    >
      <nav class="column pane pane-tree" aria-label="Mailboxes">
        <div class="line keep bar">
          <Switcher>
            <span class="line grow product">
              <Icon name="mail" size={18} /> Sandpost
            </span>
          </Switcher>
          {mayWrite.value && (
            <IconLink icon="compose" label="Write an email" look="compose" href={linkToPage('compose')} />
          )}
        </div>
        <Boundary part="The mailbox tree">
          <div class="grow tree-room">
            <Tree />
            <Shelf />
          </div>
        </Boundary>
        <Status />
      </nav>
      <Splitter name="Mailbox tree width" least={160} most={420} width={treeWidth} />
      <button
        type="button"
        class="veil"
        aria-label="Close the mailbox list"
        onClick={() => {
          treeOut.value = false;
        }}
      />
      {isRefused ? (
        <Boundary part="The refused mail" key="refused">
          <RefusedPane />
        </Boundary>
      ) : (
        <Boundary part="The list" retryOn={`${account}/${mailbox}/${queryOf(mailPlace.value)}`}>
          <ListPane />
        </Boundary>
      )}
      {message !== null && <Splitter name="List width" least={260} most={720} width={listWidth} />}
      <MessagePane />
      <div class="hidden" role="log" aria-live="polite">
        {announcement.value}
      </div>
      <Dialogs />
    </main>
  );
}
