import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isGeneric, kindOfUrl, purposeBeside, purposeOfLabel } from './link-kinds.ts';

/** Labels by purpose, as services write them. */
const labels: Record<string, string[]> = {
  verify: [
    'Verify email address|Confirm your account|[Acme] Email Change Request|Activate account|Complete your registration|Unlock your account|Yes, it was me|Yes, that’s me|Finish setup|Finish initialization|Set it up here:|Approve device|Trust this device|Confermo l’iscrizione|Yes, subscribe me to this list|Set up your account|Authorize this device',
    'E-Mail-Adresse bestätigen|Konto aktivieren|Jetzt freischalten|Registrierung abschließen',
    'Vérifier mon adresse|Confirmer mon adresse e-mail|Activez votre compte|Valider mon compte',
    'Verificar correo|Confirma tu cuenta|Activar cuenta|Confirme su dirección',
    'Verifica indirizzo e-mail|Conferma il tuo account|Attiva il tuo account',
    'Confirmar e-mail|Verifique seu endereço|Ativar conta',
    'E-mailadres bevestigen|Account activeren|Verifieer je adres',
    'Bekräfta e-postadress|Aktivera konto|Verifiera din e-post|Bekræft din e-mail|Bekreft e-postadressen|Vahvista sähköpostiosoite',
    'Potwierdź adres e-mail|Aktywuj konto|Zweryfikuj konto|Ověřit e-mail|Potvrdit adresu|E-mail cím megerősítése|Confirmă adresa',
    'Подтвердить адрес|Активировать аккаунт|Підтвердити пошту|E-postayı doğrula|E-POSTAYI ONAYLA|Hesabı etkinleştir|Επιβεβαίωση email',
    'メールアドレスを確認する|メールアドレスを認証|本登録を完了する|验证邮箱|確認電子郵件|激活账户|이메일 인증하기|이메일 주소 확인',
    'Konto entsperren|Débloquer mon compte|Desbloquear mi cuenta|Sblocca l’account|Account ontgrendelen|Lås upp kontot|Odblokuj konto|Odomknúť účet',
    'Разблокировать аккаунт|Розблокувати акаунт|ロックを解除する|账户解锁|계정 잠금 해제|Mở khóa tài khoản|Buka kunci akun|ปลดล็อกบัญชี|खाता अनलॉक करें',
    'Potrdite naslov|Потврди адреса|Потвърдете имейла|E-poçtu təsdiqləyin|Kinnita e-post|Patvirtinkite adresą|Apstipriniet kontu|Sahkan e-mel|تأیید ایمیل',
    'تأكيد البريد الإلكتروني|تفعيل الحساب|ईमेल सत्यापित करें|पुष्टि करें|Xác nhận email|Kích hoạt tài khoản|Verifikasi email|ยืนยันอีเมล|אימות כתובת',
    'アカウントを有効にする|启用您的帐户|開通你的信箱|להפעלת החשבון|לאמת את הכתובת|Aktivujte účet|Overte svoj e-mail|Aktivirajte račun|Activați contul',
    'Registratie voltooien|Dokończ rejestrację|Dokončit registraci|Завершить регистрацию|完成注册|가입 완료|Finaliser votre inscription|Completar su registro|メールアドレスの検証|הפעלת החשבון|Yes, it’s me|Click to link accounts|Unlock|Unlock now',
    'Επιβεβαιώστε το email|Aktiveeri konto|Aktyvuoti paskyrą|Aktivizoni llogarinë|Virkjaðu netfangið|Baieztatu emaila|فعال‌سازی حساب',
    'Potvrďte změnu|Potvrzení adresy|Aktywować konto|Validación de la cuenta|Valideren|Réactiver mon compte|Mengaktifkan akun|Επανενεργοποίηση|Отключване на профила',
    'Activación de Acme|Active su cuenta ahora|Aktivér din konto|Активуйте обліковий запис|アカウントをアクティブ化|帳號啟用|Continue registration|Registrierung fortsetzen|Poursuivre l’inscription|Продовжити реєстрацію|继续注册',
    'Cadarnhau e-bost|Հաստատել հասցեն|যাচাই করুন|Электрондук почтаны ырастоо|Thibitisha barua pepe|ਪੁਸ਼ਟੀ ਕਰੋ|የኢሜል ያረጋግጡ|အတည်ပြုပါ|請依請求確認變更',
  ],
  reset: [
    'Reset password|Reset|Reset password and filters|Choose a new password|Recover my account|Restore access|Confirm the password change|Set your password|Change password|Create a password',
    'Passwort zurücksetzen|Neues Passwort festlegen|Réinitialiser le mot de passe|Choisir un mot de passe',
    'Restablecer contraseña|Cambiar mi contraseña|Reimposta password|Ripristina la password|Redefinir senha|Criar nova senha',
    'Wachtwoord opnieuw instellen|Wachtwoord herstellen|Återställ lösenord|Nulstil adgangskode|Tilbakestill passord|Vaihda salasana',
    'Zresetuj hasło|Ustaw hasło|Obnovit heslo|Új jelszó|Resetează parola|Сбросить пароль|Восстановить доступ|Відновити пароль',
    'Şifreyi sıfırla|Επαναφορά κωδικού|パスワードを再設定する|パスワードリセット|重置密码|重設密碼|비밀번호 재설정',
    'Recuperar acesso|Recupera account|Alterar palavra-passe|Canvia la contrasenya|Zmień swoje hasło|Změna hesla|Jelszó megváltoztatása|Promijeni lozinku|Смяна на паролата|Spremeni geslo',
    'Pakeisti slaptažodį|Parooli muutmine|更改我的密码|变更密码|پاسورد: تغییر رمز عبور|Tukar kata laluan|Wagwoord verander|Mudar a palavra-chave|Đổi mật mã|تغییر گذرواژه|Promijeni zaporku|Pasahitza aldatu|Update your account password',
    'إعادة تعيين كلمة المرور|पासवर्ड रीसेट करें|Đặt lại mật khẩu|Atur ulang kata sandi|รีเซ็ตรหัสผ่าน|איפוס סיסמה',
    'Konto wiederherstellen|Récupération de votre compte|Recuperación de cuenta|Recupero account|Accountherstel|Odzyskiwanie konta|Відновлення|לאפס את הסיסמה|Reset your password and device',
    'Ailosod cyfrinair|Құпиясөзді ауыстыру|Nenosiri jipya|پاس ورڈ بدلیں|Գաղտնաբառը փոխել|రీసెట్ చేయండి',
  ],
  login: [
    'Access your account|Access my account|Entrar agora|Acessar|Accedi ora|Ingresar ahora|Acceder a mi cuenta|Accedi al tuo account|Entrar na minha conta',
    'Sign in without a password|Sign into Acme|Logi sisse|Log in with your password|Войти без пароля',
    'Je me connecte|Log in|Sign in to Acme|Log me in|Use this magic link|Jetzt anmelden|Einloggen|Se connecter|Connexion|Accéder à mon compte',
    'Iniciar sesión|Inicia sesión|Ingresar|Accedi|Entrar|Fazer login|Acessar minha conta|Inloggen|Logga in|Log ind|Logg inn|Kirjaudu sisään',
    'Zaloguj się|Přihlásit se|Bejelentkezés|Conectează-te|Войти|Вход в аккаунт|Увійти|Giriş yap|Oturum aç|Σύνδεση',
    'ログイン|サインインする|登录|登入|로그인하기|تسجيل الدخول|साइन इन करें|लॉग इन करें|Đăng nhập|Masuk|เข้าสู่ระบบ|התחברות',
  ],
  invite: [
    'Accept invitation|Join the team|View invite|Einladung annehmen|Join Acme on Slack|Accept & join|Team beitreten|Accepter l’invitation|Rejoindre l’équipe',
    'Aceptar invitación|Unirme al equipo|Accetta l’invito|Aceitar convite|Uitnodiging accepteren|Acceptera inbjudan|Accepter invitationen',
    'Przyjmij zaproszenie|Dołącz do zespołu|Přijmout pozvánku|Csatlakozás|Принять приглашение|Присоединиться|Прийняти запрошення',
    'Daveti kabul et|Ekibe katıl|招待を承認|招待を受ける|チームに参加する|接受邀请|加入团队|초대 수락|قبول الدعوة|निमंत्रण स्वीकार करें|Chấp nhận lời mời|Terima undangan|ยอมรับคำเชิญ',
    'Bo hat dich zu Acme eingeladen|Bo heeft je uitgenodigd|Bo convidou você|Bo zaprosił Cię|Bo пригласил вас|Bo bjöd in dig|Gå med nu|Вас запрошено|組織に参加',
    'Sluit je aan|Entrar na organização|קבל הזמנה|Jemputan|Dəvəti qəbul et|Приемете поканата|Gonbidapena onartu|Priimti kvietimą|Pranoni ftesën|Прихвати позивницу|ਸੱਦਾ ਮੰਨੋ',
  ],
  unsubscribe: [
    'Turn off notifications|Unsubscribe|Opt out|Manage email settings|Gérer mes préférences|Email preferences|Update your preferences|Stop these emails|Remove me from this list|Abmelden|Newsletter abbestellen|Se désabonner|Se désinscrire|Darse de baja|Cancelar suscripción',
    'Annulla iscrizione|Disiscriviti|Cancelar inscrição|Descadastrar|Afmelden|Uitschrijven|Avregistrera|Frameld nyhedsbrev|Meld deg av|Peruuta tilaus',
    'Wypisz się|Odhlásit odběr|Leiratkozás|Dezabonare|Отписаться|Відписатися|Abonelikten çık|Κατάργηση εγγραφής: απεγγραφή|配信停止はこちら|退订|取消訂閱|수신거부',
    'إلغاء الاشتراك|सदस्यता समाप्त करें|Hủy đăng ký|Berhenti berlangganan|ยกเลิกการสมัคร|הסרה מרשימת התפוצה',
    'Benachrichtigungen für diese Liste abschalten|Désactiver les notifications|Desactivar estas notificaciones|Meldingen uitschakelen|Wyłącz powiadomienia|Отключить уведомления|Bu bildirimleri kapat|通知をオフにする|关闭通知',
    'Отписване|Dona’t de baixa|Zrušiť odber|Odjava|Batal berlangganan|Cancelar assinatura|ביטול רישום',
  ],
  // Explanations, the email in a browser.
  none: [
    'Invite friends|Invite your team|Freunde einladen|Inviter des amis|Invita a tus amigos|Invita i tuoi amici|Пригласить друзей|友達を招待|邀请好友|친구 초대',
    'How to verify your account|Learn how to reset your password|How do I sign in?|Why verify?|Help center: login problems|Contact us to reset it',
    'So funktioniert die Verifizierung|Wie bestätige ich meine Adresse?|Comment vérifier mon compte|Cómo verificar tu cuenta|Come verificare l’account|Como verificar sua conta',
    'Hoe verifieer ik mijn account?|Hur verifierar jag mitt konto?|Hvordan bekræfter jeg?|Miten vahvistan tilin?|Jak zweryfikować konto|Как подтвердить адрес|Hesap nasıl doğrulanır?',
    '認証方法について|如何验证邮箱|怎么登录|인증 방법|كيفية تأكيد الحساب|कैसे सत्यापित करें|Cách xác nhận|Cara verifikasi|วิธียืนยัน|איך לאמת',
    'View in browser|View this verification email in your browser|View online|Im Browser ansehen|Voir dans le navigateur|Ver en el navegador|Visualizza nel browser|Ver no navegador',
    'Bekijk in je browser|Visa i webbläsaren|Vis i browseren|Näytä selaimessa|Zobacz w przeglądarce|Открыть в браузере|Tarayıcıda görüntüle|ブラウザで見る|在浏览器中查看|브라우저에서 보기|عرض في المتصفح',
  ],
  // Text that says nothing about what a link does.
  null: [
    'Join our community on Slack|Join us on GitHub',
    'Reset your device|Gerät zurücksetzen|Réinitialiser l’appareil|Confirm order|Bestellung bestätigen|Confirmar pedido|Désactiver mon compte|Деактивировать|Nonaktifkan|Απενεργοποίηση',
    'Reset filters|Reset to defaults|Filter zurücksetzen|Réinitialiser les filtres|Сбросить фильтры|フィルターをリセット|重置筛选',
    'Entrar em contato|Acesse a ajuda|Acceder a la ayuda|Accedi alla guida|Déconnexion|Masukkan kode|Kotak masuk',
    'Unlock my $750 bonus|Unlock member access|Acme|Get started|Privacy|View order|Terms|Shop now|Kontakt|Ver pedido|Attività recente|Cattiva idea|Deactivate|Encontrar tienda',
    'Order confirmation|Confirmación del pedido|Potvrzení objednávky|Επιβεβαίωση παραγγελίας|ऑर्डर पुष्टिकरण|Bestellbestätigung ansehen|Confirmation de commande|注文内容を確認する|詳細を確認|주문 확인하기|Concentrar|Preset list|Blogging',
    'https://app.example/verify?t=1|app.example/login|Click here|ici|こちら|这里',
  ],
};
for (const [purpose, lists] of Object.entries(labels)) {
  for (const label of lists.flatMap((list) => list.split('|'))) {
    test(`a link with the text "${label}" is ${purpose}`, () => {
      assert.equal(String(purposeOfLabel(label)), purpose);
    });
  }
}

