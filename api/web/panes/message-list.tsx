import './message-list.css';
import './wide-list.css';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { usePage } from '../page.ts';
import { GreyRow, Row } from './row.tsx';

/** Rows drawn beyond both ends of the visible range. */
const overscan = 6;

/** Minimum width in px at which a row has two lines of columns instead of three lines. */
const wideFrom = 720;

/**
 * Virtual message list: the document contains only visible rows. The focus stays on the list, which names its active row, so neither
 * scrolling nor new mail moves the focus.
 */
export function MessageList() {
  const { mail, mailPlace } = usePage();
  const list = mail.list.value;
  const isLoaded = list.loaded.value;
  const box = useRef<HTMLDivElement>(null);
  const first = useSignal(0);
  const height = useSignal(900);
  const wide = useSignal(false);
  const rowHeight = wide.value ? 52 : 68;
  const anchor = useRef({ id: 0, offset: 0 });

  const total = mail.rowTotal.value;
  const count = Math.ceil(height.value / rowHeight) + 1;
  const from = Math.max(0, Math.min(first.value, total - count) - overscan);
  const to = Math.min(total, first.value + count + overscan);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
      wide.value = element.clientWidth >= wideFrom;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [height, wide]);

  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop = 0;
  }, [list]);

  // Reports the first list's load time to tests and browser tools.
  useEffect(() => {
    if (isLoaded) requestAnimationFrame(() => setTimeout(() => performance.mark('first-list')));
  }, [isLoaded]);

  // The topmost visible row stays in place when rows are added or removed above it, unless the list is scrolled to its top.
  const change = list.changed.value;
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || element.scrollTop === 0) return;
    const index = mail.indexOfMessage(anchor.current.id);
    if (index >= 0) element.scrollTop = index * rowHeight + anchor.current.offset;
  }, [change, total, rowHeight]);

  useEffect(() => {
    if (total > 0) list.want(mail.positionOf(from), mail.positionOf(Math.max(from, to - 1)));
  }, [list, from, to, total, change]);

  // The active row stays visible.
  const activeId = mail.active.value;
  const target = mail.awaited.value;
  const { message } = mailPlace.value;
  useLayoutEffect(() => {
    const element = box.current;
    const index = target ?? (activeId === null ? -1 : mail.indexOfMessage(activeId));
    if (element === null || index < 0) return;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight;
    }
  }, [activeId, target, rowHeight]);
  // The row of a message that was opened by URL stays visible, too.
  useEffect(() => {
    if (isLoaded && mail.active.peek() === null && message !== null && mail.isShown(message))
      mail.active.value = message;
  }, [list, isLoaded]);
  useEffect(() => {
    const item = target === null ? undefined : mail.messageAt(target);
    if (item === undefined) return;
    mail.active.value = item.id;
    mail.awaited.value = null;
  }, [target, change]);

  const scrolled = () => {
    const top = box.current?.scrollTop ?? 0;
    first.value = Math.floor(top / rowHeight);
    const item = mail.messageAt(first.value);
    anchor.current = { id: item?.id ?? 0, offset: top - first.value * rowHeight };
  };

  const clicked = (event: MouseEvent) => {
    if (!(event.target instanceof Element)) return;
    const id = Number(event.target.closest('[data-id]')?.getAttribute('data-id'));
    const item = list.rows.find(id);
    if (item === undefined) return;
    const does = event.target.closest('[data-do]')?.getAttribute('data-do');
    if (does) mail.active.value = id;
    if (does === 'copy') void mail.copyOf(id);
    else if (does === 'open') window.open(item.main_link ?? '', '_blank', 'noopener,noreferrer');
    else if (event.shiftKey) mail.extendTo(id);
    else if (event.ctrlKey || event.metaKey) mail.toggle(id);
    else mail.open(id);
  };

  // A focused list has an active row: the first fully visible one. It is computed here because the scroll event may come later.
  const focused = () => {
    mail.active.value =
      mail.activeShown.value ??
      mailPlace.value.message ??
      mail.messageAt(Math.ceil((box.current?.scrollTop ?? 0) / rowHeight))?.id ??
      null;
  };

  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // These keys scroll the open message.
    if (message !== null && [' ', 'PageDown', 'PageUp'].includes(event.key)) return;
    const page = Math.max(1, count - 2);
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -Infinity,
      End: Infinity,
    };
    const by = steps[event.key];
    if (by !== undefined) mail.step(by, event.shiftKey);
    else if (event.key === ' ' && mail.activeShown.value !== null) mail.toggle(mail.activeShown.value);
    else return;
    event.preventDefault();
  };

  const [activeRow, openRow] = [activeId, message].map((id) => (id === null ? null : mail.headOf(id)));
  const waits = !isLoaded && list.error.value === null;
  const shown = [];
  for (let index = from; index < (waits ? count : to); index++) {
    const item = mail.messageAt(index);
    const top = index * rowHeight;
    shown.push(
      item === undefined ? (
        <GreyRow key={`unknown-${index}`} top={top} />
      ) : (
        <Row
          key={item.id}
          item={item}
          conversation={mail.conversation(item.id)}
          top={top}
          index={index}
          total={total}
          active={item.id === activeRow}
          selected={mail.selected.value.has(item.id)}
          open={item.id === openRow}
          fresh={mail.arrivals.value.has(item.id)}
          mostTags={wide.value ? 3 : 2}
        />
      ),
    );
  }
  const drawn = activeId !== null && document.getElementById(`message-${activeId}`) !== null;
  return (
    <div
      class={`list${wide.value ? ' wide' : ''}${waits ? ' waits' : ''}`}
      ref={box}
      role="listbox"
      aria-label="Messages"
      aria-multiselectable="true"
      aria-busy={!isLoaded}
      aria-activedescendant={drawn ? `message-${activeId}` : undefined}
      tabIndex={0}
      onScroll={scrolled}
      onFocus={focused}
      onClick={clicked}
      onKeyDown={pressed}
    >
      <div class="list-rows" style={{ height: `${total * rowHeight}px` }} role="presentation">
        {shown}
      </div>
    </div>
  );
}
