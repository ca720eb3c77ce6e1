import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { sideBySide } from './side-by-side.ts';
import { until } from './until.ts';

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

test('the jobs of each row run one after the other, beside the others', async () => {
  const { begun, jobs, end } = scene();
  const rows = [jobs('1', '2'), jobs('5', '6', '7')];
  const all = gathered(sideBySide(jobs('a', 'b', 'c'), rows, () => 2));
  await end();
  assert.deepEqual(begun.splice(0), ['1', '5', 'a', 'b']);
  await end('a', 'b');
  assert.deepEqual(begun.splice(0), ['c']);
  await end('5');
  assert.deepEqual(begun.splice(0), ['6']);
  await end('c');
  assert.deepEqual(begun.splice(0), []);
  await end('1', '6');
  assert.deepEqual(begun.splice(0), ['2', '7']);
  await end('2', '7');
  assert.deepEqual((await all).sort(), ['1', '2', '5', '6', '7', 'a', 'b', 'c']);
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

test('more places are taken while no job ends', async () => {
  const { begun, jobs, end } = scene();
  let places = 1;
  const all = gathered(sideBySide(jobs('a', 'b'), [], () => places, 1));
  await end();
  assert.deepEqual(begun, ['a']);
  places = 2;
  await until(() => begun.length === 2);
  await end('a', 'b');
  assert.deepEqual(await all, ['a', 'b']);
});

test('the error of a job ends the run', async () => {
  const failing = () => Promise.reject(new Error('no'));
  await assert.rejects(gathered(sideBySide([failing], [], () => 1)), /no/);
});
