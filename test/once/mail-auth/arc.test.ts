import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sealMessage } from 'mailauth';
import { keys, openLab, pem, plainMail, receivedAt, sign } from './lab.ts';

const lab = await openLab();
after(() => lab.dns.close());
lab.dns.misbehaviour.set('servfail._domainkey.app.test', 'SERVFAIL');

/** Adds one more ARC set on top of the email. */
async function seal(mail: string, cv: string, selector = 'rsa1024'): Promise<string> {
  const headers = await sealMessage(Buffer.from(mail), {
    signingDomain: 'app.test',
    selector,
    privateKey: pem(keys.rsa1024),
    signTime: receivedAt,
    authResults: 'relay.test; spf=pass smtp.mailfrom=app.test',
    cv,
  });
  assert.ok(headers.length > 0, 'the seal could not be made');
  return `${headers.toString().trimEnd()}\r\n${mail}`;
}

const once = await seal(await sign(plainMail), 'none');
const cases: Record<string, [mail: string, result: string]> = {
  'no ARC': [plainMail, 'none'],
  'a set': [once, 'pass'],
  'two sets': [await seal(once, 'pass'), 'pass'],
  'a body that was changed after': [once.replace('A body.', 'Another body.'), 'fail'],
  'results that were changed after': [once.replace('spf=pass', 'spf=fail'), 'fail'],
  'a chain that says that it is broken': [await seal(once, 'fail'), 'fail'],
  'a set without its seal': [once.replace(/ARC-Seal:.*\r\n(?:[ \t].*\r\n)*/, ''), 'fail'],
  'a key that is not there': [await seal(plainMail, 'none', 'gone'), 'fail'],
  'a key that cannot be fetched': [await seal(plainMail, 'none', 'servfail'), 'temperror'],
};
for (const [what, [mail, result]] of Object.entries(cases)) {
  test(`ARC, ${what}: ${result}`, async () => {
    const { authentication } = await lab.check(mail);
    assert.equal(authentication.arc.result, result, authentication.header);
    assert.match(authentication.header, new RegExp(`arc=${result}\\b`));
  });
}
