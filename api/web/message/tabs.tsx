import './tabs.css';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { fitTabs } from './fit-tabs.ts';

/** Name of a tab with the number beside it, which is not shown if 0. */
type TabName = { id: string; name: string; count: number };

function TabLabel({ tab: { name, count } }: { tab: TabName }) {
  return (
    <>
      {name} {count > 0 && <span class="badge tab-count">{count}</span>}
    </>
  );
}

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
    <div class="keep tabs">
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

type MoreProps = { tabs: TabName[]; choose(id: string): void };

/** Button at the end of the tabs, with a menu of those that have no room (menu button pattern of ARIA). */
function MoreTabs({ tabs, choose }: MoreProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
  const close = () => {
    menu.current?.hidePopover();
    button.current?.focus();
  };
  const onBeforeToggle = ({ newState }: { newState: string }) => {
    if (newState !== 'open' || !button.current || !menu.current) return;
    const { right, bottom } = button.current.getBoundingClientRect();
    menu.current.style.right = `${document.documentElement.clientWidth - right}px`;
    menu.current.style.top = `${bottom + 2}px`;
  };
  const onToggle = ({ newState }: { newState: string }) => {
    button.current?.setAttribute('aria-expanded', `${newState === 'open'}`);
    if (newState === 'open') items()[0]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Letters are shortcuts of the mail view, which the menu covers.
    event.stopPropagation();
    const all = items();
    const at = all.findIndex((item) => item.matches(':focus'));
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    const next = steps[event.key];
    if (next !== undefined) all.at(next % all.length)?.focus();
    else if (event.key === 'Escape') close();
    else if (event.key === 'Tab') menu.current?.hidePopover();
    if (next !== undefined || event.key === 'Escape') event.preventDefault();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class={`more-tabs${tabs.length === 0 ? ' folded' : ''}`}
        aria-haspopup="menu"
        aria-expanded="false"
        popovertarget={id}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return;
          event.preventDefault();
          event.stopPropagation();
          menu.current?.showPopover();
        }}
      >
        More <Icon name="down" size={12} />
      </button>
      <div
        ref={menu}
        id={id}
        class="menu tab-menu"
        role="menu"
        aria-label="More parts of the message"
        popover="auto"
        onBeforeToggle={onBeforeToggle}
        onToggle={onToggle}
        onKeyDown={onKeyDown}
      >
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="menuitem"
            tabIndex={-1}
            onClick={() => {
              menu.current?.hidePopover();
              choose(tab.id);
            }}
          >
            <TabLabel tab={tab} />
          </button>
        ))}
      </div>
    </>
  );
}
