import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressKey, recipientsOf } from './recipients.ts';

const envelope = (rcptTo: string[]) => {
  return { mailFrom: '', rcptTo, helo: null, remoteAddress: null, tls: false, receivedBy: '' };
};

const cases: [deliveredTo: string, rcptTo: string[], copy: boolean, recipients: string[]][] = [
  ['qa@app.test', ['qa@app.test'], false, ['qa@app.test']],
  [
    'QA+a@app.test',
    ['QA+a@app.test', 'qa+b@APP.test', 'bob@app.test'],
    false,
    ['QA+a@app.test', 'qa+b@APP.test'],
  ],
  ['any@app.test', ['other@app.test'], false, ['any@app.test']],
  ['qa@app.test', ['bob@app.test'], true, []],
];

for (const [deliveredTo, rcptTo, copy, recipients] of cases) {
  test(`a copy for ${deliveredTo} of ${rcptTo} is for ${recipients}`, () => {
    assert.deepEqual(recipientsOf({ deliveredTo, envelope: envelope(rcptTo), copy }), recipients);
  });
}

test('addresses are compared in lower case and A-labels', () => {
  assert.equal(addressKey('QA+Run@B\u00dcCHER.test'), 'qa+run@xn--bcher-kva.test');
  assert.equal(addressKey('"odd one"@App.test'), '"odd one"@app.test');
});
