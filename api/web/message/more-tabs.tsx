import { useId, useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { TabLabel, type TabName } from './tab-name.tsx';

type Props = { tabs: TabName[]; choose(id: string): void };

/** Button at the end of the tabs, with a menu of those that have no room (menu button pattern of ARIA). */
export function MoreTabs({ tabs, choose }: Props) {
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
        class="tab-menu"
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
