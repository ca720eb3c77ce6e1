import '../parts/tag.css';
import type { MessageSummary } from '../client/shapes.ts';
import { nameOfLink } from '../message/link-names.ts';
import { usePage } from '../page.ts';
import { ago, exactTime } from '../parts/ago.ts';
import { Icon } from '../parts/icon.tsx';

type Props = {
  item: MessageSummary;
  /** Messages that the row represents, newest first. */
  conversation: MessageSummary[];
  /** Distance from the list's top in px. */
  top: number;
  index: number;
  total: number;
  active: boolean;
  selected: boolean;
  open: boolean;
  fresh: boolean;
  /** Maximum tags that fit in the row. */
  mostTags: number;
};

const at = (top: number) => ({ transform: `translateY(${top}px)` });

/** Placeholder for a message that is not loaded yet. */
export const GreyRow = ({ top }: Pick<Props, 'top'>) => (
  <div class="hovers row unknown" style={at(top)} aria-hidden="true" />
);

/** Row of a message, at its height in the list. The focus stays on the list, which names its active row. */
export function Row({ item, conversation, top, index, total, mostTags, ...marks }: Props) {
  const { now } = usePage();
  const time = Date.parse(item.received_at);
  const unread = !item.is_read || conversation.some(({ is_read }) => !is_read);
  const states = Object.entries({ unread, ...marks });
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the row (aria-activedescendant)
    <div
      class={['hovers row', ...states.flatMap(([name, isOn]) => (isOn ? name : []))].join(' ')}
      style={at(top)}
      role="option"
      id={`message-${item.id}`}
      data-id={item.id}
      aria-selected={marks.selected || marks.open}
      aria-setsize={total}
      aria-posinset={index + 1}
    >
      <div class="line row-line">
        <Sender item={item} />
        <span class="line keep row-marks">
          {conversation.length > 1 && (
            <span class="badge keep row-count">
              {conversation.length}
              <span class="hidden"> messages</span>
            </span>
          )}
          {unread && <span class="hidden">unread</span>}
          {item.has_attachments && (
            <span class="line faint">
              <Icon name="clip" size={14} />
              <span class="hidden">has attachments</span>
            </span>
          )}
          {item.is_flagged && (
            <span class="line row-flag">
              <Icon name="flag" size={14} />
              <span class="hidden">flagged</span>
            </span>
          )}
          <time class="numbers muted" dateTime={item.received_at} title={exactTime(time)}>
            {ago(time, now.value)}
          </time>
        </span>
      </div>
      <div class="ellipsis row-subject">
        <RowTags tags={item.tags} most={mostTags} />
        {item.subject || 'No subject'}
      </div>
      <div class="line row-line">
        <span class="ellipsis row-to">{item.to_addresses.join(', ')}</span>
        <span class="ellipsis faint row-intro">{item.intro}</span>
        <Found item={item} />
      </div>
    </div>
  );
}

function RowTags({ tags, most }: { tags: string[]; most: number }) {
  const shown = tags.slice(0, most);
  return (
    <>
      {shown.map((tag) => (
        <span key={tag} class="ellipsis tag">
          <span class="hidden">tag </span>
          {tag}
        </span>
      ))}
      {tags.length > most && <span class="ellipsis tag">+{tags.length - most}</span>}
    </>
  );
}

/** Name followed by the address, because senders choose their names freely. Shows only the address if there is no name. */
function Sender({ item: { from_name, from_address } }: Pick<Props, 'item'>) {
  const isNamed = from_name !== null && from_name !== from_address;
  return (
    <span class="ellipsis grow row-from" title={from_address}>
      <bdi class="ellipsis">{isNamed ? from_name : from_address || 'no sender'}</bdi>
      {isNamed && ' '}
      {isNamed && <bdi class="ellipsis faint row-address">{from_address}</bdi>}
    </span>
  );
}

/**
 * Code of a message in its row, or otherwise its main link. This is not a separate control for assistive technology, because options
 * cannot contain controls: the list handles clicks on it, and a key does the same.
 */
function Found({ item: { code, main_link, subject } }: Pick<Props, 'item'>) {
  if (code) {
    return (
      <span class="line row-found mono" data-do="copy" title="Copy the code (c)">
        <span class="hidden">code </span>
        <span class="ellipsis row-found-text">{code}</span>
        <Icon name="copy" size={12} />
      </span>
    );
  }
  if (!main_link) return null;
  return (
    <span class="line row-founds">
      <span class="line row-found" data-do="copy" title={`Copy the link (c): ${main_link}`}>
        <span class="ellipsis row-found-text">{nameOfLink(main_link, subject)}</span>
        <Icon name="copy" size={12} />
      </span>
      <span class="line row-found" data-do="open" title={`Open the link: ${main_link}`} aria-hidden="true">
        <Icon name="open" size={12} />
      </span>
    </span>
  );
}
