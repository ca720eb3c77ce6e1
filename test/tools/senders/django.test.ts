import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runPython, withoutPythonClients } from '#test/support/clients/provider-clients.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { assertAttempts, failing, startScene } from './scene.ts';

/**
 * Sends an email with Django, whose mailer reports a failure and leaves the retry to its application. Retries as a task queue does: after
 * 4xx and after a lost connection, but not after 5xx. Prints each attempt's result.
 */
const script = `
import json, smtplib, sys
from django.conf import settings
from django.core.mail import EmailMessage, get_connection
given = json.load(sys.stdin)
settings.configure()
def attempt(port):
    connection = get_connection(host='127.0.0.1', port=port)
    try:
        EmailMessage('Django', 'Hello', 'shop@example.com', [given['to']], connection=connection).send()
        return 250
    except smtplib.SMTPRecipientsRefused as error:
        return error.recipients[given['to']][0]
    except smtplib.SMTPResponseException as error:
        return error.smtp_code
    except smtplib.SMTPServerDisconnected:
        return 0
results = []
while len(results) < 9 and (not results or results[-1] == 0 or 400 <= results[-1] < 500):
    results.append(attempt(given['ports'][len(results) % len(given['ports'])]))
print(json.dumps(results))
`;

const scene = await forAllTests(startScene());

for (const [name, words, wanted] of [
  ['rcpt', { reply: '451 4.7.1 Try again', times: 3 }, [451, 451, 451, 250]],
  ['data', { stage: 'data', reply: '452 4.3.1 Full', times: 2 }, [452, 452, 250]],
  ['end', { stage: 'end', reply: '454 4.7.0 Not now', times: 3 }, [454, 454, 454, 250]],
  ['drop', { action: 'drop', stage: 'data', times: 2 }, [0, 0, 250]],
  ['forever', { reply: '550 5.1.1 No such user' }, [550]],
] as const) {
  test(`a task that sends by Django is refused as often as a rule says: ${name}`, {
    skip: withoutPythonClients,
  }, async () => {
    const team = await scene.team(`django-${name}`);
    const rule = await failing(team, words);
    const output = await runPython(script, { ports: scene.ports, to: team.address });
    assert.deepEqual(JSON.parse(output), wanted);
    const taken = wanted.filter((code: number) => code === 250).length;
    await assertAttempts(team, rule, { failed: wanted.length - taken, passed: taken, stored: taken });
  });
}
