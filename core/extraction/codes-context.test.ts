import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCodes } from './codes.ts';

const valuesOf = (text: string, subject = '') =>
  findCodes({ otpToken: null, subject, text, html: null }).map(({ value }) => value);

/** Texts with a number that is near an announcement but not beside it, and the codes found in them. */
const cases: [text: string, values: string[]][] = [
  ['We sent a code to you today, see 3344', ['3344']],
  ['We sent a code to you today, see 3344\nYour code is 5566', ['5566']],
  ['4455 was sent as the code', ['4455']],
  ['Your new code 482913 replaces the earlier code 111222', ['482913']],
  ['Your previous code 111222 no longer works. Your code is 482913', ['482913']],
  ['The code 1430 expired. Your code is 482913.', ['482913']],
  ['Votre ancien code 111222 est remplacé. Votre code : 482913', ['482913']],
  ['> Your code is 111222\n\nYour code is 482913', ['482913']],
  ['> Your code is 111222', ['111222']],
  ['Use this code to sign in. 482913. It expires soon.', ['482913']],
  ['Your verification code expires in 10 minutes. 482913', ['482913']],
  ['Here is your code. K7XQ2P', ['K7XQ2P']],
  ['Here is your code. K7XQ2P is our cat', []],
  ['Your code is below. 482913 It expires in 10 minutes', ['482913']],
  ['Ihr Code steht unten. 482913 Er ist 10 Minuten gültig.', ['482913']],
  ['Your one-time password follows. 482913 is valid for an hour.', ['482913']],
  ['Your code is below. K7XQ2P It expires in 10 minutes', ['K7XQ2P']],
  ['Never share this code. COVID19 Vaccines are here', []],
  ['We reviewed your code. 4821 lines changed', []],
  ['Never share this code. 1600 Amphitheatre Parkway', []],
  ['Never share this code.\n1600 Amphitheatre Parkway', []],
  ['认证码如下。482913', ['482913']],
  ['We made a sign-in code for you. It is 482913.', ['482913']],
  ['We made a sign-in code for you.\nIt is 482913 today.', ['482913']],
  ['Here is your code.\nThe number is 482913', ['482913']],
  ['Votre code est arrivé. Le numéro est 482913.', ['482913']],
  ['We sent a code. The order number is 482913', []],
  ['Please use the code of this message to go on 7K2QX4', ['7K2QX4']],
  ['Please use the code on page 7K2QX4 of the manual', []],
  ['Our code may be fast on 7K2QX4', []],
  ['Your code was accepted. The number is 482913', []],
  ['We sent a code.\nWe met at 482913 today.', []],
  ['Your code is here. Please use 482913 today.', ['482913']],
  ['Your code is 1122. We are at 482913.', ['1122']],
  ['Your code is for you. Hello. 482913.', []],
  ['Your code is for you. It is 2026.', []],
  ['Your previous code was 111222', ['111222']],
  ['To sign in to your account on the new device, please use\n482913 today and not later', ['482913']],
  ['Enter the code WDJB-MJHT on your device', ['WDJB-MJHT']],
  ['Your code: WDJB-MJHT', ['WDJB-MJHT']],
  ['Enter the code WI-FI below', []],
  ['We sent a code to you today 20264', ['20264']],
  ['We sent a code to you today 2026', []],
  ['We sent a code to you today ABCD', []],
  ['We sent a code today for order 3344', []],
  ['We sent a code today about order from 4455', []],
  ['We sent a code today for visa number 4455', []],
  ['We sent a code today to zip 94105', []],
  ['Enter the code at CA 94105 today', []],
  ['Enter the code at CAX 94105 today', ['94105']],
  ['Enter the code at CA9 94105 today', ['94105']],
  ['Enter the code at CA 941051 today', ['941051']],
  ['94105 is your code', ['94105']],
  ['the code we sent to you this morning 3344', ['3344']],
  ['code one two three four five six seven 3344', ['3344']],
  ['code one two three four five six seven eight 3344', []],
  [`code ${'12; '.repeat(23)}4455`, ['4455']],
  [`code ${'12; '.repeat(25)}4455`, []],
  [`${'x '.repeat(20)}sent a code to you today 4455`, ['4455']],
  ['Our code at work or 1122 and 3344', ['1122']],
  ['code is as your the a this below following here 1234', []],
  ['code is as your the a this below 1234\nPIN 5566', ['1234', '5566']],
  ['1234 code\nPIN 5566', ['5566']],
  ['1234 this code\nPIN 5566', ['5566']],
  ['1234 island code\nPIN 5566', ['5566']],
  ['code is sent 1234\nPIN 5566', ['5566']],
  ['1234 is your order code\nPIN 5566', ['5566']],
  ['Your code\nsee below\n1234', ['1234']],
  ['Your code\nsee\nbelow\n1234', []],
  ['Your code\n \n \n \n1234', ['1234']],
  ['Your code\nsee 1234 today', []],
  ['1234\nis the code', ['1234']],
  ['PIN 5566\nhello\n1234', ['5566']],
  ['PIN 5566\n1234', ['5566']],
  ['Your code http://a.test/?123456', []],
  ['Your code https://a.test/?123456', []],
  ['Your code www.a.test/?123456', []],
  ['Your code https://a.test 1234\nPIN 5566', ['1234', '5566']],
  [`${'x '.repeat(1500)}Your code is 1234`, ['1234']],
  [`Your code is${' '.repeat(1995)}1234 today`, ['1234']],
  ['Votre code promo 445566', []],
  ['Votre code promo de mai 445566', []],
  ['Your promocode 445566', []],
  ['Unicode 4455', []],
  ['barcode 4455', []],
  ['decode 4455', []],
  ['postcode 445566', []],
  ['logincode 445566', ['445566']],
  [`${'x'.repeat(36)}code 1234`, ['1234']],
  [`${'x'.repeat(37)}code 1234`, []],
  ['您的验证码Acme 123456', ['123456']],
  ['Ihr Code vom 3. März 2026 lautet 730412', ['730412']],
  ['Votre code du 12 février 2026 : 730412', ['730412']],
  ['Tu código del 12 de marzo de 2026: 730412', ['730412']],
  ['Enter the OTP below. It expires on March 3, 2026.\n\n730412', ['730412']],
  ['Activate 2FA by 14 March 2026\n\nLOGO', []],
  ['User Verification code Valid until\n\nada 730412 14:15', ['730412']],
  ['User Verification code Request\n\nada 730412 48291377', []],
  ['Access password of the PDF: 123\n\nNotice: 8382705086; issued today', []],
  ['Code Article Price\n\n730412 Lamp 14', []],
];