const urls: [path: string, kind: string][] = [
  ['/verify?utm_campaign=reset_password', 'verify'],
  ['/?utm_campaign=verify_email', 'other'],
  ['/?utm_content=login-button&utm_source=unsubscribe', 'other'],
  ['/home?ref=verify-mail&source=login&campaign=invite', 'other'],
  ['/home?template=reset_password&email_type=verification&mc_cid=verify', 'other'],
  ['/privacy?utm_campaign=verify_email', 'other'],
  ['/auth/v1/verify?token=x&type=recovery&redirect_to=https://a.test/login', 'reset'],
  ['/auth/v1/verify?token=x&type=magiclink', 'login'],
  ['/__/auth/action?mode=resetPassword&oobCode=x&continueUrl=https://a.test/login', 'reset'],
  ['/__/auth/action?mode=verifyEmail&oobCode=x', 'verify'],
  ['/users/password/edit?reset_password_token=x', 'reset'],
  ['/users/confirmation?confirmation_token=x', 'verify'],
  ['/users/unlock?unlock_token=x', 'verify'],
  ['/invitation/accept?invitation_token=x', 'invite'],
  ['/api/auth/callback/email?callbackUrl=https%3A%2F%2Fa.test%2Flogin&token=x&email=a', 'login'],
  ['/login?next=/verify', 'login'],
  ['/#/verify?token=x', 'verify'],
  ['/app#!/reset-password/x', 'reset'],
  ['/c?url=https%3A%2F%2Fb.test%2Fverify%3Ft%3D1', 'verify'],
  ['/c?url=https%3A%2F%2Fb.test%2F%3Futm_campaign%3Dverify', 'other'],
  ['/help/how-to-verify', 'other'],
  ['/hc/en-us/articles/360-verify-your-email', 'other'],
  ['/blog/reset-your-password', 'other'],
  ['/support/verify?token=x', 'verify'],
  ['/view-in-browser/verify-email', 'other'],
  ['/confirmarCorreo', 'verify'],
  ['/konto/best%C3%A4tigen', 'verify'],
  ['/パスワード再設定', 'reset'],
  ['/bloginfo', 'other'],
  ['/jobs?reset=filters', 'other'],
  ['/loginfo', 'other'],
  ['/order-confirmation/17', 'other'],
  ['/wp-login.php?action=rp&key=9hTqW2bLxV0a&login=mila&wp_lang=it_IT', 'reset'],
  ['/wp-login.php?login=mila&key=9hTqW2bLxV0a&action=rp', 'reset'],
  ['/wp-login.php?action=resetpass', 'reset'],
  ['/wp-login.php?action=lostpassword', 'reset'],
  ['/wp-login.php', 'login'],
  ['/wp-activate.php?key=9hTqW2bLxV0a', 'verify'],
  ['/my-account/lost-password/?key=9hTqW2bLxV0a&id=7', 'reset'],
  ['/account?key=9hTqW2bLxV0a&login=mila', 'other'],
  ['/user/reset/7/1715678400/Qm9b-x7Kp2QzR9mL/login', 'reset'],
  ['/forum/ucp.php?mode=activate&u=2&k=8FJ2KQ', 'verify'],
  ['/forum/ucp.php?mode=sendpassword', 'reset'],
  ['/index.php?action=reminder;sa=setpassword;u=7;code=8fj2kq', 'reset'],
  ['/login.php?a=pwd&u=7&i=8fj2kq', 'reset'],
  ['/login/forgot_password.php?token=8fj2kq', 'reset'],
  ['/login/confirm.php?data=8fj2kq/mila', 'verify'],
  ['/user/emailupdate.php?key=8fj2kq&id=7', 'verify'],
  ['/wiki/Special:ConfirmEmail/3f9a2c71d0bb44aa3f9a2c71d0bb44aa', 'verify'],
  ['/w/index.php?title=Special:ConfirmEmail/3f9a2c71d0bb44aa', 'verify'],
  ['/w/index.php?title=Special:InvalidateEmail/3f9a2c71d0bb44aa', 'other'],
  ['/session/email-login/3f9a2c71d0bb44aa', 'login'],
  ['/u/activate-account/3f9a2c71d0bb44aa', 'verify'],
  ['/members/?token=x7Kp2QzR9mL4&action=signin', 'login'],
  ['/accounts/reset/MTI4/c7h2fj-0f3a91c2b5d84e6f/', 'reset'],
  ['/passwords/eyJfcmFpbHMiOnsi--3f9a2c71/edit', 'reset'],
  ['/realms/a/login-actions/action-token?key=eyJhbGciOiJIUzUxMiJ9.eyJleHAiOjE3MTU2.Qm9b', 'other'],
  ['/realms/a/login-actions/reset-credentials?client_id=a', 'reset'],
  ['/realms/a/login-actions/required-action?execution=VERIFY_EMAIL&client_id=a', 'verify'],
  ['/realms/a/login-actions/required-action?execution=UPDATE_PASSWORD', 'reset'],
  ['/auth/v1/verify?token=x&type=signup', 'verify'],
  ['/auth/v1/verify?token=x&type=invite', 'invite'],
  ['/auth/v1/verify?token=x&type=email_change', 'verify'],
  ['/__/auth/action?mode=signIn&oobCode=x', 'login'],
  ['/u/reset-verify?ticket=x7Kp2QzR9mL4#', 'reset'],
  ['/u/email-verification?ticket=x7Kp2QzR9mL4#', 'verify'],
  ['/passwordless/verify_redirect?verification_code=123456&connection=email', 'login'],
  ['/magic-link/verify?token=x', 'login'],
  ['/confirmUser?client_id=a&user_name=b&confirmation_code=123456', 'verify'],
  ['/conta-gov-br/ajuda', 'other'],
  ['/account/deactivate', 'other'],
];
for (const [path, kind] of urls) {
  test(`the URL ${path} is ${kind}`, () => assert.equal(kindOfUrl(`https://a.test${path}`), kind));
}
test('the host of a URL tells no purpose, and that of a help centre that it has none', () => {
  assert.equal(kindOfUrl('https://verify.test/home'), 'other');
  assert.equal(kindOfUrl('https://help.acme.test/verify-email'), 'other');
});

