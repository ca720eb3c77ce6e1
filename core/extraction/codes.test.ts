import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCodes } from './codes.ts';

const found: [string, string[]][] = [
  ['Your verification code is 123456.', ['123456']],
  ['Your code: 4821', ['4821']],
  ['Your code is:\n\n  481 922\n\nIt expires in 10 minutes.', ['481922']],
  ['Enter this code to sign in:\n\nAB12-CD34\n\nThanks', ['AB12-CD34']],
  ['123456 is your Acme verification code', ['123456']],
  ['G-123456 is your Google verification code.', ['G-123456']],
  ['Use 774 120 as your one-time passcode.', ['774120']],
  ['Your confirmation code is 123-456', ['123456']],
  ['Confirmation code:\nKXQZPL', ['KXQZPL']],
  ['PIN: 0042', ['0042']],
  ['OTP for your transaction of $1,250.00 on 12/11/2026 is 908172. Do not share it.', ['908172']],
  ['Code: 2024', ['2024']],
  ['Your code is 2026', ['2026']],
  ['1 2 3 4 5 6\nis your code', ['123456']],
  ['Your login code\n\n1 2 3 4 5 6', ['123456']],
  ['Your two-factor code for Acme Inc. is 55 12 90 (valid for 300 seconds)', ['551290']],
  ['We sent this because you asked for a code to log in to Acme: 481922', ['481922']],
  ['Ihr Bestätigungscode lautet 928174.', ['928174']],
  ['Ihr Einmalpasswort: 55512', ['55512']],
  ['Votre code de vérification est 837465', ['837465']],
  ['Tu código de verificación es 445566', ['445566']],
  ['Il tuo codice di verifica è 112233', ['112233']],
  ['Seu código de verificação é 998877', ['998877']],
  ['Je verificatiecode is 746352', ['746352']],
  ['Din engångskod är 192837', ['192837']],
  ['Vahvistuskoodisi on 564738', ['564738']],
  ['Twój kod weryfikacyjny to 918273', ['918273']],
  ['Ваш код подтверждения: 483920', ['483920']],
  ['您的验证码是123456，5分钟内有效。', ['123456']],
  ['認証コード：654321', ['654321']],
  ['인증번호는 [334455] 입니다.', ['334455']],
  ['رمز التحقق الخاص بك هو 778899', ['778899']],
  ['Doğrulama kodunuz: 246810', ['246810']],
  ['Your code is a1b2c3d4', ['a1b2c3d4']],
  ['<#> 123456 is your code\nFA+9qCX9VSu', ['123456']],
  ['Backup codes:\n48291034\n', ['48291034']],
  ['Your code is 123456. If you did not ask, call +1 555 123 4567. Order 889900.', ['123456']],
  ['Your code is 123456\n\n© 2026 Acme Inc., 500 Main Street, San Francisco, CA 94105', ['123456']],
];

for (const [text, values] of found) {
  test(`finds ${values.join()} in ${JSON.stringify(text)}`, () => {
    const codes = findCodes({ otpToken: null, subject: '', text, html: null });
    assert.deepEqual(
      codes,
      values.map((value) => ({ value, source: 'text' })),
    );
  });
}

const notFound: string[] = [
  'Your order 123456 has been shipped.',
  'Invoice number 998877 over 1,250.00 EUR, due on 2026-12-01.',
  'Call us at +1 555 123 4567 or (555) 123-4567.',
  'Use promo code SAVE2026 for 20% off, or discount code 445566.',
  'Your zip code 94105 was changed to postal code 10115.',
  'See you in 2026! The code of conduct was changed in 2024.',
  'Meeting on 2026-11-21 at 10:30, room 4512.',
  'The source code is at https://git.example/repo/123456 since 2019.',
  'Verify here: https://app.example/verify?code=123456',
  'The exit code was 1001 after 5000 seconds.',
  'Your balance is $4821 after 3 payments of 1500 EUR.',
  'Ticket #48213 was answered.',
  'Country code: 0049',
  'Error code 4004 at 192.168.1.100:8080',
  'You have 5000 points left. Enter the code below within 1440 minutes.',
  'Reference: 20261121',
  'Write to 123456@example.test for a code',
];

for (const text of notFound) {
  test(`finds no code in ${JSON.stringify(text)}`, () => {
    assert.deepEqual(findCodes({ otpToken: null, subject: '', text, html: null }), []);
  });
}

test('puts the header first, then the subject, then the body; each value once', () => {
  const codes = findCodes({
    otpToken: '1111',
    subject: '2222 is your code',
    text: 'Your code is 2222, PIN 3333',
    html: null,
  });
  assert.deepEqual(codes, [
    { value: '1111', source: 'header' },
    { value: '2222', source: 'subject' },
    { value: '3333', source: 'text' },
  ]);
});

test('reads HTML where there is no text', () => {
  const codes = findCodes({ otpToken: null, subject: 'Hello', text: ' \n', html: 'Your code\n778 201' });
  assert.deepEqual(codes, [{ value: '778201', source: 'html' }]);
});

/** Counts the characters that expressions test while an action runs. Unlike time, this is the same on every machine. */
function countTested(action: () => void): number {
  const { test } = RegExp.prototype;
  let tested = 0;
  RegExp.prototype.test = function (text) {
    tested += text.length;
    return test.call(this, text);
  };
  try {
    action();
  } finally {
    RegExp.prototype.test = test;
  }
  return tested;
}

for (const hostile of [
  'number 1234 code 12 ',
  'code aB1cD2eF3 ',
  'ünumber 1234 kodé ',
  'passcode foo 1234 foo passcode ',
  'x7Kp2Q code ',
  'use 1234 to go. ',
  'code 5% 1234. ',
  `${'code xK7q2. '.repeat(160)}5% off\n`,
  'Code KXQZPL ABCDF\nX\n',
  '验证码 number 1234x 码あいうえお ',
]) {
  test(`reads no sentence once a word: ${JSON.stringify(hostile.slice(0, 40))}`, () => {
    const text = `Your verification code:\n${hostile.repeat(262_144 / hostile.length)}`;
    const tested = countTested(() =>
      findCodes({ otpToken: null, subject: 'Your verification code', text, html: text }),
    );
    assert.ok(tested < 12 * text.length, `tests ${tested} characters`);
  });
}

test('takes linear time on hostile text', () => {
  for (const filler of [
    '1 ',
    '1',
    'code ',
    '-',
    '1-',
    'code 1 ',
    '\n',
    'https://',
    '\u0483',
    '12 34 ',
    'a1',
    'code\n1234\n',
    '1\n',
    'ABCD\n',
    'code: KXQZPL\n',
    'Use 4829 to verify. ',
    '48% off code 4829. ',
    'order code 4829 ',
    '\uff14',
    '\u200b1',
    '验证码',
  ]) {
    const started = process.cpuUsage();
    const hostile = filler.repeat(300_000 / filler.length);
    findCodes({ otpToken: null, subject: 'Your code', text: hostile, html: `${hostile} ` });
    const { user } = process.cpuUsage(started);
    assert.ok(user < 2_000_000, `${JSON.stringify(filler)}: ${user} µs`);
  }
});
