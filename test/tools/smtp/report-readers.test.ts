import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { composeReport } from '#adapters/composing/report-composer.ts';
import { draftReports } from '#core/failures/draft-reports.ts';
import type { ReportRequest } from '#core/failures/report-fields.ts';
import { runPython, withoutPythonClients } from '#test/support/clients/provider-clients.ts';

const source = Buffer.from('From: app@app.test\r\nMessage-ID: <1@app.test>\r\nSubject: Hi\r\n\r\nHello\r\n');

/** Composes the report on some recipients. */
async function report(...requests: ReportRequest[]): Promise<string> {
  const [draft] = draftReports(
    {
      ...{
        mailFrom: 'app@app.test',
        remoteAddress: '203.0.113.7',
        receivedBy: 'mx.app.test',
        receivedAt: new Date(),
      },
      ...{ smtpUtf8: false, recipients: [], dsn: null },
    },
    requests,
    { msgid: '<1@app.test>', subject: 'Hi', sizeBytes: source.length, beginning: source },
  );
  return Buffer.from(await composeReport(draft ?? assert.fail('no report'))).toString();
}

const ask = (kind: ReportRequest['kind'], reply = '', name = 'a') => ({
  address: `${name}@app.test`,
  kind,
  reply,
});
const two = [ask('failed', '550 5.1.1 No such user'), ask('failed', '552 5.2.2 Mailbox full', 'b')];

/** Prints what flufl.bounce, Mailman's reader, finds: temporary and permanent failures. */
const script = `
import json, sys
from email import message_from_string
from flufl.bounce import all_failures
found = [all_failures(message_from_string(raw)) for raw in json.load(sys.stdin)]
print(json.dumps([[sorted(one.decode() for one in kind) for kind in both] for both in found]))`;

test('flufl.bounce tells failures that stay from those that pass', {
  skip: withoutPythonClients,
}, async () => {
  const delayed = ask('delayed', '451 4.4.1 Delayed on purpose');
  const raws = [
    await report(...two),
    await report(delayed),
    await report(ask('delivered')),
    await report(ask('autoreply')),
  ];
  assert.deepEqual(JSON.parse(await runPython(script, raws)), [
    [[], ['a@app.test', 'b@app.test']],
    [['a@app.test'], []],
    [[], []],
    [[], []],
  ]);
});

/** Prints what Sisimai finds, one line per recipient. */
const perl = `local $/; my $raw = <STDIN>;
for my $found (@{ Sisimai->make(\\$raw, delivered => 1) || [] }) {
  print join(' | ', map { $_ // '' } $found->recipient->address, $found->action, $found->deliverystatus, $found->reason,
    $found->feedbacktype, $found->messageid), "\\n";
}`;

const sisimai = (input: string) => spawnSync('perl', ['-MSisimai', '-e', perl], { input, encoding: 'utf8' });
const isInstalled = spawnSync('perl', ['-MSisimai', '-e', '1']).status === 0;
const withoutSisimai = isInstalled ? false : 'test/setup.sh, which installs Sisimai, was not run';

test('Sisimai names the reason of each report', { skip: withoutSisimai }, async () => {
  const read = async (...requests: ReportRequest[]) =>
    sisimai(await report(...requests))
      .stdout.trim()
      .split('\n');
  assert.deepEqual(await read(...two), [
    'a@app.test | failed | 5.1.1 | userunknown |  | 1@app.test',
    'b@app.test | failed | 5.2.2 | mailboxfull |  | 1@app.test',
  ]);
  assert.deepEqual(await read(ask('delayed', '451 4.4.1 Delayed on purpose')), [
    'a@app.test | delayed | 4.4.1 | expired |  | 1@app.test',
  ]);
  assert.deepEqual(await read(ask('delivered')), [
    'a@app.test | delivered | 2.0.0 | delivered |  | 1@app.test',
  ]);
  assert.deepEqual(await read(ask('complaint')), ['a@app.test |  |  | feedback | abuse | 1@app.test']);
  assert.deepEqual(await read(ask('autoreply')), ['a@app.test |  |  | vacation |  |']);
});
