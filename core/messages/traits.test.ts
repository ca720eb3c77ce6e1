import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { authResults } from './content.ts';
import type { Term } from './query.ts';
import { dkimResults, keysOf, retagged, sumOf, traitsOf, traitTest, withKeys } from './traits.ts';

const result = fc.constantFrom(...authResults);
const some = <T>(item: T) => fc.boolean().map((has) => (has ? [item] : []));
const check = { id: 'x', title: '', detail: '' };

const unsigned = { domain: null, selector: null, aligned: false, info: null };
const unaligned = { domain: null, policy: null, alignedSpf: false, alignedDkim: false };

/** Contents with arbitrary traits. */
const content = fc.record({
  codes: some({ value: '1', source: 'text' as const }),
  links: some({ url: 'https://app.test', text: '', kind: 'other' as const }),
  cc: some({ name: '', address: 'a@b.test' }),
  bcc: some({ name: '', address: 'a@b.test' }),
  audit: fc.record({ critical: some(check), warning: some(check), info: some(check), passed: some(check) }),
  authentication: fc.record({
    spf: result.map((word) => ({ result: word, domain: null, explanation: null })),
    dkim: fc.array(
      result.map((word) => ({ result: word, ...unsigned })),
      { maxLength: 3 },
    ),
    dmarc: result.map((word) => ({ result: word, ...unaligned })),
    arc: result.map((word) => ({ result: word })),
    header: fc.constant(''),
  }),
});
const mails = fc.tuple(content, some({ provider: 'resend', request: '' })).map(([mail, [submission]]) => {
  return submission === undefined ? mail : { ...mail, submission };
});

const passes = (traits: number, term: Term): boolean | null => {
  const bits = traitTest(term);
  if (bits === null) return null;
  const isSet = (bit: number) => Math.floor(traits / 2 ** bit) % 2 === 1;
  return bits.set.every(isSet) && !bits.clear.some(isSet);
};

const typed = '';

test('bits decide what a mail has, and its results', () => {
  fc.assert(
    fc.property(mails, fc.boolean(), (mail, hasHtml) => {
      const traits = traitsOf(mail, hasHtml);
      const has = { code: mail.codes.length > 0, link: mail.links.length > 0, html: hasHtml };
      for (const [thing, there] of Object.entries(has)) {
        assert.equal(passes(traits, { field: 'has', thing: thing as 'code', typed }), there, thing);
      }
      const { audit, authentication } = mail;
      for (const value of ['critical', 'warning', 'info', 'passed'] as const) {
        assert.equal(passes(traits, { field: 'audit', value, typed }), audit[value].length > 0, value);
      }
      for (const word of authResults) {
        const of = (field: 'spf' | 'dkim' | 'dmarc' | 'arc') =>
          passes(traits, { field, result: word, typed });
        for (const field of ['spf', 'dmarc', 'arc'] as const) {
          assert.equal(of(field), authentication[field].result === word, `${field}:${word}`);
        }
        assert.equal(of('dkim'), dkimResults(authentication).includes(word), `dkim:${word}`);
      }
      for (const field of ['cc', 'bcc'] as const) {
        assert.equal(passes(traits, { field, part: 'x', typed }), mail[field].length > 0);
      }
      const value = 'resend';
      assert.equal(passes(traits, { field: 'provider', value, typed }), 'submission' in mail);
    }),
  );
});

test('the bits of a key are set in a message that has it, whatever else it has', () => {
  const words = fc.array(fc.string({ maxLength: 8 }), { maxLength: 22 });
  fc.assert(
    fc.property(mails, words, words, fc.option(fc.string()), (mail, addresses, tags, trace) => {
      const keys = keysOf(addresses, tags, trace);
      const traits = withKeys(traitsOf(mail, true), keys);
      assert.ok(Number.isSafeInteger(traits));
      for (const value of addresses) assert.ok(passes(traits, { field: 'address', value, typed }));
      for (const tag of tags) {
        const value = tag.trim().normalize('NFC').toLowerCase();
        assert.ok(passes(traits, { field: 'tag', value, typed }));
      }
      if (trace !== null) assert.ok(passes(traits, { field: 'trace', value: trace, typed }));
      assert.equal(withKeys(traits, []), traitsOf(mail, true), 'keys are replaced');
      const others = [...addresses.map((value) => `a:${value}`), ...(trace === null ? [] : [`x:${trace}`])];
      assert.deepEqual(retagged(keys, ['new']), [...others, 't:new']);
    }),
  );
});

test('few messages with other keys have the bits of a key', () => {
  const traits = Array.from({ length: 2000 }, (_, index) =>
    withKeys(0, keysOf([`qa+${index}@app.test`], [], null)),
  );
  const passing = traits.filter((other) =>
    passes(other, { field: 'address', value: 'qa+x@app.test', typed }),
  );
  assert.ok(passing.length < 40, `${passing.length} of 2000`);
});

test('words beside the mail have no bits', () => {
  assert.equal(traitTest({ field: 'text', part: 'x', typed }), null);
  assert.equal(traitTest({ field: 'audit', value: 'dmarc', typed }), null);
  assert.equal(traitTest({ field: 'has', thing: 'attachment', typed }), null);
  assert.equal(sumOf([0, 40]), 2 ** 40 + 1);
});
