import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCodes } from '#core/extraction/codes.ts';

/** Tests that these codes are found in emails, each by its subject and text. */
export function testCodes(mails: [subject: string, text: string, values: string[]][]): void {
  for (const [subject, text, values] of mails) {
    const found = values.join(' and ') || 'nothing';
    test(`finds ${found} in ${JSON.stringify(`${subject}: ${text}`.slice(0, 90))}`, () => {
      const codes = findCodes({ otpToken: null, subject, text, html: null });
      assert.deepEqual(
        codes.map(({ value }) => value),
        values,
      );
    });
  }
}
