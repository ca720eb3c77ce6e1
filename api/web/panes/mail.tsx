import './mail.css';
import type { Signal } from '@preact/signals';
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
import { Status } from './status.tsx';
import { SearchesAndTags, Tree } from './tree.tsx';

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
    // Errors are ignored because mail works without saved searches and tags.
    reloadSearches().catch(() => {});
    const ends = [keepKeysFromFrame(), goLive()];
    addEventListener('keydown', takeKey);
    return () => {
      removeEventListener('keydown', takeKey);
      for (const end of ends) end();
    };
  }, []);

  // The pane of refused mail polls by itself, at shorter intervals.
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
          <div class="grow scrolls tree-room">
            <Tree />
            <SearchesAndTags />
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

/** Name and width of a pane, in pixels, and the width's bounds. */
type Props = { name: string; least: number; most: number; width: Signal<number> };

const step = 16;

/** Splitter between two panes. Dragging or the arrow keys resize the left pane (WAI-ARIA's window splitter pattern). */
function Splitter({ name, least, most, width }: Props) {
  const set = (pixels: number) => {
    width.value = Math.round(Math.max(least, Math.min(most, pixels)));
  };
  const dragged = (event: PointerEvent) => {
    if (event.button !== 0 || !(event.currentTarget instanceof HTMLElement)) return;
    event.preventDefault();
    const handle = event.currentTarget;
    // On a narrow page, the pane is narrower than its setting.
    const start = (handle.previousElementSibling?.clientWidth ?? width.value) - event.clientX;
    const moved = ({ clientX }: PointerEvent) => set(start + clientX);
    handle.setPointerCapture(event.pointerId);
    handle.addEventListener('pointermove', moved);
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', moved), {
      once: true,
    });
  };
  const pressed = (event: KeyboardEvent) => {
    const to: Record<string, number> = {
      ArrowLeft: width.value - step,
      ArrowRight: width.value + step,
      Home: least,
      End: most,
    };
    const pixels = to[event.key];
    if (pixels === undefined) return;
    event.preventDefault();
    set(pixels);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot be moved
    <div
      class="splitter"
      role="separator"
      aria-orientation="vertical"
      aria-label={name}
      aria-valuenow={width.value}
      aria-valuemin={least}
      aria-valuemax={most}
      tabIndex={0}
      onPointerDown={dragged}
      onKeyDown={pressed}
    />
  );
}
