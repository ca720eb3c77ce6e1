import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentencesOf } from './report-text.ts';

const about = { address: 'qa@app.test', action: null, status: null, diagnostic: null };
const failed = { ...about, action: 'failed' as const };

test('a bounce names the recipient and the reply, with the status once', () => {
  const diagnostic = '550 5.1.1 No such user';
  const said = ['Bounce: mail to qa@app.test could not be delivered: 550 5.1.1 No such user'];
  assert.deepEqual(
    sentencesOf({ kind: 'failed', recipients: [{ ...failed, status: '5.1.1', diagnostic }] }),
    said,
  );
  assert.deepEqual(
    sentencesOf({ kind: 'failed', recipients: [{ ...failed, status: '5.1.1', diagnostic: '550 Gone' }] }),
    ['Bounce: mail to qa@app.test could not be delivered: 5.1.1 550 Gone'],
  );
  assert.deepEqual(sentencesOf({ kind: 'failed', recipients: [{ ...failed, status: '5.1.1' }] }), [
    'Bounce: mail to qa@app.test could not be delivered: 5.1.1',
  ]);
  assert.deepEqual(sentencesOf({ kind: 'failed', recipients: [about] }), [
    'Bounce: mail to qa@app.test could not be delivered.',
  ]);
});

test('the other kinds are told in words', () => {
  assert.deepEqual(
    sentencesOf({
      kind: 'delivered',
      recipients: [{ ...about, action: 'delivered', status: '2.1.5', diagnostic: null }],
    }),
    ['Delivered: mail to qa@app.test was delivered.'],
  );
  assert.deepEqual(
    sentencesOf({ kind: 'delayed', recipients: [{ ...about, action: 'delayed', diagnostic: '451 Later' }] }),
    ['Delayed: mail to qa@app.test has not been delivered yet; the server is still trying: 451 Later'],
  );
  assert.deepEqual(sentencesOf({ kind: 'complaint', recipients: [about] }), [
    'Complaint: qa@app.test reported an earlier message as spam.',
  ]);
  assert.deepEqual(sentencesOf({ kind: 'autoreply', recipients: [] }), [
    'Automatic reply: a program sent this in reply to an earlier message.',
  ]);
});
