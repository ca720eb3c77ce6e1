import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isStub } from './stub-text.ts';

const welcome = 'Welcome, Ann\nYour code is 482913.\nIt is valid for ten minutes.';
const newsletter = `View this email in your browser\nSpring sale\n${'Shoes and shirts at half the price until Sunday, in each of our shops and online. '.repeat(3)}Unsubscribe`;
const japanese =
  'アン様\nご注文ありがとうございます。ご注文の商品は本日発送いたしました。到着まで三日ほどかかります。';

/** Texts beside an HTML part that says something else. */
const stubs: [text: string, seen: string][] = [
  ['To view the message, please use an HTML compatible email viewer!', 'Your code is 482913'],
  ['Your email program cannot show HTML', welcome],
  ['This is the body in plain text for non-HTML mail clients', welcome],
  ['Your mail client does not support this message.', welcome],
  ['Please open this message in a browser.', welcome],
  ['View this email in your browser: https://shop.example/m/1', newsletter],
  ['https://shop.example/m/1', welcome],
  ['Bitte verwenden Sie ein HTML-fähiges Programm.', welcome],
  ['Ihr E-Mail-Programm kann diese Nachricht nicht anzeigen.', welcome],
  ['Voir ce message dans votre navigateur : https://shop.example/m/1', welcome],
  ['Votre logiciel de messagerie ne peut pas afficher ce message.', welcome],
  ['Si no puede ver este mensaje, ábralo en su navegador.', welcome],
  ['Su cliente de correo no puede mostrar este mensaje', welcome],
  ['Abra esta mensagem no seu navegador', welcome],
  ['Il programma di posta non mostra questo messaggio.', welcome],
  ['Uw mailprogramma kan dit bericht niet tonen.', welcome],
  ['Otwórz tę wiadomość w przeglądarce', welcome],
  ['Откройте письмо в браузере', welcome],
  ['このメールはHTML形式です。', japanese],
  ['ブラウザでご覧ください', japanese],
  ['请使用支持 HTML 的邮件客户端查看', welcome],
  ['브라우저에서 보기', welcome],
  ['افتح الرسالة في المتصفح', welcome],
  [
    '_______________________________________________\nUsers mailing list -- users@lists.example\nTo unsubscribe send a mail to users-leave@lists.example\n',
    welcome,
  ],
  ['-- \nYou received this message because you are subscribed to the group "users".', welcome],
  ['-----\nDiese E-Mail wurde auf Viren geprüft.', welcome],
  ['Sent from my phone', newsletter],
  ['Questo messaggio è stato controllato da un antivirus.', newsletter],
];

/** Texts that say what the HTML says, or that are a separate email. */
const bodies: [text: string, seen: string][] = [
  ['Your code is 482913.', welcome],
  ['Your code is 482913.', 'Your code is 482913.'],
  ['Hello from the text', 'Hi, from the page'],
  ['plain', 'rich'],
  ['Learn HTML in ten days', 'Learn HTML in ten days'],
  ['==========\nWelcome, Ann\n==========\nYour code is 482913.', welcome],
  ['Open https://app.example/verify?t=1 in your browser to verify your address.', 'Verify your address'],
  ['Hello', ''],
  ['ご注文ありがとうございます。', japanese],
  [`${'A long letter of its own, with many words. '.repeat(60)}`, newsletter],
];

for (const [text, seen] of stubs)
  test(`stands in for its HTML: ${JSON.stringify(text.slice(0, 60))}`, () => assert.ok(isStub(text, seen)));
for (const [text, seen] of bodies)
  test(`is the mail: ${JSON.stringify(text.slice(0, 60))}`, () => assert.ok(!isStub(text, seen)));
