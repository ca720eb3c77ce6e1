import './message-list.css';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { mailPlace } from '../place.ts';
import { indexOfMessage, messageAt, positionOf, shownTotal } from './hidden.ts';
import { changed, currentRows, loaded, want } from './list.ts';
import { arrivals } from './live.ts';
import { Row, rowHeight } from './row.tsx';
import {
  active,
  activeShown,
  awaited,
  everything,
  extendTo,
  open,
  selected,
  step,
  toggle,
} from './selection.ts';

/** Rows drawn beyond both ends of the visible range. */
const overscan = 6;

/**
 * Virtual list of messages: only visible rows are in the document. The focus stays on the list, which names its active
 * row, so that neither scrolling nor new mail moves the focus.
 */
export function MessageList() {
  const box = useRef<HTMLDivElement>(null);
  const first = useSignal(0);
  const height = useSignal(900);
  const anchor = useRef({ id: 0, offset: 0 });

  const total = shownTotal.value;
  const count = Math.ceil(height.value / rowHeight) + 1;
  const from = Math.max(0, Math.min(first.value, total - count) - overscan);
  const to = Math.min(total, first.value + count + overscan);

  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [height]);

  const rows = currentRows();
  useLayoutEffect(() => {
    if (box.current !== null) box.current.scrollTop = 0;
  }, [rows]);

  // The topmost visible row stays in place when rows come or go above it, unless the list is scrolled to its top.
  const change = changed.value;
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || element.scrollTop === 0) return;
    const index = indexOfMessage(anchor.current.id);
    if (index >= 0) element.scrollTop = index * rowHeight + anchor.current.offset;
  }, [change, total]);

  useEffect(() => {
    if (total > 0) want(positionOf(from), positionOf(Math.max(from, to - 1)));
  }, [from, to, total, change]);

  // The active row stays visible.
  const activeId = active.value;
  const target = awaited.value;
  useLayoutEffect(() => {
    const element = box.current;
    const index = target ?? (activeId === null ? -1 : indexOfMessage(activeId));
    if (element === null || index < 0) return;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + rowHeight - element.clientHeight;
    }
  }, [activeId, target]);
  useEffect(() => {
    const item = target === null ? undefined : messageAt(target);
    if (item === undefined) return;
    active.value = item.id;
    awaited.value = null;
  }, [target, change]);

  const scrolled = () => {
    const top = box.current?.scrollTop ?? 0;
    first.value = Math.floor(top / rowHeight);
    const item = messageAt(first.value);
    anchor.current = { id: item?.id ?? 0, offset: top - first.value * rowHeight };
  };

  const clicked = (event: MouseEvent) => {
    const row = event.target instanceof Element ? event.target.closest('[data-id]') : null;
    const id = Number(row?.getAttribute('data-id'));
    if (id === 0) return;
    if (event.shiftKey) extendTo(id);
    else if (event.ctrlKey || event.metaKey) toggle(id);
    else open(id);
  };

  // A focused list has an active row.
  const focused = () => {
    active.value = activeShown.value ?? mailPlace.value.message ?? messageAt(first.value)?.id ?? null;
  };

  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
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
    if (by !== undefined) step(by, event.shiftKey);
    else if (event.key === ' ' && activeShown.value !== null) toggle(activeShown.value);
    else return;
    event.preventDefault();
  };

  const shown = [];
  for (let index = from; index < to; index++) {
    const item = messageAt(index);
    const id = item?.id ?? -1;
    shown.push(
      <Row
        key={item === undefined ? `unknown-${index}` : id}
        item={item}
        index={index}
        total={total}
        active={id === activeId}
        selected={everything.value || selected.value.has(id)}
        open={id === mailPlace.value.message}
        fresh={arrivals.value.has(id)}
      />,
    );
  }
  const drawn = activeId !== null && document.getElementById(`message-${activeId}`) !== null;
  return (
    <div
      class="list"
      ref={box}
      role="listbox"
      aria-label="Messages"
      aria-multiselectable="true"
      aria-busy={!loaded.value}
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
