import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signal } from '@preact/signals';
import type { MessageSummary } from '../client/shapes.ts';
import { allMail, type MailPlace } from '../place-url.ts';
import { createMailList } from './mail-list.ts';
import { createSelection } from './selection.ts';

/** Creates a list's state, as a page has it, for a team with these messages. */
function begin(...messages: (number | Pick<MessageSummary, 'id' | 'thread_id'>)[]) {
  const items = messages.map((given) => {
    const { id, thread_id } = typeof given === 'number' ? { id: given, thread_id: null } : given;
    return { id, thread_id, is_read: false, subject: `${id}` } as MessageSummary;
  });
  const paths: string[] = [];
  const request = async <T>(_method: string, path: string): Promise<T> => {
    paths.push(path);
    const answer = { items, pagination: { page: 1, limit: 100, total: items.length }, cursor: 7 };
    return answer as T;
  };
  const mailPlace = signal<MailPlace>(allMail);
  const goMail = (change: Partial<MailPlace>) => {
    mailPlace.value = { ...mailPlace.value, ...change };
  };
  const hasLeft = signal(false);
  const conversations = signal<'yes' | 'no'>('no');
  const list = createMailList({ request, hasLeft }, { conversations });
  const selection = createSelection(list, { goMail, mailPlace });
  const shown = () => Array.from({ length: list.rowTotal.value }, (_, index) => list.messageAt(index)?.id);
  return { ...list, ...selection, conversations, hasLeft, mailPlace, paths, shown };
}

/** Waits until a list has read its first page. */
const read = ({ list }: ReturnType<typeof begin>) =>
  new Promise<void>((resolve) => {
    list.value.loaded.subscribe((isLoaded) => isLoaded && resolve());
  });

test('two lists beside each other have rows, hidden rows and selections of their own', async () => {
  const [one, two] = [begin(3, 2, 1), begin(9, 8)];
  one.showList({ ...allMail, account: 4, mailbox: 5, unread: true });
  two.showList(allMail);
  await Promise.all([read(one), read(two)]);
  assert.deepEqual(one.paths, ['/api/accounts/4/mailboxes/5/messages?page=1&limit=100&unread=true']);
  assert.deepEqual(two.paths, ['/api/messages?page=1&limit=100']);

  one.hidden.value = new Set([2]);
  one.toggle(3);
  two.open(8);
  two.list.value.change(8, { is_read: true });
  assert.deepEqual(
    [one.shown(), two.shown()],
    [
      [3, 1],
      [9, 8],
    ],
  );
  assert.deepEqual([await one.chosen(), await two.chosen()], [[3], [8]]);
  assert.deepEqual([one.mailPlace.value.message, two.mailPlace.value.message], [null, 8]);
  assert.deepEqual([one.list.value.rows.find(8), two.list.value.rows.find(8)?.is_read], [undefined, true]);
});

test('a list that is left has no rows, and another keeps its own', async () => {
  const [one, two] = [begin(3, 2), begin(9)];
  for (const list of [one, two]) list.showList(allMail);
  await Promise.all([read(one), read(two)]);
  one.hasLeft.value = true;
  assert.deepEqual([one.shown(), two.shown()], [[], [9]]);
});

test('an answer to a list that was replaced changes nothing', async () => {
  const state = begin(3, 2);
  state.showList(allMail);
  const replaced = state.list.value;
  state.showList({ ...allMail, q: 'invoice' });
  await read(state);
  assert.equal(replaced.loaded.value, false);
  assert.deepEqual(state.paths, [
    '/api/messages?page=1&limit=100',
    '/api/messages?page=1&limit=100&q=invoice',
  ]);
});

test('a row is a conversation: the newest message stands for it, and an action concerns all of its messages', async () => {
  const page = begin({ id: 5, thread_id: 2 }, 4, { id: 3, thread_id: 2 }, 2, 1);
  page.conversations.value = 'yes';
  page.showList(allMail);
  await read(page);
  assert.deepEqual(page.shown(), [5, 4, 1]);
  assert.deepEqual([page.rowTotal.value, page.shownTotal.value], [3, 5]);
  assert.deepEqual([5, 3, 2, 1, 9].map(page.indexOfMessage), [0, 0, 0, 2, -1]);
  page.toggle(5);
  page.toggle(1);
  assert.equal(page.selectedCount.value, 4);
  assert.deepEqual(await page.chosen(), [5, 3, 2, 1]);
  // A deletion that can still be undone removes the message from the conversation.
  page.hidden.value = new Set([5]);
  assert.deepEqual(page.shown(), [4, 3, 1]);
  assert.deepEqual(await page.chosen(), [1]);
  page.selectEverything();
  assert.deepEqual(await page.chosen(), [4, 3, 2, 1]);
  page.letGoOfRows();
  page.active.value = 3;
  assert.deepEqual(await page.chosen(), [3, 2]);
  page.open(2);
  page.read.value = { id: 2, exists: true };
  assert.deepEqual(await page.chosen(), [2]);
  page.conversations.value = 'no';
  assert.deepEqual(page.shown(), [4, 3, 2, 1]);
});