for (const [text, values] of cases) {
  test(`finds ${values.join(' and ') || 'nothing'} in ${JSON.stringify(text.slice(0, 70))} (${text.length})`, () => {
    assert.deepEqual(valuesOf(text), values);
  });
}

test('a subject announces a number that a sentence of a few words gives', () => {
  assert.deepEqual(valuesOf('Hello Ada,\n\nthe number is 482913', 'Your login code'), ['482913']);
  assert.deepEqual(valuesOf('Hello Ada,\n\nthe number is 482913', 'Your order'), []);
});

test('codes are looked for in the beginning of a text', () => {
  assert.deepEqual(valuesOf(`${'x\n'.repeat(131_068)}PIN 1234`), ['1234']);
  assert.deepEqual(valuesOf(`${'x\n'.repeat(131_072)}PIN 1234`), []);
});

test('twenty codes are enough', () => {
  const pins = Array.from({ length: 25 }, (_, index) => `${2100 + index}`);
  const text = pins.map((pin) => `PIN ${pin}`).join('\n');
  assert.deepEqual(valuesOf(text), pins.slice(0, 20));
  assert.deepEqual(valuesOf(text, 'PIN 7777'), ['7777', ...pins.slice(0, 19)]);
});

test('a message without text has the codes of its HTML', () => {
  const codes = findCodes({ otpToken: null, subject: '', text: null, html: 'Your code\n778201' });
  assert.deepEqual(codes, [{ value: '778201', source: 'html' }]);
  assert.deepEqual(findCodes({ otpToken: null, subject: '', text: null, html: null }), []);
});
