import './tabs.css';
import { useRef } from 'preact/hooks';

/** Tab with the number beside its name, which is not shown if 0. `tone` colours the number. */
export type TabName = { id: string; name: string; count?: number; tone?: string };

type Props = { tabs: TabName[]; open: string; choose(id: string): void };

/** Row of the tabs. The arrow keys go from one to the next. */
export function TabRow({ tabs, open, choose }: Props) {
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
