import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHtml } from '#adapters/mime/html-text.ts';
import { readLinks } from './links.ts';

const url = 'https://a.test/security';
const mainOf = (text: string | null, html: string | null, subject = 'Your code'): string | null =>
  readLinks({ text, html: html === null ? null : readHtml(html), listUnsubscribe: '' }, subject).mainLink;

/** Sentences with a link for people who did not request the email. The link's text is in brackets. */
const asides = [
  "If this wasn't you, please [change your password].|Not you? [Reset your password]|Changed your mind? [Log in]|Didn't request this? [Reset password]|[Not you? Reset your password]",
  "If you didn't try to sign in, [reset your password] now.|If you don't recognize this device, [change your password].|[Change your password] if this wasn’t you.",
  'Wenn Sie das nicht waren, [ändern Sie Ihr Passwort: Passwort ändern].|Waren Sie das nicht? [Passwort zurücksetzen]|Falls du diesen Code nicht angefordert hast, [setze dein Passwort zurück: Passwort zurücksetzen].',
  "Si ce n'est pas vous, [réinitialisez votre mot de passe].|Vous n'êtes pas à l'origine de cette demande ? [Changer mon mot de passe]",
  'Si no fuiste tú, [cambia tu contraseña].|¿No has sido tú? [Restablecer contraseña]|Si no solicitaste este código, [restablece tu contraseña].',
  'Se não foi você, [redefina sua senha].|Se você não solicitou este código, [altere: alterar senha].|Se non sei stato tu, [cambia la password].|Non hai richiesto il codice? [Reimposta password]',
  'Was jij dit niet? [Wijzig je wachtwoord: wachtwoord wijzigen]|Heb je deze code niet aangevraagd, [herstel je wachtwoord].|Var det inte du? [Återställ lösenord]|Hvis det ikke var dig, [nulstil adgangskode].',
  'Hvis dette ikke var deg, [tilbakestill passordet].|Jos tämä et ollut sinä, [vaihda salasana].|Jeśli to nie Ty, [zmień hasło].|Jeśli to nie Ty, natychmiast [zresetuj hasło].',
  'Pokud jste to nebyli vy a kód jste nevyžádali, [změnit heslo].|Ha nem Ön volt, [új jelszó].|Dacă nu ai fost tu, [resetează parola].',
  'Если это были не вы, [смените пароль: сменить пароль].|Вы не запрашивали код? [Восстановить доступ]|Якщо це були не ви, [змінити пароль].|Bunu siz değilseniz [şifreyi sıfırla].|Αν δεν ήσασταν εσείς, [αλλαγή κωδικού].',
  '心当たりがない場合は、[パスワードを変更]してください。|ご本人でない場合は[パスワードの再設定]をお願いします。|若非本人操作，请及时[重置密码]。|如果這不是您，請[重設密碼]。|如非您本人操作，请[修改密码]',
  '본인이 아닌 경우 [비밀번호 변경]을 해 주세요.|본인이 요청하지 않았다면 [비밀번호를 재설정]하세요.|إذا لم تكن أنت، [إعادة تعيين كلمة المرور].|अगर यह आप नहीं थे, तो [पासवर्ड रीसेट करें]।',
  'Nếu không phải bạn, hãy [đổi mật khẩu].|Jika bukan Anda, [atur ulang kata sandi].|หากไม่ใช่คุณ [รีเซ็ตรหัสผ่าน]|אם זה לא אתה, [איפוס סיסמה].',
];
for (const sentence of asides.flatMap((line) => line.split('|'))) {
  test(`the link of "${sentence}" is not the main one`, () => {
    const html = `<p>${sentence.replace('[', `<a href="${url}">`).replace(']', '</a>')}</p>`;
    assert.equal(mainOf(null, html), null);
    const verify = '<p>Hi!</p><a href="https://a.test/c/1">Verify email</a>';
    assert.equal(mainOf(null, `${verify}${html}`), 'https://a.test/c/1');
    assert.equal(
      mainOf(`Your code: 482913\n\n${sentence.replace('[', '').replace(']', ` (${url})`)}\n`, null),
      null,
    );
  });
}
test('a link for those who did not ask is not the main one where its sentence is above it', () => {
  for (const text of [
    `If this wasn't you, reset your password:\n${url}`,
    `If this wasn't you, please reset your password.\n\n${url}`,
    `Not you?\n${url}/reset`,
  ]) {
    assert.equal(mainOf(text, null), null, text);
  }
  const html = `<p>Your code: 482913</p><p>If this wasn't you, please reset your password:</p><p><a href="${url}">Reset password</a></p>`;
  assert.equal(mainOf(`Your code\nReset password: ${url}`, html), null);
});

