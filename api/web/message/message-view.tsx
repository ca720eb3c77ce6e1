import './message.css';
import { useEffect, useState } from 'preact/hooks';
import { ApiError } from '../client/client.ts';
import type { Message } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Failure, useRead } from '../parts/loaded.tsx';
import '../parts/grey-lines.css';
import { Head } from './head.tsx';
import { TabPanels } from './tab-panels.tsx';

type Props = {
  id: number;
  /** Takes whether the message exists, as soon as that is known. */
  found: (exists: boolean) => void;
};

/** View of one message: its head, its results, and its parts in tabs. */
export function MessageView({ id, found }: Props) {
  const { onMailEvent } = usePage();
  const [reading, setReading] = useState(0);
  const [deleted, setDeleted] = useState(false);
  const { value: message, error } = useRead<Message>(`/api/messages/${id}`, reading);
  useEffect(
    () =>
      onMailEvent((event) => {
        if (event.type === 'resync') setReading((times) => times + 1);
        else if (event.type === 'message.deleted' && event.id === id) setDeleted(true);
      }),
    [id],
  );
  const isGone = deleted || (error instanceof ApiError && error.status === 404);
  const isFound = message !== undefined && !deleted;
  useEffect(() => {
    if (isGone || isFound) found(isFound);
  }, [isGone, isFound]);
  if (isFound) {
    return (
      <article class="message" aria-label={message.subject || 'Message without a subject'}>
        <Head message={message} />
        <TabPanels message={message} />
      </article>
    );
  }
  return (
    <div class="message" aria-busy={!isGone && !error}>
      {isGone ? (
        <p class="message-none muted" role="status">
          This message is gone: it was deleted, or it expired.
        </p>
      ) : error ? (
        <>
          <Failure error={error} />
          <p class="message-failure">
            <button type="button" onClick={() => setReading(reading + 1)}>
              Try again
            </button>
          </p>
        </>
      ) : (
        <GreyLines />
      )}
    </div>
  );
}

/** Grey lines in the place of a text that is being read. An answer within 150 ms shows none of them. */
const GreyLines = () => (
  <div class="grey-lines" aria-hidden="true">
    {[60, 25, 40, 100, 95, 70].map((width) => (
      <span key={width} style={{ width: `${width}%` }} />
    ))}
  </div>
);
