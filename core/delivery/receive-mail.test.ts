import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mail } from '#test/once/conformance/mail.ts';
import type { DeliveryVerdict, Overflow, PreparedMail } from './delivery.ts';
import { commitMail, commitMails } from './receive-mail.ts';

const envelope = {
  ...{ mailFrom: '', rcptTo: [], helo: null, remoteAddress: null, tls: false, receivedBy: '' },
};
const place = {
  owner: 7,
  accountId: 1,
  mailbox: 'INBOX' as const,
  deliveredTo: 'a@x.test',
  tag: null,
  envelope,
};
const noRoom: DeliveryVerdict = { reason: 'no-room', address: 'a@x.test' };
const stored: DeliveryVerdict = { ids: [1], commits: [{ owner: 7, result: [1], events: [] }] };
const of = (sizeBytes: number): PreparedMail => mail([place], { sizeBytes });

/** Store that returns these verdicts one after the other, and an account that makes room this many times. */
function ports(verdicts: DeliveryVerdict[][], rooms: number) {
  const told: string[] = [];
  const noted = (what: string, { load }: Overflow) => told.push(`${what} ${load.bytes} in ${load.messages}`);
  const next = () => verdicts.shift() ?? [];
  return {
    told,
    deliveries: { commit: async () => next() },
    bus: { announce: () => void told.push('announced'), listen: () => () => {} },
    overflow: {
      dropsOldest: 1,
      turns: null,
      inTurn: <T>(work: () => Promise<T>) => work(),
      async makeRoom(unfit: Overflow) {
        noted('room for', unfit);
        rooms -= 1;
        return rooms >= 0;
      },
      accountRefused: (unfit: Overflow) => void noted('refused', unfit),
    },
  };
}

test('a mail is tried again as often as room is made for it', async () => {
  const made = ports([[noRoom], [noRoom], [stored]], 2);
  assert.equal(await commitMail(made, of(10), []), stored);
  assert.deepEqual(made.told, ['room for 10 in 1', 'room for 10 in 1', 'announced']);
  const refused = ports([[noRoom], [noRoom]], 1);
  assert.equal(await commitMail(refused, of(10), []), noRoom);
  assert.deepEqual(refused.told.slice(-1), ['refused 10 in 1']);
  const endless = ports(Array(1000).fill([noRoom]), 1000);
  assert.equal(await commitMail(endless, of(10), []), noRoom);
  assert.equal(endless.told.length, 401, 'at most 400 times');
});

test('mails that are stored wholly need room together, others each by itself', async () => {
  const mails = [of(10), of(20)].map((one) => ({ mail: one, reports: [] }));
  const together = ports(
    [
      [noRoom, noRoom],
      [stored, stored],
    ],
    1,
  );
  assert.deepEqual(await commitMails(together, mails, true), [stored, stored]);
  assert.deepEqual(together.told, ['room for 30 in 2', 'announced', 'announced']);
  const apart = ports([[stored, noRoom], [stored]], 1);
  assert.deepEqual(await commitMails(apart, mails, false), [stored, stored]);
  assert.deepEqual(apart.told, ['announced', 'room for 20 in 1', 'announced']);
  const full = ports([[stored, noRoom]], 0);
  assert.deepEqual(await commitMails(full, mails, false), [stored, noRoom]);
  assert.deepEqual(full.told, ['announced', 'room for 20 in 1', 'refused 20 in 1']);
});

test('a mail whose reports have no room is stored without them', async () => {
  const refused = [noRoom, noRoom];
  const unit = { mail: of(10), reports: [of(20)] };
  const made = ports([refused, [stored]], 0);
  assert.equal(await commitMail(made, unit.mail, unit.reports), stored);
  assert.deepEqual(made.told, ['room for 30 in 2', 'refused 30 in 2', 'announced']);
  const roomy = ports([refused, [stored, stored]], 1);
  assert.equal(await commitMail(roomy, unit.mail, unit.reports), stored);
  assert.deepEqual(roomy.told, ['room for 30 in 2', 'announced', 'announced']);
  const full = ports([refused, [noRoom]], 0);
  assert.equal(await commitMail(full, unit.mail, unit.reports), noRoom);
  assert.deepEqual(full.told.slice(-1), ['refused 10 in 1']);
});

test('each mail of a request is stored with its reports, and returns its own verdict', async () => {
  const units = [
    { mail: of(10), reports: [of(20), of(30)] },
    { mail: of(40), reports: [] },
    { mail: of(50), reports: [of(60)] },
  ];
  const own = (id: number): DeliveryVerdict => ({ ...stored, ids: [id] });
  const groups: (number | undefined)[][] = [];
  const verdicts = [[own(1), own(2), own(3), own(4), noRoom, noRoom], [own(5)]];
  const made = ports(verdicts, 0);
  const deliveries = {
    async commit(mails: PreparedMail[]) {
      groups.push(mails.map(({ group }) => group));
      return made.deliveries.commit();
    },
  };
  assert.deepEqual(await commitMails({ ...made, deliveries }, units, false), [own(1), own(4), own(5)]);
  assert.deepEqual(groups, [[0, 0, 0, undefined, 2, 2], [undefined]]);
  const together = ports([[own(1), own(2), own(3), own(4), own(5), own(6)]], 0);
  assert.deepEqual(await commitMails(together, units, true), [own(1), own(2), own(3)]);
});
