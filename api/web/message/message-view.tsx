import './message.css';
import { useEffect, useState } from 'preact/hooks';
import { isNotFound } from '../client/client.ts';
import type { Message } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Boundary } from '../parts/boundary.tsx';
import { Failure, GreyLines, useRead } from '../parts/loaded.tsx';
import { AttachmentsTab, StructureTab } from './attachments.tsx';
import { ChecksTab } from './checks-tab.tsx';
import { CodesTab } from './codes-tab.tsx';
import { Head } from './head.tsx';
import { HeadersTab } from './headers-tab.tsx';
import { HtmlTab } from './html-tab.tsx';
import { problemsOf } from './results.ts';
import { TabRow } from './tabs.tsx';
import { RequestTab, SourceTab, TextTab } from './text-tabs.tsx';

type Props = {
  id: number;
  /** Takes whether the message exists, as soon as that is known. */
  found: (exists: boolean) => void;
};

/** View of one message: its head, its results, and its parts in tabs. */
export function MessageView({ id, found }: Props) {
  const { onMailEvent, pageTitle } = usePage();
  const [reading, setReading] = useState(0);
  const [deleted, setDeleted] = useState(false);
  const { value: message, error } = useRead<Message>(`/api/messages/${id}`, reading);
  useEffect(
    () =>
      onMailEvent((event) => {
        if (event.type === 'resync') setReading((times) => times + 1);
        else if (event.type === 'message.deleted' && event.id === id) setDeleted(true);
      }),
    [id],
  );
  const isGone = deleted || isNotFound(error);
  const isFound = message !== undefined && !deleted;
  useEffect(() => {
    if (isGone || isFound) found(isFound);
  }, [isGone, isFound]);
  const title = isFound ? message.subject || 'No subject' : '';
  useEffect(() => {
    pageTitle.value = title;
    return () => {
      pageTitle.value = '';
    };
  }, [title]);
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
          This message was deleted or has expired.
        </p>
      ) : error ? (
        <>
          <Failure error={error} />
          <p class="message-failure">
            <button type="button" onClick={() => setReading(reading + 1)}>
              Try again
            </button>
          </p>
        </>
      ) : (
        <GreyLines />
      )}
    </div>
  );
}

type Tab = {
  id: string;
  name: string;
  /** Number beside the tab's name. Not shown if undefined. `problems` is the number of the checks' tab, null until that has read all. */
  count?(message: Message, problems: number | null): number;
  /** True if a message has such a part. Every message has one if undefined. */
  isIn?(message: Message): boolean;
  Panel(props: { message: Message; counted(problems: number): void }): preact.JSX.Element;
};

const allTabs: Tab[] = [
  { id: 'html', name: 'HTML', Panel: HtmlTab },
  { id: 'text', name: 'Text', Panel: TextTab },
  { id: 'headers', name: 'Headers', count: ({ headers }) => headers.length, Panel: HeadersTab },
  { id: 'request', name: 'Request', isIn: ({ submission }) => submission !== null, Panel: RequestTab },
  { id: 'source', name: 'Source', Panel: SourceTab },
  {
    id: 'attachments',
    name: 'Attachments',
    count: ({ attachments }) => attachments.length,
    Panel: AttachmentsTab,
  },
  {
    id: 'checks',
    name: 'Checks',
    count: (message, problems) => problems ?? Object.values(problemsOf(message)).flat().length,
    Panel: ChecksTab,
  },
  {
    id: 'codes',
    name: 'Codes and links',
    count: ({ codes, links }) => codes.length + links.length,
    Panel: CodesTab,
  },
  { id: 'structure', name: 'Structure', Panel: StructureTab },
];

/** Parts of a message in tabs. The URL names the open one. */
function TabPanels({ message }: { message: Message }) {
  const { goMail, mailPlace } = usePage();
  const [problems, setProblems] = useState<number | null>(null);
  const tabs = allTabs.filter(({ isIn }) => isIn?.(message) ?? true);
  const usual = message.html === null ? 'text' : 'html';
  const wanted = mailPlace.value.tab ?? usual;
  const found = tabs.findIndex(({ id }) => id === wanted);
  const at = Math.max(0, found === -1 ? tabs.findIndex(({ id }) => id === usual) : found);
  const open = tabs[at];
  return (
    <>
      <TabRow
        tabs={tabs.map(({ id, name, count }) => ({ id, name, count: count?.(message, problems) ?? 0 }))}
        open={at}
        choose={(tab, options) => goMail({ tab }, options)}
      />
      {open && (
        <div
          id="tab-panel"
          key={open.id}
          class={`column tab-panel tab-${open.id}`}
          role="tabpanel"
          aria-labelledby={`tab-${open.id}`}
          tabIndex={open.id === 'html' ? -1 : 0}
        >
          <Boundary part="This part of the message">
            <open.Panel message={message} counted={setProblems} />
          </Boundary>
        </div>
      )}
    </>
  );
}
