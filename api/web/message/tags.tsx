import '../parts/tag.css';
import { useEffect, useState } from 'preact/hooks';
import { problemOf } from '../client/client.ts';
import type { Message } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Icon } from '../parts/icon.tsx';

/** Maximum length of a tag. */
export const mostCharacters = 40;

/** Tags of a message, which members can remove. Absent if there are no tags. */
export function Tags({ message }: { message: Message }) {
  const { mail, mayWrite, onMailEvent, reloadTags, request, tell } = usePage();
  const { id } = message;
  const [tags, setTags] = useState(message.tags);
  const { changed, rows } = mail.list.value;
  changed.value;
  const listed = rows.find(id)?.tags;
  useEffect(() => listed && setTags(listed), [listed]);
  useEffect(() => setTags(message.tags), [message]);
  // A message outside the loaded list must follow events here, because the list does not update it.
  useEffect(
    () =>
      onMailEvent(async (event) => {
        if (event.type !== 'message.updated' || event.id !== id || mail.list.value.rows.find(id)) return;
        setTags((await request<Message>('GET', `/api/messages/${id}`)).tags);
      }),
    [id],
  );
  const remove = async (tag: string) => {
    try {
      const wanted = tags.filter((one) => one !== tag);
      const saved = await request<Message>('PATCH', `/api/messages/${id}`, { tags: wanted });
      setTags(saved.tags);
      mail.list.value.change(id, { tags: saved.tags });
      reloadTags().catch(() => {});
    } catch (error) {
      tell(problemOf(error).detail);
    }
  };
  if (tags.length === 0) return null;
  return (
    <ul class="wrap tags" aria-label="Tags">
      {tags.map((tag) => (
        <li key={tag} class="tag">
          {tag}
          {mayWrite.value && (
            <button
              type="button"
              class="quiet tiny"
              aria-label={`Remove the tag ${tag}`}
              onClick={() => {
                // The button disappears with its tag.
                document.querySelector<HTMLElement>('.pane-message [aria-label=Tag]')?.focus();
                void remove(tag);
              }}
            >
              <Icon name="close" size={10} />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
