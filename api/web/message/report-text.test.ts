import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentencesOf } from './report-text.ts';

type Report = Parameters<typeof sentencesOf>[0];

const recipient = { address: 'qa@app.test', action: null, status: null, diagnostic: null };
const about = (words: Partial<Report['recipients'][number]> = {}) => [{ ...recipient, ...words }];
const failed = 'Bounce: mail to qa@app.test could not be delivered';

/** Reports about a recipient, and their sentence. A bounce names the reply, with the status once. */
const cases: [Report['kind'], Report['recipients'], sentence: string][] = [
  [
    'failed',
    about({ action: 'failed', status: '5.1.1', diagnostic: '550 5.1.1 No such user' }),
    `${failed}: 550 5.1.1 No such user`,
  ],
  [
    'failed',
    about({ action: 'failed', status: '5.1.1', diagnostic: '550 Gone' }),
    `${failed}: 5.1.1 550 Gone`,
  ],
  ['failed', about({ action: 'failed', status: '5.1.1' }), `${failed}: 5.1.1`],
  ['failed', about(), `${failed}.`],
  [
    'delivered',
    about({ action: 'delivered', status: '2.1.5' }),
    'Delivered: mail to qa@app.test was delivered.',
  ],
  [
    'delayed',
    about({ action: 'delayed', diagnostic: '451 Later' }),
    'Delayed: mail to qa@app.test has not been delivered yet; the server is still trying: 451 Later',
  ],
  ['complaint', about(), 'Complaint: qa@app.test reported an earlier message as spam.'],
  ['autoreply', [], 'Automatic reply: a program sent this in reply to an earlier message.'],
];

for (const [kind, recipients, sentence] of cases)
  test(`says: ${sentence}`, () => {
    assert.deepEqual(sentencesOf({ kind, recipients }), [sentence]);
  });
