import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { sideBySide } from './side-by-side.ts';

async function gathered<T>(all: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const one of all) list.push(one);
  return list;
}

/** Jobs that end when the test says so. */
function scene() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const jobs = (...names: string[]) =>
    names.map((name) => () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
    });
  const end = async (...names: string[]) => {
    for (const name of names) ends.get(name)?.();
    for (let turns = 0; turns < 3; turns += 1) await turn();
  };
  return { begun, jobs, end };
}

test('two jobs that wait run beside the others, and those that are left take all places', async () => {
  const { begun, jobs, end } = scene();
  const all = gathered(sideBySide(jobs('a', 'b', 'c', 'd'), jobs('1', '2', '3', '4', '5'), () => 2));
  await end();
  assert.deepEqual(begun.splice(0), ['1', '2', 'a', 'b']);
  await end('a', 'b');
  assert.deepEqual(begun.splice(0), ['c', 'd']);
  await end('1');
  assert.deepEqual(begun.splice(0), ['3']);
  await end('c', 'd');
  assert.deepEqual(begun.splice(0), ['4', '5']);
  await end('2', '3', '4', '5');
  assert.deepEqual((await all).sort(), ['1', '2', '3', '4', '5', 'a', 'b', 'c', 'd']);
});

test('more places are taken when the next job ends', async () => {
  const { begun, jobs, end } = scene();
  let places = 1;
  const all = gathered(sideBySide(jobs('a', 'b', 'c'), [], () => places));
  await end();
  assert.deepEqual(begun, ['a']);
  places = 2;
  await end('a');
  assert.deepEqual(begun, ['a', 'b', 'c']);
  await end('b', 'c');
  assert.deepEqual(await all, ['a', 'b', 'c']);
});

test('the error of a job ends the run', async () => {
  const failing = () => Promise.reject(new Error('no'));
  await assert.rejects(gathered(sideBySide([failing], [], () => 1)), /no/);
});
