import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeDocument } from './write-document.ts';

const written = (html: string) => Buffer.from(writeDocument(html, []).bytes).toString();

test('a mail may have any number of URLs in one place', () => {
  const urls = '//a '.repeat(250_000);
  for (const [before, after] of [
    ['<p style="', '">x</p>'],
    ['<style>', '</style>'],
  ] as const) {
    assert.equal(written(before + urls + after), before + 'data:, '.repeat(250_000) + after);
  }
});
