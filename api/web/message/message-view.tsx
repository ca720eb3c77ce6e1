import './message.css';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isNotFound, isUnreachable, retryMs } from '../client/client.ts';
import type { Message } from '../client/shapes.ts';
import { usePage, useTitle } from '../page.ts';
import { Boundary } from '../parts/boundary.tsx';
import { Failure, GreyLines, useRead } from '../parts/loaded.tsx';
import { ChecksTab } from './checks-tab.tsx';
import { Head } from './head.tsx';
import { HeadersTab } from './headers-tab.tsx';
import { HtmlTab } from './html-tab.tsx';
import { tabOfPart } from './part-choice.tsx';
import { problemsOf } from './results.ts';
import { SourceTab } from './source-tab.tsx';
import { TextTab } from './text-tab.tsx';

type Props = {
  id: number;
  /** Called with whether the message exists, as soon as this is known. */
  found: (exists: boolean) => void;
};

/** View of one message: its head, its results, and its parts in tabs. */
export function MessageView({ id, found }: Props) {
  const { connection, onMailEvent } = usePage();
  const [deleted, setDeleted] = useState(false);
  const { value: message, error, again } = useRead<Message>(`/api/messages/${id}`);
  useEffect(
    () =>
      onMailEvent((event) => {
        if (event.type === 'resync') again();
        else if (event.type === 'message.deleted' && event.id === id) setDeleted(true);
      }),
    [id],
  );
  const isGone = deleted || isNotFound(error);
  const isLive = connection.value === 'open';
  // An error may also arrive after the stream is open again.
  useEffect(() => {
    if (!isLive || !isUnreachable(error)) return;
    const timer = setTimeout(again, retryMs);
    return () => clearTimeout(timer);
  }, [isLive, error]);
  const isFound = message !== undefined && !deleted;
  useEffect(() => {
    if (isGone || isFound) found(isFound);
  }, [isGone, isFound]);
  useTitle(isFound ? message.subject || 'No subject' : '');
  if (isFound) {
    return (
      <article class="column message" aria-label={message.subject || 'Message without a subject'}>
        <Head message={message} />
        <TabPanels message={message} />
      </article>
    );
  }
  return (
    <div class="column message" aria-busy={!isGone && !error}>
      {isGone ? (
        <p class="message-none muted" role="status">
          {deleted
            ? 'This message was deleted.'
            : 'No message has this number. It may have been deleted, or have expired.'}
        </p>
      ) : error ? (
        <Failure error={error} again={again} />
      ) : (
        <GreyLines />
      )}
    </div>
  );
}

const panels: Record<string, (props: { message: Message }) => preact.JSX.Element | null> = {
  html: HtmlTab,
  text: TextTab,
  headers: HeadersTab,
  checks: ChecksTab,
  source: SourceTab,
};

/** Tabs of a message. */
function tabsOf(message: Message): TabName[] {
  const { critical, warning } = problemsOf(message);
  return [
    ...(message.html === null ? [] : [{ id: 'html', name: 'HTML' }]),
    { id: 'text', name: 'Text' },
    { id: 'headers', name: 'Headers' },
    {
      id: 'checks',
      name: 'Checks',
      count: critical.length + warning.length,
      tone: critical.length > 0 ? 'tone danger' : '',
    },
    { id: 'source', name: 'Source' },
  ];
}

/** Parts of a message in tabs. The URL names the open tab, or a part of it. */
function TabPanels({ message }: { message: Message }) {
  const { goMail, mailPlace } = usePage();
  const { tab } = mailPlace.value;
  // The dialog of codes and links can open over any tab.
  const below = useRef('');
  if (tab !== 'codes') below.current = tab ?? '';
  const [part = ''] = below.current.split('-');
  const wanted = tabOfPart[part] ?? part;
  const usual = message.html === null ? 'text' : 'html';
  const open = wanted in panels && wanted !== 'html' ? wanted : usual;
  const Panel = panels[open] ?? TextTab;
  return (
    <>
      <TabRow tabs={tabsOf(message)} open={open} choose={(tab) => goMail({ tab })} />
      <div
        id="tab-panel"
        key={open}
        class={`column tab-panel tab-${open}`}
        role="tabpanel"
        aria-labelledby={`tab-${open}`}
        tabIndex={open === 'html' ? -1 : 0}
      >
        <Boundary part="This part of the message">
          <Panel message={message} />
        </Boundary>
      </div>
    </>
  );
}

/** Tab with a number next to its name, hidden if it is 0. `tone` colors the number. */
type TabName = { id: string; name: string; count?: number; tone?: string };

type TabProps = { tabs: TabName[]; open: string; choose(id: string): void };

/** Tab row. The arrow keys move between tabs. */
function TabRow({ tabs, open, choose }: TabProps) {
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ id }) => id === open);
    const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 };
    const next = steps[event.key];
    const tab = next === undefined ? undefined : tabs.at(next % tabs.length);
    if (!tab) return;
    event.preventDefault();
    list.current?.querySelector<HTMLElement>(`#tab-${tab.id}`)?.focus();
    choose(tab.id);
  };
  return (
    <div ref={list} class="keep tabs" role="tablist" aria-label="Parts of the message" onKeyDown={onKeyDown}>
      {tabs.map(({ id, name, count = 0, tone = '' }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${id}`}
          aria-selected={id === open}
          aria-controls="tab-panel"
          tabIndex={id === open ? 0 : -1}
          onClick={() => choose(id)}
        >
          {name} {count > 0 && <span class={`badge tab-count ${tone}`}>{count}</span>}
        </button>
      ))}
    </div>
  );
}