/** Emails about their own link, with a sentence for people who did not request it. */
const own = [
  '<p>If you did not request this, ignore this email.</p><p>[Reset password]</p>',
  '<p>If you did not request a password reset, no further action is required.</p>[Reset password]',
  '<p>If you didn’t request this, please contact us</p><p>[Reset password]</p>',
  '<p>[Reset password]</p><p>If you did not request this, ignore this email.</p>',
  '<p>[Reset password] If you did not ask for it, contact us.</p>',
  '<p>Wenn Sie das nicht waren, ignorieren Sie diese E-Mail.</p>[Passwort zurücksetzen]',
  "<p>Si vous n'avez pas demandé ce lien, ignorez cet e-mail.</p>[Réinitialiser le mot de passe]",
  '<p>Si no has sido tú, ignora este correo.</p>[Restablecer contraseña]',
  '<p>Se non hai richiesto la reimpostazione, ignora questa email.</p>[Reimposta password]',
  '<p>Jeśli to nie Ty, zignoruj tę wiadomość.</p>[Ustaw hasło]',
  '<p>このメールに心当たりがない場合は、破棄してください。</p>[パスワードを再設定する]',
  '<p>如果不是您本人操作，请忽略此邮件。</p>[重置密码]',
  '<p>본인이 요청하지 않았다면 이 메일을 무시하세요.</p>[비밀번호 재설정]',
  '<p>Если вы не запрашивали сброс, проигнорируйте письмо.</p>[Сбросить пароль]',
  '<p>You did not finish your registration. [Verify email]</p>',
  '<p>If you have not verified your address yet, [verify it now: Verify email]</p>',
];
for (const body of own) {
  test(`the link of "${body}" is the main one`, () => {
    const html = body.replace('[', `<a href="${url}">`).replace(']', '</a>');
    assert.equal(mainOf(null, html, ''), url);
    const lines = body
      .replace(/<\/?p>/g, '\n')
      .replace('[', '')
      .replace(']', `: ${url}\n`);
    assert.equal(mainOf(lines, null, ''), url, lines);
  });
}

const keptKinds: [text: string, kind: string][] = [
  [
    'Per reimpostare la tua password, visita:\n\nhttps://a.test/wp-login.php?key=9hTqW2bLxV0aPz7R&login=mila',
    'reset',
  ],
  ['To verify your email: https://a.test/realms/a/login-actions/action-token?key=eyJhbGciOiJI', 'verify'],
  ['Em caso de dúvida sobre o login acesse sua conta: https://www.gov.br/conta-gov-br/ajuda', 'other'],
];
for (const [text, kind] of keptKinds) {
  test(`the link of ${JSON.stringify(text)} is ${kind}`, () => {
    const { links } = readLinks({ text, html: null, listUnsubscribe: '' }, '');
    const kinds = links.map((link) => link.kind);
    assert.deepEqual(kinds, [kind]);
  });
}

test('a link to refuse a sign-in signs nobody in', () => {
  const html = readHtml('<a href="https://a.test/signin/deny?t=9f86d081">No, it wasn’t me</a>');
  assert.equal(readLinks({ text: null, html, listUnsubscribe: '' }, '').links[0]?.kind, 'other');
});
