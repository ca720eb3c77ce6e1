import './conversation.css';
import { useEffect, useRef } from 'preact/hooks';
import { usePage } from '../page.ts';
import { When } from '../parts/when.tsx';

/** Messages of the open message's conversation that the list has, oldest first. Absent without the switch, or for one message. */
export function Conversation({ of: id }: { of: number }) {
  const { linkTo, mail, mailPlace } = usePage();
  const messages = mail.conversation(id).toReversed();
  const strip = useRef<HTMLElement>(null);
  useEffect(() => {
    strip.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [id, messages.length]);
  if (messages.length < 2) return null;
  return (
    <nav ref={strip} class="conversation" aria-label="Conversation">
      {messages.map((item) => (
        <a
          key={item.id}
          class={item.is_read ? 'way' : 'way unread'}
          href={linkTo({ ...mailPlace.value, message: item.id })}
          aria-current={item.id === id ? 'true' : undefined}
        >
          <bdi class="ellipsis">{item.from_name ?? item.from_address}</bdi>
          <span class="ellipsis conversation-intro">{item.intro || item.subject}</span>
          <When at={item.received_at} />
        </a>
      ))}
    </nav>
  );
}