const beside: [before: string, after: string, purpose: string | null][] = [
  ['To verify your address, click ', '', 'verify'],
  ['Please confirm your address. Click ', '', 'verify'],
  ['', ' to reset your password', 'reset'],
  ['Click ', ' to sign in.', 'login'],
  ['If you did not ask to reset your password, tell us ', '', null],
  ['You confirmed your account. Visit us: ', '', null],
  ['Reset your password. If you did not ask for it, ignore this. If you did, click below: ', '', 'reset'],
  ['Qualcuno ha richiesto un link di accesso. ', '', 'login'],
  ['Запрошен сброс пароля: ', '', 'reset'],
  ['How to verify your account: ', '', null],
  ['', ' and verify', null],
  ['Klicken Sie ', ', um Ihr Passwort zurückzusetzen', null],
  ['Um Ihr Konto zu bestätigen, klicken Sie ', '', 'verify'],
  ['Pour vérifier votre adresse, cliquez ', '', 'verify'],
  ['メールアドレスを認証するには', 'をクリックしてください', 'verify'],
  ['「', '」をクリックして確認してください。', 'verify'],
  ['下記の', 'からパスワードを再設定してください', 'reset'],
  ['请点击', '来验证您的邮箱', 'verify'],
  ['Em caso de dúvida acesse ', '', null],
  ['Si tiene dudas puede acceder a ', '', null],
  ['Para ingresar el código visite ', '', null],
  ['Para entrar em contato, acesse ', '', null],
  ['Para más información entrar en ', '', null],
  ['Per assistenza accedi a ', '', null],
  ['Pour accéder à la page d’accueil : ', '', null],
  ['Masukkan kode di ', '', null],
  ['Чтобы подключить вход в приложении: ', '', null],
  ['Para acessar sua conta, clique ', '', 'login'],
  ['Para iniciar sesión, pulsa ', '', 'login'],
  ['If you no longer wish to receive these emails, click ', '', 'unsubscribe'],
  ['Wenn Sie keine weiteren E-Mails erhalten möchten, klicken Sie ', '', 'unsubscribe'],
  ['Pour ne plus recevoir nos emails : ', '', 'unsubscribe'],
  ['Se non vuoi più ricevere queste email, clicca ', '', 'unsubscribe'],
  ['Caso não queira mais receber nossos e-mails, clique ', '', 'unsubscribe'],
  ['Si no desea recibir más correos, pulse ', '', 'unsubscribe'],
];
for (const [before, after, purpose] of beside) {
  test(`a link in "${before}[…]${after}" is ${purpose}`, () =>
    assert.equal(purposeBeside(before, after), purpose));
}

test('labels that only point at a link say nothing of its purpose', () => {
  for (const label of [
    '',
    'here',
    'Click here!',
    'Get started',
    'Registrieren',
    'https://a.test/verify',
    'こちら',
    'Hier klicken',
    'a.test/x',
  ])
    assert.equal(isGeneric(label), true, label);
  for (const label of ['Verify', 'Acme', 'Privacy']) assert.equal(isGeneric(label), false, label);
});
