import './mail.css';
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { directory, reloadDirectory } from '../client/directory.ts';
import { mayWrite } from '../client/teams.ts';
import { Boundary } from '../parts/boundary.tsx';
import { Icon } from '../parts/icon.tsx';
import { linkToPage, mailPlace } from '../place.ts';
import { queryOf } from '../place-url.ts';
import { Empty } from '../start/empty.tsx';
import { Switcher } from '../teams/switcher.tsx';
import { Dialogs } from './dialogs.tsx';
import { keepKeysFromFrame } from './frame-focus.ts';
import { addKeys, takeKey } from './keys.ts';
import { listError, showList } from './list.ts';
import { ListPane } from './list-pane.tsx';
import { announcement, goLive } from './live.ts';
import { MessagePane } from './message-pane.tsx';
import { letGoOfRows } from './selection.ts';
import { mailKeys } from './shortcuts.ts';
import { Splitter, type Width } from './splitter.tsx';
import { Status } from './status.tsx';
import { Tree } from './tree.tsx';
import { treeOut } from './tree-out.ts';

const kept = (key: string, usual: number) => signal(Number(localStorage.getItem(key)) || usual);
const treeWidth: Width = {
  key: 'sandpost-tree',
  name: 'Width of the mailboxes',
  least: 160,
  most: 420,
  value: kept('sandpost-tree', 224),
};
const listWidth: Width = {
  key: 'sandpost-list',
  name: 'Width of the list',
  least: 260,
  most: 720,
  value: kept('sandpost-list', 400),
};

/** Mail view: three panes, or fewer at a time on narrow screens. */
export function Mail() {
  const { account, mailbox, message, q, unread, is_flagged, has_attachments } = mailPlace.value;

  useEffect(() => {
    letGoOfRows();
    showList({ account, mailbox, q, unread, is_flagged, has_attachments });
  }, [account, mailbox, q, unread, is_flagged, has_attachments]);
  useEffect(() => {
    reloadDirectory().catch((error) => {
      listError.value = error;
    });
    const ends = [addKeys(mailKeys), keepKeysFromFrame(), goLive()];
    addEventListener('keydown', takeKey);
    return () => {
      removeEventListener('keydown', takeKey);
      for (const end of ends) end();
    };
  }, []);

  if (directory.value?.accounts.length === 0) return <Empty />;
  const widths = { '--tree': `${treeWidth.value.value}px`, '--list': `${listWidth.value.value}px` };
  return (
    <main
      class={`mail${message === null ? '' : ' reading'}${treeOut.value ? ' tree-out' : ''}`}
      style={widths}
    >
      <nav class="pane pane-tree" aria-label="Mailboxes">
        <div class="bar">
          <Switcher>
            <span class="product">
              <Icon name="mail" size={18} /> Sandpost
            </span>
          </Switcher>
          {mayWrite.value && (
            <a
              class="button quiet icon compose"
              href={linkToPage('compose')}
              aria-label="Write a mail"
              title="Write a mail"
            >
              <Icon name="compose" />
            </a>
          )}
        </div>
        <Boundary part="The tree of mailboxes">
          <Tree
            onChosen={() => {
              treeOut.value = false;
            }}
          />
        </Boundary>
        <Status />
      </nav>
      <Splitter width={treeWidth} />
      <button
        type="button"
        class="veil"
        aria-label="Close the mailboxes"
        onClick={() => {
          treeOut.value = false;
        }}
      />
      <Boundary part="The list" retryOn={`${account}/${mailbox}/${queryOf(mailPlace.value)}`}>
        <ListPane />
      </Boundary>
      {message !== null && <Splitter width={listWidth} />}
      <MessagePane />
      <div class="hidden" role="log" aria-live="polite">
        {announcement.value}
      </div>
      <Dialogs />
    </main>
  );
}
