import type { MessageSummary } from '../client/shapes.ts';
import { ago, exactTime, now } from '../parts/ago.ts';
import { Icon } from '../parts/icon.tsx';
import { Found } from './found.tsx';

type Props = {
  item: MessageSummary;
  /** Distance from the top of the list in px. */
  top: number;
  index: number;
  total: number;
  active: boolean;
  selected: boolean;
  open: boolean;
  fresh: boolean;
};

const at = (top: number) => ({ transform: `translateY(${top}px)` });

/** Place of a message that is not known yet. */
export const GreyRow = ({ top }: Pick<Props, 'top'>) => (
  <div class="row unknown" style={at(top)} aria-hidden="true" />
);

/** Row of a message, at its height in the list. The focus stays on the list, which names its active row. */
export function Row({ item, top, index, total, active, selected, open, fresh }: Props) {
  const time = Date.parse(item.received_at);
  const classes = [
    'row',
    !item.is_read && 'unread',
    active && 'active',
    selected && 'selected',
    open && 'open',
  ];
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the row (aria-activedescendant)
    <div
      class={[...classes, fresh && 'fresh'].filter(Boolean).join(' ')}
      style={at(top)}
      role="option"
      id={`message-${item.id}`}
      data-id={item.id}
      aria-selected={selected || open}
      aria-setsize={total}
      aria-posinset={index + 1}
    >
      <div class="row-line">
        <Sender item={item} />
        <span class="row-marks">
          {!item.is_read && <span class="hidden">unread</span>}
          {item.has_attachments && (
            <span class="row-mark">
              <Icon name="clip" size={14} />
              <span class="hidden">has attachments</span>
            </span>
          )}
          {item.is_flagged && (
            <span class="row-mark row-flag">
              <Icon name="flag" size={14} />
              <span class="hidden">flagged</span>
            </span>
          )}
          <time dateTime={item.received_at} title={exactTime(time)}>
            {ago(time, now.value)}
          </time>
        </span>
      </div>
      <div class="row-subject">{item.subject || 'No subject'}</div>
      <div class="row-line">
        <span class="row-to">{item.to_addresses.join(', ')}</span>
        <span class="row-intro">{item.intro}</span>
        <Found item={item} />
      </div>
    </div>
  );
}

/** Name with the address behind it, as a sender chooses the name freely. The address alone if there is no name. */
function Sender({ item: { from_name, from_address } }: { item: MessageSummary }) {
  if (from_name === null || from_name === from_address)
    return <span class="row-from">{from_address || 'no sender'}</span>;
  return (
    <span class="row-from" title={from_address}>
      <bdi>{from_name}</bdi> <bdi class="row-address">{from_address}</bdi>
    </span>
  );
}
