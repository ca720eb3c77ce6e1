import { useRef } from 'preact/hooks';
import type { Message } from '../client/shapes.ts';
import { Boundary } from '../parts/boundary.tsx';
import { goMail, mailPlace } from '../place.ts';
import { AttachmentsTab } from './attachments-tab.tsx';
import { ChecksTab } from './checks-tab.tsx';
import { CodesTab } from './codes-tab.tsx';
import { HeadersTab } from './headers-tab.tsx';
import { HtmlTab } from './html-tab.tsx';
import { RequestTab } from './request-tab.tsx';
import { SourceTab } from './source-tab.tsx';
import { StructureTab } from './structure-tab.tsx';
import { TextTab } from './text-tab.tsx';

type Tab = {
  id: string;
  name: string;
  /** Number beside the tab's name. Not shown if undefined. */
  count?(message: Message): number;
  /** Tells whether a message has such a part. Every message has one if undefined. */
  isIn?(message: Message): boolean;
  Panel(props: { message: Message }): preact.JSX.Element;
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
    count: ({ audit: { checks } }) => checks.critical.length + checks.warning.length,
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
export function TabPanels({ message }: { message: Message }) {
  const list = useRef<HTMLDivElement>(null);
  const tabs = allTabs.filter(({ isIn }) => isIn?.(message) ?? true);
  const usual = message.html === null ? 'text' : 'html';
  const wanted = mailPlace.value.tab ?? usual;
  const found = tabs.findIndex(({ id }) => id === wanted);
  const at = Math.max(0, found === -1 ? tabs.findIndex(({ id }) => id === usual) : found);
  const open = tabs[at];

  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowRight: at + 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const index = (next + tabs.length) % tabs.length;
    goMail({ tab: tabs[index]?.id ?? null }, { replace: true });
    const tab = list.current?.children[index];
    if (tab instanceof HTMLElement) tab.focus();
  };
  return (
    <>
      <div ref={list} class="tabs" role="tablist" aria-label="Parts of the message" onKeyDown={onKeyDown}>
        {tabs.map(({ id, name, count }, index) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={index === at}
            aria-controls="tab-panel"
            tabIndex={index === at ? 0 : -1}
            onClick={() => goMail({ tab: id })}
          >
            {name} <Count many={count?.(message) ?? 0} />
          </button>
        ))}
      </div>
      {open && (
        <div
          id="tab-panel"
          key={open.id}
          class={`tab-panel tab-${open.id}`}
          role="tabpanel"
          aria-labelledby={`tab-${open.id}`}
          tabIndex={open.id === 'html' ? -1 : 0}
        >
          <Boundary part="This part of the message">
            <open.Panel message={message} />
          </Boundary>
        </div>
      )}
    </>
  );
}

function Count({ many }: { many: number }) {
  return many === 0 ? null : <span class="tab-count">{many}</span>;
}
