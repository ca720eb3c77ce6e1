import './tab-row.css';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { fitTabs } from './fit-tabs.ts';
import { MoreTabs } from './more-tabs.tsx';
import { TabLabel, type TabName } from './tab-name.tsx';

type Props = { tabs: TabName[]; open: number; choose(id: string, options?: { replace: boolean }): void };

/** Widths in px of the row, its tabs and the button of its menu. */
type Widths = { row: number; tabs: number[]; menu: number };

/**
 * Row of the tabs, and a menu of those that do not fit. All tabs are laid out, so that their widths are known: those in the
 * menu are invisible, and out of the way of keys and screen readers.
 */
export function TabRow({ tabs, open, choose }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const [widths, setWidths] = useState<Widths | null>(null);
  const byKey = useRef(false);
  const shown = widths ? fitTabs(widths.tabs, widths.row, widths.menu, open) : tabs.map((_, index) => index);
  const folded = tabs.filter((_, index) => !shown.includes(index));

  useLayoutEffect(() => {
    const row = list.current?.parentElement;
    if (!row) return;
    const measure = () => setWidths(measured(row));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(row);
    return () => observer.disconnect();
  }, [tabs.map(({ id, count }) => `${id} ${count}`).join()]);
  useLayoutEffect(() => {
    if (byKey.current) focusTab(list.current, open);
    byKey.current = false;
  }, [open]);

  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowRight: open + 1,
      ArrowLeft: open - 1,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = steps[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const tab = tabs[(next + tabs.length) % tabs.length];
    if (!tab) return;
    // A tab out of the menu can be focused only once it is drawn in the row.
    byKey.current = true;
    choose(tab.id, { replace: true });
  };
  return (
    <div class="tabs">
      <div ref={list} class="tab-list" role="tablist" aria-label="Parts of the message" onKeyDown={onKeyDown}>
        {tabs.map((tab, index) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`tab-${tab.id}`}
            class={shown.includes(index) ? '' : 'folded'}
            aria-selected={index === open}
            aria-controls="tab-panel"
            tabIndex={index === open ? 0 : -1}
            onClick={() => choose(tab.id)}
          >
            <TabLabel tab={tab} />
          </button>
        ))}
      </div>
      <MoreTabs
        tabs={folded}
        choose={(id) => {
          byKey.current = true;
          choose(id);
        }}
      />
    </div>
  );
}

function measured(row: HTMLElement): Widths {
  const { paddingLeft, paddingRight } = getComputedStyle(row);
  const widthOf = (element: Element | null) => element?.getBoundingClientRect().width ?? 0;
  return {
    row: row.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight),
    tabs: [...row.querySelectorAll('[role=tab]')].map(widthOf),
    menu: widthOf(row.querySelector('.more-tabs')),
  };
}

function focusTab(list: HTMLElement | null, index: number): void {
  const tab = list?.children[index];
  if (tab instanceof HTMLElement) tab.focus();
}
