import '../parts/tag.css';
import { useEffect, useState } from 'preact/hooks';
import { problemOf } from '../client/client.ts';
import type { Message } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Icon } from '../parts/icon.tsx';

/** Length of the longest tag. */
export const mostCharacters = 40;

/** Tags of a message, which members take off and add. Absent for a viewer if there are none. */
export function Tags({ message }: { message: Message }) {
  const { mail, mayWrite, reloadTags, request, tell } = usePage();
  const { id } = message;
  const [tags, setTags] = useState(message.tags);
  const { changed, rows } = mail.list.value;
  changed.value;
  const listed = rows.find(id)?.tags;
  // Changes of many messages reach the list alone.
  useEffect(() => listed && setTags(listed), [listed]);
  useEffect(() => setTags(message.tags), [message]);
  const set = async (wanted: string[]) => {
    try {
      const saved = await request<Message>('PATCH', `/api/messages/${id}`, { tags: wanted });
      setTags(saved.tags);
      mail.list.value.change(id, { tags: saved.tags });
      reloadTags().catch(() => {});
    } catch (error) {
      const { detail, violations } = problemOf(error);
      tell(violations?.[0] ? `The tag ${violations[0].message}` : detail);
    }
  };
  if (!mayWrite.value && tags.length === 0) return null;
  return (
    <div class="tags">
      {tags.length > 0 && (
        <ul aria-label="Tags">
          {tags.map((tag) => (
            <li key={tag} class="tag">
              {tag}
              {mayWrite.value && (
                <button
                  type="button"
                  class="quiet"
                  aria-label={`Remove the tag ${tag}`}
                  onClick={({ currentTarget }) => {
                    // The button goes with its tag.
                    currentTarget.closest('.tags')?.querySelector<HTMLElement>('.tag-add')?.focus();
                    void set(tags.filter((one) => one !== tag));
                  }}
                >
                  <Icon name="close" size={10} />
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayWrite.value && <NewTag add={(tag) => set([...tags, tag])} />}
    </div>
  );
}

/** Button that becomes a field. Enter adds what it has, Escape and leaving it empty give the button back. */
function NewTag({ add }: { add(tag: string): Promise<void> }) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState('');
  const close = () => {
    setText('');
    setOpen(false);
  };
  if (!isOpen) {
    return (
      <button type="button" class="quiet tag-add" onClick={() => setOpen(true)}>
        <Icon name="plus" size={12} /> Tag
      </button>
    );
  }
  return (
    <input
      type="text"
      class="tag-add"
      aria-label="New tag"
      placeholder="Tag, then Enter"
      maxLength={mostCharacters}
      autocomplete="off"
      spellcheck={false}
      ref={(input) => input?.focus()}
      value={text}
      onInput={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={() => text.trim() === '' && close()}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
        else if (event.key !== 'Enter' || event.isComposing) return;
        else if (text.trim() !== '') void add(text.trim()).then(() => setText(''));
        event.preventDefault();
      }}
    />
  );
}
